#pragma once
// Which servers a job has, which of them its running steps use, and whose turn it is to choose
// among the others. A step on part of an allocation must not wait for servers that another step
// holds while there are free ones.
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace zonecut::slurm {

/// What slurmctld says that a job has.
struct JobServers {
  std::vector<std::string> names;  ///< empty where slurmctld does not say
  std::size_t least_gpus = 0;      ///< of the server that has least
};

/// The job's servers as they are: fewer than its environment says, where one was lost or given
/// back.
[[nodiscard]] JobServers ask_servers(const std::string& job);

/// The servers of the job's running steps, each once or more. False where slurmctld does not say.
[[nodiscard]] bool ask_busy_servers(const std::string& job, std::vector<std::string>& busy);

/// One srun of a job at a time looks for free servers and starts its step: a turn of this process
/// as a whole, held until released, or until it ends, however it ends. Forked children do not have
/// it. Waits until then at the latest. Why there is no turn, or nothing.
[[nodiscard]] std::string take_step_turn(const std::string& job,
                                         std::chrono::steady_clock::time_point until);
void release_step_turn();

}  // namespace zonecut::slurm
