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

std::string reason_of(const NoFit& none) {
  const Blocker& blocker = none.blockers.front();
  return blocker.constraint + ": " + blocker.what;
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
    if (withdrawn.until > now.now && entry.refused_gains != 0) entry.refused_gains = gains_ - 1;
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
  UsedGpus needed(now.cluster.server_count(), 0);
  for (std::size_t v = 0; v < gang.members(); ++v) {
    if (gang.standing[v]) {
      if (*gang.standing[v] != servers[v]) return false;
      continue;
    }
    if (!gang.eligible.contains(servers[v])) return false;
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
/// there, the latter until the last of these promises lapses; 0: there are none. Why that cannot
/// be; empty: it can.
std::string GangBook::settle(const Entry& entry, const ClusterNow& now, Gang& gang, UsedGpus& used,
                             std::int64_t& promised_until) const {
  const auto takes = [&](std::size_t member, ServerId server) {
    if (!entry.state.gang.eligible.contains(server) ||
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
  for (std::size_t v = 0; v < gang.members(); ++v) {
    const Promise& promise = entry.promised[v];
    if (gang.standing[v] || promise.until <= now.now) continue;
    if (takes(v, promise.server)) promised_until = std::max(promised_until, promise.until);
  }
  return {};
}

/// Whether nothing has changed since it was refused, as far as all servers are concerned.
bool GangBook::is_refused(const Entry& entry, const ClusterNow& now) const {
  const bool has_lapsed = entry.refused_until != 0 && entry.refused_until <= now.now;
  return entry.refused_gains == gains_ && !has_lapsed;
}

GangBook::Ahead GangBook::ahead() const {
  Ahead ahead;
  for (const auto& [name, entry] : entries_) {
    if (entry.reservation) ahead[entry.state.owner] += entry.state.absent;
  }
  return ahead;
}

/// One that has a plan keeps it when members go, so that they may come back.
bool GangBook::is_too_far_ahead(const Entry& entry, const Ahead& ahead,
                                const ClusterNow& now) const {
  if (entry.reservation || entry.state.absent == 0) return false;
  const auto others = ahead.find(entry.state.owner);
  const std::size_t planned = others == ahead.end() ? 0 : others->second;
  return planned + entry.state.absent > most_ahead(now);
}

std::size_t GangBook::most_ahead(const ClusterNow& now) const {
  return options_.ahead.value_or(default_ahead(now.cluster.server_count()));
}

/// Plans the gang around what stands and what was promised; the reservation is then the new plan. A
/// plan that cannot be had ends the old one, unless only the offered servers stand in the way of
/// one that somebody was told of.
bool GangBook::try_plan(const std::string& name, Entry& entry, const ClusterNow& now,
                        const Offer& offer) {
  if (entry.not_before > now.now || entry.given_up) return false;
  if (is_too_far_ahead(entry, ahead(), now)) {
    entry.why = "more of its members have to be there first: servers are kept for at most " +
                counted(most_ahead(now), "member") + " that are not, of all gangs of " +
                entry.state.owner;
    entry.refused_gains = gains_ - 1;
    return false;
  }
  Gang gang = entry.state.gang;
  if (offer.servers) gang.eligible = common(gang.eligible.all(), offer.servers());
  const std::uint64_t mark = mark_of(gang.eligible.all());
  if (!entry.reservation && is_refused(entry, now) && entry.refused_servers == mark) return false;
  UsedGpus used = reserved(now.cluster.server_count(), name);
  for (std::size_t i = 0; i < used.size(); ++i) used[ServerId{i}] += now.used[ServerId{i}];
  std::int64_t promised_until = 0;
  const std::string unsettled = settle(entry, now, gang, used, promised_until);
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
                                      now.now,
                                      now.now + options_.reserve,
                                      std::exchange(entry.had_plan, true)};
      entry.why.clear();
      entry.refused_gains = 0;
      return true;
    }
    entry.why = reason_of(std::get<NoFit>(result));
  } catch (const InputError& error) {
    entry.why = to_text(error.problems().front());
  } catch (const std::exception& error) {  // a defect that one gang meets must not stop the others
    entry.why = std::string("internal error: ") + error.what();
  }
  if (offer.servers && entry.reservation) entry.unasked_after = now.now + options_.promise;
  if (!offer.servers || promised_until == 0) release(entry);
  entry.refused_gains = gains_;
  entry.refused_until = promised_until;
  entry.refused_servers = mark;
  return false;
}

}  // namespace zonecut
