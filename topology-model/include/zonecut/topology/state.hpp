#pragma once
// What changes while the cluster stands: which job holds which GPUs, and what is broken. Plain
// values; a change is a new value.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "zonecut/base/id.hpp"
#include "zonecut/base/units.hpp"
#include "zonecut/topology/cluster.hpp"

namespace zonecut {

/// A switch by its place: the n-th of its domain and plane, from 0. Its name is "path/RTSW-1", with
/// "/p2" before it in plane 2.
struct SwitchRef {
  DomainId domain;
  int plane = 0;
  int index = 0;
  friend constexpr auto operator<=>(const SwitchRef&, const SwitchRef&) noexcept = default;
};

[[nodiscard]] std::string switch_name(const Cluster& cluster, const FabricSpec& spec,
                                      SwitchRef ref);
[[nodiscard]] std::optional<SwitchRef> find_switch(const Cluster& cluster, const FabricSpec& spec,
                                                   std::string_view name);

enum class ServerHealth : std::uint8_t {
  Up,
  Drained,  ///< runs what it runs, takes nothing new
  Down,
};

using LinkEnd = std::variant<ServerId, SwitchRef>;

/// All cables between two neighbours. `remaining` is what they still carry together; none: nothing.
struct LinkFault {
  LinkEnd lower;
  SwitchRef upper;
  std::optional<BytesPerSecond> remaining;
  friend bool operator==(const LinkFault&, const LinkFault&) = default;
};

/// A fault of the whole link between two ends, given in either order: a server and a switch of its
/// rack, or a switch and one of the tier above in the same plane. None where the two are no such
/// neighbours. Whether the fabric has that link is not checked: LeafWiring::Rail joins a server to
/// some leaves of its rack only.
[[nodiscard]] std::optional<LinkFault> link_between(const Cluster& cluster, const LinkEnd& one,
                                                    const LinkEnd& other);

struct Health {
  explicit Health(const Cluster& cluster) : servers(cluster.server_count(), ServerHealth::Up) {}
  IdMap<ServerId, ServerHealth> servers;
  std::vector<GpuId> failed_gpus;          ///< sorted
  std::vector<SwitchRef> failed_switches;  ///< of the backend, sorted
  std::vector<LinkFault> link_faults;      ///< of the backend
  /// Whether the GPU itself has failed, whatever its server's health. O(log failed GPUs).
  [[nodiscard]] bool has_failed(GpuId gpu) const;
  friend bool operator==(const Health&, const Health&) = default;
};

/// Which job holds each GPU. O(1) unless said otherwise. Borrows the cluster.
class Occupancy {
 public:
  explicit Occupancy(const Cluster& cluster);
  JobId add_job(std::string name);
  [[nodiscard]] std::size_t job_count() const noexcept { return job_names_.size(); }
  [[nodiscard]] const std::string& job_name(JobId job) const { return job_names_[job]; }
  /// The first job of that name. O(jobs).
  [[nodiscard]] std::optional<JobId> find_job(std::string_view name) const;
  /// Throws InputError when the GPU is held already, by another job or this one, and says by which.
  void hold(JobId job, GpuId gpu);
  void release(GpuId gpu);
  [[nodiscard]] std::optional<JobId> holder(GpuId gpu) const;
  /// The GPUs that a job holds, ascending. O(GPUs of the cluster).
  [[nodiscard]] std::vector<GpuId> held(JobId job) const;
  /// How many GPUs each job holds. O(GPUs of the cluster).
  [[nodiscard]] IdMap<JobId, std::size_t> held_counts() const;
  friend bool operator==(const Occupancy& a, const Occupancy& b) {
    return a.holder_ == b.holder_ && a.job_names_ == b.job_names_;
  }

 private:
  const Cluster* cluster_;
  IdMap<JobId, std::string> job_names_;
  std::vector<std::uint32_t> holder_;  // by gpu_position: job index + 1, 0 when free
};

/// What a job that holds GPUs sends, as the state file says it. The topology layer does not read
/// jobs: `work` is for the layers above.
struct RunningJob {
  JobId job;
  std::string work;             ///< a job's text, or the path of its file
  std::vector<ServerId> order;  ///< servers in rank order, one entry for a server's worth of ranks
  std::optional<Seconds> iteration;  ///< how long one takes; none: not said
  std::string where;                 ///< of `work`, for messages
};

/// When a job of the state ends.
struct JobEnd {
  JobId job;
  Seconds in;  ///< from the moment of the state
  friend bool operator==(const JobEnd&, const JobEnd&) = default;
};

/// The cluster as the engine sees it at one moment. Borrows the cluster, which must outlive it.
struct ClusterView {
  explicit ClusterView(const Cluster& c) : cluster(&c), occupancy(c), health(c) {}
  explicit ClusterView(const Cluster&&) = delete;
  const Cluster* cluster;
  Occupancy occupancy;
  Health health;
  std::vector<RunningJob> running;  ///< of the jobs whose traffic is known
  std::vector<JobEnd> ends;         ///< of the jobs whose end is known

  /// GPUs of a server that a new job can get, ascending by index: neither failed nor held, and none
  /// unless the server is up. O(GPUs of the server), and O(log failed GPUs), as the next two.
  [[nodiscard]] std::vector<int> usable_gpus(ServerId server) const;
  [[nodiscard]] int usable_gpu_count(ServerId server) const;
  /// GPUs of a server that have not failed, held or not; 0 if the server is down.
  [[nodiscard]] int working_gpu_count(ServerId server) const;
};

}  // namespace zonecut
