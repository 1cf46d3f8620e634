#pragma once
// Words and figures for people: quantities with their unit, shares, ranges of ranks, and text from
// outside made harmless. Quantities stand with a narrow no-break space (U+202F) before the unit;
// to_plain() and to_ascii() replace what a terminal may not show.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "zonecut/base/counts.hpp"
#include "zonecut/base/units.hpp"

namespace zonecut::report {

/// Text from outside as valid UTF-8 without control characters or marks that turn the direction of
/// writing: each offender becomes U+FFFD. Names may come from anywhere, and a terminal obeys
/// escapes. Linear.
[[nodiscard]] std::string clean(std::string_view text);

[[nodiscard]] std::string quantity(Bytes bytes);
[[nodiscard]] std::string quantity(BytesPerSecond rate);
[[nodiscard]] std::string quantity(Seconds time);
/// A unit for figures that stand together: "TB" and its bytes.
struct ByteUnit {
  std::string_view name;
  double bytes = 1;
};
/// The unit in which `largest` has one to three digits before the point.
[[nodiscard]] ByteUnit unit_for(Bytes largest);
/// "4.80" in that unit, three significant digits; "<0.01" rather than a zero that is none.
[[nodiscard]] std::string in_unit(Bytes bytes, const ByteUnit& unit);
/// "2.05e13": three significant digits of a count too long to read, all of a short one.
[[nodiscard]] std::string brief(std::int64_t count);
/// "38 %" from 0.38.
[[nodiscard]] std::string percent(double share, int decimals = 0);
/// "1.61×"
[[nodiscard]] std::string factor(double ratio);
/// "0–7, 16–23, … 4 more" from ascending numbers; at most `limit` ranges are written out.
[[nodiscard]] std::string ranges(std::span<const std::uint32_t> ascending, std::size_t limit);
/// The parts that are not empty, with `separator` between them.
[[nodiscard]] std::string joined(std::span<const std::string> parts, std::string_view separator);

/// Columns a terminal gives to valid UTF-8: two for East Asian wide characters, none for combining
/// ones.
[[nodiscard]] std::size_t display_width(std::string_view text);
/// The longest beginning of `text` that fits `width` columns, with `mark` at its end when something
/// was cut off.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width, std::string_view mark);
/// The same, cut out in the middle: names of servers differ at their ends.
[[nodiscard]] std::string fitted_in_middle(std::string_view text, std::size_t width,
                                           std::string_view mark);
/// Narrow spaces as common ones.
[[nodiscard]] std::string to_plain(std::string_view text);
/// ASCII only: known signs by their likeness, the rest as '?'.
[[nodiscard]] std::string to_ascii(std::string_view text);

}  // namespace zonecut::report
