#pragma once
// Kubernetes' MicroTime: RFC 3339 in UTC with exactly six digits after the second.
#include <chrono>
#include <string>

namespace zonecut::kubernetes {

[[nodiscard]] std::string micro_time(std::chrono::system_clock::time_point time);

}  // namespace zonecut::kubernetes
