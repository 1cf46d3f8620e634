#include "zonecut/scheduler/gang_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// Somebody waits for the plan: a bound in short, and of larger gangs none.
constexpr std::size_t kMostProven = 128;

/// GPUs of each server that the gang may use: what is free where a member may go, and what its
/// standing members have.
UsedGpus open_gpus(const Cluster& cluster, const Gang& gang, const UsedGpus& used) {
  UsedGpus open(cluster.server_count(), 0);
  for (const ServerId server : gang.eligible.all())
    open[server] = std::max(0, cluster.server(server).gpus - used[server]);
  for (const std::optional<ServerId>& server : gang.standing) {
    if (server) open[*server] += gang.gpus();
  }
  for (const ServerId server : cluster.server_ids()) {
    open[server] = std::min(open[server], cluster.server(server).gpus);
  }
  return open;
}

/// The cluster with everything held but what is open.
ClusterView view_of(const Cluster& cluster, const UsedGpus& open) {
  ClusterView view(cluster);
  const JobId others = view.occupancy.add_job("others");
  for (const ServerId server : cluster.server_ids()) {
    for (int gpu = open[server]; gpu < cluster.server(server).gpus; ++gpu)
      view.occupancy.hold(others, {server, gpu});
  }
  return view;
}

bool agrees(const Placement& placement, const Gang& gang) {
  for (std::size_t v = 0; v < gang.members(); ++v) {
    if (gang.standing[v] && *gang.standing[v] != placement.servers[v]) return false;
  }
  return true;
}

/// Members that stand where by rights they could not, such as outside a required level, cannot be
/// moved all the same.
Placement as_it_stands(const PlacementProblem& problem, const Gang& gang, const Placement& kept) {
  std::vector<ServerId> servers = kept.servers;
  for (std::size_t v = 0; v < gang.members(); ++v)
    servers[v] = gang.standing[v].value_or(servers[v]);
  Placement placement = evaluate(problem, servers, kept.method);
  placement.candidates = kept.candidates;
  placement.reasons = {"some run where the constraints would not have them, and stay there"};
  return placement;
}

std::optional<NoFit> too_little_room(const Gang& gang, const UsedGpus& open) {
  std::size_t places = 0;
  for (const int gpus : open) places += static_cast<std::size_t>(gpus / gang.gpus());
  if (places >= gang.members()) return std::nullopt;
  return NoFit{{{"free GPUs",
                 fmt::format("needs {} of {} free GPUs; there are {}",
                             counted(gang.members(), "place"), gang.gpus(), grouped(places)),
                 ""}}};
}

void refuse_wrong_size(const Gang& gang) {
  const auto ranks = static_cast<std::size_t>(gang.job.ranks());
  const auto each = static_cast<std::size_t>(gang.gpus());
  if (ranks == gang.members() * each) return;
  throw InputError("job",
                   fmt::format("has {} ranks, but {} of {} GPUs have room for {}", ranks,
                               counted(gang.members(), "member"), each, gang.members() * each));
}

}  // namespace

PlacementResult plan_gang(const Fabric& fabric, const Gang& gang, const UsedGpus& used,
                          const PlacementOptions& options) {
  const Cluster& cluster = fabric.cluster();
  ZONECUT_ENSURES(gang.job.ranks_per_server.has_value() && gang.members() > 0);
  refuse_wrong_size(gang);
  const UsedGpus open = open_gpus(cluster, gang, used);
  if (auto none = too_little_room(gang, open)) return *std::move(none);
  const ClusterView view = view_of(cluster, open);
  const Proof proof = gang.members() <= kMostProven ? Proof::Quick : Proof::None;
  const PlacementProblem problem = pose(view, fabric, gang.job, gang.constraints, {.proof = proof});
  PlacementResult result = place(problem, gang.constraints, options);
  const bool nobody_stands = std::none_of(gang.standing.begin(), gang.standing.end(),
                                          [](const auto& server) { return server.has_value(); });
  const auto* placement = std::get_if<Placement>(&result);
  if (nobody_stands || (placement != nullptr && agrees(*placement, gang))) return result;
  result = complete(problem, gang.constraints, gang.standing, {.tolerance = options.tolerance});
  if (const auto* kept = std::get_if<Placement>(&result); kept != nullptr && !agrees(*kept, gang))
    return as_it_stands(problem, gang, *kept);
  return result;
}

}  // namespace zonecut
