#include "state_file/place_index.hpp"

#include <charconv>

namespace zonecut {
namespace {

struct Split {
  std::string_view before;  // empty without the separator
  std::string_view after;
};

Split split_last(std::string_view text, char separator) {
  const std::size_t at = text.rfind(separator);
  if (at == std::string_view::npos) return {{}, text};
  return {text.substr(0, at), text.substr(at + 1)};
}

/// A number from 1 to `most`, without anything else.
std::optional<int> number_up_to(std::string_view text, int most) {
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc{} && stop == text.data() + text.size();
  return is_whole && number >= 1 && number <= most ? std::optional(number) : std::nullopt;
}

}  // namespace

PlaceIndex::PlaceIndex(const Cluster& cluster) : cluster_(cluster) {
  for (std::size_t i = 1; i < cluster.domain_count(); ++i) {
    const DomainId id{i};
    const std::string path = cluster.path(id);
    by_path_.emplace(path, id);
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      const auto [entry, is_new] = by_suffix_.try_emplace(path.substr(slash + 1), id);
      if (!is_new) entry->second.reset();
    }
  }
}

std::optional<DomainId> PlaceIndex::domain(const std::string& name) const {
  if (const auto found = by_path_.find(name); found != by_path_.end()) return found->second;
  const auto found = by_suffix_.find(name);
  return found == by_suffix_.end() ? std::nullopt : found->second;
}

bool PlaceIndex::is_ambiguous(const std::string& name) const {
  const auto found = by_suffix_.find(name);
  return found != by_suffix_.end() && !found->second && !by_path_.contains(name);
}

std::optional<SwitchRef> PlaceIndex::switch_in(std::string_view path, int plane,
                                               std::string_view last) const {
  const auto [kind, index] = split_last(last, '-');
  const auto place = path.empty() ? std::optional(Cluster::root()) : domain(std::string(path));
  if (!place) return std::nullopt;
  const TierSpec& tier =
      cluster_.backend().tiers[static_cast<std::size_t>(cluster_.domain(*place).level)];
  const auto number = number_up_to(index, tier.switches);
  if (!number || tier.switch_name != kind) return std::nullopt;
  return SwitchRef{*place, plane, *number - 1};
}

std::optional<SwitchRef> PlaceIndex::switch_of(std::string_view name) const {
  const auto [path, last] = split_last(name, '/');
  if (const auto found = switch_in(path, 0, last)) return found;  // a zone may be called "p2"
  const auto [above, plane_part] = split_last(path, '/');
  if (!plane_part.starts_with('p')) return std::nullopt;
  const auto plane = number_up_to(plane_part.substr(1), cluster_.backend().planes);
  if (!plane || *plane < 2) return std::nullopt;
  return switch_in(above, *plane - 1, last);
}

}  // namespace zonecut
