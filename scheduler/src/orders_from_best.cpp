#include "orders_from_best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "bundle_index.hpp"
#include "zone_word.hpp"
#include "zonecut/scheduler/baseline.hpp"

namespace zonecut {
namespace {

/// Whether each zone has room for what it holds of a trial.
bool holds_by_zone(const Cluster& cluster, const Room& room, const Trial& trial) {
  std::map<DomainId, std::size_t> held;
  for (const ServerId server : trial.servers)
    ++held[cluster.domain_of(server, cluster.zone_level())];
  return std::ranges::all_of(
      held, [&](const auto& zone) { return zone.second <= room_in(cluster, room, zone.first); });
}

/// The levels down to the zones above whose domains are the links that phases wait for, longer than
/// this share of all communication.
std::vector<int> levels_waited_for(const Cluster& cluster, const Prediction& prediction,
                                   double share) {
  std::map<int, Seconds> waited;
  for (const PhasePrediction& phase : prediction.phases) {
    if (!phase.binding) continue;
    const auto* domain = std::get_if<DomainId>(&phase.binding->bundle.below);
    if (domain != nullptr && cluster.domain(*domain).level <= cluster.zone_level())
      waited[cluster.domain(*domain).level] += phase.exposed;
  }
  std::vector<int> levels;
  for (const auto& [level, seconds] : waited) {
    if (seconds > prediction.communication * share) levels.push_back(level);
  }
  return levels;
}

Uplinks uplinks_of(const Fabric& fabric) {
  const Cluster& cluster = fabric.cluster();
  Uplinks uplinks(cluster.domain_count());
  for (const DomainId domain : cluster.domain_ids()) {
    if (cluster.domain(domain).parent) uplinks[domain] = fabric.uplink_capacity(domain);
  }
  return uplinks;
}

/// What other jobs leave of them: as an order is predicted to find it, and where that sends
/// nothing, what they do not use on average.
Uplinks uplinks_left(const PlacementProblem& problem, const Prediction& prediction) {
  const Cluster& cluster = *problem.view.cluster;
  const BundleIndex bundles(cluster);
  Uplinks left = uplinks_of(problem.fabric);
  std::vector<bool> carries(cluster.domain_count(), false);
  for (const BundleLoad& load : prediction.loads) {
    const auto* domain = std::get_if<DomainId>(&load.bundle.below);
    if (domain == nullptr || load.time.count <= 0) continue;
    const double rate = static_cast<double>(load.bytes.count) / load.time.count;
    left[*domain].count = std::min(left[*domain].count, static_cast<std::int64_t>(rate));
    carries[domain->index()] = true;
  }
  for (const DomainId domain : cluster.domain_ids()) {
    if (carries[domain.index()]) continue;
    const double taken = std::max(problem.background.taken(bundles.of(domain, false)),
                                  problem.background.taken(bundles.of(domain, true)));
    const double whole = static_cast<double>(left[domain].count);
    left[domain].count = static_cast<std::int64_t>(whole * (1 - taken));
  }
  return left;
}

/// Whether other jobs take more than a hundredth of what a domain of this level has.
bool is_shared(const Cluster& cluster, const Uplinks& whole, const Uplinks& left, int level) {
  return std::ranges::any_of(cluster.domains_at(level), [&](DomainId domain) {
    return left[domain].count < whole[domain].count - whole[domain].count / 100;
  });
}

/// As eased(), of these levels and with these uplinks.
std::vector<Trial> eased_at(const Asked& asked, std::span<const int> levels, const Uplinks& uplinks,
                            const MappingOptions& options, const Placement& placement) {
  const PlacementProblem& problem = asked.problem;
  const Cluster& cluster = *problem.view.cluster;
  const int common = common_level_of(cluster, placement.servers);
  const DomainId under = cluster.domain_of(placement.servers.front(), common);
  std::vector<Trial> trials;
  for (const int level : levels) {
    for (const Room& room : rooms_at(asked, problem.reach, common)) {
      if (sliced_room_in(cluster, room, under, asked.slices) < problem.graph.vertices()) continue;
      trials.push_back(map_under(problem, room, under, asked.slices, lighter(options),
                                 FirstDivision{level, Objective::Bottleneck, uplinks}));
    }
  }
  return trials;
}

}  // namespace

std::vector<Trial> eased(const Asked& asked, const MappingOptions& options,
                         const Placement& placement, double tolerance) {
  const std::vector<int> levels =
      levels_waited_for(*asked.problem.view.cluster, placement.prediction, tolerance);
  return eased_at(asked, levels, uplinks_of(asked.problem.fabric), options, placement);
}

std::vector<Trial> eased_beside_others(const Asked& asked, const MappingOptions& options,
                                       const Placement& placement, double tolerance) {
  const PlacementProblem& problem = asked.problem;
  if (problem.background.empty()) return {};
  const Cluster& cluster = *problem.view.cluster;
  const Uplinks whole = uplinks_of(problem.fabric);
  const Uplinks left = uplinks_left(problem, placement.prediction);
  std::vector<int> levels = levels_waited_for(cluster, placement.prediction, tolerance);
  std::erase_if(levels, [&](int level) { return !is_shared(cluster, whole, left, level); });
  std::vector<Trial> trials = eased_at(asked, levels, left, options, placement);
  for (Trial& trial : trials) trial.name += " beside other jobs";
  return trials;
}

std::vector<Trial> nearer_in_zones(const Asked& asked, const MappingOptions& options,
                                   const Trial& trial) {
  const PlacementProblem& problem = asked.problem;
  const Cluster& cluster = *problem.view.cluster;
  std::vector<Trial> trials;
  if (!trial.by_rule || !asked.slices.empty()) return trials;
  const int common = common_level_of(cluster, trial.servers);
  // Elsewhere in the zone it might leave a required level, or take more servers than a spread
  // allows.
  if (common > cluster.zone_level()) return trials;
  for (const Room& room : rooms_at(asked, problem.reach, common)) {
    if (!holds_by_zone(cluster, room, trial)) continue;
    trials.push_back(map_within_zones(problem, room, trial.servers, lighter(options)));
    trials.back().name = fmt::format("{}, nearer in each {}", trial.name, zone_word(cluster));
  }
  return trials;
}

std::vector<Trial> reordered_by_others(const Asked& asked, const Trial& trial) {
  std::vector<Trial> trials;
  for (const Baseline rule : {Baseline::Framework, Baseline::DlroverRerank}) {
    auto servers = baseline_order(rule, asked.problem, trial.servers, 0);  // neither draws anything
    if (!servers || !keeps_slices(asked, *servers)) continue;
    trials.push_back({fmt::format("{}, {}", trial.name, baseline_name(rule)),
                      std::string(baseline_summary(rule)), *std::move(servers)});
  }
  return trials;
}

}  // namespace zonecut
