#include <fmt/format.h>

#include <span>

#include "importers/outline.hpp"
#include "importers/readers.hpp"
#include "importers/source_text.hpp"
#include "importers/switch_tree.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/gather_document.hpp"

namespace zonecut::importers {
namespace {

constexpr std::string_view kScaleUpDomain = "accelerator.topology.test/domain";

/// A simulation model of topograph: `switches` names the child switches of each switch, `blocks`
/// hangs servers on the lowest ones.
class TopographReader {
 public:
  TopographReader(const Document& document, ProblemList& problems)
      : document_(document), problems_(problems), tree_(problems) {}

  Outline outline() && {
    Fields top(document_, document_.root, problems_);
    if (const Value* const switches = top.find("switches"); switches != nullptr)
      take_switches(*switches);
    if (const Value* const blocks = top.require("blocks"); blocks != nullptr) take_blocks(*blocks);
    top.finish();
    return std::move(tree_).to_outline();
  }

 private:
  struct PlacedText {
    std::string text;
    std::string where;
  };

  /// Those of a list, or the only one.
  std::vector<PlacedText> texts(Fields& fields, std::string_view key) {
    std::vector<PlacedText> result;
    const Value* const value = fields.find(key);
    if (value == nullptr || value->kind == Value::Kind::Null) return result;
    const bool is_list = value->kind == Value::Kind::List;
    for (const Value& item : is_list ? std::span(value->items) : std::span(value, 1)) {
      if (auto text = as_text(document_, item, problems_))
        result.push_back({std::move(*text), document_.where(item)});
    }
    return result;
  }

  void take_switches(const Value& switches) {
    static_cast<void>(Fields(document_, switches, problems_));  // reports what is no mapping
    for (const Value::Entry& entry : switches.entries) {
      const std::string where = document_.where(entry.value);
      const std::size_t parent = tree_.describe(entry.key, where);
      Fields fields(document_, entry.value, problems_);  // null: nothing is said about the switch
      for (const auto& [child, where_child] : texts(fields, "switches"))
        tree_.add_child(parent, child, where_child);
      static_cast<void>(fields.find("labels"));
      fields.finish();
    }
  }

  void take_blocks(const Value& blocks) {
    if (blocks.kind != Value::Kind::List)
      problems_.add(document_.where(blocks), "expected a list of blocks");
    for (const Value& block : blocks.items) {
      if (block.kind != Value::Kind::Mapping) {
        problems_.add(document_.where(block), "expected a block with \"switch\" and \"nodes\"");
        continue;
      }
      take_block(block);
    }
  }

  void take_block(const Value& block) {
    Fields fields(document_, block, problems_);
    const std::string name = fields.required_text("switch");
    const std::string scale_up = scale_up_of(fields);
    const std::vector<PlacedText> lists = texts(fields, "nodes");
    fields.finish();
    if (name.empty()) return;
    const std::size_t leaf = tree_.mention(name, fields.where());
    for (const auto& [list, where] : lists) {
      for (std::string& host : hosts_of(list, where, budget_, problems_))
        tree_.add_server(leaf, {{}, std::move(host), 0, scale_up, where});
    }
  }

  std::string scale_up_of(Fields& fields) {
    const Value* const annotations = fields.find("annotations");
    if (annotations == nullptr) return {};
    return Fields(document_, *annotations, problems_).text(kScaleUpDomain);
  }

  const Document& document_;
  ProblemList& problems_;
  SwitchTree tree_;
  std::size_t budget_ = kMaxServers;
};

}  // namespace

Cluster read_topograph(std::string_view text, const std::string& source,
                       const ImportOptions& options) {
  ProblemList problems;
  const Document document = gather_document(checked_text(text, source), source, problems);
  Outline outline = TopographReader(document, problems).outline();
  return assemble(std::move(outline), options, source, problems);
}

}  // namespace zonecut::importers
