#pragma once
// The step that srun is about to start, as far as the order of its ranks is concerned.
#include <optional>
#include <string>
#include <vector>

#include "srun_options.hpp"

namespace zonecut::slurm {

struct Step {
  std::vector<std::string> allocation;  ///< the job's servers, in Slurm's order
  std::vector<std::string> servers;     ///< those the step may use
  std::size_t nodes = 0;
  std::size_t tasks = 0;
  std::optional<std::size_t> gpus_per_server;  ///< what the job has of each; none: not said
  std::size_t gpus_needed = 0;  ///< of a server for its share of the tasks; 0: any number will do
  bool overlap = false;         ///< may share servers with other steps

  [[nodiscard]] bool is_part() const { return nodes < allocation.size(); }
};

/// A step whose order may be chosen, or why it is left as it is.
struct StepReading {
  std::optional<Step> step;
  std::string reason;  ///< empty where nothing needs to be said: a step on one server
};

/// From srun's options once they are read and checked, and its environment.
[[nodiscard]] StepReading read_step(const SrunOptions& options);

/// From the environment alone, before srun has read its options; leaves every step as it is whose
/// command line could say something about its layout.
[[nodiscard]] StepReading read_step_of_environment();

/// The value of a variable, empty when it is not set.
[[nodiscard]] std::string variable(const char* name);

}  // namespace zonecut::slurm
