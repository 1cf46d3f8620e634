#pragma once
// Calls of one rank in PyTorch's words: buffers and splits in, and the group known by a key that
// may be described later than it is used. Private to the readers.
#include "traces/trace_record.hpp"

namespace zonecut::traces {

/// What one record says of a communicator.
struct GroupWords {
  std::string name;                    ///< its name or the number of its backend
  std::string description;             ///< what it is for
  std::vector<std::uint32_t> members;  ///< where the record itself lists them
  std::uint64_t size = 0;              ///< 0: the record does not say
  std::optional<std::uint64_t> start;  ///< its members are start, start + stride, ...
  std::optional<std::uint64_t> stride;
  friend auto operator<=>(const GroupWords&, const GroupWords&) = default;
};

struct CallWords {
  CallKind kind{};
  std::uint64_t in_bytes = 0;
  std::uint64_t out_bytes = 0;
  std::optional<std::uint64_t> peer;      ///< root or other end
  bool peer_in_group = false;             ///< it is a position in the group
  std::vector<std::uint64_t> in_splits;   ///< bytes to each member; empty: equal parts
  std::vector<std::uint64_t> out_splits;  ///< bytes from each member; likewise
};

class CallGatherer {
 public:
  explicit CallGatherer(RankTrace& trace) : trace_(trace) {}

  KnownGroups groups;  ///< filled in while records are read

  void add(const GroupWords& group, const CallWords& call, std::int64_t place);
  /// Once all groups are known. Throws InputError with all that contradicts itself.
  void finish(const TraceGroups& given);

 private:
  struct Kept {
    std::size_t words;
    Call call;
    bool peer_in_group;
    friend auto operator<=>(const Kept&, const Kept&) = default;
  };
  struct KeptSplits {
    Seen seen;
    std::vector<std::uint64_t> sent, received;
    std::int64_t said_sent = 0, said_received = 0;  ///< calls that said them
  };

  void add_splits(std::size_t words, const CallWords& call, std::int64_t place);
  [[nodiscard]] TraceGroup resolve(const GroupWords& words) const;
  void finish_call(const Kept& kept, const Seen& seen, std::size_t group, ProblemList& problems);

  RankTrace& trace_;
  std::map<GroupWords, std::size_t> words_;
  std::map<Kept, Seen> calls_;
  std::map<std::size_t, KeptSplits> splits_;
  std::size_t members_ = 0;
};

}  // namespace zonecut::traces
