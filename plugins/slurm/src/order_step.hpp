#pragma once
// What the plugin is for: asks zonecut for the order of a step's servers and puts it into effect.
// All of it fails open: where anything is missing, late or wrong, the step runs as it would have.
// One deadline holds for all of it, but for a slurmctld that is silent: libslurm waits for that as
// long as slurm.conf says.
#include <string>

#include "settings.hpp"

namespace zonecut::slurm {

/// Says to tasks how many of them share a server of a step whose order was chosen here.
inline constexpr const char* kOrderedVariable = "SLURM_ZONECUT_TASKS_PER_NODE";

/// Set while zonecut is asked: a program in its place that starts srun would be asked by that, and
/// so on.
inline constexpr const char* kAskingVariable = "SLURM_ZONECUT_ASKING";

/// In srun, once its options are read: by the options. Returns what happened in one line, empty
/// where there is nothing to say. The step turn is kept until it is released.
[[nodiscard]] std::string order_by_options(const Settings& settings);

/// In srun, before its options are read: by SLURM_HOSTFILE, for whole allocations only. Leaves a
/// file in memory for srun to read, which remove_host_file() takes away.
[[nodiscard]] std::string order_by_host_file(const Settings& settings);
void remove_host_file();

}  // namespace zonecut::slurm
