#include "zonecut/scheduler/gang_book.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// Which servers these are, as one number.
std::uint64_t mark_of(const std::vector<ServerId>& servers) {
  std::uint64_t mark = 0xcbf29ce484222325;  // FNV-1a
  for (const ServerId server : servers)
    mark = (mark ^ static_cast<std::uint64_t>(server.index() + 1)) * 0x100000001b3;
  return mark;
}

std::vector<ServerId> common(const std::vector<ServerId>& a, const std::vector<ServerId>& b) {
  std::vector<ServerId> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

bool contains(const std::vector<ServerId>& sorted, ServerId server) {
  return std::binary_search(sorted.begin(), sorted.end(), server);
}

std::size_t standing_count(const Gang& gang) {
  return static_cast<std::size_t>(
      std::count_if(gang.standing.begin(), gang.standing.end(),
                    [](const auto& server) { return server.has_value(); }));
}

bool is_complete(const Gang& gang) { return standing_count(gang) == gang.members(); }

std::vector<std::int64_t> kept_promises(std::vector<std::int64_t> promised, const Gang& gang) {
  promised.resize(gang.members(), 0);
  for (std::size_t v = 0; v < gang.members(); ++v) {
    if (gang.standing[v]) promised[v] = 0;
  }
  return promised;
}

std::optional<ServerId> sent_to(const GangState& state, std::size_t member) {
  return member < state.sent.size() ? state.sent[member] : std::nullopt;
}

/// Which of two gangs comes first.
bool goes_before(const GangState& a, const GangState& b) {
  return std::tuple(-std::int64_t{a.priority}, a.since) <
         std::tuple(-std::int64_t{b.priority}, b.since);
}

std::string reason_of(const NoFit& none) {
  const Blocker& blocker = none.blockers.front();
  return blocker.constraint + ": " + blocker.what;
}

}  // namespace

void GangBook::set(GangState state, std::int64_t now) {
  ZONECUT_ENSURES(state.gang.members() > 0);
  Entry& entry = entries_[state.gang.name];
  if (entry.state.wish != state.wish) {
    release(entry);
    entry = Entry{};
  }
  const std::size_t stood = standing_count(entry.state.gang);
  entry.promised = kept_promises(std::move(entry.promised), state.gang);
  // A member that was sent to a server without room may have been replaced by one that was not.
  if (entry.refused_gains != 0 && entry.state.sent != state.sent) entry.refused_gains = gains_ - 1;
  entry.state = std::move(state);
  if (!entry.reservation) return;
  if (entry.state.pending > 0) entry.reservation->until = now + options_.reserve;
  if (standing_count(entry.state.gang) > stood) entry.reservation->progress = now;
}

void GangBook::forget(const std::string& gang) {
  const auto found = entries_.find(gang);
  if (found == entries_.end()) return;
  release(found->second);
  entries_.erase(found);
}

/// Whoever waits may use its servers.
void GangBook::release(Entry& entry) {
  if (!entry.reservation) return;
  entry.reservation.reset();
  if (is_complete(entry.state.gang)) return;
  ++releases_;
  room_was_gained();
}

std::optional<ServerId> GangBook::server_for(const std::string& gang, const Question& question,
                                             const ClusterNow& now) {
  const auto found = entries_.find(gang);
  ZONECUT_ENSURES(found != entries_.end());
  Entry& entry = found->second;
  ZONECUT_ENSURES(question.member < entry.state.gang.members());
  const auto is_offered = [&] {
    return entry.reservation &&
           (!question.offer.includes ||
            question.offer.includes(entry.reservation->servers[question.member]));
  };
  // One that was sent somewhere is offered that server only, which says nothing of the others.
  const bool is_sent = sent_to(entry.state, question.member).has_value();
  if ((question.may_plan || is_sent) &&
      !(entry.reservation && holds(entry, now) && (is_sent || is_offered()))) {
    try_those_before(entry, now);
    if (!try_plan(found->first, entry, now, is_sent ? Offer{} : question.offer))
      return std::nullopt;
  }
  if (!is_offered()) return std::nullopt;
  entry.reservation->until = now.now + options_.reserve;
  entry.promised[question.member] = now.now + options_.promise;
  return entry.reservation->servers[question.member];
}

const Reservation* GangBook::plan(const std::string& gang, const ClusterNow& now) {
  const auto found = entries_.find(gang);
  ZONECUT_ENSURES(found != entries_.end());
  Entry& entry = found->second;
  if (!entry.reservation || !holds(entry, now)) {
    try_those_before(entry, now);
    (void)try_plan(found->first, entry, now, {});
  }
  return entry.reservation ? &*entry.reservation : nullptr;
}

/// Whether the plan can still be carried out: what stands is where it says, the others' servers may
/// still take them, and nobody else has taken their room.
bool GangBook::holds(const Entry& entry, const ClusterNow& now) const {
  const Gang& gang = entry.state.gang;
  const std::vector<ServerId>& servers = entry.reservation->servers;
  UsedGpus needed(now.cluster.server_count(), 0);
  for (std::size_t v = 0; v < gang.members(); ++v) {
    if (gang.standing[v]) {
      if (*gang.standing[v] != servers[v]) return false;
      continue;
    }
    if (!contains(gang.eligible, servers[v])) return false;
    if (sent_to(entry.state, v).value_or(servers[v]) != servers[v]) return false;
    needed[servers[v]] += gang.gpus();
  }
  const UsedGpus others = reserved(now.cluster.server_count(), gang.name);
  for (const ServerId server : servers) {
    if (needed[server] == 0) continue;
    if (needed[server] + others[server] + now.used[server] > now.cluster.server(server).gpus)
      return false;
  }
  return true;
}

/// Takes members that were sent somewhere, and those that were promised a server, for standing
/// there. Why that cannot be; empty: it can.
std::string GangBook::settle(const Entry& entry, const ClusterNow& now, Gang& gang, UsedGpus& used,
                             bool& has_promises) const {
  const auto takes = [&](std::size_t member, ServerId server) {
    if (!contains(entry.state.gang.eligible, server) ||
        used[server] + gang.gpus() > now.cluster.server(server).gpus)
      return false;
    gang.standing[member] = server;
    used[server] += gang.gpus();
    return true;
  };
  for (std::size_t v = 0; v < gang.members(); ++v) {
    const std::optional<ServerId> server = sent_to(entry.state, v);
    if (gang.standing[v] || !server || takes(v, *server)) continue;
    return "a pod that can only go to " + now.cluster.server(*server).name +
           " finds no room there; delete it to have it go elsewhere";
  }
  for (std::size_t v = 0; v < gang.members() && entry.reservation; ++v) {
    if (gang.standing[v] || entry.promised[v] <= now.now) continue;
    has_promises = takes(v, entry.reservation->servers[v]) || has_promises;
  }
  return {};
}

/// Plans the gang around what stands and what was promised; the reservation is then the new plan. A
/// plan that cannot be had ends the old one, unless only the offered servers stand in the way of
/// one that somebody was told of.
bool GangBook::try_plan(const std::string& name, Entry& entry, const ClusterNow& now,
                        const Offer& offer) {
  if (entry.not_before > now.now) return false;
  Gang gang = entry.state.gang;
  if (offer.servers) gang.eligible = common(gang.eligible, offer.servers());
  const std::uint64_t mark = mark_of(gang.eligible);
  if (!entry.reservation && entry.refused_gains == gains_ && entry.refused_servers == mark)
    return false;
  UsedGpus used = reserved(now.cluster.server_count(), name);
  for (std::size_t i = 0; i < used.size(); ++i) used[ServerId{i}] += now.used[ServerId{i}];
  bool has_promises = false;
  const std::string unsettled = settle(entry, now, gang, used, has_promises);
  ++attempts_;
  try {
    if (!unsettled.empty()) throw InputError(name, unsettled);
    PlacementResult result = plan_gang(now.cluster, now.fabric, gang, used, options_.placement);
    if (auto* placement = std::get_if<Placement>(&result)) {
      if (entry.reservation && entry.reservation->servers != placement->servers) release(entry);
      entry.reservation = Reservation{std::move(placement->servers),
                                      placement->prediction.cross_zone,
                                      placement->lower_bound,
                                      placement->prediction.communication,
                                      std::move(placement->method),
                                      std::move(placement->reasons),
                                      attempts_,
                                      now.now,
                                      now.now + options_.reserve};
      entry.why.clear();
      entry.refused_gains = 0;
      return true;
    }
    entry.why = reason_of(std::get<NoFit>(result));
  } catch (const InputError& error) {
    entry.why = to_text(error.problems().front());
  }
  if (offer.servers && entry.reservation) entry.unasked_after = now.now + options_.promise;
  if (!offer.servers || !has_promises) release(entry);
  entry.refused_gains = gains_;
  entry.refused_servers = mark;
  return false;
}

/// The gangs that wait and are worth a try though none of their members asks.
std::vector<GangBook::Entries::iterator> GangBook::waiting(const ClusterNow& now) {
  std::vector<Entries::iterator> some;
  for (auto at = entries_.begin(); at != entries_.end(); ++at) {
    const Entry& entry = at->second;
    if (entry.state.pending == 0 || entry.reservation) continue;
    if (entry.refused_gains == 0 || entry.refused_gains == gains_) continue;
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

void GangBook::retry(const ClusterNow& now) {
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
  for (const auto& gang : in_turn(std::move(some))) {
    if (try_plan(gang->first, gang->second, now, {})) replanned_.push_back(gang->first);
  }
}

std::vector<std::string> GangBook::expire(std::int64_t now) {
  std::vector<std::string> ended;
  for (auto& [name, entry] : entries_) {
    if (!entry.reservation || is_complete(entry.state.gang)) continue;
    if (entry.state.pending > 0) entry.reservation->until = now + options_.reserve;
    const bool nobody_renewed = entry.reservation->until <= now;
    const bool nothing_came = entry.reservation->progress + options_.patience <= now;
    if (!nobody_renewed && !nothing_came) continue;
    if (nothing_came) entry.not_before = now + options_.patience;
    release(entry);
    entry.why = nothing_came ? "its members did not start on the servers reserved for them"
                             : "its reservation ended, since nobody asked for it";
    entry.refused_gains = gains_ - 1;
    ended.push_back(name);
  }
  return ended;
}

std::vector<std::string> GangBook::take_replanned() { return std::exchange(replanned_, {}); }

void GangBook::move_to(const Cluster& before, const Cluster& after) {
  for (auto& [name, entry] : entries_) {
    Gang& gang = entry.state.gang;
    gang.eligible.clear();
    entry.state.sent.clear();
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
      entry.refused_gains = 1;
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
