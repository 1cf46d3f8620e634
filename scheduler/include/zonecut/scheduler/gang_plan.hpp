#pragma once
// Plans servers for all members of a gang at once, some of which may run already: for workload
// managers that start the parts of a job one by one, as Kubernetes starts pods. A member is a
// vertex of the job's graph: one server's worth of ranks, in rank order. Pure: reads no clock and
// keeps nothing.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// An immutable list of servers, sorted and unique. Copies share it: most of thousands of gangs may
/// go to the same thousands of servers.
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

/// GPUs in use on each server, those of standing members included.
using UsedGpus = IdMap<ServerId, int>;

/// Servers for all members; standing members keep theirs. If the best placement of the whole gang
/// leaves them where they are, it is taken; else the other members are placed around them for the
/// least cut. NoFit says what is missing, after O(servers) where there are too few free GPUs.
/// Throws InputError where the job's ranks are not `members()` times the GPUs of one, and as pose()
/// does.
[[nodiscard]] PlacementResult plan_gang(const Fabric& fabric, const Gang& gang,
                                        const UsedGpus& used, const PlacementOptions& options);

}  // namespace zonecut
