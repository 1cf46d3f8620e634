#pragma once
// Which servers of a job its running steps use, and whose turn it is to choose among the others. A
// step on part of an allocation must not wait for servers that another step holds while there are
// free ones.
#include <chrono>
#include <string>
#include <vector>

namespace zonecut::slurm {

/// The servers of the job's running steps, each once or more. False where slurmctld does not say.
[[nodiscard]] bool ask_busy_servers(const std::string& job, std::vector<std::string>& busy);

/// One srun of a job at a time looks for free servers and starts its step. Held until released, or
/// until this process ends, however it ends.
class Turn {
 public:
  Turn() = default;
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { release(); }
  /// Waits at most so long. False where another still has it.
  [[nodiscard]] bool take(const std::string& job, std::chrono::milliseconds at_most);
  void release();

 private:
  int socket_ = -1;
};

}  // namespace zonecut::slurm
