#include "placement_text.hpp"

#include <fmt/format.h>

#include <map>

#include "zonecut/base/hostlist.hpp"

namespace zonecut::cli {
namespace {

std::string bound_text(const Placement& placement) {
  if (!placement.lower_bound) return "no bound is known for this traffic";
  std::string text = fmt::format("at least {}", to_text(*placement.lower_bound));
  if (placement.gap && *placement.gap <= 1)
    text += fmt::format(", {:.1f} % above it", *placement.gap * 100);
  if (!placement.bound_method.empty()) text += fmt::format(" ({})", placement.bound_method);
  return text;
}

}  // namespace

std::string binding_text(const PlacementProblem& problem, const Prediction& prediction) {
  if (prediction.binding_phase >= prediction.phases.size()) return "nothing is sent";
  const PhasePrediction& phase = prediction.phases[prediction.binding_phase];
  if (!phase.binding) return fmt::format("phase {}: stays inside servers", phase.name);
  return fmt::format("phase {}: {}", phase.name,
                     bundle_name(*problem.view.cluster, problem.fabric, phase.binding->bundle));
}

std::string metrics_text(const PlacementProblem& problem, const Placement& placement) {
  const Prediction& prediction = placement.prediction;
  std::string text;
  text += fmt::format("job            {}: {} ranks on {} servers\n", problem.job.name,
                      problem.traffic.ranks, placement.servers.size());
  text += fmt::format("between zones  {} per iteration\n", to_text(prediction.cross_zone));
  text += fmt::format("lower bound    {}\n", bound_text(placement));
  text += fmt::format("communication  {} per iteration, predicted\n",
                      to_text(prediction.communication));
  text += fmt::format("binding link   {}\n", binding_text(problem, prediction));
  return text;
}

std::string servers_text(const PlacementProblem& problem, const Placement& placement) {
  const Cluster& cluster = *problem.view.cluster;
  std::map<DomainId, std::vector<std::string>> by_zone;
  for (const ServerId server : placement.servers) {
    by_zone[cluster.domain_of(server, cluster.zone_level())].push_back(cluster.server(server).name);
  }
  std::string text;
  for (const auto& [zone, names] : by_zone) {
    text += fmt::format("{}: {} servers\n  {}\n", cluster.path(zone), names.size(),
                        compress_hostlist(names));
  }
  return text;
}

std::string refusal_text(const NoFit& refusal) {
  std::string text = "zonecut: no placement exists\n";
  for (const Blocker& blocker : refusal.blockers) {
    text += fmt::format("  {}: {}\n", blocker.constraint, blocker.what);
    if (!blocker.nearest.empty()) text += fmt::format("    nearest: {}\n", blocker.nearest);
  }
  return text;
}

}  // namespace zonecut::cli
