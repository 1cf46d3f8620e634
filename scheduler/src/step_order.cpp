#include "zonecut/scheduler/step_order.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/rank_zero.hpp"

namespace zonecut {
namespace {

bool uses(const Placement& placement, ServerId server) {
  return std::find(placement.servers.begin(), placement.servers.end(), server) !=
         placement.servers.end();
}

/// Whether `a` is better than `b` by more than rounding.
bool gains(const Placement& a, const Placement& b, double tolerance) {
  const double seconds = a.prediction.communication.count;
  const double before = b.prediction.communication.count;
  if (seconds < before * (1 - tolerance)) return true;
  if (seconds > before * (1 + tolerance)) return false;
  if (a.prediction.cross_zone != b.prediction.cross_zone)
    return a.prediction.cross_zone < b.prediction.cross_zone;
  return a.cost < b.cost;
}

/// The problem of one server's worth of ranks on `count` of some servers, though there may be room
/// for more of them. Not copied: the problem borrows the view.
struct PosedStep {
  PosedStep(const ClusterView& given, const Fabric& fabric, const Job& job,
            std::vector<ServerId> servers, std::size_t count)
      : view(given),
        constraints(limit(job, std::move(servers), count)),
        problem(pose(view, fabric, job, constraints, {.proof = Proof::Quick})) {}
  PosedStep(const PosedStep&) = delete;
  PosedStep& operator=(const PosedStep&) = delete;
  ~PosedStep() = default;

  ClusterView view;
  Constraints constraints;
  PlacementProblem problem;

 private:
  Constraints limit(const Job& job, std::vector<ServerId> servers, std::size_t count) {
    std::sort(servers.begin(), servers.end());
    Constraints result;
    if (count == servers.size()) {
      result.only = std::move(servers);
      return result;
    }
    ZONECUT_ENSURES(job.ranks_per_server.has_value());
    const auto worth = static_cast<std::size_t>(job.ranks_per_server.value_or(1));
    const JobId others = view.occupancy.add_job("outside the step");
    for (const ServerId server : view.cluster->server_ids()) {
      if (!std::binary_search(servers.begin(), servers.end(), server)) {
        result.excluded.push_back(server);
        continue;
      }
      const std::vector<int> free = view.usable_gpus(server);
      for (std::size_t j = worth; j < free.size(); ++j)
        view.occupancy.hold(others, {server, free[j]});
    }
    return result;
  }
};

/// One of the servers and those nearest to it, `count` in all; of equally near ones whole racks
/// first.
std::vector<ServerId> nearest(const Cluster& cluster, std::vector<ServerId> servers,
                              std::size_t count, ServerId to) {
  std::sort(servers.begin(), servers.end(), [&](ServerId a, ServerId b) {
    return std::tuple(a != to, -cluster.common_level(a, to), a) <
           std::tuple(b != to, -cluster.common_level(b, to), b);
  });
  servers.erase(servers.begin() + static_cast<std::ptrdiff_t>(count), servers.end());
  return servers;
}

/// The better of two orders with rank 0 where it must be: the one that was found, and the listed
/// one turned.
Placement cheapest_held(const PlacementProblem& problem, Placement found, const Placement& listed,
                        ServerId zero, double tolerance) {
  if (!uses(listed, zero)) return found;
  Placement turned = with_rank_zero_on(problem, listed, zero);
  return gains(found, turned, tolerance) ? std::move(found) : std::move(turned);
}

/// Rank 0 where it is wanted, as far as that is free of cost or must be.
Placement settled(const PlacementProblem& problem, Placement placement, const RankZero& zero) {
  if (!uses(placement, zero.server)) return placement;
  Placement turned = with_rank_zero_on(problem, placement, zero.server);
  return zero.hold || costs_no_more(turned, placement) ? turned : placement;
}

StepOrder compared(const PosedStep& posed, const Placement& found, const StepServers& step,
                   const PlacementOptions& options) {
  const std::span<const ServerId> listed = std::span(step.listed).first(step.count);
  Placement before = evaluate(posed.problem, listed, "as listed");
  const std::optional<RankZero>& zero = step.rank_zero;
  Placement now = zero ? settled(posed.problem, found, *zero) : found;
  if (gains(now, before, options.tolerance)) return {std::move(before), std::move(now), true};
  if (!zero || !zero->hold || listed.front() == zero->server) return {before, before, false};
  now = cheapest_held(posed.problem, std::move(now), before, zero->server, options.tolerance);
  return {std::move(before), std::move(now), true};
}

}  // namespace

std::variant<StepOrder, NoFit> order_step(const ClusterView& view, const Fabric& fabric,
                                          const Job& job, const StepServers& step,
                                          const PlacementOptions& options) {
  ZONECUT_ENSURES(step.count >= 1 && step.count <= step.listed.size());
  const PosedStep posed(view, fabric, job, step.listed, step.count);
  PlacementResult result = place(posed.problem, posed.constraints, options);
  const auto* placement = std::get_if<Placement>(&result);
  if (placement == nullptr) return std::get<NoFit>(std::move(result));
  if (!step.rank_zero || !step.rank_zero->hold || uses(*placement, step.rank_zero->server))
    return compared(posed, *placement, step, options);
  const PosedStep around(view, fabric, job,
                         nearest(*view.cluster, step.listed, step.count, step.rank_zero->server),
                         step.count);
  result = place(around.problem, around.constraints, options);
  placement = std::get_if<Placement>(&result);
  if (placement == nullptr) return std::get<NoFit>(std::move(result));
  return compared(around, *placement, step, options);
}

PlacementResult choose_servers(const ClusterView& view, const Fabric& fabric, const Job& job,
                               const StepServers& step, const PlacementOptions& options) {
  ZONECUT_ENSURES(step.count >= 1 && step.count <= step.listed.size());
  const PosedStep posed(view, fabric, job, step.listed, step.count);
  PlacementResult result = place(posed.problem, posed.constraints, options);
  auto* placement = std::get_if<Placement>(&result);
  if (placement == nullptr) return result;
  const auto first = std::find_if(step.listed.begin(), step.listed.end(),
                                  [&](ServerId server) { return uses(*placement, server); });
  return settled(posed.problem, std::move(*placement), {*first, true});
}

}  // namespace zonecut
