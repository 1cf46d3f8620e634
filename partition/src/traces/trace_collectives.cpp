// From the calls of all ranks to the collectives of a job.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "traces/trace_merge.hpp"
#include "zonecut/base/units.hpp"

namespace zonecut::traces {
namespace {

/// What a job file holds: nine values each, of a million.
constexpr std::size_t kMostCollectives = 110'000;
constexpr std::int64_t kMostTimes = 1'000'000'000;

/// The members, with the ring's order kept, from the root on.
std::vector<std::uint32_t> from_root(std::vector<std::uint32_t> members, std::uint64_t root) {
  const auto at = std::find(members.begin(), members.end(), root);
  std::rotate(members.begin(), at, members.end());
  return members;
}

/// The distance of neighbours, where it is the same for all; 0: it is not.
std::uint32_t stride_of(const std::vector<std::uint32_t>& members) {
  if (members.size() < 2 || members[1] <= members[0]) return 0;
  const std::uint32_t stride = members[1] - members[0];
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (members[i] <= members[i - 1] || members[i] - members[i - 1] != stride) return 0;
  }
  return stride;
}

}  // namespace

/// Groups that nobody described are called by their shape, so that those of one axis share a name.
std::string TraceMerge::shape_name(const Group& group) const {
  if (!group.label.empty()) return group.label;
  if (group.members.size() == world_) return "world";
  const std::uint32_t stride = stride_of(group.members);
  if (stride == 1) return fmt::format("{}-ranks", group.members.size());
  if (stride == 0) return fmt::format("{}-ranks-unevenly", group.members.size());
  return fmt::format("{}-ranks-by-{}", group.members.size(), stride);
}

std::string TraceMerge::in_words(const Call& call) const {
  const Group& group = groups_[call.group];
  return fmt::format("{} of {} in a group of {}{}{}", kind_name(call.kind),
                     to_exact_text(Bytes{static_cast<std::int64_t>(call.bytes)}),
                     group.members.size(), group.members.size() == 1 ? " rank" : " ranks",
                     group.label.empty() ? "" : fmt::format(" ({})", group.label));
}

void TraceMerge::check_members(const Call& call, const std::vector<Said>& said) {
  const std::vector<std::uint32_t>& sorted = sorted_members(call.group);
  for (const Said& one : said) {
    if (!std::binary_search(sorted.begin(), sorted.end(), one.rank)) {
      problems_.add(place(one), fmt::format("rank {} takes part in the {}, but is no member",
                                            one.rank, in_words(call)));
    }
  }
  if (call.peer && !std::binary_search(sorted.begin(), sorted.end(), *call.peer)) {
    problems_.add(place(said.front()), fmt::format("rank {} is named by the {}, but is no member",
                                                   *call.peer, in_words(call)));
  }
}

std::optional<std::int64_t> TraceMerge::per_iteration(std::int64_t count, const std::string& at,
                                                      const std::string& what) {
  if (count % options_.iterations != 0) {
    problems_.add(at, fmt::format("{} times {}: {} iterations do not divide that", count, what,
                                  options_.iterations));
    return std::nullopt;
  }
  const std::int64_t times = count / options_.iterations;
  if (times > kMostTimes) {
    problems_.add(at, fmt::format("{} times {}, expected at most {}", times, what, kMostTimes));
    return std::nullopt;
  }
  return times;
}

/// All members that have a trace must have made a call equally often. A rank of a group whose trace
/// lacks it is found by what it did not say.
std::optional<std::int64_t> TraceMerge::times_of(const Call& call, const std::vector<Said>& said) {
  const Said& first = said.front();
  std::size_t at = 0;
  for (const std::uint32_t member : sorted_members(call.group)) {
    while (at < said.size() && said[at].rank < member) ++at;
    const bool there = at < said.size() && said[at].rank == member;
    if (!there && !traced(member)) continue;
    const std::int64_t count = there ? said[at].seen.count : 0;
    if (count == first.seen.count) continue;
    problems_.add(there ? place(said[at]) : sources_.at(member).name,
                  fmt::format("rank {} has {} times {}, rank {} has it {} times ({})", member,
                              count, in_words(call), first.rank, first.seen.count, place(first)));
    return std::nullopt;
  }
  return per_iteration(first.seen.count, place(first), in_words(call));
}

void TraceMerge::add_collective(const Call& call, const std::vector<Said>& said) {
  call_members_ += groups_[call.group].members.size();
  if (call_members_ > kMostGroupMembers) {
    throw InputError(
        place(said.front()),
        fmt::format("the collectives have more than {} members together", kMostGroupMembers));
  }
  const auto times = times_of(call, said);
  if (!times) return;
  std::int64_t records = 0;
  for (const Said& one : said) records += one.seen.count;
  emit(call, *times, records);
}

void TraceMerge::emit(const Call& call, std::int64_t times, std::int64_t records) {
  const Group& group = groups_[call.group];
  if (group.members.size() < 2) {
    left_out_[in_words(call)] += records;
    return;
  }
  if (call.bytes == 0) {
    left_out_[fmt::format("{} of no bytes", kind_name(call.kind))] += records;
    return;
  }
  switch (call.kind) {
    case CallKind::AllReduce:
      return put(group, Collective::AllReduce, group.members, call.bytes, times);
    case CallKind::AllGather:
      return put(group, Collective::AllGather, group.members, call.bytes, times);
    case CallKind::ReduceScatter:
      return put(group, Collective::ReduceScatter, group.members, call.bytes, times);
    case CallKind::AllToAll:
      return put(group, Collective::AllToAll, group.members, call.bytes, times);
    case CallKind::Broadcast:
    case CallKind::Reduce:
    case CallKind::Gather:
    case CallKind::Scatter:
      return emit_from_or_to_root(call, group, times);
    case CallKind::Send:
    case CallKind::Receive:
    case CallKind::ReceiveAny:
      return;
  }
}

void TraceMerge::emit_from_or_to_root(const Call& call, const Group& group, std::int64_t times) {
  const std::vector<std::uint32_t>& sorted = sorted_members(call.group);
  if (!call.peer) {
    ++assumed_["the root of a collective that names none is taken to be its group's first member"];
  }
  const std::uint64_t root = call.peer.value_or(group.members.front());
  if (!std::binary_search(sorted.begin(), sorted.end(), root)) return;  // has been said
  if (call.kind == CallKind::Broadcast || call.kind == CallKind::Reduce) {
    if (call.kind == CallKind::Reduce)
      ++assumed_["a reduce is written as a broadcast from its root: the same chain, backwards"];
    return put(group, Collective::Broadcast, from_root(group.members, root), call.bytes, times);
  }
  const auto one_end = static_cast<std::uint32_t>(root);
  for (const std::uint32_t member : group.members) {
    if (member == one_end) continue;
    std::vector<std::uint32_t> ends = {one_end, member};
    if (call.kind == CallKind::Gather) std::swap(ends[0], ends[1]);
    put(group, Collective::SendReceive, std::move(ends), call.bytes, times);
  }
}

void TraceMerge::put(const Group& group, Collective kind, std::vector<std::uint32_t> members,
                     std::uint64_t bytes, std::int64_t times, bool message) {
  if (times == 0 || bytes == 0) return;
  if (collectives_.size() == kMostCollectives) {
    throw InputError("traces",
                     fmt::format("they make more than {} collectives of different ranks, sizes or "
                                 "kinds, which is what a job file holds",
                                 kMostCollectives),
                     "--even-all-to-all makes fewer of all-to-alls of unequal parts");
  }
  ExplicitCollective c;
  c.name = message && group.label.empty() ? "send-receive" : group.name;
  c.kind = kind;
  for (const std::uint32_t member : members) c.members.emplace_back(member);
  c.bytes = Bytes{static_cast<std::int64_t>(bytes)};
  c.times = static_cast<int>(times);
  collectives_.push_back(std::move(c));
}

void TraceMerge::put_spread(const Group& group, Collective kind, std::vector<std::uint32_t> members,
                            std::uint64_t bytes, std::int64_t times) {
  const auto count = static_cast<std::uint64_t>(times);
  const auto larger = static_cast<std::int64_t>(bytes % count);
  put(group, kind, members, bytes / count + 1, larger);
  put(group, kind, std::move(members), bytes / count, times - larger);
}

}  // namespace zonecut::traces
