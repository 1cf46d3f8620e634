#include "desk/desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "desk/watched.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/units.hpp"

namespace zonecut::kubernetes {
namespace {

/// How long what an object says of a gang's size is believed while pods of the gang wait.
constexpr std::int64_t kShapeLasts = 30'000;
/// How long before an object that does not say it, or is not there yet, is asked for once more.
constexpr std::int64_t kShapeMissing = 5'000;
/// Objects that are asked for at one look; the rest has to wait for the next.
constexpr std::size_t kMostShapes = 64;
/// What a waiting gang lacks changes with every pod of others; its pods are told so often at most.
constexpr std::int64_t kTellAgain = 30'000;
constexpr std::string_view kWaiting = "GangWaiting";
/// A gate that is still there after so long is opened once more.
constexpr std::int64_t kGateAgain = 5'000;
/// Between two times that all pods are woken which reservations keep off.
constexpr std::int64_t kWakeAgain = 5'000;

std::string shape_path(const KnownPod& known) {
  return path_of(known.member->size_source, known.pod.name_space);
}

/// Such a gate may stay for hours: servers are not held, nor selected, for a pod that cannot use
/// them.
bool has_other_gate(const Pod& pod) { return pod.gates.size() > (is_gated(pod) ? 1u : 0u); }

bool waits(const Pod& pod) { return pod.node.empty() && !pod.deleting && !has_ended(pod); }

}  // namespace

Desk::Desk(DeskOptions options, ShapeSource shapes, DeskObserver observer,
           std::function<std::int64_t()> clock)
    : options_(std::move(options)),
      shapes_of_(std::move(shapes)),
      observer_(std::move(observer)),
      clock_(std::move(clock)),
      mirror_(options_.fixed_site, options_.import),
      book_(options_.book) {}

void Desk::replace_nodes(std::vector<Node> nodes) {
  const Lock lock(mutex_);
  mirror_.replace_nodes(std::move(nodes));
  has_nodes_ = true;
}

void Desk::node_changed(Node node) {
  const Lock lock(mutex_);
  mirror_.node_changed(std::move(node));
}

void Desk::node_gone(const std::string& name) {
  const Lock lock(mutex_);
  mirror_.node_gone(name);
}

void Desk::replace_pods(std::vector<Pod> pods) {
  const Lock lock(mutex_);
  mirror_.replace_pods(std::move(pods));
  has_pods_ = true;
  const auto is_gone = [&](const auto& uid) { return mirror_.pod(uid) == nullptr; };
  std::erase_if(refused_, is_gone);
  std::erase_if(kept_off_, is_gone);
  std::erase_if(opened_, [&](const auto& entry) { return is_gone(entry.first); });
  std::erase_if(told_, [&](const auto& entry) { return is_gone(entry.first); });
}

void Desk::pod_changed(Pod pod) {
  const Lock lock(mutex_);
  if (!pod.node.empty()) {
    refused_.erase(pod.uid);
    kept_off_.erase(pod.uid);
  }
  mirror_.pod_changed(std::move(pod));
}

void Desk::pod_gone(const std::string& uid) {
  const Lock lock(mutex_);
  mirror_.pod_gone(uid);
  refused_.erase(uid);
  kept_off_.erase(uid);
  opened_.erase(uid);
  told_.erase(uid);
}

void Desk::lead(bool leads) {
  const Lock lock(mutex_);
  if (leads_ == leads) return;
  leads_ = leads;
  started_ = false;
  errands_.clear();
  // Whoever led meanwhile may have decided otherwise: what runs says how.
  book_ = GangBook(options_.book);
  for (const auto& [gang, assembled] : gangs_) {
    if (assembled.fault.empty() && !assembled.is_single) book_.set(assembled.state, clock_());
  }
}

bool Desk::is_ready() const {
  const Lock lock(mutex_);
  return has_nodes_ && has_pods_ && leads_ && started_;
}

void Desk::require_ready(const Lock&) const {
  if (!has_nodes_ || !has_pods_) throw NotReady("API server", "has not told of nodes and pods yet");
  if (!leads_) throw NotReady("zonecut", "another replica leads");
  if (!started_) throw NotReady("zonecut", "looks through what runs");
}

ClusterNow Desk::now() const {
  const Site& site = *mirror_.site();
  return {site.cluster, site.fabric, mirror_.used(), clock_()};
}

/// Brings the book up to what the watches have told.
void Desk::take_in() {
  if (const auto before = mirror_.refresh_site()) {
    if (mirror_.site()) {
      book_.move_to(before->cluster, mirror_.site()->cluster);
    } else {
      book_ = GangBook(options_.book);
    }
    std::vector<std::string> all;
    for (const auto& [gang, assembled] : gangs_) all.push_back(gang);
    for (const std::string& gang : all) refresh_gang(gang);
  }
  for (const std::string& gang : mirror_.take_changed_gangs()) refresh_gang(gang);
  if (mirror_.take_gain()) book_.room_was_gained();
}

void Desk::refresh_gang(const std::string& gang) {
  const KnownPods pods = mirror_.pods_of(gang);
  if (pods.empty()) {
    gangs_.erase(gang);
    waits_told_.erase(gang);
    planned_before_.erase(gang);
    book_.forget(gang);
    std::erase_if(shapes_, [&](const auto& entry) { return entry.second.asked_for == gang; });
    return;
  }
  const auto found = gangs_.find(gang);
  const KnownBefore before{found == gangs_.end() ? nullptr : &found->second,
                           book_.reservation(gang)};
  Assembled assembled = assemble(pods, shape_for(*pods.front()), before, mirror_);
  const bool was_faulty = before.assembled != nullptr && !before.assembled->fault.empty();
  const bool is_faulty = !assembled.fault.empty();
  if (!is_faulty && !assembled.is_single) {
    book_.set(assembled.state, clock_());
  } else {
    book_.forget(gang);
  }
  gangs_.insert_or_assign(gang, std::move(assembled));
  if (was_faulty && !is_faulty) wake_refused(gang);
}

void Desk::wake_refused(const std::string& gang) {
  for (const auto& known : mirror_.pods_of(gang)) {
    if (waits(known->pod) && refused_.erase(known->pod.uid) > 0)
      errands_.emplace_back(WakePod{known});
  }
}

const GangShape* Desk::shape_for(const KnownPod& known) const {
  const auto found = shapes_.find(shape_path(known));
  return found == shapes_.end() || !found->second.fetched.shape ? nullptr
                                                                : &*found->second.fetched.shape;
}

bool Desk::lacks_shape(const KnownPod& known) const {
  if (!known.member || !known.member->needs_shape()) return false;
  const std::string path = shape_path(known);
  if (path.empty()) return false;
  const auto found = shapes_.find(path);
  if (found == shapes_.end()) return true;
  const std::int64_t lasts = found->second.fetched.shape ? kShapeLasts : kShapeMissing;
  return waits(known.pod) && clock_() - found->second.when > lasts;
}

/// Asks for the shapes that these pods need, without the lock.
void Desk::fetch_shapes(Lock& lock, const KnownPods& pods, std::size_t most) {
  std::map<std::string, std::shared_ptr<const KnownPod>> wanted;
  for (const auto& known : pods) {
    if (wanted.size() == most) break;
    if (lacks_shape(*known)) wanted.emplace(shape_path(*known), known);
  }
  if (wanted.empty()) return;
  lock.unlock();
  std::map<std::string, FetchedShape> fetched;
  for (const auto& [path, known] : wanted)
    fetched[path] = shapes_of_(known->member->size_source, known->pod.name_space);
  lock.lock();
  for (auto& [path, shape] : fetched) {
    const std::string& gang = wanted.find(path)->second->member->gang;
    if (mirror_.pods_of(gang).empty()) continue;  // nobody would take it out again
    ShapeEntry& entry = shapes_[path];
    entry.asked_for = gang;
    // What was known stays where it could not be asked again.
    if (shape.fault.empty() || !entry.fetched.shape) entry.fetched = std::move(shape);
    entry.when = clock_();
  }
  for (const auto& [path, known] : wanted) refresh_gang(known->member->gang);
}

/// Gangs that run in part, or whose gates were opened, come before all others: their plans are made
/// around that.
void Desk::start_up(Lock& lock) {
  fetch_shapes(lock, mirror_.one_of_each_gang());
  take_in();
  if (mirror_.site()) {
    for (const auto& [gang, assembled] : gangs_) {
      const auto is_settled = [](const auto& server) { return server.has_value(); };
      const GangState& state = assembled.state;
      const bool runs =
          std::any_of(state.gang.standing.begin(), state.gang.standing.end(), is_settled) ||
          std::any_of(state.sent.begin(), state.sent.end(), is_settled);
      if (runs && book_.knows(gang)) watched(gang, [&] { return book_.plan(gang, now()); });
    }
  }
  started_ = leads_;
}

void Desk::tell_replanned() {
  for (const std::string& gang : book_.take_replanned()) {
    const Reservation* plan = book_.reservation(gang);
    if (plan == nullptr) continue;
    tell_planned(gang, *plan, 0);
    wake_refused(gang);
  }
}

/// Kubernetes tells nobody that a reservation has ended.
void Desk::wake_kept_off() {
  if (book_.releases() == releases_seen_ || clock_() - woken_ < kWakeAgain) return;
  releases_seen_ = book_.releases();
  woken_ = clock_();
  for (const std::string& uid : std::exchange(kept_off_, {})) {
    if (const auto known = mirror_.pod(uid); known && waits(known->pod))
      errands_.emplace_back(WakePod{known});
  }
}

void Desk::tell_planned(const std::string& gang, const Reservation& plan, double seconds) {
  const bool again = waits_told_.erase(gang) == 0 && planned_before_.contains(gang);
  planned_before_.insert(gang);
  if (!observer_.planned) return;
  const GangState& state = gangs_.find(gang)->second.state;
  observer_.planned({gang, state.gang.members(), state.gang.gpus(), plan, mirror_.site()->cluster,
                     seconds, again});
}

void Desk::note_wait(const std::string& gang, double seconds) {
  std::string why = book_.why_waiting(gang);
  std::string& told = waits_told_[gang];
  if (told == why) return;
  told = std::move(why);
  if (observer_.waits) observer_.waits(gang, told, seconds);
}

void Desk::tell(const std::shared_ptr<const KnownPod>& pod, TellPod text) {
  Told& told = told_[pod->pod.uid];
  const bool is_said = told.reason == text.reason && told.message == text.message;
  const bool is_still_waiting =
      told.reason == kWaiting && text.reason == kWaiting && told.warning == text.warning;
  if (is_said || (is_still_waiting && clock_() - told.when < kTellAgain)) return;
  told = {text.reason, text.message, text.warning, clock_()};
  text.pod = pod;
  errands_.emplace_back(std::move(text));
}

std::vector<Errand> Desk::errands() {
  Lock lock(mutex_);
  if (!has_nodes_ || !has_pods_) return {};
  take_in();
  if (leads_ && !started_) start_up(lock);
  if (leads_) fetch_shapes(lock, mirror_.one_of_each_gang(), kMostShapes);
  if (!leads_ || !started_) return {};  // it may have lost the lead meanwhile
  take_in();
  for (const std::string& gang : book_.expire(clock_())) {
    if (observer_.released) observer_.released(gang);
  }
  if (mirror_.site()) {
    book_.retry(now());
    tell_replanned();
    if (options_.gates) open_gates();
  }
  wake_kept_off();
  return std::exchange(errands_, {});
}

void Desk::open_gates() {
  std::set<std::string> unordered;
  for (const auto& known : mirror_.gated_pods()) {
    const auto opened = opened_.find(known->pod.uid);
    if (opened != opened_.end() && clock_() - opened->second < kGateAgain) continue;
    if (!waits(known->pod)) continue;
    if (known->member && !gangs_.contains(known->member->gang)) continue;
    if (!known->member || gangs_.find(known->member->gang)->second.is_single) {
      if (!known->fault.empty()) {
        tell(known, {nullptr, "GangWaiting", known->fault, true});
        continue;
      }
      opened_[known->pod.uid] = clock_();
      errands_.emplace_back(OpenGate{known, {}, {}, 0});
    } else {
      unordered.insert(known->member->gang);
    }
  }
  std::vector<std::string> gangs(unordered.begin(), unordered.end());
  book_.sort_by_turn(gangs);
  for (const std::string& gang : gangs) open_gang(gang);
}

/// A selector cannot be changed afterwards, so all members must be there.
void Desk::open_gang(const std::string& gang) {
  const Assembled& assembled = gangs_.find(gang)->second;
  const KnownPods pods = mirror_.pods_of(gang);
  if (!assembled.fault.empty()) {
    for (const auto& known : pods) tell(known, {nullptr, "GangWaiting", assembled.fault, true});
    return;
  }
  if (assembled.absent > 0) return;
  if (std::any_of(pods.begin(), pods.end(),
                  [](const auto& known) { return has_other_gate(known->pod); }))
    return;
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
    opened_[known->pod.uid] = clock_();
    errands_.emplace_back(OpenGate{known, hostname == labels.end() ? server : hostname->second,
                                   server, static_cast<std::uint32_t>(place->second)});
    tell(known, {nullptr, "GangPlanned", planned_text(assembled, *plan, place->second), false});
  }
}

std::string Desk::planned_text(const Assembled& assembled, const Reservation& plan,
                               std::size_t member) const {
  std::string text = fmt::format(
      "rank {} of {} on {}: {}, {} an iteration between {}s", member,
      assembled.state.gang.members(), mirror_.site()->cluster.server(plan.servers[member]).name,
      plan.method, to_text(plan.cross_zone),
      mirror_.site()
          ->cluster.levels()[static_cast<std::size_t>(mirror_.site()->cluster.zone_level())]);
  if (plan.lower_bound) text += fmt::format(", proven bound {}", to_text(*plan.lower_bound));
  return text;
}

GangBook::Counts Desk::counts() const {
  const Lock lock(mutex_);
  return book_.counts();
}

}  // namespace zonecut::kubernetes
