#pragma once
// Checks of options whose value is a number, stricter than CLI11's own: it takes "nan" to be within
// any range, 010 to be 8, and a text beyond 64 bits to be the largest number.
#include <CLI/CLI.hpp>
#include <cstdint>

namespace zonecut::cli {

/// Decimal digits and nothing else, no leading zeros.
struct WholeNumber : CLI::Validator {
  WholeNumber(std::uint64_t least, std::uint64_t most);
};

/// A number in decimal notation.
struct NumberBetween : CLI::Validator {
  NumberBetween(double least, double most);
};

}  // namespace zonecut::cli
