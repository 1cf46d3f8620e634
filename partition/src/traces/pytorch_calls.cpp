#include "traces/pytorch_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "traces/pytorch_groups.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut::traces {
namespace {

constexpr std::size_t kMostKinds = 1'000'000;

/// Adds part by part; false where the numbers of parts differ or a sum is too large.
bool add_parts(std::vector<std::uint64_t>& sum, const std::vector<std::uint64_t>& parts) {
  if (sum.empty()) sum.resize(parts.size());
  if (sum.size() != parts.size()) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] > std::numeric_limits<std::int64_t>::max() - sum[i]) return false;
    sum[i] += parts[i];
  }
  return true;
}

/// Parts of a side that has none recorded.
std::vector<std::uint64_t> equal_parts(std::uint64_t bytes, std::size_t count) {
  return std::vector<std::uint64_t>(count, bytes / count);
}

}  // namespace

void CallGatherer::add(const GroupWords& group, const CallWords& call, std::int64_t place) {
  const std::size_t words = words_.try_emplace(group, words_.size()).first->second;
  if (words_.size() + calls_.size() > kMostKinds) {
    throw InputError(trace_.at(place),
                     fmt::format("more than {} different calls and groups", kMostKinds));
  }
  if (call.kind == CallKind::AllToAll && !(call.in_splits.empty() && call.out_splits.empty())) {
    return add_splits(words, call, place);
  }
  Kept kept{words, call_of(call.kind, call.in_bytes, call.out_bytes), call.peer_in_group};
  kept.call.peer = call.peer;
  Seen& seen = calls_[kept];
  if (seen.count++ == 0) seen.place = place;
}

void CallGatherer::add_splits(std::size_t words, const CallWords& call, std::int64_t place) {
  KeptSplits& kept = splits_[words];
  if (kept.seen.count++ == 0) kept.seen.place = place;
  const std::size_t parts = std::max(call.in_splits.size(), call.out_splits.size());
  members_ += kept.seen.count == 1 ? 2 * parts : 0;
  if (members_ > kMostGroupMembers) {
    throw InputError(trace_.at(place), "all-to-alls of too many parts");
  }
  const auto add_side = [&](std::vector<std::uint64_t>& sum, std::int64_t& said,
                            const std::vector<std::uint64_t>& splits, std::uint64_t bytes) {
    if (splits.empty() && bytes == 0) return true;  // nobody recorded it
    ++said;
    return add_parts(sum, splits.empty() ? equal_parts(bytes, parts) : splits);
  };
  const bool in = add_side(kept.sent, kept.said_sent, call.in_splits, call.in_bytes);
  const bool out = add_side(kept.received, kept.said_received, call.out_splits, call.out_bytes);
  if (!in || !out) {
    throw InputError(trace_.at(place),
                     "an all-to-all of another number of parts than one before it in the same "
                     "group, or of too many bytes");
  }
}

TraceGroup CallGatherer::resolve(const GroupWords& words) const {
  const auto known = groups.by_name.find(words.name);
  if (!words.name.empty() && known != groups.by_name.end()) {
    TraceGroup group = as_trace_group(known->second);
    if (group.label.empty()) group.label = label_of(words.description);
    return group;
  }
  TraceGroup group{label_of(words.description), words.members, words.size};
  if (!group.members.empty()) return group;
  if (words.size == 1) {
    group.members = {static_cast<std::uint32_t>(trace_.rank)};
  } else if (words.start && words.stride && *words.stride > 0 && words.size > 0 &&
             words.size <= kMostTraceRanks && *words.start < kMostTraceRanks &&
             *words.stride < kMostTraceRanks &&
             *words.start + *words.stride * (words.size - 1) < kMostTraceRanks) {
    for (std::uint64_t i = 0; i < words.size; ++i)
      group.members.push_back(static_cast<std::uint32_t>(*words.start + *words.stride * i));
  }
  return group;
}

void CallGatherer::finish_call(const Kept& kept, const Seen& seen, std::size_t group,
                               ProblemList& problems) {
  Call call = kept.call;
  call.group = group;
  const std::vector<std::uint32_t>& members = trace_.groups[group].members;
  if (call.peer && kept.peer_in_group && !members.empty()) {
    if (*call.peer >= members.size()) {
      return problems.add(trace_.at(seen.place),
                          fmt::format("the {} names member {} of a group of {}",
                                      kind_name(call.kind), *call.peer, members.size()));
    }
    call.peer = members[*call.peer];
  }
  Seen& all = trace_.calls[call];
  if (all.count == 0) all.place = seen.place;
  all.count += seen.count;
}

void CallGatherer::finish(const TraceGroups& given) {
  add_groups(given, groups);
  ProblemList problems;
  std::vector<std::size_t> group_of(words_.size());
  std::map<TraceGroup, std::size_t> numbers;
  std::size_t members = 0;
  for (const auto& [words, number] : words_) {
    TraceGroup group = resolve(words);
    const auto [at, fresh] = numbers.try_emplace(group, numbers.size());
    group_of[number] = at->second;
    if (!fresh) continue;
    members += group.members.size();
    if (members > kMostGroupMembers) {
      throw InputError(trace_.source, fmt::format("the groups have more than {} members together",
                                                  kMostGroupMembers));
    }
    trace_.groups.push_back(std::move(group));
  }
  for (const auto& [kept, seen] : calls_) finish_call(kept, seen, group_of[kept.words], problems);
  for (auto& [words, kept] : splits_) {
    SplitCalls& all = trace_.splits[group_of[words]];
    if (all.seen.count == 0) all.seen.place = kept.seen.place;
    all.seen.count += kept.seen.count;
    if (kept.said_sent != kept.seen.count) kept.sent.clear();
    if (kept.said_received != kept.seen.count) kept.received.clear();
    if (!add_parts(all.sent, kept.sent) || !add_parts(all.received, kept.received))
      problems.add(trace_.at(kept.seen.place),
                   "an all-to-all of another number of parts than before");
  }
  problems.throw_if_any();
}

}  // namespace zonecut::traces
