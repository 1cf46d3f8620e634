#include "objects/objects.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "objects/gpu_count.hpp"
#include "objects/json_object.hpp"
#include "objects/json_text.hpp"
#include "objects/read_words.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

std::string required_name(const JsonObject& metadata, const JsonObject& object) {
  std::string name = metadata.text("name");
  if (name.empty())
    throw InputError(object.where("metadata") + "/name", "expected a name, found none");
  return name;
}

Requirement::Operator operator_of(const JsonObject& requirement) {
  using Operator = Requirement::Operator;
  static constexpr std::array<std::pair<std::string_view, Operator>, 6> kOperators{
      {{"In", Operator::In},
       {"NotIn", Operator::NotIn},
       {"Exists", Operator::Exists},
       {"DoesNotExist", Operator::DoesNotExist},
       {"Gt", Operator::Gt},
       {"Lt", Operator::Lt}}};
  const std::string text = requirement.text("operator");
  for (const auto& [name, op] : kOperators) {
    if (name == text) return op;
  }
  throw InputError(
      requirement.where("operator"),
      fmt::format("expected In, NotIn, Exists, DoesNotExist, Gt or Lt, found {}", in_quotes(text)));
}

std::vector<Requirement> requirements_of(const JsonObject& term, std::string_view key) {
  std::vector<Requirement> requirements;
  term.each(key, [&](const JsonObject& requirement) {
    requirements.push_back(
        {requirement.text("key"), operator_of(requirement), requirement.texts("values")});
  });
  return requirements;
}

void read_affinity(const JsonObject& spec, Pod& pod) {
  const JsonObject node_affinity = spec.object("affinity").object("nodeAffinity");
  constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  pod.has_required_terms = node_affinity.has(kRequired);
  node_affinity.object(kRequired).each("nodeSelectorTerms", [&](const JsonObject& term) {
    pod.required_terms.push_back(
        {requirements_of(term, "matchExpressions"), requirements_of(term, "matchFields")});
  });
}

Toleration toleration_of(const JsonObject& object) {
  const std::string op = object.text("operator");
  Toleration toleration;
  toleration.key = object.text("key");
  toleration.exists = op == "Exists";
  toleration.value = object.text("value");
  toleration.effect = object.text("effect");
  if (op == "Lt")
    toleration.order = Toleration::Order::Lt;
  else if (op == "Gt")
    toleration.order = Toleration::Order::Gt;
  else if (!op.empty() && op != "Equal" && op != "Exists")
    throw InputError(object.where("operator"),
                     fmt::format("expected Equal, Exists, Lt or Gt, found {}", in_quotes(op)));
  return toleration;
}

/// A pod of a node that was lost ("Unknown") still holds its GPUs.
PodPhase phase_of(const std::string& text) {
  if (text == "Succeeded") return PodPhase::Succeeded;
  if (text == "Failed") return PodPhase::Failed;
  return text == "Running" || text == "Unknown" ? PodPhase::Running : PodPhase::Pending;
}

void read_metadata(const JsonObject& metadata, Pod& pod) {
  pod.name_space = metadata.has("namespace") ? metadata.text("namespace") : "default";
  pod.uid = metadata.text("uid");
  pod.resource_version = metadata.text("resourceVersion");
  pod.labels = metadata.labels("labels");
  pod.annotations = metadata.labels("annotations");
  drop_unread(pod.annotations);
  metadata.each("ownerReferences", [&](const JsonObject& owner) {
    pod.owners.push_back({owner.text("apiVersion"), owner.text("kind"), owner.text("name"),
                          owner.flag("controller")});
  });
  pod.deleting = metadata.has("deletionTimestamp");
  pod.created = metadata.text("creationTimestamp");
}

void read_spec(const JsonObject& spec, const GpuResources& gpus, Pod& pod) {
  pod.node = spec.text("nodeName");
  pod.scheduler = spec.text("schedulerName");
  pod.pod_group = spec.object("schedulingGroup").text("podGroupName");
  pod.node_selector = spec.labels("nodeSelector");
  read_affinity(spec, pod);
  spec.each("tolerations", [&](const JsonObject& toleration) {
    pod.tolerations.push_back(toleration_of(toleration));
  });
  spec.each("schedulingGates",
            [&](const JsonObject& gate) { pod.gates.push_back(gate.text("name")); });
  pod.gpus = gpus_of(spec, gpus);
  pod.priority = static_cast<int>(spec.number("priority", std::numeric_limits<std::int32_t>::min(),
                                              std::numeric_limits<std::int32_t>::max())
                                      .value_or(0));
}

}  // namespace

Pod read_pod(const nlohmann::json& object, const GpuResources& gpus, const std::string& where) {
  const JsonObject root(object, where);
  const JsonObject metadata = root.object("metadata");
  Pod pod;
  pod.name = required_name(metadata, root);
  read_metadata(metadata, pod);
  read_spec(root.object("spec"), gpus, pod);
  const JsonObject status = root.object("status");
  pod.nominated_node = status.text("nominatedNodeName");
  pod.phase = phase_of(status.text("phase"));
  status.each("conditions", [&](const JsonObject& condition) {
    if (condition.text("type") == "Ready")
      pod.unready = condition.text("status") == "False" && !has_ended(pod);
    if (condition.text("type") != "PodScheduled") return;
    pod.refused = condition.text("status") == "False" &&
                  condition.text("message").find(kRefusalMark) != std::string::npos;
  });
  return pod;
}

Node read_node(const nlohmann::json& object, const GpuResources& gpus, const std::string& where) {
  const JsonObject root(object, where);
  const JsonObject metadata = root.object("metadata");
  const JsonObject spec = root.object("spec");
  const JsonObject status = root.object("status");
  Node node;
  node.name = required_name(metadata, root);
  node.labels = metadata.labels("labels");
  node.deleting = metadata.has("deletionTimestamp");
  spec.each("taints", [&](const JsonObject& taint) {
    node.taints.push_back({taint.text("key"), taint.text("value"), taint.text("effect")});
  });
  node.unschedulable = spec.flag("unschedulable");
  status.each("conditions", [&](const JsonObject& condition) {
    if (condition.text("type") == "Ready") node.ready = condition.text("status") == "True";
  });
  const JsonObject allocatable = status.object("allocatable");
  for (const std::string& resource : gpus) node.gpus += allocatable.devices(resource);
  return node;
}

}  // namespace zonecut::kubernetes
