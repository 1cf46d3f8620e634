#pragma once
// The program zonecut-slurm, which talks with slurmctld for zonecut: asked within bounds of time
// and size, since libslurm may end or hold up the process it is in.
#include <chrono>
#include <string>
#include <vector>

namespace zonecut::cli {

/// What `zonecut-slurm WORDS…` prints. Throws IoError where it is missing, fails or is late.
[[nodiscard]] std::string ask_slurm_program(const std::vector<std::string>& words,
                                            std::chrono::milliseconds deadline);

/// What came of a change.
struct SlurmAnswer {
  enum class Kind {
    Done,
    Refused,    ///< slurmctld does not take it
    Overtaken,  ///< the job is no more as it was when the change was thought of
  } kind = Kind::Done;
  std::string text;  ///< why, unless it is done
};

/// `zonecut-slurm change WORDS…`. Throws IoError where the program or slurmctld does not answer.
[[nodiscard]] SlurmAnswer change_in_slurm(const std::vector<std::string>& words,
                                          std::chrono::milliseconds deadline);

}  // namespace zonecut::cli
