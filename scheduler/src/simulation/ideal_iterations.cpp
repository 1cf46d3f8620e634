// What each work takes where it stands ideally: alone, where zonecut puts it on the empty cluster.
#include <limits>

#include "simulation/placer.hpp"
#include "zonecut/partition/flops.hpp"

namespace zonecut {
namespace {

Seconds with_share(Seconds communication, double share) {
  if (share <= 0) return {std::numeric_limits<double>::infinity()};
  return communication * ((1 - share) / share);
}

Seconds compute_of(const Job& job, Seconds communication, const SimulationOptions& options) {
  if (options.communication_share) return with_share(communication, *options.communication_share);
  const auto* training = std::get_if<Training>(&job.work);
  if (training == nullptr) return with_share(communication, options.usual_communication_share);
  return {critical_flops(*training) / options.flops_per_gpu};
}

}  // namespace

std::vector<std::optional<IdealIteration>> ideal_iterations(const Fabric& fabric,
                                                            const Workload& workload,
                                                            const SimulationOptions& options) {
  const ClusterView view(fabric.cluster());
  std::vector<std::optional<IdealIteration>> ideals;
  ideals.reserve(workload.works.size());
  for (const Job& work : workload.works) {
    PlacementProblem problem =
        pose(view, fabric, work, {}, {.routing = options.routing, .proof = Proof::None});
    const PlacementResult result = place(problem, {}, without_proof(options.placement));
    const auto* placement = std::get_if<Placement>(&result);
    if (placement == nullptr) {
      ideals.emplace_back();
      continue;
    }
    const Seconds communication = placement->prediction.communication;
    ideals.push_back(IdealIteration{std::move(problem.traffic),
                                    compute_of(work, communication, options), communication});
  }
  return ideals;
}

}  // namespace zonecut
