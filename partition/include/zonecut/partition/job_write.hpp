#pragma once
// Writes the file "job/v1" (docs/formats/job.md) of a job that is given by its collectives or its
// matrix. Other kinds are typed by people, not written by programs.
#include <string>
#include <string_view>

#include "zonecut/partition/job.hpp"

namespace zonecut {

/// "all-reduce", as the file has it.
[[nodiscard]] std::string_view collective_name(Collective kind);

/// Reads back as the same job. `job.work` must be ExplicitTraffic. Throws InputError on a name with
/// control characters, which no file may have. Linear in the text.
[[nodiscard]] std::string write_job(const Job& job);

}  // namespace zonecut
