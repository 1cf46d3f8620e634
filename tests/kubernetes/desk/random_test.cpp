// A desk that lives through thousands of events, and what must be true after each.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "support/catch.hpp"
#include "yard.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;

namespace {

/// Kubernetes as far as the desk sees it: nodes with room, pods, a scheduler that binds pods where
/// the desk lets it.
class Life {
 public:
  Life(unsigned seed, bool gates) : chance_(seed), gates_(gates), yard_(gates) {
    for (Node& node : eight_nodes()) nodes_.emplace(node.name, std::move(node));
    yard_.begin();
  }

  void step() {
    switch (below(14)) {
      case 0:
        return change_a_node();
      case 1:
      case 2:
        return make_a_gang();
      case 3:
        return make_a_pod();
      case 4:
        return delete_one();
      case 5:
        return end_one();
      case 6:
        return preempt_for_one();
      case 7:
        return relist();
      case 8:
        return lose_and_take_the_lead();
      case 9:
        yard_.now += static_cast<std::int64_t>(below(4'000));
        return;
      default:
        return schedule_one();
    }
  }

  void look() {
    for (const Errand& errand : yard_.desk.errands()) {
      if (const auto* gate = std::get_if<OpenGate>(&errand)) open(*gate);
      if (const auto* wakes = std::get_if<WakePod>(&errand)) {
        CHECK(wakes->pod->pod.node.empty());
        ++woken_;
      }
    }
    yard_.now += 100;
  }

  /// Used and reserved never exceed what a server has. What is reserved shows in the largest pod of
  /// no gang that may still go there; were it more than what is free, the sum would tell.
  void check_room() {
    std::map<std::string, int> largest;
    for (int gpus = 1; gpus <= 8; ++gpus) {
      const Pod probe = a_plain_pod("probe" + std::to_string(++serial_), gpus);
      const CandidateRequest request = Yard::request(probe);
      for (const std::size_t i : yard_.desk.filter(request).kept) largest[request.names[i]] = gpus;
      yard_.desk.pod_gone(probe.uid);
    }
    std::int64_t reserved = 0;
    for (const auto& [name, node] : nodes_) {
      const int free = node.gpus - used_on(name);
      REQUIRE(free >= 0);
      reserved += std::max(0, free - largest[name]);
    }
    // Probes keep off what pods may take that were let through and did not start.
    if (yard_.now < on_its_way_until_)
      REQUIRE(yard_.desk.counts().reserved_gpus <= reserved);
    else
      REQUIRE(yard_.desk.counts().reserved_gpus == reserved);
  }

  /// When everything else is gone, a gang that fits is placed soon.
  void check_end() {
    is_calm_ = true;
    while (!pods_.empty()) remove(pods_.begin()->first);
    for (const Node& node : eight_nodes()) {
      nodes_.insert_or_assign(node.name, node);
      yard_.desk.node_changed(node);
    }
    look();
    CHECK(yard_.desk.counts().gangs == 0);
    CHECK(yard_.desk.counts().reserved_gpus == 0);
    add_gang("last", 7, 8);
    for (int round = 0; round < 60; ++round) {  // until a patch that was lost is written again
      look();
      for (const std::string& uid : uids())
        if (pods_.at(uid).node.empty()) schedule(uid);
    }
    std::set<std::string> where;
    for (const auto& [uid, pod] : pods_) where.insert(pod.node);
    CHECK(where.size() == 7);
    CHECK_FALSE(where.contains(""));
  }

  [[nodiscard]] std::size_t woken() const { return woken_; }
  [[nodiscard]] std::size_t bound() const { return bound_; }

 private:
  std::size_t below(std::size_t n) { return chance_() % n; }

  /// Once in so many times, until the end.
  bool sometimes(std::size_t of) { return below(of) == 0 && !is_calm_; }

  std::vector<std::string> uids() const {
    std::vector<std::string> all;
    for (const auto& [uid, pod] : pods_) all.push_back(uid);
    return all;
  }

  int used_on(const std::string& node) const {
    int used = 0;
    for (const auto& [uid, pod] : pods_) used += pod.node == node && !has_ended(pod) ? pod.gpus : 0;
    return used;
  }

  void tell(const Pod& pod) {
    pods_.insert_or_assign(pod.uid, pod);
    yard_.desk.pod_changed(pod);
  }

  void remove(std::string uid) {
    pods_.erase(uid);
    yard_.desk.pod_gone(uid);
  }

  void change_a_node() {
    const std::vector<Node> all = eight_nodes();
    Node node = all[below(all.size())];
    switch (below(4)) {
      case 0:
        // Its pods go with it.
        for (const std::string& uid : uids())
          if (pods_.at(uid).node == node.name) remove(uid);
        nodes_.erase(node.name);
        return yard_.desk.node_gone(node.name);
      case 1:
        node.unschedulable = true;
        break;
      case 2:
        node.labels["zone"] = "a";
        node.labels["rack"] = "r" + std::to_string(below(5));
        break;
      default:
        break;
    }
    nodes_.insert_or_assign(node.name, node);
    yard_.desk.node_changed(node);
  }

  void add_gang(const std::string& name, int size, int gpus) {
    const bool ranked = below(3) != 0;
    const bool gated = gates_ && below(2) == 0;
    for (int i = 0; i < size; ++i) {
      Pod pod = a_member(name, i, size, gpus);
      pod.uid += "-" + std::to_string(++serial_);
      pod.priority = static_cast<int>(below(2));
      if (!ranked) pod.annotations.erase("zonecut.dev/rank");
      if (gated) pod.gates = {std::string(kGate)};
      if (sometimes(40)) continue;  // never made
      for (const std::string& uid : uids())
        if (pods_.at(uid).name == pod.name) remove(uid);
      tell(pod);
    }
  }

  void make_a_gang() {
    static constexpr int kGpus[] = {1, 2, 4, 8};
    const std::string name = "g" + std::to_string(below(6));
    for (const auto& [uid, pod] : pods_)
      if (pod.name.starts_with(name + "-") && !has_ended(pod) && below(8) != 0) return;
    add_gang(name, 2 + static_cast<int>(below(7)), kGpus[below(4)]);
  }

  void make_a_pod() {
    Pod pod = a_plain_pod("p" + std::to_string(++serial_), 1 + static_cast<int>(below(4)));
    tell(pod);
  }

  void delete_one() {
    if (pods_.empty()) return;
    const std::string uid = uids()[below(pods_.size())];
    const std::string gang = pods_.at(uid).name.substr(0, 3);
    if (below(2) == 0) return remove(uid);
    for (const std::string& other : uids())
      if (pods_.at(other).name.starts_with(gang)) remove(other);
  }

  void end_one() {
    if (pods_.empty()) return;
    Pod pod = pods_.at(uids()[below(pods_.size())]);
    if (pod.node.empty()) return;
    pod.phase = below(3) == 0 ? PodPhase::Failed : PodPhase::Succeeded;
    tell(pod);
  }

  void relist() {
    if (below(4) != 0) return;
    std::vector<Pod> pods;
    for (const auto& [uid, pod] : pods_) pods.push_back(pod);
    yard_.desk.replace_pods(pods);
    std::vector<Node> nodes;
    for (const auto& [name, node] : nodes_) nodes.push_back(node);
    yard_.desk.replace_nodes(nodes);
  }

  void lose_and_take_the_lead() {
    if (below(4) != 0) return;
    yard_.desk.lead(false);
    look();
    yard_.desk.lead(true);
    look();
  }

  void open(const OpenGate& gate) {
    const auto found = pods_.find(gate.pod->pod.uid);
    if (found == pods_.end() || found->second.gates.empty() || sometimes(5)) return;
    Pod pod = found->second;
    pod.gates.clear();
    if (!gate.hostname.empty()) {
      pod.annotations[std::string(kServerWord)] = gate.server;
      pod.annotations["zonecut.dev/rank"] = std::to_string(gate.rank);
      pod.node_selector[std::string(kHostLabel)] = gate.hostname;
    }
    tell(pod);
  }

  std::vector<std::string> feasible(const Pod& pod) {
    std::vector<std::string> names;
    for (const auto& [name, node] : nodes_) {
      const auto host = pod.node_selector.find(kHostLabel);
      if (host != pod.node_selector.end() && host->second != name) continue;
      if (!node.unschedulable && used_on(name) + pod.gpus <= node.gpus) names.push_back(name);
    }
    if (sometimes(6) && names.size() > 1) names.pop_back();
    std::shuffle(names.begin(), names.end(), chance_);
    return names;
  }

  void schedule_one() {
    std::vector<std::string> waiting;
    for (const auto& [uid, pod] : pods_)
      if (pod.node.empty() && pod.gates.empty()) waiting.push_back(uid);
    if (!waiting.empty()) schedule(waiting[below(waiting.size())]);
  }

  void schedule(const std::string& uid) {
    Pod pod = pods_.at(uid);
    if (!pod.gates.empty()) return;
    const std::vector<std::string> names = feasible(pod);
    if (names.empty()) return;
    look();  // starts a replica that took the lead
    const CandidateRequest request = Yard::request(pod, names);
    const FilterAnswer answer = yard_.desk.filter(request);
    const bool is_gang = pod.annotations.contains("zonecut.dev/gang");
    for (const std::size_t i : answer.kept) REQUIRE(i < names.size());
    if (is_gang) REQUIRE(answer.kept.size() <= 1);
    for (const std::int64_t score : yard_.desk.prioritize(request))
      REQUIRE((score == 0 || score == 10));
    if (answer.kept.empty()) return;
    if (sometimes(8)) {
      if (!is_gang) on_its_way_until_ = yard_.now + Passing::kLasts;
      return;
    }
    pod.node = names[answer.kept[below(answer.kept.size())]];
    pod.phase = PodPhase::Running;
    ++bound_;
    tell(pod);
  }

  void preempt_for_one() {
    if (pods_.empty()) return;
    PreemptRequest request;
    request.pod = pods_.at(uids()[below(pods_.size())]);
    for (const auto& [uid, pod] : pods_)
      if (!pod.node.empty()) request.candidates.push_back({pod.node, {uid}, 0});
    look();
    CHECK(yard_.desk.preempt(request).size() <= request.candidates.size());
  }

  std::mt19937 chance_;
  const bool gates_;
  bool is_calm_ = false;
  int serial_ = 0;
  std::size_t woken_ = 0;
  std::size_t bound_ = 0;
  std::int64_t on_its_way_until_ = 0;
  std::map<std::string, Node> nodes_;
  std::map<std::string, Pod> pods_;  // by uid
  Yard yard_;
};

}  // namespace

TEST_CASE("whatever happens, no GPU is promised twice, and who fits is placed in the end",
          "[kubernetes][desk][random]") {
  std::size_t bound = 0;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    Life life(seed, seed % 2 == 0);
    for (int step = 0; step < 250; ++step) {
      CAPTURE(step);
      life.step();
      life.look();
      life.check_room();
    }
    CHECK(life.woken() < 1'000);
    bound += life.bound();
    life.check_end();
  }
  CHECK(bound > 400);
}
