#pragma once
// One job as zonecut-slurm tells it: what it holds, or what it needs and waits for.
extern "C" {
#include <slurm/slurm.h>
}

#include <nlohmann/json.hpp>

namespace zonecut::slurm {

/// Appends a running job, or a pending one; each waiting task of an array as a job of its own.
/// Others are passed over.
void add_job(const slurm_job_info_t& job, nlohmann::ordered_json& jobs);

}  // namespace zonecut::slurm
