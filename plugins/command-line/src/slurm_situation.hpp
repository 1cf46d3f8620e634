#pragma once
// A job of a Slurm that runs here as a situation to be reported on: everything but itself occupies
// the cluster.
#include <cstdint>
#include <string>
#include <vector>

#include "situation.hpp"

namespace zonecut::cli {

struct SlurmSituation {
  SituationOptions options;
  SituationTexts texts;
  std::vector<std::string> servers;  ///< by server's worth of ranks, as it runs; empty: unknown
  std::string unknown;               ///< why, then
  std::string remark;                ///< how `servers` is known, where that is not by a step
  bool running = false;
};

/// Throws InputError where there is no such job, or nobody says what it sends; IoError where
/// slurmctld does not answer. What users wrote on the job opens no file.
[[nodiscard]] SlurmSituation situation_of(std::uint32_t job, SituationOptions given);

}  // namespace zonecut::cli
