#include "desk/mirror.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "objects/fitness.hpp"
#include "objects/time.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::size_t kGoneRemembered = 20'000;
constexpr std::size_t kWishesRemembered = 256;
constexpr std::int64_t kUntoldLasts = 30'000;
constexpr std::size_t kMostUntold = 10'000;
constexpr int kMostGpusOfNode = 1024;  // as of a server of any cluster

/// What a pod of this template asks of nodes and nothing else, without the node that we have chosen
/// for it ourselves.
Pod as_written(const Pod& pod) {
  Pod written;
  written.node_selector = pod.node_selector;
  written.has_required_terms = pod.has_required_terms;
  written.required_terms = pod.required_terms;
  written.tolerations = pod.tolerations;
  if (pod.annotations.contains(kServerWord)) written.node_selector.erase(std::string(kHostLabel));
  return written;
}

/// A node that says it has more than any server can is taken for one that has none to give.
Node believed(Node node) {
  if (node.gpus > kMostGpusOfNode) node.gpus = 0;
  return node;
}

/// Of two pods of one name. Versions are numbers that the API server counts up.
bool is_newer(const Pod& a, const Pod& b) {
  const auto age = [](const Pod& pod) {
    return std::tuple(milliseconds_of(pod.created), pod.resource_version.size(),
                      std::string_view(pod.resource_version));
  };
  return age(a) > age(b);
}

/// Whether a pod that changes so may leave room to others, or be fit for other nodes.
bool gains(const Pod* before, const Pod& after) {
  return before != nullptr && holds_gpus(*before) && !holds_gpus(after);
}

}  // namespace

bool is_gated(const Pod& pod) {
  return std::find(pod.gates.begin(), pod.gates.end(), kGate) != pod.gates.end();
}

bool is_living(const Pod& pod) { return !pod.deleting && !has_ended(pod); }

bool is_waiting(const Pod& pod) { return pod.node.empty() && is_living(pod); }

bool holds_gpus(const Pod& pod) { return !pod.node.empty() && !has_ended(pod); }

/// What is equal gets an equal number, unless too many others came between.
std::shared_ptr<const KnownPod> Mirror::known(Pod pod) {
  auto result = std::make_shared<KnownPod>();
  try {
    if (pod.gpus > 0) result->member = gang_of(pod);
  } catch (const InputError& error) {
    result->fault = to_text(error.problems().front());
  }
  if (result->member) {
    if (wishes_.size() > kWishesRemembered) wishes_.clear();
    const auto [at, is_new] = wishes_.try_emplace(wishes_of(as_written(pod)), last_wishes_ + 1);
    if (is_new) ++last_wishes_;
    result->wishes = at->second;
  }
  result->pod = std::move(pod);
  return result;
}

Mirror::Mirror(std::shared_ptr<const Site> fixed, ImportOptions import)
    : site_(std::move(fixed)), fixed_(site_ != nullptr), import_(std::move(import)) {
  count_used();
}

void Mirror::nodes_changed(bool site_too) {
  site_is_stale_ = site_is_stale_ || (site_too && !fixed_);
  outlook_is_stale_ = true;
  eligible_.clear();
  gain_ = true;
  for (const auto& [gang, uids] : gangs_) changed_gangs_.insert(gang);
}

void Mirror::replace_nodes(std::vector<Node> nodes) {
  nodes_.clear();
  for (Node& told : nodes) {
    Node node = believed(std::move(told));
    int& most = most_gpus_[node.name];
    most = std::max(most, node.gpus);
    nodes_.insert_or_assign(node.name, std::move(node));
  }
  std::erase_if(most_gpus_, [&](const auto& entry) { return !nodes_.contains(entry.first); });
  nodes_changed(true);
  count_used();
}

void Mirror::node_changed(Node told) {
  Node node = believed(std::move(told));
  const auto found = nodes_.find(node.name);
  if (found != nodes_.end() && found->second == node) return;  // a heartbeat
  int& most = most_gpus_[node.name];
  const bool site_too =
      found == nodes_.end() || found->second.labels != node.labels || node.gpus > most;
  most = std::max(most, node.gpus);
  nodes_.insert_or_assign(node.name, std::move(node));
  nodes_changed(site_too);
  count_used();
}

void Mirror::node_gone(const std::string& name) {
  if (nodes_.erase(name) == 0) return;
  most_gpus_.erase(name);
  nodes_changed(true);
  count_used();
}

void Mirror::use(const Pod& pod, int sign) {
  if (!site_ || !holds_gpus(pod)) return;
  const auto server = site_->cluster.find_server(pod.node);
  // A pod can be written for a node that could never run it; sums of its GPUs must fit an int.
  if (server) used_[*server] += sign * std::min(pod.gpus, site_->cluster.server(*server).gpus);
}

void Mirror::count_used() {
  if (!site_) return;
  const Cluster& cluster = site_->cluster;
  used_ = UsedGpus(cluster.server_count(), 0);
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    const Server& server = cluster.server(ServerId{i});
    const auto node = nodes_.find(server.name);
    used_[ServerId{i}] = node == nodes_.end() ? 0 : std::max(0, server.gpus - node->second.gpus);
  }
  for (const auto& [uid, pod] : pods_) use(pod->pod, 1);
}

std::shared_ptr<const KnownPod> Mirror::put(Pod pod) {
  const auto before = this->pod(pod.uid);
  gain_ = gain_ || gains(before ? &before->pod : nullptr, pod);
  if (before) drop(pod.uid);
  auto now = known(std::move(pod));
  const std::string& uid = now->pod.uid;
  // Whoever had the name before is gone, though the watch may have yet to say so. One that only a
  // caller spoke of may as well be yet to come.
  if (const auto named = names_.find(now->pod.full_name()); named != names_.end()) {
    const std::string holder = named->second;
    if (asked_.contains(holder))
      drop(holder);
    else
      pod_gone(holder);
  }
  names_.emplace(now->pod.full_name(), uid);
  pods_.emplace(uid, now);
  use(now->pod, 1);
  if (is_gated(now->pod)) gated_.insert(uid);
  if (now->member) {
    gangs_[now->member->gang].insert(uid);
    changed_gangs_.insert(now->member->gang);
  }
  return now;
}

void Mirror::drop(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  const KnownPod& known = *found->second;
  use(known.pod, -1);
  asked_.erase(uid);
  names_.erase(known.pod.full_name());
  gated_.erase(uid);
  if (known.member) {
    const auto gang = gangs_.find(known.member->gang);
    changed_gangs_.insert(gang->first);
    gang->second.erase(uid);
    if (gang->second.empty()) gangs_.erase(gang);
  }
  pods_.erase(found);
}

void Mirror::replace_pods(std::vector<Pod> pods) {
  for (const auto& [gang, uids] : gangs_) changed_gangs_.insert(gang);
  const auto before = std::exchange(pods_, {});
  const auto asked = std::exchange(asked_, {});
  names_.clear();
  gangs_.clear();
  gated_.clear();
  gain_ = true;
  count_used();
  for (Pod& pod : pods) {
    gone_.erase(pod.uid);
    if (pod.gpus > 0 || is_gated(pod)) (void)put(std::move(pod));
  }
  for (const auto& [uid, known] : before) {
    if (!pods_.contains(uid) && !asked.contains(uid)) remember_gone(uid);
  }
}

/// The list may be older than what was known: the watch that follows it is believed.
bool Mirror::is_replaced(const Pod& pod) const {
  const auto named = names_.find(pod.full_name());
  return gone_.contains(pod.uid) && named != names_.end() && named->second != pod.uid &&
         !asked_.contains(named->second);
}

void Mirror::pod_changed(Pod pod) {
  if (is_replaced(pod)) return;
  gone_.erase(pod.uid);
  if (pod.gpus == 0 && !is_gated(pod)) {
    if (pods_.contains(pod.uid)) pod_gone(pod.uid);
    return;
  }
  (void)put(std::move(pod));
}

void Mirror::pod_gone(const std::string& uid) {
  const auto found = pods_.find(uid);
  gain_ = gain_ || (found != pods_.end() && holds_gpus(found->second->pod));
  drop(uid);
  for (auto& [other, asked] : asked_) {
    if (asked.displaced && asked.displaced->pod.uid == uid) asked.displaced = nullptr;
  }
  remember_gone(uid);
}

void Mirror::remember_gone(const std::string& uid) {
  if (!gone_.insert(uid).second) return;
  gone_order_.push_back(uid);
  if (gone_order_.size() <= kGoneRemembered) return;
  gone_.erase(gone_order_.front());
  gone_order_.pop_front();
}

std::shared_ptr<const KnownPod> Mirror::pod_asked(Pod pod, std::int64_t now) {
  if (auto already = this->pod(pod.uid)) {
    if (const auto asked = asked_.find(pod.uid); asked != asked_.end()) asked->second.when = now;
    return already;
  }
  if (gone_.contains(pod.uid)) return known(std::move(pod));
  std::shared_ptr<const KnownPod> displaced;
  if (const auto named = names_.find(pod.full_name()); named != names_.end()) {
    const auto holder = this->pod(named->second);
    // Who asks may be behind, and speak of a pod that was there before.
    if (!is_newer(pod, holder->pod)) return known(std::move(pod));
    const auto asked = asked_.find(holder->pod.uid);
    displaced = asked == asked_.end() ? holder : asked->second.displaced;
    gain_ = gain_ || holds_gpus(holder->pod);
    drop(holder->pod.uid);
  }
  if (asked_.size() == kMostUntold) {
    const auto by_time = [](const auto& a, const auto& b) { return a.second.when < b.second.when; };
    drop_untold(std::string(std::min_element(asked_.begin(), asked_.end(), by_time)->first));
  }
  auto result = put(std::move(pod));
  asked_.emplace(result->pod.uid, Asked{now, std::move(displaced)});
  return result;
}

void Mirror::drop_untold(const std::string& uid) {
  const auto displaced = asked_.find(uid)->second.displaced;
  drop(uid);
  if (displaced) (void)put(displaced->pod);
  untold_.push_back(uid);
}

std::vector<std::string> Mirror::drop_untold(std::int64_t now) {
  std::vector<std::string> due;
  for (const auto& [uid, asked] : asked_) {
    if (now - asked.when >= kUntoldLasts) due.push_back(uid);
  }
  for (const std::string& uid : due) drop_untold(uid);
  return std::exchange(untold_, {});
}

std::shared_ptr<const Site> Mirror::refresh_site() {
  if (fixed_ || !site_is_stale_) return nullptr;
  site_is_stale_ = false;
  std::map<std::string, NodePlace, std::less<>> places;
  for (const auto& [name, node] : nodes_)
    places[name] = {&node.labels, most_gpus_.find(name)->second};
  auto before = std::exchange(site_, site_of(places, import_, why_no_site_));
  if (before && site_ && same_cluster(before->cluster, site_->cluster)) {
    site_ = std::move(before);
    return nullptr;
  }
  eligible_.clear();
  count_used();
  return before;
}

std::optional<Outlook> Mirror::take_outlook() {
  if (!std::exchange(outlook_is_stale_, false)) return std::nullopt;
  Outlook outlook{site_, site_ ? "" : why_no_site_, {}, {}};
  for (const auto& [name, node] : nodes_) {
    if (node.gpus > 0 && !(site_ && site_->cluster.find_server(name)))
      outlook.left_out.push_back(name);
  }
  for (std::size_t i = 0; site_ && i < site_->cluster.server_count(); ++i) {
    const std::string& name = site_->cluster.server(ServerId{i}).name;
    if (!nodes_.contains(name)) outlook.without_node.push_back(name);
  }
  return outlook;
}

std::shared_ptr<const KnownPod> Mirror::pod(const std::string& uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : found->second;
}

bool Mirror::has_twin(const KnownPod& known) const {
  const std::string_view job = job_of(known.pod);
  return std::any_of(pods_.begin(), pods_.end(), [&](const auto& entry) {
    const auto& [uid, other] = entry;
    return !other->member && uid != known.pod.uid && is_living(other->pod) &&
           other->pod.name_space == known.pod.name_space && job_of(other->pod) == job;
  });
}

KnownPods Mirror::pods_of(const std::string& gang) const {
  KnownPods pods;
  const auto found = gangs_.find(gang);
  if (found == gangs_.end()) return pods;
  for (const std::string& uid : found->second) pods.push_back(pods_.find(uid)->second);
  return pods;
}

const Node* Mirror::node(std::string_view name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second;
}

SharedServers Mirror::eligible(const KnownPod& pod) {
  if (!site_) return {};
  if (eligible_.size() > kWishesRemembered) eligible_.clear();
  const auto [at, is_new] = eligible_.try_emplace(pod.wishes);
  if (!is_new) return at->second;
  std::vector<ServerId> servers;
  const Pod written = as_written(pod.pod);
  for (std::size_t i = 0; i < site_->cluster.server_count(); ++i) {
    const Node* const node = this->node(site_->cluster.server(ServerId{i}).name);
    if (node != nullptr && may_take(*node, written)) servers.emplace_back(i);
  }
  return at->second = SharedServers(std::move(servers));
}

SharedServers Mirror::eligible(const KnownPods& pods) {
  std::map<std::uint64_t, const KnownPod*> kinds;
  for (const auto& known : pods) kinds.try_emplace(known->wishes, known.get());
  std::optional<SharedServers> all;
  for (const auto& [wishes, known] : kinds) {
    const SharedServers some = eligible(*known);
    if (!all) {
      all = some;
      continue;
    }
    std::vector<ServerId> both;
    std::set_intersection(all->all().begin(), all->all().end(), some.all().begin(),
                          some.all().end(), std::back_inserter(both));
    all = std::move(both);
  }
  return all.value_or(SharedServers{});
}

std::optional<ServerId> Mirror::sent_to(const Pod& pod) const {
  const auto server = pod.annotations.find(kServerWord);
  const auto host = pod.node_selector.find(kHostLabel);
  if (server == pod.annotations.end() || host == pod.node_selector.end() || !site_) return {};
  const Node* const node = this->node(server->second);
  if (node == nullptr) return {};
  const auto label = node->labels.find(kHostLabel);
  if ((label == node->labels.end() ? node->name : label->second) != host->second) return {};
  return site_->cluster.find_server(node->name);
}

std::vector<std::string> Mirror::take_changed_gangs() {
  std::vector<std::string> changed(changed_gangs_.begin(), changed_gangs_.end());
  changed_gangs_.clear();
  return changed;
}

bool Mirror::take_gain() { return std::exchange(gain_, false); }

KnownPods Mirror::one_of_each_living_gang() const {
  KnownPods pods;
  for (const auto& [gang, uids] : gangs_) {
    const auto first = [&](bool (*is_so)(const Pod&)) {
      return std::find_if(uids.begin(), uids.end(), [&](const std::string& uid) {
        return is_so(pods_.find(uid)->second->pod);
      });
    };
    auto one = first(is_waiting);
    if (one == uids.end()) one = first(is_living);
    if (one != uids.end()) pods.push_back(pods_.find(*one)->second);
  }
  return pods;
}

KnownPods Mirror::refused_pods() const {
  KnownPods pods;
  for (const auto& [uid, known] : pods_) {
    if (known->pod.refused && is_waiting(known->pod)) pods.push_back(known);
  }
  std::sort(pods.begin(), pods.end(),
            [](const auto& a, const auto& b) { return a->pod.uid < b->pod.uid; });
  return pods;
}

KnownPods Mirror::gated_pods() const {
  KnownPods pods;
  for (const std::string& uid : gated_) pods.push_back(pods_.find(uid)->second);
  return pods;
}

}  // namespace zonecut::kubernetes
