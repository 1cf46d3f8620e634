#pragma once
// Which words may name a level: those that a cluster file can say. Private to the topology model.
#include <string_view>

namespace zonecut {

/// Why a level cannot be called that, as in "is a key of cluster files"; empty when it can.
[[nodiscard]] std::string_view fault_of_level_name(std::string_view name);

}  // namespace zonecut
