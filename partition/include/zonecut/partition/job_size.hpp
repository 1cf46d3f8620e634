#pragma once
// The size of a job whose text leaves it to the allocation that it runs in: "tp=8,pp=4" says what a
// replica is, and the allocation says how many replicas there are.
#include "zonecut/partition/job_file.hpp"

namespace zonecut {

/// What a workload manager gives a job; the same on each of its servers.
struct AllocationSize {
  std::size_t servers = 0;
  std::size_t tasks_per_server = 1;  ///< 1: a launcher such as torchrun, which starts the ranks
  std::size_t gpus_per_server = 0;
};

/// Whether the text says how many ranks the job has. It may leave that open only for a training
/// job, with neither `dp` nor `gpus`.
[[nodiscard]] bool says_its_size(const JobFile& file);

/// Whether the text says anything about the size. A training job with neither `parallelism` nor
/// `gpus` does not.
[[nodiscard]] bool says_any_size(const JobFile& file);

/// Sets the data parallelism of a job that does not say its size, so that the job has one rank for
/// each task where servers have several tasks, else one for each GPU. Then sets ranks_per_server to
/// spread the ranks evenly. Throws InputError where the ranks do not divide evenly over replicas,
/// over servers, or over the several tasks of a server.
void fit_to(const AllocationSize& allocation, JobFile& file);

}  // namespace zonecut
