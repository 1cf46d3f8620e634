#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "gang/gang_member.hpp"

namespace zonecut::kubernetes {
namespace {

struct Kind {
  std::string_view group;
  std::string_view kind;
  std::string_view plural;
};

constexpr std::array kKinds{
    Kind{"batch", "Job", "jobs"},
    Kind{"apps", "StatefulSet", "statefulsets"},
    Kind{"jobset.x-k8s.io", "JobSet", "jobsets"},
    Kind{"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "leaderworkersets"},
    Kind{"kubeflow.org", "PyTorchJob", "pytorchjobs"},
    Kind{"kubeflow.org", "MPIJob", "mpijobs"},
    Kind{"kubeflow.org", "TFJob", "tfjobs"},
    Kind{"kubeflow.org", "XGBoostJob", "xgboostjobs"},
    Kind{"kubeflow.org", "PaddleJob", "paddlejobs"},
    Kind{"kubeflow.org", "JAXJob", "jaxjobs"},
    Kind{"scheduling.x-k8s.io", "PodGroup", "podgroups"},
    Kind{"scheduling.volcano.sh", "PodGroup", "podgroups"},
    Kind{"batch.volcano.sh", "Job", "jobs"},
    Kind{"scheduler.grove.io", "PodGang", "podgangs"},
    Kind{"scheduling.k8s.io", "PodGroup", "podgroups"},
};

/// A DNS subdomain, as names of such objects are. Annotations may hold anything, and what they hold
/// must not lead to another path.
bool is_object_name(std::string_view name) {
  const auto is_alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= 253 && is_alphanumeric(name.front()) &&
         is_alphanumeric(name.back()) && std::all_of(name.begin(), name.end(), [&](char c) {
           return is_alphanumeric(c) || c == '-' || c == '.';
         });
}

}  // namespace

std::string collection_path(const SizeSource& source, const std::string& name_space) {
  const std::size_t slash = source.api_version.find('/');
  if (slash == std::string::npos) return {};
  const std::string_view group = std::string_view(source.api_version).substr(0, slash);
  const std::string_view version = std::string_view(source.api_version).substr(slash + 1);
  if (!is_object_name(version) || !(name_space.empty() || is_object_name(name_space))) return {};
  for (const Kind& known : kKinds) {
    if (known.group != group || known.kind != source.kind) continue;
    if (name_space.empty()) return fmt::format("/apis/{}/{}/{}", group, version, known.plural);
    return fmt::format("/apis/{}/{}/namespaces/{}/{}", group, version, name_space, known.plural);
  }
  return {};
}

std::string path_of(const SizeSource& source, const std::string& name_space) {
  if (name_space.empty() || !is_object_name(source.name)) return {};
  const std::string collection = collection_path(source, name_space);
  return collection.empty() ? "" : collection + "/" + source.name;
}

std::optional<SizeSource> next_version(const SizeSource& source) {
  // Kubernetes 1.36 serves the first, 1.37 the others.
  static constexpr std::array<std::string_view, 3> kNativeGroups{
      "scheduling.k8s.io/v1alpha2", "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"};
  const auto* const found =
      std::find(kNativeGroups.begin(), kNativeGroups.end(), source.api_version);
  if (found == kNativeGroups.end() || found + 1 == kNativeGroups.end()) return std::nullopt;
  return SizeSource{std::string(*(found + 1)), source.kind, source.name};
}

}  // namespace zonecut::kubernetes
