#pragma once
// How many GPUs the pods of a pod specification ask for.
#include "objects/json_object.hpp"

namespace zonecut::kubernetes {

/// Of each resource: the larger of all containers with the restartable init containers, which run
/// beside them, and any one init container with the restartable ones started before it; summed over
/// the resources.
[[nodiscard]] int gpus_of(const JsonObject& pod_spec, const GpuResources& gpus);

}  // namespace zonecut::kubernetes
