#pragma once
// What several JSON outputs have in common.
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "zonecut/scheduler/report.hpp"

namespace zonecut::report {

using Json = nlohmann::ordered_json;

/// Text that is not valid UTF-8 must not stop a report.
[[nodiscard]] inline std::string dumped(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

[[nodiscard]] inline Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

[[nodiscard]] Json provenance_json(const Provenance& provenance);
[[nodiscard]] Json blockers_json(std::span<const Blocker> blockers);

}  // namespace zonecut::report
