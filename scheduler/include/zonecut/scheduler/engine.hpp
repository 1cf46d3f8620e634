#pragma once
// The engine: a function of values. It keeps no state, reads no clock, environment or file; the
// same input and seed give the same placement on any number of threads. Objective, lexicographic:
// constraints; predicted communication seconds, to a tolerance; bytes between zones, then J; what
// is left for others.
#include "zonecut/partition/job.hpp"
#include "zonecut/scheduler/placement.hpp"
#include "zonecut/scheduler/request.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut {

/// How far a bound of the cut is worked out: of large jobs over many zones it takes as long as the
/// placement itself; a quick one, with a thirtieth of the work or less, is weaker.
enum class Proof : std::uint8_t { Bound, Quick, None };

/// The bound of a placement that is searched with this effort: who is in a hurry gets a quick one.
[[nodiscard]] constexpr Proof proof_for(Effort effort) {
  return effort == Effort::Fast ? Proof::Quick : Proof::Bound;
}

/// Everything about one job on one cluster that does not depend on where it runs. Borrows the view
/// and the fabric.
struct PlacementProblem {
  const ClusterView& view;
  const Fabric& fabric;
  const Job& job;
  Traffic traffic;
  CommunicationGraph graph;
  std::vector<Coordinates> coordinates;
  /// Vertices each server has room for: usable GPUs over ranks per server, 0 where constraints or
  /// health forbid it. Of a spread, which of several servers are used is open.
  IdMap<ServerId, int> room;
  /// The same for a job over the whole cluster: servers that failures cut off have none, and no
  /// more have some than a spread allows.
  IdMap<ServerId, int> linked_room;
  /// The outermost level each server reaches over links that work: 0 for the whole cluster, rack
  /// level + 1 for a server that failures have cut off from all others.
  IdMap<ServerId, int> reach;
  /// Least cross-zone bytes of any placement into that room; none when the traffic has no bound, or
  /// none was asked for.
  std::optional<CutBound> bound;
  /// How the fabric routes, which every prediction of this problem follows.
  Routing routing;
  Proof proof = Proof::Bound;
  /// What other jobs send meanwhile, which every prediction counts.
  Background background;
};

/// How many consecutive ranks share a server: what the job says, else as many as most servers have
/// GPUs. Throws InputError where no server has so many.
[[nodiscard]] int ranks_per_server_of(const ClusterView& view, const Job& job);

/// Throws InputError where the job does not fit the cluster's servers at all (more ranks per server
/// than GPUs).
[[nodiscard]] PlacementProblem pose(const ClusterView& view, const Fabric& fabric, const Job& job,
                                    const Constraints& constraints, const Routing& routing = {},
                                    std::vector<RunningTraffic> beside = {},
                                    Proof proof = Proof::Bound);

/// The traffic of a job that the state says runs; `job` is what its `work` describes. Rings that
/// may have any order have the one that suits its servers. Throws
/// InputError where its servers do not hold it.
[[nodiscard]] RunningTraffic running_traffic(const ClusterView& view, const RunningJob& running,
                                             const Job& job);

[[nodiscard]] PlacementResult place(const PlacementProblem& problem, const Constraints& constraints,
                                    const PlacementOptions& options);

/// The traffic on these servers, by vertex, where the job leaves the order of rings open: they pass
/// through every domain once. None where it does not, so that problem.traffic is what runs.
[[nodiscard]] std::optional<Traffic> arranged_on(const PlacementProblem& problem,
                                                 std::span<const ServerId> servers);

/// Why a given order cannot run: failed links part servers of it that must communicate. None where
/// it can.
[[nodiscard]] std::optional<NoFit> parted(const PlacementProblem& problem,
                                          std::span<const ServerId> servers);

/// A placement that runs already, `before` by vertex, kept: vertices whose server has no room left
/// for them (down, drained, excluded, taken, cut off by failed links) go where the cut, then J, is
/// least, and at most `most_moves` others move where that lowers the cut further; over links that
/// are sound, or that other jobs leave alone, where that is predicted to be faster by more than the
/// tolerance of time. A required level is held; throws InputError where slices, a spread or a fixed
/// list of servers are asked for. Room counts what the job itself holds as free, so the view must
/// have it released; `held` is what it holds, ascending: ranks that stay keep it, well ones first.
[[nodiscard]] PlacementResult keep(const PlacementProblem& problem, const Constraints& constraints,
                                   std::span<const ServerId> before, std::size_t most_moves,
                                   std::span<const GpuId> held = {});

/// keep() for a placement of which some vertices have no server yet: those go around the others as
/// they would there.
[[nodiscard]] PlacementResult complete(const PlacementProblem& problem,
                                       const Constraints& constraints,
                                       std::span<const std::optional<ServerId>> before,
                                       std::size_t most_moves);

/// The figures of a given order; `servers` by vertex. Fills everything but candidates and reasons.
/// Throws InputError where the order is parted(), or a figure does not fit 64 bits; PartedFlows as
/// predict() does.
[[nodiscard]] Placement evaluate(const PlacementProblem& problem, std::span<const ServerId> servers,
                                 std::string method);

/// The same, or why the order cannot run where some of its flows have no path.
[[nodiscard]] PlacementResult judge(const PlacementProblem& problem,
                                    std::span<const ServerId> servers, std::string method);

}  // namespace zonecut
