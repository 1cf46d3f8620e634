#pragma once
// Which jobs came when, as a log of a cluster says it: what a simulation replays
// (docs/formats/arrivals.md). Times are whole milliseconds, so that replaying compares exactly.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zonecut {

enum class ArrivalFormat : std::uint8_t {
  Csv,     ///< submit,duration,gpus and, as wanted, name,work
  Philly,  ///< timestamp,duration,num_gpus,gpu_time,cluster
  Swf,     ///< Standard Workload Format: 18 columns, header lines with ;
};

[[nodiscard]] std::span<const ArrivalFormat> arrival_formats();
[[nodiscard]] std::string_view arrival_format_name(
    ArrivalFormat format);  ///< "csv", "philly", "swf"

struct TracedJob {
  std::string name;
  std::int64_t submit = 0;    ///< ms since the first arrival of the trace
  std::int64_t duration = 0;  ///< ms, above 0
  std::int64_t gpus = 0;      ///< above 0; none (0) only where `work` says it
  std::string work;           ///< a job's text or the path of its file; empty: not said
  int line = 0;
};

struct JobTrace {
  std::string source;
  ArrivalFormat format = ArrivalFormat::Csv;
  /// The first arrival as the file has it: ms, since 1970 where it has dates.
  std::int64_t first = 0;
  bool dates = false;           ///< submit times are dates
  std::vector<TracedJob> jobs;  ///< by arrival; of the same moment in the order of the file
  std::size_t never_ran = 0;    ///< left out: cancelled before they had time or processors
  std::size_t parts = 0;        ///< left out: the parts of SWF jobs that stand as a whole, too
};

struct JobTraceOptions {
  std::optional<ArrivalFormat> format;  ///< none: by what the text looks like
  std::int64_t processors_per_gpu = 1;  ///< SWF: GPUs are so many processors, rounded up
};

/// Throws InputError with all that cannot be read, "source:line:column"; and where it is no trace
/// of a known format, or has more than 5 million jobs. O(bytes + jobs log jobs).
[[nodiscard]] JobTrace parse_trace(std::string_view text, const std::string& source,
                                   const JobTraceOptions& options);

/// Milliseconds of a decimal number of seconds, 0 up to 1e10 s; none where it is no such number.
[[nodiscard]] std::optional<std::int64_t> parse_milliseconds(std::string_view seconds);
/// Milliseconds since 1970 of "2017-10-09 07:01:55", "2017-10-09T07:01:55Z" or "2017-10-09",
/// without time zones: a trace has one.
[[nodiscard]] std::optional<std::int64_t> parse_date(std::string_view text);

/// Which of the jobs, and how they are changed.
struct TraceSelection {
  std::int64_t from = 0;              ///< ms since the first arrival
  std::optional<std::int64_t> until;  ///< arrivals before that, ms since the first one
  std::optional<std::size_t> jobs;    ///< the first so many of these
  double gpu_scale = 1;               ///< GPUs of each job times that, rounded, 1 at least
  double load = 1;                    ///< arrivals come so many times as fast
};

/// Arrivals count from `from`. Throws InputError where GPUs are scaled of jobs that say their work.
[[nodiscard]] JobTrace select_jobs(JobTrace trace, const TraceSelection& selection);

}  // namespace zonecut
