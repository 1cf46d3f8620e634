// Answers about members, and the plans behind them.
#include <algorithm>
#include <exception>
#include <utility>

#include "gang_members.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/gang_book.hpp"

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

}  // namespace

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
    // It would not ask if it were on its way.
    const Promise withdrawn = std::exchange(entry.promised[question.member], {});
    if (withdrawn.until > now.now && entry.was_refused) allow_retry(entry);
    try_those_before(entry, now);
    if (!try_plan(found->first, entry, now, is_sent ? Offer{} : question.offer))
      return std::nullopt;
  }
  if (!is_offered()) return std::nullopt;
  entry.reservation->until = now.now + options_.reserve;
  const ServerId server = entry.reservation->servers[question.member];
  entry.promised[question.member] = {server, now.now + options_.promise};
  return server;
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
  UsedGpus needed(now.fabric.cluster().server_count(), 0);
  for (std::size_t v = 0; v < gang.members(); ++v) {
    if (gang.standing[v]) {
      if (*gang.standing[v] != servers[v]) return false;
      continue;
    }
    if (!gang.eligible.contains(servers[v])) return false;
    if (sent_to(entry.state, v).value_or(servers[v]) != servers[v]) return false;
    needed[servers[v]] += gang.gpus();
  }
  const UsedGpus others = reserved(now.fabric.cluster().server_count(), gang.name);
  for (const ServerId server : servers) {
    if (needed[server] == 0) continue;
    if (needed[server] + others[server] + now.used[server] >
        now.fabric.cluster().server(server).gpus)
      return false;
  }
  return true;
}

/// Takes members that were sent somewhere, and those that were promised a server, for standing
/// there, the latter until the last of these promises lapses; 0: there are none. Why that cannot
/// be; empty: it can.
std::string GangBook::settle(const Entry& entry, const ClusterNow& now, Gang& gang, UsedGpus& used,
                             std::int64_t& promised_until) const {
  const auto takes = [&](std::size_t member, ServerId server) {
    if (!entry.state.gang.eligible.contains(server) ||
        used[server] + gang.gpus() > now.fabric.cluster().server(server).gpus)
      return false;
    gang.standing[member] = server;
    used[server] += gang.gpus();
    return true;
  };
  for (std::size_t v = 0; v < gang.members(); ++v) {
    const std::optional<ServerId> server = sent_to(entry.state, v);
    if (gang.standing[v] || !server || takes(v, *server)) continue;
    const bool has_name = v < entry.state.names.size() && !entry.state.names[v].empty();
    return (has_name ? entry.state.names[v] : "rank " + std::to_string(v)) + " can only go to " +
           now.fabric.cluster().server(*server).name +
           " and finds no room there; delete it to have it go elsewhere";
  }
  for (std::size_t v = 0; v < gang.members(); ++v) {
    const Promise& promise = entry.promised[v];
    if (gang.standing[v] || promise.until <= now.now) continue;
    if (takes(v, promise.server)) promised_until = std::max(promised_until, promise.until);
  }
  return {};
}

/// Whether nothing has changed since it was refused, as far as all servers are concerned.
bool GangBook::is_refused(const Entry& entry, const Ahead& ahead, const ClusterNow& now) const {
  const bool has_lapsed = entry.refused_until != 0 && entry.refused_until <= now.now;
  const bool takes_more =
      entry.refused_in_part && is_kept_whole(entry, ahead, now.fabric.cluster().server_count());
  return entry.refused_gains == gains_ && !has_lapsed && !takes_more;
}

GangBook::Trial GangBook::trial(const Entry& entry, Gang gang, UsedGpus used,
                                const ClusterNow& now) {
  for (std::size_t i = 0; i < used.size(); ++i) used[ServerId{i}] += now.used[ServerId{i}];
  Trial trial;
  const std::string unsettled = settle(entry, now, gang, used, trial.promised_until);
  ++attempts_;
  try {
    if (!unsettled.empty()) throw InputError(gang.name, unsettled);
    PlacementResult result = plan_gang(now.fabric, gang, used, options_.placement);
    if (auto* const placement = std::get_if<Placement>(&result))
      trial.placement = std::move(*placement);
    else
      trial.why = to_text(std::get<NoFit>(result).blockers.front());
  } catch (const InputError& error) {
    trial.why = to_text(error.problems().front());
  } catch (const std::exception& error) {  // a defect that one gang meets must not stop the others
    trial.why = std::string("internal error: ") + error.what();
  }
  return trial;
}

/// Plans the gang around what stands and what was promised; the reservation is then the new plan. A
/// plan that cannot be had ends the old one, unless only the offered servers stand in the way of
/// one that somebody was told of.
bool GangBook::try_plan(const std::string& name, Entry& entry, const ClusterNow& now,
                        const Offer& offer) {
  if (entry.not_before > now.now || entry.given_up) return false;
  if (awaits_members(entry)) {
    entry.why = "no servers are kept for members that are not there: all of them have to be first";
    allow_retry(entry);
    return false;
  }
  Gang gang = entry.state.gang;
  if (offer.servers) gang.eligible = common(gang.eligible.all(), offer.servers());
  const std::uint64_t mark = mark_of(gang.eligible.all());
  const std::size_t servers = now.fabric.cluster().server_count();
  const Ahead planned = ahead(servers);
  if (!entry.reservation && is_refused(entry, planned, now) && entry.refused_servers == mark)
    return false;
  const UsedGpus all = reserved(servers, name);
  Trial found = trial(entry, gang, all, now);
  const bool is_whole = is_kept_whole(entry, planned, servers);
  bool takes_some = false;
  if (!found.placement && is_whole) {
    const UsedGpus kept = kept_from(entry, planned, servers);
    takes_some = !std::equal(kept.begin(), kept.end(), all.begin(), all.end());
    if (takes_some) found = trial(entry, gang, kept, now);
  }
  if (found.placement) {
    Placement& placement = *found.placement;
    if (entry.reservation && entry.reservation->servers != placement.servers) release(entry);
    entry.reservation = Reservation{std::move(placement.servers),
                                    placement.prediction.cross_zone,
                                    placement.lower_bound,
                                    placement.prediction.communication,
                                    std::move(placement.method),
                                    std::move(placement.reasons),
                                    attempts_,
                                    now.now,
                                    now.now,
                                    now.now + options_.reserve,
                                    std::exchange(entry.had_plan, true)};
    entry.why.clear();
    entry.was_refused = false;
    entry.refused_gains = 0;
    if (takes_some) displace(planned, now);
    return true;
  }
  entry.why = std::move(found.why);
  if (offer.servers && entry.reservation) entry.unasked_after = now.now + options_.promise;
  if (!offer.servers || found.promised_until == 0) release(entry);
  entry.was_refused = true;
  entry.refused_gains = gains_;
  entry.refused_until = found.promised_until;
  entry.refused_servers = mark;
  entry.refused_in_part = !is_whole;
  return false;
}

/// Plans some of whose servers were not kept and have been taken are made anew, or end.
void GangBook::displace(const Ahead& planned, const ClusterNow& now) {
  for (auto& [name, entry] : entries_) {
    if (!entry.reservation || !planned.kept.contains(&entry)) continue;
    if (is_kept_whole(entry, planned, now.fabric.cluster().server_count()) || holds(entry, now))
      continue;
    release(entry);
    entry.why = "others needed servers that were not kept for its missing members";
    allow_retry(entry);
    const bool is_awaited = entry.state.pending > 0 || entry.state.absent_count() > 0;
    if (is_awaited && try_plan(name, entry, now, {})) replanned_.push_back(name);
  }
}

}  // namespace zonecut
