#pragma once
// The jobs of a Slurm's queue that asked to be placed, in the engine's words.
#include <optional>
#include <string>
#include <vector>

#include "job_words.hpp"
#include "slurm_servers.hpp"
#include "slurm_snapshot.hpp"
#include "zonecut/scheduler/queue_plan.hpp"

namespace zonecut::cli {

/// A pending job that asked to be placed.
struct PlacingJob {
  const SlurmJob* job = nullptr;
  slurm::JobWords words;  ///< AdminComment's, and what only the user's comment says
  bool pinned = false;    ///< to what the placer has chosen
  bool leased = false;    ///< put off until the placer has seen it
  std::string left;       ///< why it is left to Slurm; empty: it is to be placed
  WaitingJob waiting;     ///< of those that are to be placed
};

/// Those of the snapshot, jobs that claim servers first, then by priority, then by number.
[[nodiscard]] std::vector<PlacingJob> placing_jobs(const SlurmSnapshot& snapshot,
                                                   const Cluster& cluster,
                                                   const SlurmServers& servers);

/// Those that the placer has done something to, for whoever takes it back: nothing is judged. Those
/// that are put off stand last, as that ends by itself.
[[nodiscard]] std::vector<PlacingJob> touched_jobs(const SlurmSnapshot& snapshot);

}  // namespace zonecut::cli
