#include "zonecut/scheduler/simulation.hpp"

namespace zonecut {
namespace {

constexpr std::string_view kReordered = "+order";

}  // namespace

std::vector<SimulationPolicy> all_simulation_policies() {
  std::vector<SimulationPolicy> policies = {{}};
  for (const bool reordered : {false, true}) {
    for (const Baseline baseline : all_baselines()) {
      if (chooses_servers(baseline)) policies.push_back({baseline, reordered});
    }
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
  return chooses_servers(baseline) ? "" : "it orders the servers that zonecut chose";
}

}  // namespace zonecut
