#pragma once
// Where all members of a gang go at once, when some of them may run already: for workload managers
// that start a job's parts one by one, such as Kubernetes its pods. Members are vertices of the
// job's graph, one server's worth of ranks each, in rank order. Pure: reads no clock and keeps
// nothing.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// Servers that stay the same, sorted and unique. A copy costs nothing: of thousands of gangs most
/// may go to the same thousands of servers.
class SharedServers {
 public:
  SharedServers() : SharedServers(std::vector<ServerId>{}) {}
  SharedServers(std::vector<ServerId> sorted)
      : servers_(std::make_shared<const std::vector<ServerId>>(std::move(sorted))) {}
  [[nodiscard]] const std::vector<ServerId>& all() const noexcept { return *servers_; }
  [[nodiscard]] bool contains(ServerId server) const {
    return std::binary_search(servers_->begin(), servers_->end(), server);
  }

 private:
  std::shared_ptr<const std::vector<ServerId>> servers_;
};

struct Gang {
  std::string name;
  Job job;  ///< ranks_per_server is set: the GPUs of a member
  Constraints constraints;
  SharedServers eligible;  ///< servers that may take a member
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
