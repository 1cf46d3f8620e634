#pragma once
// Whether a node may take a pod, as far as the objects say it: cordon, readiness, taints, node
// selector and required node affinity. Room is not looked at.
#include "objects/objects.hpp"

namespace zonecut::kubernetes {

/// What kube-scheduler's NodeUnschedulable, TaintToleration (NoSchedule, NoExecute) and
/// NodeAffinity filters decide. A node that is not ready or is being deleted takes no pod.
[[nodiscard]] bool may_take(const Node& node, const Pod& pod);

/// The part of a pod that may_take() reads, so that pods with equal wishes are judged once.
[[nodiscard]] std::string wishes_of(const Pod& pod);

}  // namespace zonecut::kubernetes
