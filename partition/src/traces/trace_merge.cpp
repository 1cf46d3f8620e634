#include "traces/trace_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace zonecut::traces {
namespace {

constexpr std::size_t kMostCalls = 4'000'000;

std::uint64_t highest(const std::vector<std::uint32_t>& members) {
  return members.empty() ? 0 : *std::max_element(members.begin(), members.end()) + std::uint64_t{1};
}

std::string ranks_in_words(const std::vector<std::uint64_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i == 8) return text + ", ...";
    text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
  }
  return text;
}

}  // namespace

std::size_t TraceMerge::group_number(const TraceGroup& group) {
  const auto [at, fresh] = group_numbers_.try_emplace(group, group_numbers_.size());
  if (fresh) {
    group_members_ += group.members.size();
    if (group_members_ > kMostGroupMembers)
      throw InputError("traces", "the groups of all traces have too many members together");
  }
  return at->second;
}

void TraceMerge::add(RankTrace trace) {
  if (trace.rank >= kMostTraceRanks) {
    throw InputError(trace.source, fmt::format("is of rank {}, expected one below {}", trace.rank,
                                               kMostTraceRanks));
  }
  const auto [at, fresh] = sources_.try_emplace(trace.rank, Source{trace.source, trace.lines});
  if (!fresh) {
    throw InputError(trace.source,
                     fmt::format("is of rank {}, and so is {}", trace.rank, at->second.name));
  }
  std::vector<std::size_t> numbers;
  for (const TraceGroup& group : trace.groups) numbers.push_back(group_number(group));
  const auto rank = static_cast<std::uint32_t>(trace.rank);
  for (const auto& [call, seen] : trace.calls) {
    Call here = call;
    here.group = numbers[call.group];
    calls_[here].push_back({rank, seen});
  }
  for (auto& [group, calls] : trace.splits) {
    group_members_ += calls.sent.size() + calls.received.size();
    if (group_members_ > kMostGroupMembers)
      throw InputError(trace.source, "all-to-alls of too many parts");
    splits_[numbers[group]].push_back({rank, std::move(calls)});
  }
  if (calls_.size() > kMostCalls) {
    throw InputError(trace.source, fmt::format("more than {} different calls", kMostCalls));
  }
  for (const auto& [what, count] : trace.left_out) left_out_[what] += count;
  declared_world_ = std::max(declared_world_, trace.world);
  steps_ = std::max(steps_, trace.steps);
}

/// As many as the traces speak of.
std::uint64_t TraceMerge::told_ranks() const {
  std::uint64_t told = std::max(declared_world_, sources_.rbegin()->first + 1);
  for (const auto& [group, number] : group_numbers_) {
    told = std::max(told, highest(group.members));
    if (group.members.empty()) told = std::max(told, group.size);
  }
  for (const auto& [call, said] : calls_) {
    if (call.peer) told = std::max(told, *call.peer + 1);
  }
  return told;
}

void TraceMerge::settle_world() {
  world_ = told_ranks();
  if (options_.ranks) {
    if (*options_.ranks < world_) {
      throw InputError("--ranks", fmt::format("is {}, but the traces tell of {} ranks",
                                              *options_.ranks, world_));
    }
    world_ = *options_.ranks;
  }
  if (world_ > kMostTraceRanks)
    throw InputError("traces", fmt::format("they tell of more than {} ranks", kMostTraceRanks));
  if (sources_.size() == world_) return;
  if (!options_.allow_missing) refuse_missing();
  ++assumed_[fmt::format(
      "ranks without a trace ({} of {}) are taken to have done what the other "
      "members of their groups recorded; what they did among themselves is lost",
      world_ - sources_.size(), world_)];
}

void TraceMerge::refuse_missing() const {
  std::vector<std::uint64_t> missing;
  for (std::uint64_t rank = 0; rank < world_ && missing.size() < 9; ++rank) {
    if (!traced(rank)) missing.push_back(rank);
  }
  throw InputError(sources_.begin()->second.name,
                   fmt::format("of {} ranks, {} have no trace: {}", world_,
                               world_ - sources_.size(), ranks_in_words(missing)),
                   "--allow-missing counts what the other members of their groups recorded");
}

void TraceMerge::settle_groups() {
  settled_of_.resize(group_numbers_.size());
  for (const auto& [group, number] : group_numbers_) {
    Group settled{group.label, group.members, {}, false};
    if (settled.members.empty()) {
      if (group.size != 0 && group.size != world_) {
        problems_.add(sources_.begin()->second.name,
                      fmt::format("a group of {} of {} ranks, whose members the traces do not name",
                                  group.size, world_),
                      "--groups gives the members of named groups");
      }
      if (group.size == 0) ++assumed_["groups without size and members are taken to be all ranks"];
      if (world_ > kMostGroupMembers - group_members_)
        throw InputError("traces", "the groups of all traces have too many members together");
      for (std::uint64_t rank = 0; rank < world_; ++rank)
        settled.members.push_back(static_cast<std::uint32_t>(rank));
    }
    settled.name = shape_name(settled);
    settled.ascending = std::is_sorted(settled.members.begin(), settled.members.end());
    const auto [at, fresh] = settled_numbers_.try_emplace(settled, groups_.size());
    if (fresh) {
      group_members_ += group.members.empty() ? settled.members.size() : 0;
      groups_.push_back(std::move(settled));
    }
    settled_of_[number] = at->second;
  }
}

const std::vector<std::uint32_t>& TraceMerge::sorted_members(std::size_t group) {
  if (groups_[group].ascending) return groups_[group].members;
  std::vector<std::uint32_t>& sorted = sorted_[group];
  if (sorted.empty()) {
    sorted = groups_[group].members;
    std::sort(sorted.begin(), sorted.end());
  }
  return sorted;
}

/// Groups that turned out to be the same have their calls together.
void TraceMerge::settle_calls() {
  std::map<Call, std::map<std::uint32_t, Seen>> settled;
  for (const auto& [call, said] : calls_) {
    Call here = call;
    here.group = settled_of_[call.group];
    if (here.per_member) {
      const auto members = static_cast<std::uint64_t>(groups_[here.group].members.size());
      if (here.bytes > std::numeric_limits<std::int64_t>::max() / members) {
        problems_.add(place(said.front()), "a buffer of too many bytes");
        continue;
      }
      here.bytes *= members;
      here.per_member = false;
    }
    auto& by_rank = settled[here];
    for (const Said& one : said) {
      Seen& seen = by_rank[one.rank];
      if (seen.count == 0) seen.place = one.seen.place;
      seen.count += one.seen.count;
    }
  }
  calls_.clear();
  for (const auto& [call, by_rank] : settled) {
    std::vector<Said>& said = calls_[call];
    for (const auto& [rank, seen] : by_rank) said.push_back({rank, seen});
  }
}

std::string TraceMerge::place(const Said& said) const {
  const Source& source = sources_.at(said.rank);
  if (said.seen.place == 0) return source.name;
  return fmt::format("{}:{}{}", source.name, source.lines ? "" : " record ", said.seen.place);
}

ImportedJob TraceMerge::finish() {
  if (sources_.empty()) throw InputError("traces", "none is given");
  settle_world();
  settle_groups();
  problems_.throw_if_any();
  settle_calls();
  for (const auto& [call, said] : calls_) {
    check_members(call, said);
    const bool message = call.kind == CallKind::Send || call.kind == CallKind::Receive ||
                         call.kind == CallKind::ReceiveAny;
    if (!message) {
      add_collective(call, said);
      continue;
    }
    for (const Said& one : said) gather_message(call, one);
  }
  add_messages();
  settle_splits();
  problems_.throw_if_any();
  if (collectives_.empty()) {
    throw InputError(
        sources_.begin()->second.name,
        "nothing is sent between ranks, so there is no traffic to place",
        left_out_.empty() ? "" : fmt::format("left out: {}", left_out_.begin()->first));
  }
  return imported_job();
}

void TraceMerge::settle_splits() {
  std::map<std::size_t, std::vector<SaidSplits>> splits;
  for (auto& [group, said] : splits_) {
    auto& all = splits[settled_of_[group]];
    all.insert(all.end(), std::make_move_iterator(said.begin()),
               std::make_move_iterator(said.end()));
  }
  for (const auto& [group, said] : splits) add_splits(group, said);
}

ImportedJob TraceMerge::imported_job() {
  std::sort(collectives_.begin(), collectives_.end(),
            [](const ExplicitCollective& a, const ExplicitCollective& b) {
              return std::tie(a.name, a.kind, b.bytes, a.members) <
                     std::tie(b.name, b.kind, a.bytes, b.members);
            });
  if (steps_ > 0 && steps_ != options_.iterations) {
    ++assumed_[fmt::format(
        "the traces mark {} {} (ProfilerStep), but are taken to hold {}: see "
        "--iterations",
        steps_, steps_ == 1 ? "iteration" : "iterations", options_.iterations)];
  }
  ImportedJob imported;
  imported.job.name = options_.job_name;
  ExplicitTraffic traffic;
  traffic.ranks = static_cast<int>(world_);
  traffic.collectives = std::move(collectives_);
  imported.job.work = std::move(traffic);
  imported.traces = sources_.size();
  for (const auto& [what, count] : left_out_) imported.left_out.push_back({what, count});
  for (const auto& [what, count] : assumed_) imported.assumed.push_back(what);
  return imported;
}

}  // namespace zonecut::traces
