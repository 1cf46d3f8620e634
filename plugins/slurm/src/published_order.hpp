#pragma once
// The order of ranks that the placer has chosen together with the servers. It stands in
// AdminComment, which users cannot write.
#include <string>
#include <vector>

#include "step.hpp"

namespace zonecut::slurm {

/// The servers of the whole allocation by rank, each once, where the placer has published an order
/// for this job and what it sends, and the step is spread as the job is. Empty otherwise. Asks
/// slurmctld, for as long as MessageTimeout at most.
[[nodiscard]] std::vector<std::string> published_order(const Step& step, const std::string& job);

}  // namespace zonecut::slurm
