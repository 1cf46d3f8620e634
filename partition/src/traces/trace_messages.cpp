// Messages between two ranks, and all-to-alls of unequal parts, which come to the same.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "traces/trace_merge.hpp"
#include "zonecut/base/units.hpp"

namespace zonecut::traces {
namespace {

/// Pairs of one all-to-all of unequal parts: what a job file can list, with room.
constexpr std::size_t kMostPairs = std::size_t{1} << 24;
constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
constexpr const char* kPartsOfMissing =
    "what ranks without a trace send each other in all-to-alls of unequal parts is left out";

/// What one member sends another in the mean, to the nearest byte.
std::uint64_t mean_part(const std::vector<std::uint64_t>& bytes, std::size_t n) {
  __extension__ using Wide = unsigned __int128;
  Wide sum = 0;
  for (std::size_t cell = 0; cell < n * n; ++cell) {
    if (cell / n != cell % n) sum += bytes[cell];
  }
  const Wide pairs = static_cast<Wide>(n) * (n - 1);
  return static_cast<std::uint64_t>((sum + pairs / 2) / pairs);
}

}  // namespace

void TraceMerge::gather_message(const Call& call, const Said& said) {
  if (call.kind == CallKind::ReceiveAny) {
    from_anybody_[said.rank] += said.seen.count;
    return;
  }
  const bool send = call.kind == CallKind::Send;
  const std::uint64_t other = call.peer.value_or(said.rank);
  if (other == said.rank) {
    left_out_["message of a rank to itself"] += said.seen.count;
    return;
  }
  if (call.bytes == 0) {
    left_out_[fmt::format("{} of no bytes", kind_name(call.kind))] += said.seen.count;
    return;
  }
  const Message message{call.group, send ? said.rank : other, send ? other : said.rank, call.bytes};
  Ends& ends = messages_[message];
  (send ? ends.sender : ends.receiver) = said;
}

void TraceMerge::add_messages() {
  if (!from_anybody_.empty())
    ++assumed_["receives from any rank are taken to be what the senders recorded"];
  for (const auto& [message, ends] : messages_) {
    const std::string what = fmt::format(
        "{} from rank {} to rank {}",
        to_exact_text(Bytes{static_cast<std::int64_t>(message.bytes)}), message.from, message.to);
    const std::int64_t sent = ends.sender ? ends.sender->seen.count : 0;
    const std::int64_t received = ends.receiver ? ends.receiver->seen.count : 0;
    const Said& first = ends.sender ? *ends.sender : *ends.receiver;
    const bool both = traced(message.from) && traced(message.to);
    const bool anybody = from_anybody_.contains(message.to) && received <= sent;
    if (both && !anybody && sent != received) {
      problems_.add(place(first), fmt::format("{}: {} sent, {} received", what, sent, received));
      continue;
    }
    const auto times = per_iteration(std::max(sent, received), place(first), what);
    if (!times) continue;
    put(groups_[message.group], Collective::SendReceive,
        {static_cast<std::uint32_t>(message.from), static_cast<std::uint32_t>(message.to)},
        message.bytes, *times, true);
  }
}

bool TraceMerge::splits_fit(const Group& group, const SaidSplits& one, const Said& first) {
  const Said here{one.rank, one.calls.seen};
  const std::size_t parts = std::max(one.calls.sent.size(), one.calls.received.size());
  const std::size_t n = group.members.size();
  if (std::find(group.members.begin(), group.members.end(), one.rank) == group.members.end()) {
    problems_.add(place(here), fmt::format("rank {} takes part in an all-to-all of {} ranks, but "
                                           "is no member",
                                           one.rank, n));
    return false;
  }
  if (parts != n) {
    problems_.add(place(here), fmt::format("rank {} has an all-to-all of {} parts in a group of {} "
                                           "ranks",
                                           one.rank, parts, n));
    return false;
  }
  if (one.calls.seen.count == first.seen.count) return true;
  problems_.add(place(here),
                fmt::format("rank {} has {} all-to-alls of unequal parts, rank {} has {}", one.rank,
                            one.calls.seen.count, first.rank, first.seen.count));
  return false;
}

bool TraceMerge::enter_splits(const Group& group, const SaidSplits& one,
                              std::vector<std::uint64_t>& bytes) {
  const std::vector<std::uint32_t>& members = group.members;
  const std::size_t n = members.size();
  const auto own = static_cast<std::size_t>(std::find(members.begin(), members.end(), one.rank) -
                                            members.begin());
  const auto enter = [&](std::size_t from, std::size_t to, std::uint64_t value) {
    std::uint64_t& known = bytes[from * n + to];
    if (known == kUnknown || known == value || from == to) {
      known = value;
      return true;
    }
    problems_.add(place({one.rank, one.calls.seen}),
                  fmt::format("all-to-alls: rank {} sends {} bytes to rank {}, which receives {}",
                              members[from], own == from ? value : known, members[to],
                              own == from ? known : value));
    return false;
  };
  for (std::size_t i = 0; i < one.calls.sent.size(); ++i) {
    if (!enter(own, i, one.calls.sent[i])) return false;
  }
  for (std::size_t i = 0; i < one.calls.received.size(); ++i) {
    if (!enter(i, own, one.calls.received[i])) return false;
  }
  return true;
}

void TraceMerge::add_splits(std::size_t group_number, const std::vector<SaidSplits>& said) {
  const Group& group = groups_[group_number];
  const std::size_t n = group.members.size();
  const Said first{said.front().rank, said.front().calls.seen};
  if (n > kMostPairs / n) {
    return problems_.add(place(first),
                         fmt::format("an all-to-all of unequal parts in a group of {} ranks", n));
  }
  std::vector<std::uint64_t> bytes(n * n, kUnknown);
  std::set<std::uint32_t> spoke;
  for (const SaidSplits& one : said) {
    if (!splits_fit(group, one, first) || !enter_splits(group, one, bytes)) return;
    spoke.insert(one.rank);
  }
  for (const std::uint32_t member : group.members) {
    if (spoke.contains(member) || !traced(member)) continue;
    return problems_.add(sources_.at(member).name,
                         fmt::format("rank {} has no all-to-alls of unequal parts, rank {} has {}",
                                     member, first.rank, first.seen.count));
  }
  if (n > 1) return put_splits(group, std::move(bytes), first);
  left_out_["all-to-all in a group of 1 rank"] += first.seen.count;
}

/// Of one iteration in the mean; equal parts are an all-to-all, others messages.
void TraceMerge::put_splits(const Group& group, std::vector<std::uint64_t> bytes,
                            const Said& first) {
  const std::size_t n = group.members.size();
  const auto times = per_iteration(first.seen.count, place(first), "all-to-all of unequal parts");
  if (!times) return;
  const auto iterations = static_cast<std::uint64_t>(options_.iterations);
  bool equal = true;
  for (std::size_t cell = 0; cell < n * n; ++cell) {
    if (cell / n == cell % n) continue;
    if (bytes[cell] == kUnknown) {
      ++assumed_[kPartsOfMissing];
      bytes[cell] = 0;
    }
    bytes[cell] = (bytes[cell] + iterations / 2) / iterations;
    equal = equal && bytes[cell] == bytes[1];
  }
  if (!equal && options_.even_all_to_all) {
    ++assumed_["all-to-alls of unequal parts are written with equal ones of the same sum"];
    bytes[1] = mean_part(bytes, n);
    equal = true;
  }
  if (equal && bytes[1] > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / n)
    return problems_.add(place(first), "all-to-alls of too many bytes");
  if (equal) return put_spread(group, Collective::AllToAll, group.members, bytes[1] * n, *times);
  for (std::size_t cell = 0; cell < n * n; ++cell) {
    if (cell / n == cell % n) continue;
    put_spread(group, Collective::SendReceive, {group.members[cell / n], group.members[cell % n]},
               bytes[cell], *times);
  }
}

}  // namespace zonecut::traces
