// Whose turn it is among the gangs that wait.
#include <algorithm>
#include <tuple>
#include <utility>

#include "gang_members.hpp"
#include "zonecut/scheduler/gang_book.hpp"

namespace zonecut {
/// The gangs that wait and are worth a try though none of their members asks.
std::vector<GangBook::Entries::iterator> GangBook::waiting(const ClusterNow& now) {
  std::vector<Entries::iterator> some;
  const Ahead planned = ahead(now.fabric.cluster().server_count());
  for (auto at = entries_.begin(); at != entries_.end(); ++at) {
    const Entry& entry = at->second;
    if (entry.state.pending == 0 || entry.reservation || entry.given_up) continue;
    if (!entry.was_refused || is_refused(entry, planned, now)) continue;
    if (awaits_members(entry)) continue;
    if (std::max(entry.not_before, entry.unasked_after) <= now.now) some.push_back(at);
  }
  return some;
}

/// Those that come first before others.
std::vector<GangBook::Entries::iterator> GangBook::in_turn(std::vector<Entries::iterator> turn) {
  std::stable_sort(turn.begin(), turn.end(), [](const auto& a, const auto& b) {
    return goes_before(a->second.state, b->second.state);
  });
  return turn;
}

void GangBook::sort_by_turn(std::vector<std::string>& gangs) const {
  const auto unknown = std::stable_partition(gangs.begin(), gangs.end(),
                                             [&](const auto& gang) { return knows(gang); });
  std::stable_sort(gangs.begin(), unknown, [&](const auto& a, const auto& b) {
    return goes_before(entries_.find(a)->second.state, entries_.find(b)->second.state);
  });
}

void GangBook::try_those_before(const Entry& entry, const ClusterNow& now) {
  std::size_t tried = 0;
  for (const auto& before : in_turn(waiting(now))) {
    if (&before->second == &entry || !goes_before(before->second.state, entry.state)) return;
    if (tried++ == options_.most_retried) return;
    if (try_plan(before->first, before->second, now, {})) replanned_.push_back(before->first);
  }
}

/// Where there are too many, half of those that are tried are the first in turn, so that room goes
/// to them, and the others follow the last ones of the call before, so that nobody waits for ever
/// because the first are tried again and again.
std::vector<GangBook::Entries::iterator> GangBook::tried_at_once(
    std::vector<Entries::iterator> turn) {
  const std::size_t most = options_.most_retried;
  if (turn.size() <= most) {
    retried_to_.reset();
    return turn;
  }
  const auto turn_of = [](const auto& gang) {
    const GangState& state = gang->second.state;
    return Turn(-std::int64_t{state.priority}, state.since, gang->first);
  };
  const auto rest = turn.begin() + static_cast<std::ptrdiff_t>(most - most / 2);
  auto next =
      std::find_if(rest, turn.end(), [&](const auto& gang) { return retried_to_ < turn_of(gang); });
  if (next == turn.end()) next = rest;
  const auto count = std::min(turn.end() - next, static_cast<std::ptrdiff_t>(most / 2));
  turn.erase(std::copy(next, next + count, rest), turn.end());
  retried_to_ = turn_of(turn.back());
  return turn;
}

bool GangBook::retry(const ClusterNow& now) {
  std::vector<Entries::iterator> some = waiting(now);
  for (auto at = entries_.begin(); at != entries_.end(); ++at) {
    Entry& entry = at->second;
    if (!entry.reservation || is_complete(entry.state.gang) || holds(entry, now)) continue;
    if (entry.state.pending > 0) {
      some.push_back(at);
    } else {
      release(entry);  // nobody is there to be told of another plan
    }
  }
  const std::size_t count = some.size();
  const std::vector<Entries::iterator> tried = tried_at_once(in_turn(std::move(some)));
  for (const auto& gang : tried) {
    if (try_plan(gang->first, gang->second, now, {})) replanned_.push_back(gang->first);
  }
  return tried.size() < count;
}

}  // namespace zonecut
