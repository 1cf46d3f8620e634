#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "importers/node_labels.hpp"
#include "importers/outline.hpp"
#include "importers/readers.hpp"
#include "importers/source_text.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut::importers {
namespace {

using Json = nlohmann::json;

/// Real node lists stay far below. Deeper ones can exhaust the stack when they are taken apart.
constexpr std::size_t kMaxDepth = 32;

/// Keys and values: bounds the memory that a short text can ask for.
constexpr std::size_t kMaxJsonSteps = 8'000'000;

struct KubernetesNode {
  std::string name;
  std::string where;  ///< "file#/items/3"
  Labels labels;
  std::optional<int> gpus;  ///< none: the node says nothing about GPUs
};

std::string position_of_byte(std::string_view text, const std::string& source, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column =
      before.size() - (line_end == std::string_view::npos ? 0 : line_end + 1) + 1;
  return position(source, line, column);
}

/// Goes through a text without keeping anything, and stops where it is too deep or too long, or
/// where an object has a key twice, of which the parser would keep one without a word. The parser's
/// own callback would do, but it looks through the whole list after each object in it, which takes
/// minutes for a list of millions.
class LimitCheck : public nlohmann::json_sax<Json> {
 public:
  explicit LimitCheck(const std::string& source) : source_(source) {}

  bool null() override { return step(); }
  bool boolean(bool) override { return step(); }
  bool number_integer(number_integer_t) override { return step(); }
  bool number_unsigned(number_unsigned_t) override { return step(); }
  bool number_float(number_float_t, const string_t&) override { return step(); }
  bool string(string_t&) override { return step(); }
  bool binary(binary_t&) override { return step(); }
  bool key(string_t& key) override {
    open_.back().key = key;
    if (!open_.back().keys.insert(key).second) {
      throw InputError(here(), fmt::format("the key \"{}\" is given twice", excerpt(key)));
    }
    return step();
  }
  bool start_object(std::size_t) override { return descend(false); }
  bool start_array(std::size_t) override { return descend(true); }
  bool end_object() override { return ascend(); }
  bool end_array() override { return ascend(); }
  /// Errors are reported by the parse that follows.
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  struct Open {
    bool is_list;
    std::size_t values = 0;  // of a list, begun so far
    std::set<std::string> keys;
    std::string key;  // the last one
  };

  /// The JSON pointer of the innermost object.
  [[nodiscard]] std::string here() const {
    std::string pointer = source_ + "#";
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      const Open& open = open_[i];
      pointer += "/" + (open.is_list ? std::to_string(open.values - 1) : excerpt(open.key));
    }
    return pointer;
  }
  bool step() {
    if (!open_.empty()) ++open_.back().values;
    if (++steps_ > kMaxJsonSteps) {
      throw InputError(source_,
                       fmt::format("the text has more than {} keys and values", kMaxJsonSteps));
    }
    return true;
  }
  bool descend(bool is_list) {
    if (open_.size() == kMaxDepth)
      throw InputError(source_, fmt::format("the text is nested more than {} deep", kMaxDepth));
    step();
    open_.push_back({is_list, 0, {}, {}});
    return true;
  }
  bool ascend() {
    open_.pop_back();
    return true;
  }

  const std::string& source_;
  std::size_t steps_ = 0;
  std::vector<Open> open_;
};

Json parse_json(std::string_view text, const std::string& source) {
  LimitCheck check(source);
  (void)Json::sax_parse(text, &check);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw InputError(position_of_byte(text, source, error.byte), "this is not JSON",
                     "expected the output of kubectl get nodes -o json");
  } catch (const Json::exception&) {  // a number that no double holds
    throw InputError(source, "a number in this JSON is out of range");
  }
}

/// A member of an object, null when it is absent or the parent is no object.
const Json* member(const Json* parent, const char* key) {
  if (parent == nullptr || !parent->is_object()) return nullptr;
  const auto found = parent->find(key);
  return found == parent->end() ? nullptr : &*found;
}

/// Kubernetes quantities of devices are whole numbers, as text.
std::optional<int> count_of(const Json* quantity) {
  if (quantity == nullptr) return std::nullopt;
  if (quantity->is_number_unsigned() && quantity->get<std::uint64_t>() <= 1024)
    return quantity->get<int>();
  if (!quantity->is_string()) return std::nullopt;
  const auto& text = quantity->get_ref<const std::string&>();
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_count = error == std::errc{} && end == text.data() + text.size();
  return is_count && count >= 0 && count <= 1024 ? std::optional(count) : std::nullopt;
}

class NodeListReader {
 public:
  NodeListReader(const std::string& source, const ImportOptions& options, ProblemList& problems)
      : source_(source), options_(options), problems_(problems) {}

  Outline outline(const Json& root) {
    take_nodes(root);
    keep_gpu_servers();
    Outline outline;
    std::vector<const Labels*> labels;
    for (const KubernetesNode& node : nodes_) labels.push_back(&node.labels);
    const std::optional<LabelSet> set = set_for(labels);
    if (!set) {
      if (!nodes_.empty()) {
        problems_.add(source_, "no node carries a topology label that is known",
                      "label them, or say which label keys are the levels");
      }
      return outline;
    }
    for (const LabelLevel& level : *set) outline.levels.push_back(level.level);
    for (const KubernetesNode& node : nodes_) place(node, *set, outline);
    if (outline.servers.empty() && left_out_.size() == nodes_.size() && !nodes_.empty()) {
      std::vector<std::string> keys;
      for (const LabelLevel& level : *set) keys.push_back(level.key);
      problems_.add(source_, fmt::format("no node has the label {}", fmt::join(keys, " or ")));
    }
    return outline;
  }

  /// Servers without any of the labels, in the order of the list.
  [[nodiscard]] const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  std::optional<LabelSet> set_for(const std::vector<const Labels*>& nodes) const {
    if (!options_.level_labels.empty()) return label_set(options_.level_labels);
    return options_.skip_unplaced ? find_label_set_of_most(nodes) : find_label_set(nodes);
  }

  void take_nodes(const Json& root) {
    const Json* const items = member(&root, "items");
    if (items == nullptr || !items->is_array()) {
      problems_.add(source_, "expected an object with a list \"items\"",
                    "the output of kubectl get nodes -o json");
      return;
    }
    for (std::size_t i = 0; i < items->size(); ++i)
      take_node((*items)[i], fmt::format("{}#/items/{}", source_, i));
  }

  void take_node(const Json& item, const std::string& where) {
    const Json* const kind = member(&item, "kind");
    const Json* const metadata = member(&item, "metadata");
    const Json* const name = member(metadata, "name");
    if (kind != nullptr && *kind != "Node") {
      problems_.add(where, "found an object that is no Node");
      return;
    }
    if (name == nullptr || !name->is_string()) {
      problems_.add(where + "/metadata/name", "expected the node's name");
      return;
    }
    KubernetesNode node{name->get<std::string>(), where, {}, gpus_of(item, where)};
    if (const Json* const labels = member(metadata, "labels"); labels != nullptr)
      take_labels(*labels, node);
    nodes_.push_back(std::move(node));
  }

  void take_labels(const Json& labels, KubernetesNode& node) {
    const std::string where = node.where + "/metadata/labels";
    if (!labels.is_object() && !labels.is_null())
      return problems_.add(where, "expected an object of labels");
    for (const auto& [key, value] : labels.items()) {
      if (value.is_string()) {
        node.labels.emplace(key, value.get<std::string>());
      } else {
        problems_.add(where, fmt::format("the value of label {} is no text", excerpt(key)));
      }
    }
  }

  std::optional<int> gpus_of(const Json& item, const std::string& where) {
    const Json* const status = member(&item, "status");
    for (const char* const list : {"allocatable", "capacity"}) {
      std::optional<int> said;  // a node may name what it has none of, beside what it has
      for (const char* const resource : {"nvidia.com/gpu", "amd.com/gpu"}) {
        const Json* const quantity = member(member(status, list), resource);
        if (quantity == nullptr) continue;
        said = count_of(quantity);
        if (!said) {
          problems_.add(fmt::format("{}/status/{}", where, list),
                        fmt::format("the quantity of {} is no number from 0 to 1024", resource));
        }
        if (said != 0) return said;
      }
      if (said) return said;
    }
    return std::nullopt;
  }

  /// Where some nodes have GPUs, the others are the control plane and the like. Where none says
  /// anything, all are taken.
  void keep_gpu_servers() {
    const bool some_have =
        std::any_of(nodes_.begin(), nodes_.end(),
                    [](const KubernetesNode& node) { return node.gpus.value_or(0) > 0; });
    if (some_have)
      std::erase_if(nodes_, [](const KubernetesNode& node) { return node.gpus.value_or(0) == 0; });
  }

  /// Adds a node where its labels put it. One without any of the keys is not on this fabric.
  void place(const KubernetesNode& node, const LabelSet& set, Outline& outline) {
    DomainPath path;
    bool has_any = false;
    for (const LabelLevel& level : set) {
      const auto label = node.labels.find(level.key);
      path.push_back(label == node.labels.end() ? std::string{} : label->second);
      has_any = has_any || !path.back().empty();
    }
    if (!has_any) return left_out_.push_back(node.name);
    if (path.back().empty()) {
      if (options_.skip_unplaced) return;
      problems_.add(node.where + "/metadata/labels",
                    fmt::format("node {} has no label {}, though it has outer ones", node.name,
                                set.back().key));
      return;
    }
    fill_gaps(path);
    outline.servers.push_back({std::move(path), node.name, node.gpus.value_or(0),
                               scale_up_domain(node.labels), node.where});
  }

  const std::string& source_;
  const ImportOptions& options_;
  ProblemList& problems_;
  std::vector<KubernetesNode> nodes_;
  std::vector<std::string> left_out_;
};

}  // namespace

Cluster read_kubernetes_nodes(std::string_view text, const std::string& source,
                              const ImportOptions& options) {
  const Json root = parse_json(checked_text(text, source), source);
  ProblemList problems;
  Outline outline = NodeListReader(source, options, problems).outline(root);
  return assemble(std::move(outline), options, source, problems);
}

std::vector<std::string> kubernetes_nodes_left_out(std::string_view text, const std::string& source,
                                                   const ImportOptions& options) {
  const Json root = parse_json(checked_text(text, source), source);
  ProblemList problems;
  NodeListReader reader(source, options, problems);
  (void)reader.outline(root);
  return reader.left_out();
}

}  // namespace zonecut::importers
