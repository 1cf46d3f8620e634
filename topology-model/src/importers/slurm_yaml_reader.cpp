#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "importers/block_list.hpp"
#include "importers/outline.hpp"
#include "importers/readers.hpp"
#include "importers/slurm_outlines.hpp"
#include "importers/source_text.hpp"
#include "importers/switch_tree.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/gather_document.hpp"

namespace zonecut::importers {
namespace {

const Value* find(const Value& mapping, std::string_view key) {
  for (const Value::Entry& entry : mapping.entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

/// The booleans of Slurm's YAML; none for another word.
std::optional<bool> as_slurm_boolean(const Value& value) {
  constexpr std::array<std::string_view, 5> kTrue = {"y", "yes", "t", "true", "on"};
  constexpr std::array<std::string_view, 5> kFalse = {"n", "no", "f", "false", "off"};
  const std::string word = lower_case(value.scalar);
  if (std::find(kTrue.begin(), kTrue.end(), word) != kTrue.end()) return true;
  if (std::find(kFalse.begin(), kFalse.end(), word) != kFalse.end()) return false;
  return std::nullopt;
}

/// topology.yaml: a list of topologies, of which one is read. Kinds of topologies that other
/// versions of Slurm know are passed over; within the one that is read no key is.
class SlurmYamlReader {
 public:
  SlurmYamlReader(const Document& document, ProblemList& problems)
      : document_(document), problems_(problems) {}

  Outline outline() {
    const Value* const topology = chosen();
    if (topology == nullptr) return {};
    const Value* const tree = find(*topology, "tree");
    const Value* const block = find(*topology, "block");
    if (tree != nullptr && block != nullptr)
      problems_.add(document_.where(*block), "found both \"tree\" and \"block\" in one topology");
    Outline outline = tree != nullptr ? outline_of_tree(*tree) : outline_of_block(*block);
    if (const std::string name = text_of(*topology, "topology"); outline.name.empty())
      outline.name = name;
    return outline;
  }

 private:
  static bool is_readable(const Value& topology) {
    return find(topology, "tree") != nullptr || find(topology, "block") != nullptr;
  }

  /// The cluster's default when it is a tree or has blocks, else the first that is or has.
  const Value* chosen() {
    if (document_.root.kind != Value::Kind::List) {
      problems_.add(document_.where(document_.root), "expected a list of topologies");
      return nullptr;
    }
    const Value* first = nullptr;
    const Value* preferred = nullptr;
    for (const Value& topology : document_.root.items) {
      const bool is_preferred = is_default(topology);
      if (!is_readable(topology)) continue;
      if (first == nullptr) first = &topology;
      if (preferred == nullptr && is_preferred) preferred = &topology;
    }
    if (first == nullptr) {
      problems_.add(document_.where(document_.root), "found no topology with \"tree\" or \"block\"",
                    "flat, ring and torus topologies have no domains to read");
    }
    return preferred != nullptr ? preferred : first;
  }

  bool is_default(const Value& topology) {
    if (topology.kind != Value::Kind::Mapping)
      problems_.add(document_.where(topology), "expected a mapping with \"topology\"");
    const Value* const value = find(topology, "cluster_default");
    if (value == nullptr) return false;
    const std::optional<bool> said = as_slurm_boolean(*value);
    if (!said)
      problems_.add(document_.where(*value), "\"cluster_default\" is neither true nor false");
    return said.value_or(false);
  }

  void refuse_others(const Value& mapping, std::initializer_list<std::string_view> known) {
    Fields fields(document_, mapping, problems_);
    for (const std::string_view key : known) static_cast<void>(fields.find(key));
    fields.finish();
  }

  std::string text_of(const Value& mapping, std::string_view key) const {
    const Value* const value = find(mapping, key);
    return value != nullptr && value->kind == Value::Kind::Scalar ? value->scalar : std::string{};
  }

  /// The entries of a list of mappings; reports what is none.
  std::vector<const Value*> mappings_of(const Value& parent, std::string_view key) {
    std::vector<const Value*> result;
    const Value* const list = find(parent, key);
    if (list == nullptr || list->kind != Value::Kind::List) {
      problems_.add(document_.where(list == nullptr ? parent : *list),
                    fmt::format("expected a list \"{}\"", key));
      return result;
    }
    for (const Value& item : list->items) {
      if (item.kind == Value::Kind::Mapping) {
        result.push_back(&item);
      } else {
        problems_.add(document_.where(item), fmt::format("expected a mapping in \"{}\"", key));
      }
    }
    return result;
  }

  std::optional<std::string> required_name(const Value& mapping, std::string_view key) {
    std::string name = text_of(mapping, key);
    if (!name.empty()) return name;
    problems_.add(document_.where(mapping), fmt::format("expected a name under \"{}\"", key));
    return std::nullopt;
  }

  std::vector<std::string> hosts(const Value& mapping, std::string_view key) {
    const Value* const list = find(mapping, key);
    if (list == nullptr || list->kind == Value::Kind::Null) return {};
    if (list->kind == Value::Kind::Scalar)
      return hosts_of(list->scalar, document_.where(*list), budget_, problems_);
    problems_.add(document_.where(*list),
                  fmt::format("expected a host list under \"{}\", such as node[01-16]", key));
    return {};
  }

  Outline outline_of_tree(const Value& tree_value) {
    SwitchTree tree(problems_);
    refuse_others(tree_value, {"switches"});
    for (const Value* const entry : mappings_of(tree_value, "switches")) {
      refuse_others(*entry, {"switch", "children", "nodes"});
      const std::optional<std::string> name = required_name(*entry, "switch");
      if (!name) continue;
      const std::size_t index = tree.describe(*name, document_.where(*entry));
      for (const std::string& child : hosts(*entry, "children"))
        tree.add_child(index, child, document_.where(*find(*entry, "children")));
      for (std::string& host : hosts(*entry, "nodes")) {
        tree.add_server(index,
                        {{}, std::move(host), 0, {}, document_.where(*find(*entry, "nodes"))});
      }
    }
    tree.require_descriptions();
    return std::move(tree).to_outline();
  }

  Outline outline_of_block(const Value& block_value) {
    std::vector<Block> blocks;
    refuse_others(block_value, {"block_sizes", "blocks"});
    for (const Value* const entry : mappings_of(block_value, "blocks")) {
      refuse_others(*entry, {"block", "nodes"});
      const std::optional<std::string> name = required_name(*entry, "block");
      if (!name) continue;
      blocks.push_back({*name, document_.where(*entry), hosts(*entry, "nodes"), {}});
      if (const Value* const nodes = find(*entry, "nodes"); nodes != nullptr)
        blocks.back().where_hosts = document_.where(*nodes);
    }
    std::vector<std::int64_t> sizes;
    const Value* const list = find(block_value, "block_sizes");
    if (list != nullptr) {
      if (list->kind != Value::Kind::List)
        problems_.add(document_.where(*list), "expected a list \"block_sizes\"", "such as [4, 16]");
      for (const Value& item : list->items) {
        const auto size = as_integer(document_, item, 1, 1 << 24, problems_);
        if (size) sizes.push_back(*size);
      }
    }
    const std::string where = document_.where(list != nullptr ? *list : block_value);
    return outline_of_blocks(std::move(blocks), sizes, where, problems_);
  }

  const Document& document_;
  ProblemList& problems_;
  std::size_t budget_ = kMaxServers;
};

}  // namespace

Outline slurm_yaml_outline(std::string_view text, const std::string& source,
                           ProblemList& problems) {
  const Document document = gather_document(checked_text(text, source), source, problems);
  return SlurmYamlReader(document, problems).outline();
}

Cluster read_slurm_yaml(std::string_view text, const std::string& source,
                        const ImportOptions& options) {
  ProblemList problems;
  Outline outline = slurm_yaml_outline(text, source, problems);
  return assemble(std::move(outline), options, source, problems);
}

}  // namespace zonecut::importers
