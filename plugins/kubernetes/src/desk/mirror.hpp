#pragma once
// What the API server said last of nodes and of pods that ask for GPUs, and what follows from it:
// the site, which GPUs are in use, which pods make a gang. Not for several threads at once.
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "desk/site.hpp"
#include "gang/gang_member.hpp"
#include "objects/objects.hpp"
#include "zonecut/scheduler/gang_plan.hpp"

namespace zonecut::kubernetes {

/// A pod with what its words say of its gang.
struct KnownPod {
  Pod pod;
  std::optional<GangMember> member;  ///< none as well where it needs no GPU: it has no rank
  std::string fault;                 ///< why its words cannot be read; empty: they can
  std::uint64_t wishes = 0;          ///< equal numbers: equal wishes for nodes
};

using KnownPods = std::vector<std::shared_ptr<const KnownPod>>;

/// What gangs are planned on, beside what there is.
struct Outlook {
  std::shared_ptr<const Site> site;       ///< null: nothing
  std::string why;                        ///< there is none
  std::vector<std::string> left_out;      ///< nodes with GPUs that are no servers of it
  std::vector<std::string> without_node;  ///< servers of it that no node is called as
  friend bool operator==(const Outlook&, const Outlook&) = default;
};

class Mirror {
 public:
  /// `fixed`: the site of a cluster file; null: made of the nodes.
  Mirror(std::shared_ptr<const Site> fixed, ImportOptions import);

  void replace_nodes(std::vector<Node> nodes);
  void node_changed(Node told);
  void node_gone(const std::string& name);
  void replace_pods(std::vector<Pod> pods);
  void pod_changed(Pod pod);
  void pod_gone(const std::string& uid);
  /// A pod that kube-scheduler asks for, which the watch may not have told of yet. Nothing happens
  /// where it is known, was deleted a moment ago, or is not newer than another pod of its name that
  /// the watch told of. Where it is, that one is known no more, unless the watch tells of it again.
  std::shared_ptr<const KnownPod> pod_asked(Pod pod, std::int64_t now);
  /// Pods that somebody asked for half a minute ago, of which the watch has not told since: they
  /// are known no more, and those whose place they took are again. Their uids, with those of others
  /// that were too many.
  std::vector<std::string> drop_untold(std::int64_t now);

  /// Makes the site anew where nodes have changed it. The one before, if it was: ids have moved.
  std::shared_ptr<const Site> refresh_site();
  [[nodiscard]] const std::shared_ptr<const Site>& site() const noexcept { return site_; }
  [[nodiscard]] const std::string& why_no_site() const noexcept { return why_no_site_; }
  /// After refresh_site(); none where no node has changed since the last call.
  [[nodiscard]] std::optional<Outlook> take_outlook();
  /// By server of the site: GPUs that bound pods use, and those that are not allocatable.
  [[nodiscard]] const UsedGpus& used() const noexcept { return used_; }

  [[nodiscard]] std::shared_ptr<const KnownPod> pod(const std::string& uid) const;
  /// Whether another pod of its namespace that is of no gang and lives has the same words of a job.
  [[nodiscard]] bool has_twin(const KnownPod& known) const;
  /// Of one gang, by name.
  [[nodiscard]] KnownPods pods_of(const std::string& gang) const;
  [[nodiscard]] const Node* node(std::string_view name) const;
  /// Servers that may take every one of the pods by its wishes. Judged once for equal wishes.
  [[nodiscard]] SharedServers eligible(const KnownPods& pods);

  /// The server that the pod was sent to when its gate was opened; none for any other pod.
  [[nodiscard]] std::optional<ServerId> sent_to(const Pod& pod) const;

  /// Gangs whose pods have changed since the last call; all of them when nodes have.
  [[nodiscard]] std::vector<std::string> take_changed_gangs();
  /// Whether GPUs or servers may have come free since the last call.
  [[nodiscard]] bool take_gain();
  /// Pods that wait behind our gate, of gangs and of none.
  [[nodiscard]] KnownPods gated_pods() const;
  /// Pods that wait and were refused by us, or by whoever answered before us; by uid.
  [[nodiscard]] KnownPods refused_pods() const;
  /// One pod of each gang that has any that have not ended and are not being deleted: one that
  /// waits, if any does.
  [[nodiscard]] KnownPods one_of_each_living_gang() const;

 private:
  struct Asked {
    std::int64_t when = 0;
    std::shared_ptr<const KnownPod> displaced;  // who had its name by what the watch told
  };
  std::shared_ptr<const KnownPod> known(Pod pod);
  void drop_untold(const std::string& uid);
  SharedServers eligible(const KnownPod& pod);
  std::shared_ptr<const KnownPod> put(Pod pod);
  void drop(const std::string& uid);
  void remember_gone(const std::string& uid);
  [[nodiscard]] bool is_replaced(const Pod& pod) const;
  void use(const Pod& pod, int sign);
  void count_used();
  void nodes_changed(bool site_too);

  std::shared_ptr<const Site> site_;
  const bool fixed_;
  const ImportOptions import_;
  std::string why_no_site_;
  bool site_is_stale_ = true;
  bool outlook_is_stale_ = true;
  std::map<std::string, Node, std::less<>> nodes_;
  std::map<std::string, int, std::less<>> most_gpus_;  // each node was ever seen with
  std::unordered_map<std::string, std::shared_ptr<const KnownPod>> pods_;  // by uid
  std::unordered_map<std::string, Asked> asked_;        // uids that the watch did not tell yet
  std::unordered_map<std::string, std::string> names_;  // to the uid
  std::map<std::string, std::set<std::string>> gangs_;  // uids
  std::set<std::string> gated_;                         // uids
  UsedGpus used_;
  std::unordered_map<std::string, std::uint64_t> wishes_;  // their numbers
  std::uint64_t last_wishes_ = 0;
  std::unordered_map<std::uint64_t, SharedServers> eligible_;  // by wishes
  std::set<std::string> changed_gangs_;
  bool gain_ = false;
  std::vector<std::string> untold_;     // uids that were dropped and not reported yet
  std::deque<std::string> gone_order_;  // uids that were deleted lately
  std::unordered_set<std::string> gone_;
};

inline constexpr std::string_view kGate = "zonecut.dev/placement";
inline constexpr std::string_view kServerWord = "zonecut.dev/server";
inline constexpr std::string_view kHostLabel = "kubernetes.io/hostname";

[[nodiscard]] bool is_gated(const Pod& pod);
/// Has neither ended nor is it being deleted.
[[nodiscard]] bool is_living(const Pod& pod);
/// Has yet to be bound, and can be.
[[nodiscard]] bool is_waiting(const Pod& pod);
/// Holds GPUs of its node.
[[nodiscard]] bool holds_gpus(const Pod& pod);

}  // namespace zonecut::kubernetes
