#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "gang/gang_member.hpp"
#include "gang/pod_words.hpp"
#include "objects/gpu_count.hpp"
#include "objects/json_object.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

using Shape = std::optional<GangShape>;

constexpr std::uint64_t kMostPods = 1'000'000;

bool has_gpus(const JsonObject& holder_of_template, const GpuResources& gpus) {
  return gpus_of(holder_of_template.object("template").object("spec"), gpus) > 0;
}

/// Pods of a Job that run together; none where it never runs all of them at once.
std::optional<std::uint32_t> pods_at_once(const JsonObject& job_spec) {
  const std::uint32_t parallelism = job_spec.count("parallelism").value_or(1);
  const std::uint32_t completions = job_spec.count("completions").value_or(parallelism);
  return parallelism < completions ? std::nullopt : std::optional(completions);
}

Shape shape_of_job(const JsonObject& spec, const GpuResources& gpus) {
  const auto pods = pods_at_once(spec);
  if (!pods || !has_gpus(spec, gpus)) return GangShape{};
  return GangShape{{{"", 1, *pods, 0}}};
}

Shape shape_of_job_set(const JsonObject& spec, const GpuResources& gpus) {
  GangShape shape;
  bool together = true;
  spec.each("replicatedJobs", [&](const JsonObject& jobs) {
    const JsonObject job_spec = jobs.object("template").object("spec");
    if (!has_gpus(job_spec, gpus)) return;
    const auto pods = pods_at_once(job_spec);
    together = together && pods;
    shape.roles.push_back(
        {role_name(jobs.text("name")), jobs.count("replicas").value_or(1), pods.value_or(0), 0});
  });
  return together ? shape : GangShape{};
}

Shape shape_of_stateful_set(const JsonObject& spec, const GpuResources& gpus) {
  if (!has_gpus(spec, gpus)) return GangShape{};
  return GangShape{{{"", 1, spec.count("replicas").value_or(1),
                     spec.object("ordinals").count("start").value_or(0)}}};
}

/// Of the whole set: a copy of the role is a group. A group's leader may ask for no GPU.
Shape shape_of_leader_worker_set(const JsonObject& spec, const GpuResources& gpus) {
  const JsonObject group = spec.object("leaderWorkerTemplate");
  const auto asks = [&](const char* pod_template) {
    return gpus_of(group.object(pod_template).object("spec"), gpus) > 0;
  };
  const bool workers = asks("workerTemplate");
  const bool leader = group.has("leaderTemplate") ? asks("leaderTemplate") : workers;
  const std::uint32_t size = group.count("size").value_or(1);
  const std::uint32_t first = leader ? 0 : 1;
  const std::uint32_t end = workers ? size : std::min<std::uint32_t>(size, 1);
  if (end <= first) return GangShape{};
  return GangShape{{{"group", spec.count("replicas").value_or(1), end - first, first}}};
}

/// Who has rank 0 goes first, then the workers, then what only some jobs have (PS, Evaluator).
int order_of(const std::string& role) {
  static constexpr std::array kOrder{"chief", "master", "launcher", "worker"};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), role) - kOrder.begin());
}

Shape shape_of_kubeflow(const JsonObject& spec, const GpuResources& gpus, const char* replicas) {
  if (!spec.has(replicas)) return std::nullopt;
  // mpi-operator numbers the workers from 1 where the launcher works too.
  const std::uint32_t first_worker = spec.flag("runLauncherAsWorker") ? 1 : 0;
  GangShape shape;
  spec.object(replicas).each_field([&](const std::string& type, const JsonObject& replica) {
    if (!has_gpus(replica, gpus)) return;
    const std::string role = role_name(type);
    shape.roles.push_back(
        {role, 1, replica.count("replicas").value_or(1), role == "worker" ? first_worker : 0});
  });
  std::sort(shape.roles.begin(), shape.roles.end(), [](const Role& a, const Role& b) {
    return std::pair(order_of(a.name), a.name) < std::pair(order_of(b.name), b.name);
  });
  return shape;
}

Shape shape_of_volcano_job(const JsonObject& spec, const GpuResources& gpus) {
  GangShape shape;
  spec.each("tasks", [&](const JsonObject& task) {
    if (has_gpus(task, gpus))
      shape.roles.push_back(
          {role_name(task.text("name")), 1, task.count("replicas").value_or(0), 0});
  });
  return shape;
}

Shape shape_of_min_member(const JsonObject& spec) {
  const auto pods = spec.count("minMember");
  if (!pods) return std::nullopt;
  return GangShape{{{"", 1, *pods, 0}}};
}

/// Groups hold references to all of their pods once these exist; more than minReplicas of them
/// belong to the gang too.
Shape shape_of_pod_gang(const JsonObject& spec) {
  if (!spec.has("podgroups")) return std::nullopt;
  GangShape shape;
  spec.each("podgroups", [&](const JsonObject& group) {
    const auto least = group.count("minReplicas").value_or(0);
    const auto all = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(group.length("podReferences"), kMostPods));
    shape.roles.push_back({role_name(group.text("name")), 1, std::max(least, all), 0});
  });
  return shape;
}

Shape shape_of_native_group(const JsonObject& spec) {
  const JsonObject policy = spec.object("schedulingPolicy");
  if (policy.has("basic")) return GangShape{};
  const auto pods = policy.object("gang").count("minCount");
  if (!pods) return std::nullopt;
  return GangShape{{{"", 1, *pods, 0}}};
}

/// The field of the object's spec that holds its replicas by type; null for other kinds.
const char* kubeflow_replicas(const std::string& kind) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 6> kFields{
      {{"PyTorchJob", "pytorchReplicaSpecs"},
       {"MPIJob", "mpiReplicaSpecs"},
       {"TFJob", "tfReplicaSpecs"},
       {"XGBoostJob", "xgbReplicaSpecs"},
       {"PaddleJob", "paddleReplicaSpecs"},
       {"JAXJob", "jaxReplicaSpecs"}}};
  for (const auto& [name, field] : kFields) {
    if (name == kind) return field;
  }
  return nullptr;
}

Shape read_shape(const SizeSource& source, const JsonObject& spec, const GpuResources& gpus) {
  const std::string group = source.api_version.substr(0, source.api_version.find('/'));
  if (group == "batch") return shape_of_job(spec, gpus);
  if (group == "jobset.x-k8s.io") return shape_of_job_set(spec, gpus);
  if (group == "apps") return shape_of_stateful_set(spec, gpus);
  if (group == "leaderworkerset.x-k8s.io") return shape_of_leader_worker_set(spec, gpus);
  if (group == "batch.volcano.sh") return shape_of_volcano_job(spec, gpus);
  if (group == "scheduling.x-k8s.io" || group == "scheduling.volcano.sh")
    return shape_of_min_member(spec);
  if (group == "scheduler.grove.io") return shape_of_pod_gang(spec);
  if (group == "scheduling.k8s.io") return shape_of_native_group(spec);
  const char* const replicas = kubeflow_replicas(source.kind);
  if (group == "kubeflow.org" && replicas != nullptr)
    return shape_of_kubeflow(spec, gpus, replicas);
  return std::nullopt;
}

}  // namespace

Shape shape_of(const SizeSource& source, const nlohmann::json& object, const GpuResources& gpus) {
  const std::string where = fmt::format("{}/{}#", source.kind, source.name);
  const JsonObject root(object, where);
  if (!root.has("spec")) return std::nullopt;
  Shape shape = read_shape(source, root.object("spec"), gpus);
  std::uint64_t pods = 0;
  if (shape) {
    for (const Role& role : shape->roles) pods += std::uint64_t{role.copies} * role.pods;
  }
  if (pods > kMostPods) {
    throw InputError(where + "/spec",
                     fmt::format("{} pods are more than the {} that are placed", pods, kMostPods));
  }
  return shape;
}

}  // namespace zonecut::kubernetes
