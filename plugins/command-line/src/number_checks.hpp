#pragma once
// Checks of options whose value is a number, stricter than CLI11's own: it takes "nan" to be within
// any range, 010 to be 8, and a text beyond 64 bits to be the largest number.
#include <CLI/CLI.hpp>
#include <cstdint>

namespace zonecut::cli {

/// Decimal digits and nothing else. For Option::transform: leading zeros are taken away.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

/// A number in decimal notation. For Option::check.
[[nodiscard]] CLI::Validator number_between(double least, double most);

}  // namespace zonecut::cli
