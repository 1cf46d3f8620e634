#include "objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "zone_word.hpp"
#include "zonecut/base/counts.hpp"

namespace zonecut {
namespace {

/// Says that `theirs` is more than `ours`, in figures that differ.
std::string more(double ours, double theirs, const char* of_what) {
  if (ours <= 0) return fmt::format("{} where the choice has none", of_what);
  if (theirs >= 1.1 * ours) return fmt::format("{:.3g} times the {}", theirs / ours, of_what);
  return fmt::format("{:.2g} % more {}", (theirs / ours - 1) * 100, of_what);
}

/// What decided against `other`, in figures: "2.3 times the communication time".
std::string verdict_against(const Cluster& cluster, const Placement& best, const Placement& other,
                            double limit) {
  if (other.prediction.communication.count > limit) {
    return more(best.prediction.communication.count, other.prediction.communication.count,
                "communication time");
  }
  if (other.prediction.cross_zone > best.prediction.cross_zone) {
    return more(static_cast<double>(best.prediction.cross_zone.count),
                static_cast<double>(other.prediction.cross_zone.count),
                fmt::format("bytes between {}s", zone_word(cluster)).c_str());
  }
  if (other.cost > best.cost) {
    return more(static_cast<double>(best.cost), static_cast<double>(other.cost),
                "weighted distance J");
  }
  const std::vector<int>& kept = best.leftover.largest_free_block;
  const std::vector<int>& left = other.leftover.largest_free_block;
  for (std::size_t level = 0; level < kept.size(); ++level) {
    if (left[level] >= kept[level]) continue;
    return fmt::format("as good, but leaves at most {} free in one {}, not {}",
                       counted(left[level], "server"), cluster.levels()[level],
                       grouped(kept[level]));
  }
  if (other.leftover.togetherness < best.leftover.togetherness)
    return "as good, but leaves what is free more scattered";
  const int racks = other.leftover.half_used_racks - best.leftover.half_used_racks;
  if (racks > 0)
    return fmt::format("as good, but leaves {} more half used", counted(racks, "rack"));
  return "as good";
}

}  // namespace

double seconds_limit(const std::vector<Placement>& placements, double tolerance) {
  double least = placements.front().prediction.communication.count;
  for (const Placement& placement : placements)
    least = std::min(least, placement.prediction.communication.count);
  return least * (1 + tolerance);
}

std::vector<std::size_t> ranked(const std::vector<Placement>& placements, double limit) {
  std::vector<std::size_t> order(placements.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto seconds = [&](const Placement& p) {
    return std::max(p.prediction.communication.count, limit);
  };
  const auto better = [&](const Placement& a, const Placement& b) {
    if (seconds(a) != seconds(b)) return seconds(a) < seconds(b);
    if (a.prediction.cross_zone != b.prediction.cross_zone)
      return a.prediction.cross_zone < b.prediction.cross_zone;
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.leftover.largest_free_block != b.leftover.largest_free_block)
      return a.leftover.largest_free_block > b.leftover.largest_free_block;
    if (a.leftover.togetherness != b.leftover.togetherness)
      return a.leftover.togetherness > b.leftover.togetherness;
    return a.leftover.half_used_racks < b.leftover.half_used_racks;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return better(placements[a], placements[b]);
  });
  return order;
}

std::vector<Candidate> candidates_of(const Cluster& cluster, std::span<const std::string> names,
                                     const std::vector<Placement>& placements,
                                     std::span<const std::size_t> order, double limit) {
  const Placement& best = placements[order.front()];
  std::vector<Candidate> candidates;
  for (const std::size_t i : order) {
    const Placement& placement = placements[i];
    candidates.push_back(
        {names[i], placement.prediction.communication, placement.prediction.cross_zone,
         placement.cost, placement.leftover.half_used_racks,
         &placement == &best ? "chosen" : verdict_against(cluster, best, placement, limit)});
  }
  return candidates;
}

}  // namespace zonecut
