#pragma once
// Pods and nodes for the tests, and what is said of bad ones.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "objects/objects.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {

inline const GpuResources kGpus{"nvidia.com/gpu", "amd.com/gpu"};

/// A body as a real kube-scheduler sent it.
inline std::string wire_text(const std::string& name) {
  std::ifstream file(std::string(ZONECUT_TEST_SOURCE_DIR) + "/kubernetes/wire/" + name);
  if (!file) throw IoError(name, "no such recorded body");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline nlohmann::json wire(const std::string& name) {
  return nlohmann::json::parse(wire_text(name));
}

inline Pod pod_of(const nlohmann::json& object) { return read_pod(object, kGpus, "body#/Pod"); }

/// A pod "team/p" with these labels and annotations.
inline Pod labelled(Labels labels, Labels annotations = {}) {
  Pod pod;
  pod.name_space = "team";
  pod.name = "p";
  pod.labels = std::move(labels);
  pod.annotations = std::move(annotations);
  pod.gpus = 8;
  return pod;
}

/// "where: what" of the InputError that it throws; empty if it throws none.
template <typename Function>
std::string refusal(const Function& function) {
  try {
    (void)function();
  } catch (const InputError& error) {
    return to_text(error.problems().front());
  }
  return {};
}

}  // namespace zonecut::kubernetes
