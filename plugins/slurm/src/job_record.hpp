#pragma once
// One job as zonecut-slurm tells it: what it holds, or what it needs and waits for.
extern "C" {
#include <slurm/slurm.h>
}

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

namespace zonecut::slurm {

/// Bytes of lists of nodes that have been told of each user's jobs.
using ListBytes = std::map<std::uint32_t, std::size_t>;

/// Appends a running job, or a pending one; each waiting task of an array as a job of its own.
/// Others are passed over. Users choose how long their lists and comments are: what is longer than
/// any job needs is told as a wish that nobody judges.
void add_job(const slurm_job_info_t& job, ListBytes& told, nlohmann::ordered_json& jobs);

}  // namespace zonecut::slurm
