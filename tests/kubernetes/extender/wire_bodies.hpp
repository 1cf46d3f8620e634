#pragma once
// What a real kube-scheduler sent, and what it understood.
#include <string>

#include "extender/wire.hpp"
#include "zonecut/base/document.hpp"

namespace zonecut::kubernetes {

inline std::string wire_body(const std::string& name) {
  return read_file(ZONECUT_WIRE_BODIES "/" + name + ".json");
}

inline const GpuResources kGpus{"nvidia.com/gpu"};

}  // namespace zonecut::kubernetes
