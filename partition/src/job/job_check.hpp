#pragma once
// Whether the figures of a job fit together. The same check serves a job that was read from a file,
// where a mistake has a line, and one that was made by a program, where it has a field.
#include <functional>
#include <string>
#include <string_view>

#include "zonecut/base/error.hpp"
#include "zonecut/partition/job.hpp"

namespace zonecut {

/// Ranks beyond any machine that exists; keeps products and memory within bounds.
inline constexpr std::int64_t kMostRanks = std::int64_t{1} << 22;

/// The place of a field such as "tp" or "global_batch", for a message: Problem::where.
using Locate = std::function<std::string(std::string_view name)>;

/// A Locate for jobs that come from no file: the field's name itself.
[[nodiscard]] std::string field_name(std::string_view name);

/// Reports every contradiction in the job's figures.
void check_job(const Job& job, const Locate& locate, ProblemList& problems);

/// Micro-batches of one replica and iteration. The job must have passed check_job.
[[nodiscard]] std::int64_t micro_batches(const Training& training);
/// How often per iteration sharded parameters are gathered.
[[nodiscard]] std::int64_t accumulation_steps(const Training& training);

}  // namespace zonecut
