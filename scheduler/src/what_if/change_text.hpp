#pragma once
// The text of what-if changes: what commas, quotes and brackets part and hold together.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zonecut {

/// The parts of a list between commas that stand in no brackets and no quotes, without empty ones.
[[nodiscard]] std::vector<std::string_view> listed(std::string_view text);

/// Quotes hold a name together that has commas or signs of its own.
[[nodiscard]] std::string_view unquoted(std::string_view text);

/// Keys and values of "key=value, key=value". A piece without "key=" goes on with the list before
/// it, as in "drain=s1,s2".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> split_changes(std::string_view text);

}  // namespace zonecut
