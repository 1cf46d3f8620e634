#pragma once
// A rank order that is given, on a cluster where jobs run already. The order may be that of one of
// these jobs, whose GPUs it then runs on, or that of a job still to come, which gets what the
// others leave. Used to judge an order, never to change one.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/topology/state.hpp"

namespace zonecut {

/// The job that holds GPUs on most of these servers, most GPUs where several do; none where nobody
/// holds any. O(GPUs of the servers).
[[nodiscard]] std::optional<JobId> job_on(const ClusterView& view,
                                          std::span<const ServerId> servers);

/// An order needs `ranks_per_server` GPUs of a server for each time that the server stands in it.
struct GivenOrder {
  std::string job;                    ///< name of the job
  std::span<const ServerId> servers;  ///< by vertex
  std::size_t ranks_per_server = 1;
};

/// Whether the job holds no GPU that the order does not need: no other server, and of no server
/// more GPUs. O(GPUs of the cluster).
[[nodiscard]] bool holds_no_more(const ClusterView& view, JobId job, const GivenOrder& order);

/// The job of the state that runs in this order. That is the job named in the order, where it holds
/// GPUs of these servers; else job_on(), where that job holds_no_more() than the order needs and
/// the order does not fit beside what is held. None where neither is. O(GPUs of the cluster).
[[nodiscard]] std::optional<JobId> job_with_order(const ClusterView& view, const GivenOrder& order);

/// All jobs that may be running in this order: each holds at least what the order needs of every
/// one of its servers. If one of them has the order's name, that one alone; else those that
/// holds_no_more(), by id, and nobody where the order fits beside what is held.
[[nodiscard]] std::vector<JobId> holders_of(const ClusterView& view, const GivenOrder& order);

/// The GPUs that a job which runs in an order holds.
struct HeldOrder {
  std::optional<JobId> job;  ///< none: the state has no job for this order alone
  std::vector<GpuId> gpus;   ///< on the order's servers, ascending; empty: nobody holds them for it
};
/// Of job_with_order(). Without one, of job_on(), if that job holds what the order needs of each
/// server that is up: all it holds, where that is no more; or where it holds more and its traffic
/// is unknown (such as an entry for all of Slurm's jobs together), a part of it: as many GPUs as
/// the order needs, working ones first, and no `job`.
[[nodiscard]] HeldOrder held_order(const ClusterView& view, const GivenOrder& order);

/// The cluster as the job of an order finds it.
struct OrderView {
  /// job_with_order() holds nothing in it, and nobody holds anything on `taken`.
  ClusterView view;
  /// Servers of the order where others hold GPUs that it needs; ascending.
  std::vector<ServerId> taken;
};
[[nodiscard]] OrderView view_for_order(const ClusterView& view, const GivenOrder& order);

/// The view as if these servers were up and none of their GPUs had failed.
[[nodiscard]] ClusterView well_on(const ClusterView& view, std::span<const ServerId> servers);

}  // namespace zonecut
