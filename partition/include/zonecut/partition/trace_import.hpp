#pragma once
// Jobs learnt from traces: what the ranks of a running job sent, as other programs recorded it
// (docs/formats/trace.md). Each rank's trace is given on its own and kept only as counts of equal
// calls, so memory follows what differs and not what was recorded. Reads texts, opens no file.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/partition/job.hpp"

namespace zonecut {

enum class TraceFormat {
  Chakra,     ///< MLCommons Chakra execution traces: length-delimited protobuf (.et), or JSON
  PytorchEt,  ///< PyTorch execution traces, JSON
  Param,      ///< basic traces of PARAM's commsTraceReplay, JSON
};

[[nodiscard]] std::optional<TraceFormat> find_trace_format(std::string_view name);
[[nodiscard]] std::string_view trace_format_name(TraceFormat format);
[[nodiscard]] std::span<const TraceFormat> trace_formats();

/// The rank that a file's name ends in before its extension: 12 of "NAME.12.et" and "rank12.json".
[[nodiscard]] std::optional<std::size_t> rank_in_name(std::string_view path);

/// Members of the groups that a trace only names: {"0": [0, 1, 2, 3]}, or [] for all ranks.
using TraceGroups = std::map<std::string, std::vector<RankId>, std::less<>>;
/// Throws InputError.
[[nodiscard]] TraceGroups parse_trace_groups(std::string_view text, const std::string& source);

struct TraceOptions {
  std::string job_name = "trace";
  std::optional<std::size_t> ranks;  ///< of the job; none: as many as the traces tell of
  std::int64_t iterations = 1;       ///< in each trace
  /// Ranks without a trace are left to what the others say of their groups, instead of refused.
  bool allow_missing = false;
  /// All-to-alls of unequal parts are written as equal ones of the same sum, instead of as
  /// messages.
  bool even_all_to_all = false;
  TraceGroups groups;  ///< these go before what the traces say
};

struct ImportedJob {
  struct LeftOut {
    std::string what;
    std::int64_t count = 0;  ///< records, of all ranks together
    friend bool operator==(const LeftOut&, const LeftOut&) = default;
  };
  Job job;  ///< ExplicitTraffic
  std::size_t traces = 0;
  std::vector<LeftOut> left_out;     ///< by `what`
  std::vector<std::string> assumed;  ///< what the traces do not say, and what it was taken for
};

class TraceImport {
 public:
  TraceImport(TraceFormat format, TraceOptions options);
  TraceImport(TraceImport&&) noexcept;
  TraceImport& operator=(TraceImport&&) noexcept;
  ~TraceImport();

  /// The trace of one rank. Throws InputError with the places of what cannot be read. Linear in the
  /// text.
  void add(std::string_view text, const std::string& source, std::size_t rank);
  /// Throws InputError where the ranks contradict each other, or nothing was sent.
  [[nodiscard]] ImportedJob finish() &&;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zonecut
