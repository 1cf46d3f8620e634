#include "objects/gpu_count.hpp"

#include <algorithm>
#include <limits>

#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

/// The API server makes both equal for devices; a template may have limits only.
int asked_for(const JsonObject& container, const std::string& resource) {
  const JsonObject resources = container.object("resources");
  const JsonObject requests = resources.object("requests");
  return requests.has(resource) ? requests.devices(resource)
                                : resources.object("limits").devices(resource);
}

std::int64_t count_of(const JsonObject& pod_spec, const std::string& resource) {
  std::int64_t beside = 0;
  std::int64_t most_at_start = 0;
  pod_spec.each("initContainers", [&](const JsonObject& container) {
    const std::int64_t own = asked_for(container, resource);
    most_at_start = std::max(most_at_start, beside + own);
    if (container.text("restartPolicy") == "Always") beside += own;
  });
  pod_spec.each("containers",
                [&](const JsonObject& container) { beside += asked_for(container, resource); });
  return std::max(beside, most_at_start);
}

}  // namespace

int gpus_of(const JsonObject& pod_spec, const GpuResources& gpus) {
  std::int64_t sum = 0;
  for (const std::string& resource : gpus) sum += count_of(pod_spec, resource);
  if (sum > std::numeric_limits<int>::max())
    throw InputError(pod_spec.where("containers"), "the containers ask for too many GPUs");
  return static_cast<int>(sum);
}

}  // namespace zonecut::kubernetes
