#pragma once
// One reader for each format of traces. Each adds jobs with their submit times as the file has
// them, and mistakes to the problems.
#include <string>
#include <string_view>

#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/job_trace.hpp"

namespace zonecut {

inline constexpr std::size_t kMostTracedJobs = 5'000'000;
inline constexpr std::int64_t kMostGpusOfJob = std::int64_t{1} << 22;

void read_swf(std::string_view text, std::int64_t processors_per_gpu, JobTrace& trace,
              ProblemList& problems);
/// Of Philly, or our own.
void read_trace_csv(std::string_view text, JobTrace& trace, ProblemList& problems);

/// The columns of a header line that speaks for one of the two.
[[nodiscard]] bool is_philly_header(std::string_view line);
[[nodiscard]] bool is_own_header(std::string_view line);

/// Decimal digits and nothing else.
[[nodiscard]] std::optional<std::int64_t> parse_count(std::string_view text, std::int64_t most);

}  // namespace zonecut
