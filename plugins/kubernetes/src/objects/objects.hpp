#pragma once
// What zonecut needs to know of Kubernetes' pods and nodes, as plain values. What an object says
// besides is not kept. Read from JSON as the API server writes it and as kube-scheduler embeds it.
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace zonecut::kubernetes {

using Labels = std::map<std::string, std::string, std::less<>>;

/// A requirement on a label, or on the field metadata.name.
struct Requirement {
  enum class Operator : std::uint8_t { In, NotIn, Exists, DoesNotExist, Gt, Lt };
  std::string key;
  Operator op = Operator::In;
  std::vector<std::string> values;
  friend bool operator==(const Requirement&, const Requirement&) = default;
};

/// One term of a required node affinity; all its requirements hold. A term without any matches no
/// node.
struct NodeTerm {
  std::vector<Requirement> labels;
  std::vector<Requirement> fields;
  friend bool operator==(const NodeTerm&, const NodeTerm&) = default;
};

struct Toleration {
  std::string key;      ///< empty with `exists`: every key
  bool exists = false;  ///< operator Exists; else Equal
  std::string value;
  std::string effect;  ///< empty: every effect
  /// Operators Lt and Gt: the taint's value, as a number, lies below or above `value`.
  enum class Order : std::uint8_t { None, Lt, Gt } order = Order::None;
  friend bool operator==(const Toleration&, const Toleration&) = default;
};

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  ///< NoSchedule, PreferNoSchedule, NoExecute
  friend bool operator==(const Taint&, const Taint&) = default;
};

struct Owner {
  std::string api_version;  ///< "batch/v1"
  std::string kind;
  std::string name;
  bool controller = false;
  friend bool operator==(const Owner&, const Owner&) = default;
};

enum class PodPhase : std::uint8_t { Pending, Running, Succeeded, Failed };

struct Pod {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string resource_version;
  Labels labels;
  Labels annotations;  ///< those that are read: see read_words.hpp
  std::vector<Owner> owners;
  std::string node;            ///< spec.nodeName; empty: not bound
  std::string nominated_node;  ///< status.nominatedNodeName
  std::string scheduler;
  std::string pod_group;  ///< spec.schedulingGroup.podGroupName
  Labels node_selector;
  std::vector<NodeTerm> required_terms;  ///< one of them must match; none at all: no such affinity
  bool has_required_terms = false;
  std::vector<Toleration> tolerations;
  std::vector<std::string> gates;
  int gpus = 0;  ///< of the configured resources, as kube-scheduler counts: see gpu_count.hpp
  int priority = 0;
  PodPhase phase = PodPhase::Pending;
  bool deleting = false;
  bool unready = false;  ///< its kubelet says that it runs and is not ready
  bool refused = false;  ///< kube-scheduler holds it back, with a refusal of ours for a reason
  std::string created;   ///< metadata.creationTimestamp, RFC 3339
  [[nodiscard]] std::string full_name() const { return name_space + "/" + name; }
  friend bool operator==(const Pod&, const Pod&) = default;
};

[[nodiscard]] inline bool has_ended(const Pod& pod) {
  return pod.phase == PodPhase::Succeeded || pod.phase == PodPhase::Failed;
}

struct Node {
  std::string name;
  Labels labels;
  std::vector<Taint> taints;
  bool unschedulable = false;  ///< cordoned
  bool ready = true;           ///< its Ready condition is True, or it has none
  bool deleting = false;
  int gpus = 0;  ///< allocatable, of the configured resources
  friend bool operator==(const Node&, const Node&) = default;
};

/// Names of extended resources that are GPUs, such as nvidia.com/gpu.
using GpuResources = std::vector<std::string>;

/// What every refusal of ours begins with, in kube-scheduler's words on the pod too.
inline constexpr std::string_view kRefusalMark = "zonecut: ";

/// Throws InputError with a JSON pointer below `where` on a wrong type, a missing name, or a number
/// out of range; fields that are absent or null have their defaults.
[[nodiscard]] Pod read_pod(const nlohmann::json& object, const GpuResources& gpus,
                           const std::string& where);
[[nodiscard]] Node read_node(const nlohmann::json& object, const GpuResources& gpus,
                             const std::string& where);

}  // namespace zonecut::kubernetes
