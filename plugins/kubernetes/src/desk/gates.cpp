// Which gates are opened now, and for which server.
#include <algorithm>
#include <set>

#include "desk/desk.hpp"
#include "desk/watched.hpp"

namespace zonecut::kubernetes {
namespace {

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
    } else {
      unordered.insert(known->member->gang);
    }
  }
  std::vector<std::string> gangs(unordered.begin(), unordered.end());
  book_.sort_by_turn(gangs);
  for (const std::string& gang : gangs) open_gang(gang);
}

void Desk::open_gang(const std::string& gang) {
  const Assembled& assembled = gangs_.find(gang)->second;
  const KnownPods pods = mirror_.pods_of(gang);
  if (!assembled.fault.empty()) {
    for (const auto& known : pods) tell(known, {nullptr, "GangWaiting", assembled.fault, true});
    return;
  }
  const bool is_held = std::any_of(pods.begin(), pods.end(),
                                   [](const auto& known) { return has_other_gate(known->pod); });
  if (!Gates::may_open(assembled.state.absent, is_held)) return;
  const Reservation* plan = watched(gang, [&] { return book_.plan(gang, now()); });
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
