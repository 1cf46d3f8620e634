#include <algorithm>
#include <array>

#include "zonecut/scheduler/simulation.hpp"

namespace zonecut {
namespace {

constexpr std::string_view kReordered = "+order";

/// Those that choose servers; the others order what zonecut chose.
constexpr std::array kChoosers = {Baseline::SlurmTree, Baseline::Linear, Baseline::BestFit,
                                  Baseline::Random, Baseline::ZoneSorted};

}  // namespace

std::vector<SimulationPolicy> all_simulation_policies() {
  std::vector<SimulationPolicy> policies = {{}};
  for (const bool reordered : {false, true}) {
    for (const Baseline baseline : kChoosers) policies.push_back({baseline, reordered});
  }
  return policies;
}

std::string policy_name(const SimulationPolicy& policy) {
  if (!policy.servers) return "zonecut";
  std::string name(baseline_name(*policy.servers));
  if (policy.reordered) name += kReordered;
  return name;
}

std::optional<SimulationPolicy> find_policy(std::string_view name) {
  for (const SimulationPolicy& policy : all_simulation_policies()) {
    if (policy_name(policy) == name) return policy;
  }
  return std::nullopt;
}

}  // namespace zonecut
