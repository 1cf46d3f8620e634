#pragma once
// Where the fields of a job stand in its file, so that a mistake found long after reading still has
// a line.
#include <string_view>

#include "zonecut/base/document.hpp"

namespace zonecut {

/// The value of a field: "tp", at the top or in a section; or a path, "collectives[3].ranks",
/// "placement.slices.zone". A path of which only a beginning is there gives that. Null when the
/// file says nothing of it.
[[nodiscard]] const Value* find_in_job(const Document& document, std::string_view field);

}  // namespace zonecut
