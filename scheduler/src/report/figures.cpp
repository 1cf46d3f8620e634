#include "report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/text.hpp"
#include "zonecut/scheduler/slowest_phase.hpp"

namespace zonecut::report {
namespace {

/// So many bundles of each level: racks are alike, and a thousand of them say no more than the
/// first few.
constexpr int kLoadsPerLevel = 8;

NamedLoad named(const Fabric& fabric, const BundleLoad& load) {
  const Cluster& cluster = fabric.cluster();
  const DomainId* domain = std::get_if<DomainId>(&load.bundle.below);
  return {load.bundle,
          clean(bundle_name(fabric, load.bundle)),
          domain ? cluster.domain(*domain).level : cluster.rack_level() + 1,
          load.bytes,
          load.capacity,
          load.time};
}

std::vector<PhaseFigures> phases_of(const Fabric& fabric, const Prediction& prediction) {
  std::vector<PhaseFigures> phases;
  for (const PhasePrediction& phase : prediction.phases) {
    PhaseFigures figures{clean(phase.name), phase.bytes,        phase.latency,
                         phase.transfer,    phase.transfer_low, phase.transfer_high,
                         phase.admission,   phase.exposed,      std::nullopt};
    if (phase.binding) figures.binding = named(fabric, *phase.binding);
    phases.push_back(std::move(figures));
  }
  return phases;
}

std::string level_label(const Fabric& fabric, std::size_t level) {
  const auto levels = fabric.cluster().levels();
  if (level == levels.size()) return "inside a server";
  const std::string tier = clean(fabric.spec().tiers[level].switch_name);
  if (level + 1 == levels.size())
    return fmt::format("inside a {}, over {}", clean(levels[level]), tier);
  return fmt::format("between {}s, over {}", clean(levels[level + 1]), tier);
}

std::vector<LevelBytes> levels_of(const Fabric& fabric, const Prediction& prediction) {
  const auto names = fabric.cluster().levels();
  std::vector<LevelBytes> levels;
  for (std::size_t level = 0; level < prediction.bytes_by_level.size(); ++level) {
    const bool server = level >= names.size();
    levels.push_back({server ? "server" : clean(names[level]), level_label(fabric, level),
                      prediction.bytes_by_level[level], prediction.scale_up_by_level[level]});
  }
  return levels;
}

std::vector<NamedLoad> largest_loads(const Fabric& fabric, const Prediction& prediction) {
  const Cluster& cluster = fabric.cluster();
  std::vector<NamedLoad> loads;
  std::vector<int> taken(cluster.levels().size() + 1, 0);
  for (const BundleLoad& load : prediction.loads) {
    const DomainId* domain = std::get_if<DomainId>(&load.bundle.below);
    const int level = domain ? cluster.domain(*domain).level : cluster.rack_level() + 1;
    if (taken[static_cast<std::size_t>(level)]++ < kLoadsPerLevel)
      loads.push_back(named(fabric, load));
  }
  return loads;
}

std::size_t domains_in_use(const Cluster& cluster, const std::set<ServerId>& servers, int level) {
  std::set<DomainId> domains;
  for (const ServerId server : servers) domains.insert(cluster.domain_of(server, level));
  return domains.size();
}

}  // namespace

std::string binds(const PhaseFigures& phase) {
  if (waits_for_receivers(phase)) return "its receivers";
  return phase.binding ? phase.binding->name : "NVLink";
}

std::vector<std::string> zone_names(const Cluster& cluster) {
  const auto zones = cluster.domains_at(cluster.zone_level());
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const DomainId zone : zones) {
    names.push_back(clean(cluster.domain(zone).name));
    seen.insert(names.back());
  }
  if (seen.size() == names.size()) return names;
  for (std::size_t i = 0; i < zones.size(); ++i) names[i] = clean(cluster.path(zones[i]));
  return names;
}

PlacementFigures figures_of(const Fabric& fabric, const Placement& placement) {
  const Cluster& cluster = fabric.cluster();
  const Prediction& prediction = placement.prediction;
  PlacementFigures figures;
  figures.communication = prediction.communication;
  figures.undisturbed = prediction.undisturbed;
  figures.routing = describe(prediction.routing);
  figures.cross_zone = prediction.cross_zone;
  figures.lower_bound = placement.lower_bound;
  figures.bound_method = clean(placement.bound_method);
  figures.gap = placement.gap;
  figures.cost = placement.cost;
  figures.method = clean(placement.method);
  figures.phases = phases_of(fabric, prediction);
  if (const PhaseFigures* slowest = slowest_outside(figures.phases)) {
    if (!waits_for_receivers(*slowest)) figures.binding = slowest->binding;
    figures.binding_phase = slowest->name;
  }
  figures.by_level = levels_of(fabric, prediction);
  figures.zone_matrix = prediction.zone_matrix;
  figures.loads = largest_loads(fabric, prediction);
  const std::set<ServerId> servers(placement.servers.begin(), placement.servers.end());
  figures.servers = servers.size();
  figures.racks = domains_in_use(cluster, servers, cluster.rack_level());
  figures.zones = domains_in_use(cluster, servers, cluster.zone_level());
  figures.leftover = placement.leftover;
  return figures;
}

}  // namespace zonecut::report
