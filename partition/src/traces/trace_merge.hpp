#pragma once
// The traces of all ranks put together: each collective is counted once, however many members
// recorded it, and each message once, where its sender and its receiver recorded it. Private.
#include "traces/trace_record.hpp"

namespace zonecut::traces {

class TraceMerge {
 public:
  explicit TraceMerge(TraceOptions options) : options_(std::move(options)) {}

  /// Throws InputError where the rank has a trace already, or there is too much of it.
  void add(RankTrace trace);
  /// Throws InputError with what the ranks contradict each other in.
  [[nodiscard]] ImportedJob finish();

 private:
  /// What one rank says of a call.
  struct Said {
    std::uint32_t rank;
    Seen seen;
  };
  struct Source {
    std::string name;
    bool lines;
  };
  struct Group {
    std::string label;  ///< empty: nobody said
    std::vector<std::uint32_t> members;
    std::string name;  ///< of the phase
    bool ascending = false;
    friend auto operator<=>(const Group&, const Group&) = default;
  };
  /// Splits of one rank, as it saw them.
  struct SaidSplits {
    std::uint32_t rank;
    SplitCalls calls;
  };
  /// Bytes that pass from one rank to another, as both ends say it.
  struct Message {
    std::size_t group;
    std::uint64_t from, to, bytes;
    friend auto operator<=>(const Message&, const Message&) = default;
  };
  struct Ends {
    std::optional<Said> sender, receiver;
  };

  [[nodiscard]] std::size_t group_number(const TraceGroup& group);
  [[nodiscard]] std::uint64_t told_ranks() const;
  void settle_world();
  [[noreturn]] void refuse_missing() const;
  void settle_groups();
  [[nodiscard]] const std::vector<std::uint32_t>& sorted_members(std::size_t group);
  void settle_calls();
  void settle_splits();
  [[nodiscard]] ImportedJob imported_job();
  void check_members(const Call& call, const std::vector<Said>& said);
  void add_collective(const Call& call, const std::vector<Said>& said);
  /// Times in one iteration; none where the trace contradicts itself.
  [[nodiscard]] std::optional<std::int64_t> times_of(const Call& call,
                                                     const std::vector<Said>& said);
  [[nodiscard]] std::optional<std::int64_t> per_iteration(std::int64_t count, const std::string& at,
                                                          const std::string& what);
  void emit(const Call& call, std::int64_t times, std::int64_t records);
  void emit_from_or_to_root(const Call& call, const Group& group, std::int64_t times);
  void gather_message(const Call& call, const Said& said);
  void add_messages();
  void add_splits(std::size_t group, const std::vector<SaidSplits>& said);
  /// Whether one rank's splits fit the group and the number of its calls.
  [[nodiscard]] bool splits_fit(const Group& group, const SaidSplits& one, const Said& first);
  /// Enters what one rank sent and received into the bytes of all pairs; false where another rank
  /// says something else.
  [[nodiscard]] bool enter_splits(const Group& group, const SaidSplits& one,
                                  std::vector<std::uint64_t>& bytes);
  void put_splits(const Group& group, std::vector<std::uint64_t> bytes, const Said& first);
  void put(const Group& group, Collective kind, std::vector<std::uint32_t> members,
           std::uint64_t bytes, std::int64_t times, bool message = false);
  /// `bytes` over so many messages, exactly: some are one byte larger.
  void put_spread(const Group& group, Collective kind, std::vector<std::uint32_t> members,
                  std::uint64_t bytes, std::int64_t times);
  [[nodiscard]] std::string shape_name(const Group& group) const;
  [[nodiscard]] std::string in_words(const Call& call) const;
  [[nodiscard]] std::string place(const Said& said) const;
  [[nodiscard]] bool traced(std::uint64_t rank) const { return sources_.contains(rank); }

  TraceOptions options_;
  std::map<std::uint64_t, Source> sources_;
  std::map<TraceGroup, std::size_t> group_numbers_;
  std::size_t group_members_ = 0;
  std::size_t call_members_ = 0;
  std::map<Call, std::vector<Said>> calls_;
  std::map<std::size_t, std::vector<SaidSplits>> splits_;
  std::map<std::string, std::int64_t> left_out_;
  std::map<std::string, std::int64_t> assumed_;
  std::uint64_t declared_world_ = 0;
  std::int64_t steps_ = 0;

  // From here on while finishing.
  std::uint64_t world_ = 0;
  std::vector<Group> groups_;
  std::map<std::size_t, std::vector<std::uint32_t>> sorted_;  ///< of groups in another order
  std::map<Group, std::size_t> settled_numbers_;
  std::vector<std::size_t> settled_of_;  ///< by group number
  std::map<Message, Ends> messages_;
  std::map<std::uint64_t, std::int64_t> from_anybody_;  ///< receives, by receiver
  std::vector<ExplicitCollective> collectives_;
  ProblemList problems_;
};

}  // namespace zonecut::traces
