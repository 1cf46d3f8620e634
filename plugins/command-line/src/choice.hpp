#pragma once
// An option whose value is one of a few words.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zonecut::cli {

/// Index of `word` in `choices`. Throws InputError that lists the choices and names the nearest.
[[nodiscard]] std::size_t chosen(std::string_view option, std::string_view word,
                                 std::span<const std::string> choices);

/// "a, b or c"
[[nodiscard]] std::string one_of(std::span<const std::string> choices);

/// Splits "a,b,c" at the commas; empty parts stay.
[[nodiscard]] std::vector<std::string> split_at_commas(std::string_view text);

}  // namespace zonecut::cli
