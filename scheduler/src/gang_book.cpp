// What the book keeps of each gang, and until when.
#include "zonecut/scheduler/gang_book.hpp"

#include <algorithm>
#include <utility>

#include "gang_members.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {

std::size_t standing_count(const Gang& gang) {
  return static_cast<std::size_t>(
      std::count_if(gang.standing.begin(), gang.standing.end(),
                    [](const auto& server) { return server.has_value(); }));
}

void GangBook::set(GangState state, std::int64_t now) {
  ZONECUT_ENSURES(state.gang.members() > 0);
  Entry& entry = entries_[state.gang.name];
  if (entry.state.wish != state.wish) {
    release(entry);
    Entry fresh;
    fresh.had_plan = entry.had_plan;
    entry = std::move(fresh);
  }
  const std::size_t stood = standing_count(entry.state.gang);
  const std::size_t were_absent = entry.state.absent_count();
  const std::size_t were_unready = entry.state.unready;
  entry.promised.resize(state.gang.members());
  for (std::size_t v = 0; v < state.gang.members(); ++v) {
    if (state.gang.standing[v]) entry.promised[v] = {};
  }
  // A member that was sent to a server without room may have been replaced by one that was not.
  if (entry.was_refused && entry.state.sent != state.sent) allow_retry(entry);
  entry.state = std::move(state);
  const std::size_t absent = entry.state.absent_count();
  if (entry.given_up && absent < *entry.given_up) {
    entry.given_up.reset();
    allow_retry(entry);
  }
  const bool runs_more = standing_count(entry.state.gang) > stood;
  // What it was refused for needs less room now, and the others may not be asked for again.
  if (runs_more && entry.was_refused) allow_retry(entry);
  if (!entry.reservation) return;
  const bool is_readier = entry.state.unready < were_unready;
  if (absent != were_absent || is_readier) entry.reservation->arrival = now;
  if (is_at_work(entry.state) || is_readier) entry.reservation->until = now + options_.reserve;
  if (runs_more) entry.reservation->progress = now;
}

void GangBook::forget(const std::string& gang) {
  const auto found = entries_.find(gang);
  if (found == entries_.end()) return;
  release(found->second);
  entries_.erase(found);
}

void GangBook::note_refusal(const std::string& gang) {
  const auto found = entries_.find(gang);
  ZONECUT_ENSURES(found != entries_.end());
  Entry& entry = found->second;
  if (!entry.reservation && !entry.was_refused) allow_retry(entry);
}

/// Whoever waits may use its servers.
void GangBook::release(Entry& entry) {
  if (!entry.reservation) return;
  entry.reservation.reset();
  if (is_complete(entry.state.gang)) return;
  ++releases_;
  room_was_gained();
}

/// The gang waits, and is worth another attempt whatever the last one failed for.
void GangBook::allow_retry(Entry& entry) {
  entry.was_refused = true;
  entry.refused_gains = 0;
}

/// Why the reservation ends now; empty: it does not.
std::string GangBook::end_of(const Entry& entry, std::int64_t now) const {
  const Reservation& reservation = *entry.reservation;
  if (reservation.progress + options_.patience <= now)
    return "its members did not start on the servers reserved for them";
  if (reservation.until <= now) return "its reservation ended, since nobody asked for it";
  if (entry.state.absent_count() > 0 && entry.state.unready == 0 &&
      reservation.arrival + options_.reserve <= now)
    return "servers are no longer kept for it, since its other members do not come";
  return {};
}

std::vector<std::string> GangBook::expire(std::int64_t now) {
  std::vector<std::string> ended;
  for (auto& [name, entry] : entries_) {
    if (!entry.reservation || is_complete(entry.state.gang)) continue;
    if (is_at_work(entry.state)) entry.reservation->until = now + options_.reserve;
    std::string why = end_of(entry, now);
    if (why.empty()) continue;
    if (entry.reservation->progress + options_.patience <= now)
      entry.not_before = now + options_.patience;
    else if (entry.reservation->until > now)
      entry.given_up = entry.state.absent_count();
    release(entry);
    entry.why = std::move(why);
    allow_retry(entry);
    ended.push_back(name);
  }
  return ended;
}

std::vector<std::string> GangBook::take_replanned() { return std::exchange(replanned_, {}); }

void GangBook::move_to(const Cluster& before, const Cluster& after) {
  for (auto& [name, entry] : entries_) {
    Gang& gang = entry.state.gang;
    gang.eligible = {};
    entry.state.sent.clear();
    for (Promise& promise : entry.promised) {
      if (promise.until == 0) continue;
      const auto server = after.find_server(before.server(promise.server).name);
      promise = server ? Promise{*server, promise.until} : Promise{};
    }
    if (!entry.reservation) continue;
    std::vector<ServerId> moved;
    for (std::size_t v = 0; v < gang.members(); ++v) {
      const auto server = after.find_server(before.server(entry.reservation->servers[v]).name);
      if (!server) break;
      moved.push_back(*server);
    }
    if (moved.size() == gang.members()) {
      entry.reservation->servers = std::move(moved);
    } else {
      release(entry);
      entry.why = "a server of its plan is gone";
      allow_retry(entry);
    }
  }
  room_was_gained();
}

const Reservation* GangBook::reservation(const std::string& gang) const {
  const auto found = entries_.find(gang);
  return found == entries_.end() || !found->second.reservation ? nullptr
                                                               : &*found->second.reservation;
}

std::string GangBook::why_waiting(const std::string& gang) const {
  const auto found = entries_.find(gang);
  return found == entries_.end() || found->second.reservation ? "" : found->second.why;
}

UsedGpus GangBook::reserved(std::size_t servers, const std::string& but_for) const {
  UsedGpus reserved(servers, 0);
  for (const auto& [name, entry] : entries_) {
    if (!entry.reservation || name == but_for) continue;
    const Gang& gang = entry.state.gang;
    for (std::size_t v = 0; v < gang.members(); ++v) {
      if (!gang.standing[v]) reserved[entry.reservation->servers[v]] += gang.gpus();
    }
  }
  return reserved;
}

GangBook::Counts GangBook::counts() const {
  Counts counts;
  counts.gangs = entries_.size();
  for (const auto& [name, entry] : entries_) {
    const Gang& gang = entry.state.gang;
    counts.waiting += entry.state.pending > 0 && !entry.reservation;
    if (!entry.reservation) continue;
    counts.cross_zone += entry.reservation->cross_zone;
    const std::size_t missing = gang.members() - standing_count(gang);
    counts.reservations += missing > 0;
    counts.reserved_gpus += static_cast<std::int64_t>(missing) * gang.gpus();
  }
  return counts;
}

}  // namespace zonecut
