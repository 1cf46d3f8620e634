#include "desk/desk.hpp"

#include <algorithm>
#include <utility>

#include "desk/watched.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

/// Objects that are asked for at one look; the rest has to wait for the next.
constexpr std::size_t kMostShapes = 64;

}  // namespace

Desk::Desk(DeskOptions options, ShapeSource shapes, DeskObserver observer,
           std::function<std::int64_t()> clock, ShapeList all_shapes)
    : options_(std::move(options)),
      shapes_of_(std::move(shapes)),
      all_shapes_(std::move(all_shapes)),
      observer_(std::move(observer)),
      clock_(std::move(clock)),
      mirror_(options_.fixed_site, options_.import),
      book_(options_.book) {
  note_readiness();
}

void Desk::replace_nodes(std::vector<Node> nodes) {
  const Lock lock(mutex_);
  mirror_.replace_nodes(std::move(nodes));
  has_nodes_ = true;
  note_readiness();
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
  note_readiness();
  const auto is_gone = [&](const auto& uid) { return mirror_.pod(uid) == nullptr; };
  sleepers_.forget_if(is_gone);
  gates_.forget_if(is_gone);
  notices_.forget_if(is_gone);
  passing_.forget_if(
      [&](const auto& uid) { return is_gone(uid) || !is_waiting(mirror_.pod(uid)->pod); });
}

void Desk::pod_changed(Pod pod) {
  const Lock lock(mutex_);
  if (!pod.node.empty()) {
    sleepers_.forget(pod.uid);
    passing_.forget(pod.uid);
  }
  mirror_.pod_changed(std::move(pod));
}

void Desk::pod_gone(const std::string& uid) {
  const Lock lock(mutex_);
  mirror_.pod_gone(uid);
  forget_pod(uid);
}

void Desk::forget_pod(const std::string& uid) {
  sleepers_.forget(uid);
  gates_.forget(uid);
  notices_.forget(uid);
  passing_.forget(uid);
}

void Desk::lead(bool leads) {
  const Lock lock(mutex_);
  if (leads_ == leads) return;
  leads_ = leads;
  started_ = false;
  note_readiness();
  errands_.clear();
  // Whoever led meanwhile may have decided otherwise: what runs says how.
  begin_book();
  for (const auto& [gang, assembled] : gangs_) {
    if (assembled.fault.empty() && !assembled.is_single) book_.set(assembled.state, clock_());
  }
}

void Desk::begin_book() {
  attempts_before_ += book_.attempts();
  book_ = GangBook(options_.book);
}

void Desk::note_readiness() {
  if (!has_nodes_ || !has_pods_)
    why_not_ready_ = "nodes and pods are not listed yet";
  else if (!leads_)
    why_not_ready_ = "this replica does not lead";
  else
    why_not_ready_ = started_ ? nullptr : "what runs is looked through";
}

void Desk::require_ready(const Lock&) const {
  if (!has_nodes_ || !has_pods_) throw NotReady("API server", "has not told of nodes and pods yet");
  if (!leads_) throw NotReady("zonecut", "another replica leads");
  if (!started_) throw NotReady("zonecut", "looks through what runs");
}

ClusterNow Desk::now() const { return {mirror_.site()->fabric, mirror_.used(), clock_()}; }

/// Brings the book up to what the watches have told.
void Desk::take_in() {
  if (const auto before = mirror_.refresh_site()) {
    if (mirror_.site()) {
      book_.move_to(before->cluster, mirror_.site()->cluster);
      passing_.move_to(before->cluster, mirror_.site()->cluster);
    } else {
      begin_book();
      passing_ = {};
    }
    std::vector<std::string> all;
    for (const auto& [gang, assembled] : gangs_) all.push_back(gang);
    for (const std::string& gang : all) refresh_gang(gang);
  }
  tell_outlook();
  for (const std::string& gang : mirror_.take_changed_gangs()) refresh_gang(gang);
  if (mirror_.take_gain()) book_.room_was_gained();
}

/// Only of a whole list of nodes.
void Desk::tell_outlook() {
  if (!has_nodes_ || !observer_.outlook) return;
  const std::optional<Outlook> outlook = mirror_.take_outlook();
  if (!outlook || outlook == told_outlook_) return;
  told_outlook_ = outlook;
  observer_.outlook(*outlook);
}

void Desk::refresh_gang(const std::string& gang) {
  const KnownPods pods = mirror_.pods_of(gang);
  if (pods.empty()) {
    gangs_.erase(gang);
    waits_told_.erase(gang);
    incomplete_.erase(gang);
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

/// Gangs that run in part, or whose gates were opened, come before all others: their plans are made
/// around that.
void Desk::start_up(Lock& lock) {
  KnownPods pods = mirror_.one_of_each_living_gang();
  std::stable_partition(pods.begin(), pods.end(), [&](const auto& known) {
    const KnownPods gang = mirror_.pods_of(known->member->gang);
    return std::any_of(gang.begin(), gang.end(),
                       [](const auto& one) { return !is_waiting(one->pod); });
  });
  fetch_all_shapes(lock, pods);
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
  remember_refused();
  started_ = leads_;
  note_readiness();
}

/// Whom whoever answered before us refused, nobody else will wake. kube-scheduler wrote it onto the
/// pods.
void Desk::remember_refused() {
  for (const auto& known : mirror_.refused_pods()) {
    const auto gang = known->member ? gangs_.find(known->member->gang) : gangs_.end();
    if (gang == gangs_.end() || gang->second.is_single) {
      sleepers_.keep_off(known->pod.uid);
      sleepers_.expect_release();
      continue;
    }
    sleepers_.refuse(known->pod.uid);
    if (book_.reservation(gang->first) != nullptr)
      wake_refused(gang->first);
    else if (book_.knows(gang->first))
      book_.note_refusal(gang->first);
  }
}

std::vector<Errand> Desk::errands() {
  Lock lock(mutex_);
  is_behind_ = false;
  if (!has_nodes_ || !has_pods_) return {};
  for (const std::string& uid : mirror_.drop_untold(clock_())) forget_pod(uid);
  take_in();
  if (leads_ && !started_) start_up(lock);
  if (leads_) fetch_shapes(lock, mirror_.one_of_each_living_gang(), kMostShapes);
  if (!leads_ || !started_) return {};  // it may have lost the lead meanwhile
  take_in();
  for (const std::string& gang : book_.expire(clock_())) {
    if (observer_.released) observer_.released(gang);
  }
  if (mirror_.site()) {
    is_behind_ = book_.retry(now());
    tell_replanned();
    if (options_.gates) open_gates();
  }
  wake_kept_off();
  return std::exchange(errands_, {});
}

bool Desk::is_behind() const {
  const Lock lock(mutex_);
  return is_behind_;
}

std::uint64_t Desk::attempts() const {
  const Lock lock(mutex_);
  return attempts_before_ + book_.attempts();
}

GangBook::Counts Desk::counts() const {
  const Lock lock(mutex_);
  return book_.counts();
}

}  // namespace zonecut::kubernetes
