#pragma once
// Kubernetes' times.
#include <cstdint>
#include <string_view>

namespace zonecut::kubernetes {

/// Milliseconds since 1970 of an RFC 3339 time in UTC ("2026-01-02T03:04:05Z", with or without a
/// fraction); 0 for anything else.
[[nodiscard]] std::int64_t milliseconds_of(std::string_view time);

}  // namespace zonecut::kubernetes
