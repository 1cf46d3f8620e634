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

/// How much work goes into the lower bound of the cut.
enum class Proof : std::uint8_t {
  Bound,  ///< all it takes: for large jobs over many zones as long as the placement itself
  Quick,  ///< a thirtieth of that at most; the bound is weaker
  None,   ///< no bound
};

/// The bound that suits a placement searched with this effort.
[[nodiscard]] constexpr Proof proof_for(Effort effort) {
  return effort == Effort::Fast ? Proof::Quick : Proof::Bound;
}

/// Everything about one job on one cluster that does not depend on where it runs. Borrows the view,
/// the fabric and the job.
struct PlacementProblem {
  const ClusterView& view;
  const Fabric& fabric;
  const Job& job;
  Traffic traffic;
  CommunicationGraph graph;
  std::vector<Coordinates> coordinates;
  /// By server, how many vertices fit: its usable GPUs over ranks_per_server, rounded down; 0 where
  /// constraints or health forbid the server. A constraint `spread` is not applied yet: it leaves
  /// open which servers of a domain are used.
  IdMap<ServerId, int> room;
  /// `room` for a job that may use the whole cluster: 0 on servers that failed links cut off from
  /// it, and with `spread` applied.
  IdMap<ServerId, int> linked_room;
  /// By server, the outermost level that it reaches over working links: 0 is the whole cluster,
  /// rack level + 1 a server that failed links cut off from all others.
  IdMap<ServerId, int> reach;
  /// A lower bound of the cross-zone bytes of every placement into `room`; none where the traffic
  /// belongs to no family with a bound, or Proof::None was asked for.
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

/// What a problem asks for beyond the job, the cluster and the constraints.
struct PoseOptions {
  Routing routing = {};
  /// Jobs that run on the same fabric and whose traffic every prediction counts.
  // gcc wants it said in aggregates. NOLINTNEXTLINE(readability-redundant-member-init)
  std::vector<RunningTraffic> beside = {};
  Proof proof = Proof::Bound;
};

/// Works out the job's traffic, its graph, the room for it and, as asked, a bound of the cut. The
/// fabric is that of the view's cluster, else InternalError is thrown. Throws InputError where the
/// job contradicts itself or has more ranks per server than any server has GPUs, and as predict()
/// does for the jobs beside it.
[[nodiscard]] PlacementProblem pose(const ClusterView& view, const Fabric& fabric, const Job& job,
                                    const Constraints& constraints, PoseOptions options = {});
/// Not of a temporary job: the problem borrows it.
PlacementProblem pose(const ClusterView&, const Fabric&, const Job&&, const Constraints&,
                      PoseOptions = {}) = delete;

/// The traffic of a job that runs according to the state; `job` is what its `work` describes. Its
/// free rings have the order that suits its servers. Throws InputError where the state names other
/// than as many servers as the job needs.
[[nodiscard]] RunningTraffic running_traffic(const ClusterView& view, const RunningJob& running,
                                             const Job& job);

/// The placement that is best by the objective above, of what the mapper finds in several domains
/// and of the rules of other schedulers (baseline.hpp), which it is thus never worse than; with all
/// candidates and the reasons. NoFit names every constraint that stands in the way. `constraints`
/// are those that the problem was posed with. Throws InputError where slices do not fit the job,
/// and as evaluate() does. Most of the time goes into a mapping (MappingOptions::effort) for each
/// candidate.
[[nodiscard]] PlacementResult place(const PlacementProblem& problem, const Constraints& constraints,
                                    const PlacementOptions& options);

/// The job's traffic with its free rings (Group::any_order) in the order that suits these servers,
/// by vertex: each ring passes through every domain once. None where the job has no free ring, and
/// problem.traffic is what runs.
[[nodiscard]] std::optional<Traffic> arranged_on(const PlacementProblem& problem,
                                                 std::span<const ServerId> servers);

/// Why a given order cannot run: the failed links that part servers which must communicate. None
/// where it can run.
[[nodiscard]] std::optional<NoFit> parted(const PlacementProblem& problem,
                                          std::span<const ServerId> servers);

/// How a placement that runs is kept.
struct KeepOptions {
  /// Vertices that may move beside those that must, where that lowers the cut.
  std::size_t most_moves = 0;
  double tolerance = PlacementOptions{}.tolerance;  ///< as PlacementOptions::tolerance
};

/// Keeps a placement that runs already; `before` is its server by vertex. A vertex moves only where
/// its server has no room left for it: down, drained, excluded, taken by others, or cut off by
/// failed links. Those vertices go where the cut, then J, is least, and so do further ones. Where
/// some links are weak or busy, the same is tried without them, and the objective of place()
/// chooses between the results.
///
/// A required level is kept to. Throws InputError where the constraints have slices, a spread or a
/// fixed list of servers, which moving single servers cannot keep. The job's own GPUs count as
/// room, so the view must have released them. `held` lists them, ascending: a vertex that stays
/// keeps those it had; where not all vertices of a server can stay, those whose GPUs all work do.
[[nodiscard]] PlacementResult keep(const PlacementProblem& problem, const Constraints& constraints,
                                   std::span<const ServerId> before,
                                   const KeepOptions& options = {},
                                   std::span<const GpuId> held = {});

/// As keep(), for a placement in which some vertices have no server yet: these are placed like
/// vertices that have lost theirs.
[[nodiscard]] PlacementResult complete(const PlacementProblem& problem,
                                       const Constraints& constraints,
                                       std::span<const std::optional<ServerId>> before,
                                       const KeepOptions& options = {});

/// The figures of a given order; `servers` by vertex. Fills everything but candidates and reasons.
/// Throws InputError where the order is parted(), or a figure does not fit 64 bits; PartedFlows as
/// predict() does.
[[nodiscard]] Placement evaluate(const PlacementProblem& problem, std::span<const ServerId> servers,
                                 std::string method);

/// The same, or why the order cannot run where some of its flows have no path.
[[nodiscard]] PlacementResult judge(const PlacementProblem& problem,
                                    std::span<const ServerId> servers, std::string method);

}  // namespace zonecut
