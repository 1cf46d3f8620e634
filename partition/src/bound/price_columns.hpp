#pragma once
// Solutions of the parts of a relaxation as columns: what one costs at the multipliers it was found
// at, and how that changes with them. A relaxation falls into parts that each choose by themselves:
// what one zone takes, what one row is made up of. For any multipliers a part costs no more than
// any of its columns, as far as costs change in proportion, so a few columns say much about
// multipliers not tried yet (proximal_master.hpp).
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "bound/multipliers.hpp"

namespace zonecut {

/// Multipliers in one list: those of pieces, then of touches, then of runs (multipliers.hpp).
struct MultiplierIndex {
  std::size_t pieces = 0;
  [[nodiscard]] std::size_t touch() const { return pieces; }
  [[nodiscard]] std::size_t run() const { return pieces + 1; }
  [[nodiscard]] std::size_t size() const { return pieces + 2; }
};

/// Rows that a solution gives beside the cheapest, about.
inline constexpr std::size_t kOtherRows = 16;

/// By multiplier, in ascending order; 0 at all others.
using Slope = std::vector<std::pair<std::uint32_t, double>>;

struct Column {
  double value = 0;  ///< at the multipliers that it was found at
  Slope slope;
};

struct Part {
  double count = 1;             ///< as many times in the bound
  std::vector<Column> columns;  ///< the cheapest first
};

/// What a multiplier may be: anything, unless said otherwise.
struct MultiplierRange {
  double low = std::numeric_limits<double>::lowest();
  double high = std::numeric_limits<double>::max();
};

/// Of a relaxation without runs: a touch costs no less than nothing.
[[nodiscard]] MultiplierRange range_without_runs(MultiplierIndex index, std::size_t multiplier);

/// The cheapest column of a part of the solution.
void count(const Part& part, PieceViolation& violation);

/// Appends what is not 0.
void append(Slope& slope, std::size_t multiplier, double each);
/// After multipliers were appended in any order.
void sort(Slope& slope);
/// Of one multiplier.
[[nodiscard]] double slope_at(const Slope& slope, std::uint32_t multiplier);
/// x − y.
[[nodiscard]] Slope difference(const Slope& x, const Slope& y);

}  // namespace zonecut
