// Which gates are opened now, and for which server.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "desk/desk.hpp"
#include "desk/watched.hpp"

namespace zonecut::kubernetes {
namespace {

/// So long its pods may take to be made one after the other before anybody is told of it.
constexpr std::int64_t kStillComing = 30'000;

bool has_other_gate(const Pod& pod) { return pod.gates.size() > (is_gated(pod) ? 1u : 0u); }

}  // namespace

void Desk::open_gates() {
  std::set<std::string> unordered;
  for (const auto& known : mirror_.gated_pods()) {
    if (!gates_.is_due(known->pod.uid, clock_()) || !is_waiting(known->pod)) continue;
    if (known->member && !gangs_.contains(known->member->gang)) continue;
    if (!known->member || gangs_.find(known->member->gang)->second.is_single) {
      if (!known->fault.empty()) {
        tell(known, {nullptr, "GangWaiting", known->fault, true});
        continue;
      }
      gates_.open(known->pod.uid, clock_());
      errands_.emplace_back(OpenGate{known, {}, {}, 0});
      tell_no_gang(known);
    } else {
      unordered.insert(known->member->gang);
    }
  }
  std::vector<std::string> gangs(unordered.begin(), unordered.end());
  book_.sort_by_turn(gangs);
  // New ones by themselves: they must not wait for those that are tried whenever room is gained.
  std::uint64_t tried_anew = 0;
  std::uint64_t tried_again = 0;
  for (const std::string& gang : gangs) {
    std::uint64_t& tried = is_new(gang) ? tried_anew : tried_again;
    const std::uint64_t before = book_.attempts();
    open_gang(gang, tried < options_.book.most_retried / 2);
    tried += book_.attempts() - before;
  }
}

/// Whether it waits and was not tried yet.
bool Desk::is_new(const std::string& gang) const {
  return book_.reservation(gang) == nullptr && book_.why_waiting(gang).empty();
}

/// Why its gates stay, when that has been so for a while.
void Desk::tell_incomplete(const std::string& gang, const KnownPods& pods) {
  const GangState& state = gangs_.find(gang)->second.state;
  const std::size_t absent = state.absent_count();
  const auto [at, is_new] = incomplete_.try_emplace(gang, Incomplete{absent, clock_()});
  if (at->second.absent != absent) at->second = {absent, clock_()};
  if (clock_() - at->second.since < kStillComing) return;
  const std::string why =
      absent > 0 ? fmt::format("{} of its {} pods are not there; its gates are lifted when all are",
                               absent, state.gang.members())
                 : "one of its pods waits behind another's gate; its own are lifted when none does";
  for (const auto& known : pods) {
    if (is_gated(known->pod) && is_living(known->pod))
      tell(known, {nullptr, "GangWaiting", why, false});
  }
}

/// `may_try`: whether it may be planned where it has no plan.
void Desk::open_gang(const std::string& gang, bool may_try) {
  const Assembled& assembled = gangs_.find(gang)->second;
  const KnownPods pods = mirror_.pods_of(gang);
  if (!assembled.fault.empty()) {
    for (const auto& known : pods) tell(known, {nullptr, "GangWaiting", assembled.fault, true});
    return;
  }
  const bool is_held = std::any_of(pods.begin(), pods.end(),
                                   [](const auto& known) { return has_other_gate(known->pod); });
  if (!Gates::may_open(assembled.state.absent_count(), is_held)) {
    tell_incomplete(gang, pods);
    return;
  }
  incomplete_.erase(gang);
  if (!may_try && is_new(gang)) {
    is_behind_ = true;
    return;
  }
  const Reservation* plan = watched(gang, [&] {
    return may_try || book_.reservation(gang) != nullptr ? book_.plan(gang, now()) : nullptr;
  });
  for (const auto& known : pods) {
    const auto place = assembled.place.find(known->pod.uid);
    if (!is_gated(known->pod) || place == assembled.place.end()) continue;
    if (plan == nullptr) {
      tell(known, {nullptr, "GangWaiting", book_.why_waiting(gang), false});
      continue;
    }
    const std::string& server = mirror_.site()->cluster.server(plan->servers[place->second]).name;
    const Labels& labels = mirror_.node(server)->labels;
    const auto hostname = labels.find(kHostLabel);
    gates_.open(known->pod.uid, clock_());
    errands_.emplace_back(OpenGate{known, hostname == labels.end() ? server : hostname->second,
                                   server, static_cast<std::uint32_t>(place->second)});
    tell(known, {nullptr, "GangPlanned", planned_text(assembled, *plan, place->second), false});
  }
}

}  // namespace zonecut::kubernetes
