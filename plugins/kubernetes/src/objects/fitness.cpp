#include "objects/fitness.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace zonecut::kubernetes {
namespace {

/// As Go's strconv.ParseInt in base 10 reads it.
std::optional<std::int64_t> signed_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

/// As apimachinery's IsDecimalInteger wants it: no plus, no leading zeros.
std::optional<std::int64_t> canonical_number(std::string_view text) {
  const std::optional<std::int64_t> value = signed_number(text);
  return value && std::to_string(*value) == text ? value : std::nullopt;
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.exists) return true;
  if (toleration.order == Toleration::Order::None) return toleration.value == taint.value;
  const std::optional<std::int64_t> mine = canonical_number(toleration.value);
  const std::optional<std::int64_t> its = canonical_number(taint.value);
  if (!mine || !its) return false;
  return toleration.order == Toleration::Order::Lt ? *its < *mine : *its > *mine;
}

bool tolerates(const Pod& pod, const Taint& taint) {
  return std::any_of(pod.tolerations.begin(), pod.tolerations.end(),
                     [&](const Toleration& toleration) { return tolerates(toleration, taint); });
}

bool tolerates_taints(const Pod& pod, const Node& node) {
  return std::all_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    const bool keeps_out = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return !keeps_out || tolerates(pod, taint);
  });
}

bool has_selected_labels(const Node& node, const Labels& selector) {
  return std::all_of(selector.begin(), selector.end(), [&](const auto& wanted) {
    const auto label = node.labels.find(wanted.first);
    return label != node.labels.end() && label->second == wanted.second;
  });
}

/// apimachinery refuses to make a selector of others; a term with one matches no node.
bool is_well_formed(const Requirement& requirement) {
  switch (requirement.op) {
    case Requirement::Operator::In:
    case Requirement::Operator::NotIn:
      return !requirement.values.empty();
    case Requirement::Operator::Exists:
    case Requirement::Operator::DoesNotExist:
      return requirement.values.empty();
    case Requirement::Operator::Gt:
    case Requirement::Operator::Lt:
      return requirement.values.size() == 1 && signed_number(requirement.values.front());
  }
  return false;
}

bool is_among(const std::string& text, const std::vector<std::string>& values) {
  return std::find(values.begin(), values.end(), text) != values.end();
}

bool in_order(const std::string& label, const Requirement& requirement) {
  const std::optional<std::int64_t> its = signed_number(label);
  const std::optional<std::int64_t> bound = signed_number(requirement.values.front());
  if (!its || !bound) return false;
  return requirement.op == Requirement::Operator::Gt ? *its > *bound : *its < *bound;
}

bool holds(const Requirement& requirement, const Labels& labels) {
  if (!is_well_formed(requirement)) return false;
  const auto label = labels.find(requirement.key);
  const bool has = label != labels.end();
  switch (requirement.op) {
    case Requirement::Operator::In:
      return has && is_among(label->second, requirement.values);
    case Requirement::Operator::NotIn:
      return !has || !is_among(label->second, requirement.values);
    case Requirement::Operator::Exists:
      return has;
    case Requirement::Operator::DoesNotExist:
      return !has;
    case Requirement::Operator::Gt:
    case Requirement::Operator::Lt:
      return has && in_order(label->second, requirement);
  }
  return false;
}

/// Field selectors know equality with one value only, and a node one field.
bool holds_for_fields(const Requirement& requirement, const Node& node) {
  if (requirement.values.size() != 1) return false;
  const std::string& field = requirement.key == "metadata.name" ? node.name : std::string();
  const bool equal = field == requirement.values.front();
  if (requirement.op == Requirement::Operator::In) return equal;
  return requirement.op == Requirement::Operator::NotIn && !equal;
}

bool matches(const NodeTerm& term, const Node& node) {
  if (term.labels.empty() && term.fields.empty()) return false;
  return std::all_of(
             term.labels.begin(), term.labels.end(),
             [&](const Requirement& requirement) { return holds(requirement, node.labels); }) &&
         std::all_of(term.fields.begin(), term.fields.end(), [&](const Requirement& requirement) {
           return holds_for_fields(requirement, node);
         });
}

bool matches_affinity(const Node& node, const Pod& pod) {
  if (!pod.has_required_terms) return true;
  return std::any_of(pod.required_terms.begin(), pod.required_terms.end(),
                     [&](const NodeTerm& term) { return matches(term, node); });
}

/// Texts and counts after each other, such that no two sequences look the same.
class Sequence {
 public:
  void add(std::string_view text) {
    add(text.size());
    text_ += text;
  }
  void add(std::size_t number) { text_ += std::to_string(number) + ":"; }
  void add(const std::vector<Requirement>& requirements) {
    add(requirements.size());
    for (const Requirement& requirement : requirements) {
      add(requirement.key);
      add(static_cast<std::size_t>(requirement.op));
      add(requirement.values.size());
      for (const std::string& value : requirement.values) add(value);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

bool may_take(const Node& node, const Pod& pod) {
  if (!node.ready || node.deleting) return false;
  static const Taint kCordon{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  if (node.unschedulable && !tolerates(pod, kCordon)) return false;
  return tolerates_taints(pod, node) && has_selected_labels(node, pod.node_selector) &&
         matches_affinity(node, pod);
}

std::string wishes_of(const Pod& pod) {
  Sequence wishes;
  wishes.add(pod.node_selector.size());
  for (const auto& [key, value] : pod.node_selector) {
    wishes.add(key);
    wishes.add(value);
  }
  wishes.add(pod.has_required_terms ? std::size_t{1} : std::size_t{0});
  wishes.add(pod.required_terms.size());
  for (const NodeTerm& term : pod.required_terms) {
    wishes.add(term.labels);
    wishes.add(term.fields);
  }
  wishes.add(pod.tolerations.size());
  for (const Toleration& toleration : pod.tolerations) {
    wishes.add(toleration.key);
    wishes.add(toleration.exists ? std::size_t{1} : std::size_t{0});
    wishes.add(toleration.value);
    wishes.add(toleration.effect);
    wishes.add(static_cast<std::size_t>(toleration.order));
  }
  return wishes.take();
}

}  // namespace zonecut::kubernetes
