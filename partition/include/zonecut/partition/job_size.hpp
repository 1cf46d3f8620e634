#pragma once
// How many ranks a job has where its text leaves that to the allocation it runs in: "tp=8,pp=4"
// says what a replica is, and the allocation how many there are.
#include "zonecut/partition/job_file.hpp"

namespace zonecut {

/// What a workload manager gives a job; the same on each of its servers.
struct AllocationSize {
  std::size_t servers = 0;
  std::size_t tasks_per_server = 1;  ///< one: a launcher such as torchrun, which starts the ranks
  std::size_t gpus_per_server = 0;
};

/// Whether the job says how many ranks it has. Only a training job's data parallelism can be left
/// for an allocation to say.
[[nodiscard]] bool says_its_size(const JobFile& file);

/// Whether the job says anything of it: a training job of neither parallelism nor gpus does not.
[[nodiscard]] bool says_any_size(const JobFile& file);

/// Fills in the data parallelism of a job that does not say its size: one rank for each task where
/// there are several on a server, else one for each GPU. Then spreads the ranks evenly over the
/// servers. Throws InputError where that does not come out even, the other sizes do not go with so
/// many replicas, or a server's ranks are not the same number for each of its several tasks.
void fit_to(const AllocationSize& allocation, JobFile& file);

}  // namespace zonecut
