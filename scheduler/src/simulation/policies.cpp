#include <algorithm>
#include <array>

#include "zonecut/scheduler/simulation.hpp"

namespace zonecut {
namespace {

constexpr std::string_view kReordered = "+order";

/// Those that choose servers, wherever there are enough.
constexpr std::array kChoosers = {Baseline::SlurmTree, Baseline::Linear, Baseline::Kubernetes,
                                  Baseline::BestFit,   Baseline::Random, Baseline::ZoneSorted,
                                  Baseline::Arnold};

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

std::string_view why_no_policy(Baseline baseline) {
  if (std::ranges::find(kChoosers, baseline) != kChoosers.end()) return "";
  if (baseline == Baseline::SlurmBlock)
    return "it lets jobs wait for a block although enough servers are free, which the queue does "
           "not know";
  return "it orders the servers that zonecut chose";
}

}  // namespace zonecut
