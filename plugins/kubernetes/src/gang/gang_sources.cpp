#include "gang/gang_sources.hpp"

#include <fmt/format.h>

#include <array>

#include "gang/pod_words.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

using Member = std::optional<GangMember>;

constexpr std::size_t kLongestName = 253;

GangMember member(const Pod& pod, const std::string& source, const std::string& name,
                  SizeSource size_source) {
  GangMember result;
  result.gang = gang_name(pod, source, name, pod.full_name() + "#/metadata");
  result.source = source;
  result.size_source = std::move(size_source);
  return result;
}

/// The annotation is older than the label: Kubernetes 1.21 and 1.28.
std::optional<std::uint32_t> completion_index(const Pod& pod) {
  return number_of(word_of(pod, "batch.kubernetes.io/job-completion-index"));
}

/// Each PodClique is a role; its name holds the replica of its scaling group already.
Member of_grove(const Pod& pod) {
  const auto gang = label_of(pod, "grove.io/podgang");
  if (!gang) return std::nullopt;
  GangMember result =
      member(pod, "PodGang", gang->value, {"scheduler.grove.io/v1alpha1", "PodGang", gang->value});
  result.role = role_name(text_of(label_of(pod, "grove.io/podclique")));
  if (!result.role.empty()) result.index = number_of(label_of(pod, "grove.io/podclique-pod-index"));
  return result;
}

Member of_job_set(const Pod& pod) {
  const auto name = word_of(pod, "jobset.sigs.k8s.io/jobset-name");
  if (!name) return std::nullopt;
  GangMember result =
      member(pod, "JobSet", name->value, {"jobset.x-k8s.io/v1alpha2", "JobSet", name->value});
  result.role = role_name(text_of(word_of(pod, "jobset.sigs.k8s.io/replicatedjob-name")));
  const auto job = number_of(word_of(pod, "jobset.sigs.k8s.io/job-index"));
  result.copy = job.value_or(0);
  if (!result.role.empty() && job) result.index = completion_index(pod);
  return result;
}

/// The object that the labels of Kubeflow's controllers belong to. The launcher of an MPIJob of
/// mpi-operator is made by way of a Job; every other pod belongs to the object itself.
SizeSource kubeflow_object(const Pod& pod, const std::string& name) {
  const Owner* const owner = controller_of(pod, "");
  if (owner != nullptr && owner->api_version.starts_with("kubeflow.org/"))
    return {owner->api_version, owner->kind, name};
  const std::string controller = text_of(label_of(pod, "training.kubeflow.org/operator-name"));
  if (controller == "mpi-operator") return {"kubeflow.org/v2beta1", "MPIJob", name};
  static constexpr std::array kKinds{"PyTorchJob", "MPIJob",    "TFJob",
                                     "XGBoostJob", "PaddleJob", "JAXJob"};
  for (const char* const kind : kKinds) {
    if (controller == role_name(kind) + "-controller") return {"kubeflow.org/v1", kind, name};
  }
  return {};
}

Member of_kubeflow(const Pod& pod) {
  const auto name = label_of(pod, "training.kubeflow.org/job-name");
  if (!name) return std::nullopt;
  const SizeSource object = kubeflow_object(pod, name->value);
  GangMember result =
      member(pod, object.kind.empty() ? "Kubeflow" : object.kind, name->value, object);
  auto role = label_of(pod, "training.kubeflow.org/replica-type");
  if (!role) role = label_of(pod, "training.kubeflow.org/job-role");  // all that mpi-operator sets
  result.role = role_name(text_of(role));
  if (result.role.empty()) return result;
  result.index = number_of(label_of(pod, "training.kubeflow.org/replica-index"));
  if (!result.index && result.role == "launcher") result.index = 0;
  return result;
}

Member of_volcano_job(const Pod& pod) {
  const auto name = word_of(pod, "volcano.sh/job-name");
  if (!name) return std::nullopt;
  GangMember result =
      member(pod, "VolcanoJob", name->value, {"batch.volcano.sh/v1alpha1", "Job", name->value});
  result.role = role_name(text_of(word_of(pod, "volcano.sh/task-spec")));
  if (!result.role.empty()) result.index = number_of(word_of(pod, "volcano.sh/task-index"));
  return result;
}

/// One group is a gang: a leader, index 0, and its workers.
Member of_leader_worker_set(const Pod& pod, bool whole_set) {
  const auto name = label_of(pod, "leaderworkerset.sigs.k8s.io/name");
  const auto group = number_of(label_of(pod, "leaderworkerset.sigs.k8s.io/group-index"));
  if (!name || !group) return std::nullopt;
  GangMember result = member(pod, "LeaderWorkerSet", fmt::format("{}/{}", name->value, *group),
                             {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", name->value});
  const auto worker = number_of(label_of(pod, "leaderworkerset.sigs.k8s.io/worker-index"));
  if (whole_set) {
    result.role = "group";
    result.copy = *group;
    result.index = worker;
    return result;
  }
  result.rank = worker;
  result.size = number_of(annotation_of(pod, "leaderworkerset.sigs.k8s.io/size"));
  if (!result.size) result.size_source = {};  // the object knows the size of the whole set
  return result;
}

/// A pod of a Job carries an index of that Job only where the Job is Indexed.
Member of_indexed_job(const Pod& pod) {
  const Owner* const owner = controller_of(pod, "Job");
  const auto index = completion_index(pod);
  if (owner == nullptr || owner->api_version != "batch/v1" || !index) return std::nullopt;
  GangMember result = member(pod, "Job", owner->name, {"batch/v1", "Job", owner->name});
  result.rank = index;
  return result;
}

/// The index is in a label, or in another one that an annotation names, and may not begin at 0.
Member of_kueue(const Pod& pod) {
  const auto name = word_of(pod, "kueue.x-k8s.io/pod-group-name");
  if (!name || completion_index(pod)) return std::nullopt;
  GangMember result = member(pod, "Kueue", name->value, {});
  result.size = number_of(annotation_of(pod, "kueue.x-k8s.io/pod-group-total-count"));
  auto index = label_of(pod, "kueue.x-k8s.io/pod-group-pod-index");
  if (const auto key = annotation_of(pod, "kueue.x-k8s.io/pod-group-pod-index-label"); key)
    index = label_of(pod, key->value);
  if (!index) return result;
  const std::uint32_t place = number_of(*index);
  const auto first = number_of(annotation_of(pod, "kueue.x-k8s.io/pod-index-offset")).value_or(0);
  if (place < first)
    throw InputError(index->where, fmt::format("index {} lies below the offset {}", place, first));
  result.rank = place - first;
  return result;
}

Member of_native_group(const Pod& pod) {
  if (pod.pod_group.empty()) return std::nullopt;
  GangMember result = member(pod, "PodGroup", pod.pod_group,
                             {"scheduling.k8s.io/v1alpha2", "PodGroup", pod.pod_group});
  result.rank = completion_index(pod);
  return result;
}

Member of_scheduler_plugins(const Pod& pod) {
  const auto name = label_of(pod, "scheduling.x-k8s.io/pod-group");
  if (!name) return std::nullopt;
  return member(pod, "SchedulerPluginsPodGroup", name->value,
                {"scheduling.x-k8s.io/v1alpha1", "PodGroup", name->value});
}

Member of_volcano_group(const Pod& pod) {
  auto name = annotation_of(pod, "scheduling.k8s.io/group-name");
  if (!name) name = annotation_of(pod, "scheduling.volcano.sh/group-name");
  if (!name) return std::nullopt;
  return member(pod, "VolcanoPodGroup", name->value,
                {"scheduling.volcano.sh/v1beta1", "PodGroup", name->value});
}

/// Before Kubernetes 1.28 only the pod's name says its index.
Member of_stateful_set(const Pod& pod) {
  const Owner* const owner = controller_of(pod, "StatefulSet");
  if (owner == nullptr || owner->api_version != "apps/v1") return std::nullopt;
  GangMember result =
      member(pod, "StatefulSet", owner->name, {"apps/v1", "StatefulSet", owner->name});
  result.index = number_of(label_of(pod, "apps.kubernetes.io/pod-index"));
  if (!result.index && pod.name.starts_with(owner->name + "-"))
    result.index = number_of(
        PodWord{pod.name.substr(owner->name.size() + 1), pod.full_name() + "#/metadata/name"});
  return result;
}

/// By its owner, else by its label.
Member of_job(const Pod& pod) {
  const Owner* const owner = controller_of(pod, "Job");
  const auto name = owner != nullptr && owner->api_version == "batch/v1"
                        ? owner->name
                        : text_of(label_of(pod, "batch.kubernetes.io/job-name"));
  if (name.empty()) return std::nullopt;
  GangMember result = member(pod, "Job", name, {"batch/v1", "Job", name});
  result.rank = completion_index(pod);
  return result;
}

}  // namespace

std::string gang_name(const Pod& pod, std::string_view source, std::string_view name,
                      const std::string& where) {
  if (name.size() > kLongestName) {
    throw InputError(where, fmt::format("expected a name of at most {} bytes, found {}",
                                        kLongestName, name.size()));
  }
  return fmt::format("{}/{}/{}", pod.name_space, source, name);
}

Member gang_by_controllers(const Pod& pod, bool whole_set) {
  // Outermost first. An Indexed Job goes before groups that were made for its pods, since they know
  // no order.
  for (const auto& source : {of_grove, of_job_set, of_kubeflow, of_volcano_job}) {
    if (Member found = source(pod)) return found;
  }
  if (Member found = of_leader_worker_set(pod, whole_set)) return found;
  for (const auto& source : {of_indexed_job, of_kueue, of_native_group, of_scheduler_plugins,
                             of_volcano_group, of_stateful_set, of_job}) {
    if (Member found = source(pod)) return found;
  }
  return std::nullopt;
}

}  // namespace zonecut::kubernetes
