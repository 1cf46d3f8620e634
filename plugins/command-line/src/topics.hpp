#pragma once
// Pages of `zonecut help TOPIC`: the ideas that no single option explains.
#include <span>
#include <string_view>

namespace zonecut::cli {

struct Topic {
  std::string_view name;
  std::string_view title;
  std::string_view text;  ///< at most 80 columns wide
};

[[nodiscard]] std::span<const Topic> topics();

}  // namespace zonecut::cli
