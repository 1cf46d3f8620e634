#pragma once
// The least price of exactly k pieces that add up to exactly v, in a table over k and v. Where that
// would take too long, counted_pieces.hpp has a bound.
#include <cstddef>
#include <span>
#include <vector>

#include "bound/counted_pieces.hpp"

namespace zonecut {

class PieceTable {
 public:
  PieceTable() = default;
  /// For up to `most` pieces and sums below `columns`.
  PieceTable(std::size_t most, std::size_t columns)
      : columns_(columns), least_((most + 1) * columns) {}

  [[nodiscard]] bool exists() const { return !least_.empty(); }
  /// price[x] for x = 1 …; [0] is not used. Borrows it.
  void set_prices(std::span<const double> price);
  /// Infinite where no k pieces add up to v. The first call for a number of pieces takes
  /// O(kinds of pieces · columns) for each up to it.
  [[nodiscard]] double least(std::size_t k, std::size_t v);
  /// Appends pieces of that price, where it is not infinite.
  void take(std::size_t k, std::size_t v, std::vector<PieceCount>& pieces);

 private:
  [[nodiscard]] std::span<double> row(std::size_t k) {
    return std::span(least_).subspan(k * columns_, columns_);
  }

  std::size_t columns_ = 0;
  std::size_t filled_ = 0;  // rows
  std::span<const double> price_;
  std::vector<double> least_;
};

/// The piece of a cheapest sum that was added last, of those up to `largest`, where least[v] is
/// what pieces with the sum v cost without it.
[[nodiscard]] std::size_t cheapest_last(std::span<const double> least,
                                        std::span<const double> price, std::size_t sum,
                                        std::size_t largest);

}  // namespace zonecut
