#pragma once
// The jobs of a trace as they run on a cluster: how many GPUs of how many servers each of them
// holds, and what it sends.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "zonecut/partition/job.hpp"
#include "zonecut/scheduler/job_trace.hpp"
#include "zonecut/scheduler/work_table.hpp"
#include "zonecut/topology/cluster.hpp"

namespace zonecut {

struct SimulatedJob {
  std::string name;
  std::int64_t submit = 0;    ///< ms
  std::int64_t duration = 0;  ///< ms, where it is placed ideally; above 0
  std::size_t gpus_each = 1;  ///< of each server: the ranks of a vertex
  std::size_t vertices = 1;   ///< how many servers' worth of ranks
  /// Into Workload::works. None: its ranks share one server, and it sends nothing over the fabric.
  std::optional<std::size_t> work = std::nullopt;
  [[nodiscard]] std::size_t gpus() const noexcept { return gpus_each * vertices; }
};

struct Workload {
  std::vector<SimulatedJob> jobs;  ///< by arrival
  std::vector<Job> works;          ///< of the jobs on several servers, each but once
  int server_gpus = 8;             ///< what most servers of the cluster have
  std::size_t rounded_up = 0;      ///< jobs that get more GPUs than they asked for, to fill servers
};

/// A job of at most a server's GPUs runs on one server; a larger one gets whole servers, rounded
/// up, and sends what the table says for its size. A job with TracedJob::work has the size and
/// traffic that `work_of` reads from that. Throws InputError with the line of the trace where the
/// table has no entry for a size, or a job's ranks do not fit servers.
[[nodiscard]] Workload workload_of(const Cluster& cluster, const JobTrace& trace,
                                   const WorkTable& table,
                                   const std::function<Job(const TracedJob&)>& work_of);

}  // namespace zonecut
