#pragma once
// What the readers of traces have in common: one rank's calls, in the words of no format.
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zonecut/base/error.hpp"
#include "zonecut/partition/trace_import.hpp"

namespace zonecut::traces {

enum class CallKind {
  AllReduce,
  AllGather,
  ReduceScatter,
  Broadcast,
  Reduce,
  Gather,   ///< bytes: of one member's part
  Scatter,  ///< bytes: of one member's part
  AllToAll,
  Send,
  Receive,
  ReceiveAny,  ///< from whoever sends
};

/// "all-reduce"
[[nodiscard]] std::string_view kind_name(CallKind kind);

/// A communicator as one trace knows it.
struct TraceGroup {
  std::string label;                   ///< what it is for; empty: nobody said
  std::vector<std::uint32_t> members;  ///< in their order; empty: all ranks
  std::uint64_t size = 0;              ///< 0: nobody said
  friend auto operator<=>(const TraceGroup&, const TraceGroup&) = default;
};

/// Calls that are alike.
struct Call {
  CallKind kind{};
  std::size_t group = 0;  ///< index of RankTrace::groups
  std::uint64_t bytes = 0;
  bool per_member = false;            ///< `bytes` is one member's part of the buffer
  std::optional<std::uint64_t> peer;  ///< root, or the other end: its rank in the job
  friend auto operator<=>(const Call&, const Call&) = default;
};

struct Seen {
  std::int64_t count = 0;
  std::int64_t place = 0;  ///< of the first: a line, or the number of a record
};

/// All-to-alls with parts of unequal sizes, of one group, added up.
struct SplitCalls {
  Seen seen;
  std::vector<std::uint64_t> sent;      ///< by member; empty: nobody said
  std::vector<std::uint64_t> received;  ///< likewise
};

struct RankTrace {
  std::string source;
  bool lines = true;  ///< places are lines
  std::size_t rank = 0;
  std::vector<TraceGroup> groups;
  std::map<Call, Seen> calls;
  std::map<std::size_t, SplitCalls> splits;      ///< by group
  std::map<std::string, std::int64_t> left_out;  ///< what, and how often
  std::int64_t steps = 0;   ///< iterations that the trace marks; 0: it marks none
  std::uint64_t world = 0;  ///< ranks that the trace tells of; 0: none

  /// "file:12", or "file: record 12"; the file where there is no place.
  [[nodiscard]] std::string at(std::int64_t place) const;
};

/// The group's members in the job, where they are named: by the options, else by the trace.
struct KnownGroups {
  struct Known {
    std::string label;
    std::vector<std::uint32_t> members;  ///< empty: all ranks
    std::uint64_t size = 0;
  };
  std::map<std::string, Known, std::less<>> by_name;
};

/// Ranks that may stand in a trace.
inline constexpr std::uint64_t kMostTraceRanks = 4'194'304;
/// Bounds the memory that a short text can ask for.
inline constexpr std::size_t kMostGroupMembers = std::size_t{1} << 26;

/// Descriptions that say nothing are no labels; others become names of phases.
[[nodiscard]] std::string label_of(std::string_view description);

/// Bytes of an element, by the names that PyTorch and PARAM use; none: unknown.
[[nodiscard]] std::optional<std::uint64_t> element_bytes(std::string_view type);

/// A collective by the names that PyTorch and PARAM use. The second: it can have unequal parts.
struct NamedKind {
  enum class Role { Traffic, Nothing, Barrier, Unknown };
  Role role = Role::Unknown;
  CallKind kind{};
};
[[nodiscard]] NamedKind find_kind(std::string_view name);

/// What a collective of these buffers is, as far as its kind decides: which of the two counts.
[[nodiscard]] Call call_of(CallKind kind, std::uint64_t in_bytes, std::uint64_t out_bytes);

/// The readers. Each throws InputError with what cannot be read.
[[nodiscard]] RankTrace read_chakra(std::string_view text, const std::string& source,
                                    std::size_t rank, const TraceGroups& groups);
[[nodiscard]] RankTrace read_chakra_json(std::string_view text, const std::string& source,
                                         std::size_t rank, const TraceGroups& groups);
[[nodiscard]] RankTrace read_pytorch(std::string_view text, const std::string& source,
                                     std::size_t rank, const TraceGroups& groups);
[[nodiscard]] RankTrace read_param(std::string_view text, const std::string& source,
                                   std::size_t rank, const TraceGroups& groups);

}  // namespace zonecut::traces
