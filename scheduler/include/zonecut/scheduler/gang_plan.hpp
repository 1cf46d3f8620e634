#pragma once
// Where all members of a gang go at once, when some of them may run already: for workload managers
// that start a job's parts one by one, such as Kubernetes its pods. Members are vertices of the
// job's graph, one server's worth of ranks each, in rank order. Pure: reads no clock and keeps
// nothing.
#include <optional>
#include <string>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

struct Gang {
  std::string name;
  Job job;  ///< ranks_per_server is set: the GPUs of a member
  Constraints constraints;
  std::vector<ServerId> eligible;  ///< servers that may take a member; sorted, unique
  /// By member, the server that it runs on or that is promised to it for good.
  std::vector<std::optional<ServerId>> standing;
  [[nodiscard]] std::size_t members() const noexcept { return standing.size(); }
  [[nodiscard]] int gpus() const { return job.ranks_per_server.value_or(1); }
};

/// GPUs in use on each server, standing members' own among them.
using UsedGpus = IdMap<ServerId, int>;

/// Servers for all members, those that stand where they are. The best placement of the whole gang
/// is taken when it agrees with what stands; else the others go where the least is cut around it.
/// NoFit says what is missing, in O(servers) where there are simply too few free GPUs. Throws
/// InputError where the job does not come to one vertex a member, and as pose() does.
[[nodiscard]] PlacementResult plan_gang(const Cluster& cluster, const Fabric& fabric,
                                        const Gang& gang, const UsedGpus& used,
                                        const PlacementOptions& options);

}  // namespace zonecut
