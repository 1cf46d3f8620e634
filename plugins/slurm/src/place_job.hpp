#pragma once
// What sbatch and salloc say of a job for the programs that look at it later: in its comment what
// it sends, for `zonecut report --from-slurm`, and whether the placer is to choose its servers.
#include <string>

#include "settings.hpp"

namespace zonecut::slurm {

/// Sets the comment and the begin of the job that is being submitted. A job that asks for placement
/// begins when the placer has seen it, at the latest after the lease of the settings. What the user
/// chose stays: a begin, servers; of a comment all words, and all of it where no placement is asked
/// for, or where Slurm would refuse it with ours. Returns what happened in one line, empty where
/// there is nothing to say.
[[nodiscard]] std::string mark_job(const Settings& settings, bool job_is_users);

}  // namespace zonecut::slurm
