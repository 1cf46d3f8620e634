#pragma once
// What slurmctld knows, as the JSON object "zonecut.slurm/v1". Throws std::runtime_error where it
// does not answer.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

namespace zonecut::slurm {

/// Throws where a call of libslurm has failed, with its errno.
void check(int result, const char* call);

/// Everything; with a job also the order of the ranks of its largest step.
[[nodiscard]] nlohmann::ordered_json read_snapshot(std::optional<std::uint32_t> job);

/// All but the topology. Where nothing has changed since "changes" of an earlier answer, the time
/// alone, at little cost for slurmctld.
[[nodiscard]] nlohmann::ordered_json read_queue(std::int64_t since);

}  // namespace zonecut::slurm
