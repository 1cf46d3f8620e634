#pragma once
// Shares that people write as percentages.
#include <optional>
#include <string_view>

namespace zonecut {

/// "50%" or "0.5%" as a share, 0.5 or 0.005; none where it is no percentage from 0 to 100.
[[nodiscard]] std::optional<double> parse_percentage(std::string_view text);

}  // namespace zonecut
