#pragma once
// Whole numbers in texts that others wrote.
#include <charconv>
#include <concepts>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace zonecut::slurm {

/// The number that the whole text is, in decimal digits; none where it is anything else, or not
/// from `least` to `most`.
template <std::integral Number>
[[nodiscard]] std::optional<Number> whole_number(std::string_view text, Number least = 0,
                                                 Number most = std::numeric_limits<Number>::max()) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && number >= least && number <= most ? std::optional(number) : std::nullopt;
}

}  // namespace zonecut::slurm
