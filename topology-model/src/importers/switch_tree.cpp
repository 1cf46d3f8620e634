#include "importers/switch_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zonecut::importers {

std::size_t SwitchTree::mention(const std::string& name, const std::string& where) {
  const auto [entry, is_new] = by_name_.try_emplace(name, switches_.size());
  if (switches_.size() == kMaxDomains && is_new) {
    problems_.add(where, fmt::format("found more than {} switches", kMaxDomains));
    problems_.throw_if_any();
  }
  if (is_new) switches_.push_back(Switch{name, where, false, std::nullopt, {}, {}});
  return entry->second;
}

std::size_t SwitchTree::describe(const std::string& name, const std::string& where) {
  const std::size_t index = mention(name, where);
  Switch& found = switches_[index];
  if (found.described) {
    problems_.add(where,
                  fmt::format("switch {} is described twice, first at {}", name, found.where));
  }
  found.described = true;
  found.where = where;
  return index;
}

void SwitchTree::add_child(std::size_t parent, const std::string& name, const std::string& where) {
  const std::size_t child = mention(name, where);
  if (switches_[child].parent) {
    problems_.add(where,
                  fmt::format("switch {} has two parents, {} and {}", name,
                              switches_[*switches_[child].parent].name, switches_[parent].name),
                  "a tree has one path down to every switch");
    return;
  }
  switches_[child].parent = parent;
  switches_[parent].children.push_back(child);
}

void SwitchTree::add_server(std::size_t leaf, ServerEntry server) {
  switches_[leaf].servers.push_back(std::move(server));
}

void SwitchTree::require_descriptions() {
  for (const Switch& candidate : switches_) {
    if (candidate.described) continue;
    problems_.add(candidate.where,
                  fmt::format("switch {} is not described anywhere", candidate.name),
                  "add a line for it, or correct the name");
  }
}

void SwitchTree::report_cycles() {
  // Every switch has at most one parent, so walking up either ends at the top or runs in a circle.
  enum class Mark : std::uint8_t { New, OnThisWalk, Done };
  std::vector<Mark> marks(switches_.size(), Mark::New);
  for (std::size_t start = 0; start < switches_.size(); ++start) {
    std::vector<std::size_t> walk;
    std::optional<std::size_t> at = start;
    while (at && marks[*at] == Mark::New) {
      marks[*at] = Mark::OnThisWalk;
      walk.push_back(*at);
      at = switches_[*at].parent;
    }
    if (at && marks[*at] == Mark::OnThisWalk) {
      problems_.add(switches_[*at].where,
                    fmt::format("switch {} lies below itself", switches_[*at].name));
    }
    for (const std::size_t index : walk) marks[index] = Mark::Done;
  }
}

/// Levels at and below a switch, as deep as a cluster may be and one more. Recursion ends there.
std::size_t SwitchTree::height(std::size_t index, std::size_t depth) {
  const Switch& top = switches_[index];
  if (depth > kMaxLevels + 1) return 1;
  std::size_t below = !top.children.empty() && !top.servers.empty() ? 1 : 0;
  for (const std::size_t child : top.children) below = std::max(below, height(child, depth + 1));
  return below + 1;
}

void SwitchTree::emit(std::size_t index, DomainPath& path, Outline& outline) {
  Switch& at = switches_[index];
  const auto rack_path = [&] {
    DomainPath rack = path;
    rack.resize(outline.levels.size(), at.name);
    return rack;
  };
  if (at.children.empty() || !at.servers.empty()) outline.domains.push_back(rack_path());
  for (ServerEntry& server : at.servers) {
    server.path = rack_path();
    outline.servers.push_back(std::move(server));
  }
  for (const std::size_t child : at.children) {
    path.push_back(switches_[child].name);
    emit(child, path, outline);
    path.pop_back();
  }
}

Outline SwitchTree::to_outline() && {
  Outline outline;
  outline.order = Outline::Order::AsListed;
  report_cycles();
  std::vector<std::size_t> tops;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (!switches_[i].parent) tops.push_back(i);
  }
  std::size_t levels = 0;
  for (const std::size_t top : tops) levels = std::max(levels, height(top, 1));
  const bool one_top = tops.size() == 1 && !switches_[tops[0]].children.empty();
  if (one_top) {
    --levels;
    outline.name = switches_[tops[0]].name;
  }
  if (levels > kMaxLevels) {
    problems_.add(tops.empty() ? "" : switches_[tops[0]].where,
                  fmt::format("the tree of switches is more than {} levels deep", kMaxLevels));
    return outline;
  }
  outline.levels = neutral_levels(levels);
  for (const std::size_t top : tops) {
    DomainPath path;
    if (!one_top) path.push_back(switches_[top].name);
    emit(top, path, outline);
  }
  return outline;
}

}  // namespace zonecut::importers
