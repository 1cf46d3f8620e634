#pragma once
// Rows in a line whose places, the ranks, have prices: one for every rank, either the same in all
// rows or in a row and its mirror image, and one for a vertex of every row and its mirror image.
// What zones hold of a row is then any set of its ranks, at what it cuts less what its ranks are
// worth: that every rank of every row lies in one zone is relaxed. The best set of every size is
// found by dynamic programming (priced_sets.hpp), how much a zone takes of each row is a shortest
// path (stage_shapes.hpp). The multipliers are those of multipliers.hpp: ranks, then rows.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bound/multipliers.hpp"
#include "bound/priced_sets.hpp"
#include "bound/stage_shapes.hpp"

namespace zonecut {

class RankRelaxation {
 public:
  /// Borrows the sets, of as many places as a row has, one for all rows or one for each class of
  /// them, and the least cut of every size; both count in quarters. What sets larger than those
  /// cost is known by the latter, their places taken for the dearest, and by
  /// PricedSets::below_costs. `mirrored`: rows read backwards are the same. `sizes` add up to all
  /// vertices, or to more where they are open.
  RankRelaxation(const RowLine& line, std::span<const std::unique_ptr<PricedSets>> sets,
                 std::span<const std::int64_t> inside, bool mirrored,
                 std::span<const std::uint32_t> sizes, Filling filling = Filling::Full,
                 std::size_t most = StageShapes::kAll);

  [[nodiscard]] std::size_t pieces() const { return ranks_ * lists_.size() + shapes_.classes(); }
  [[nodiscard]] static double most_run() { return 0; }
  [[nodiscard]] std::size_t steps_per_solve() const;
  /// The bound in quarters, what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);
  /// Where sizes are open: the last solution's, by zone, unless they do not add up.
  [[nodiscard]] std::optional<Shares> shares() const { return shapes_.shares(); }
  /// [x]: the least that x vertices of a row cut, in quarters, less twice what their ranks are
  /// worth at these prices, the same in all rows, beyond an even share; 0 of none and of all. What
  /// zones take of a row is worth its ranks together, so a row's pieces cut no less than this says.
  [[nodiscard]] std::vector<std::int64_t> priced_inside(const PieceMultipliers& multipliers);
  /// The most vertices of a row that a zone took in the last solve.
  [[nodiscard]] std::size_t largest_taken() const;

 private:
  /// Prices of ranks, and what comes of them.
  struct List {
    PricedSets* sets = nullptr;
    std::vector<std::uint32_t> dearest;  ///< places, the dearest first
    std::vector<double> each;            ///< price of a vertex by place
    std::vector<double> by_taken;        ///< of a row without a price of its own
    std::vector<double> zones;           ///< that take so many of a row, in all rows
    double rows = 0;
    double worth = 0;      ///< of all ranks
    double magnitude = 0;  ///< of their prices
  };

  void price_ranks(List& list, std::span<const double> prices) const;
  void costs_of_taken(List& list, std::span<double> by_taken) const;
  void price_larger(List& list, std::span<double> by_taken) const;
  void price_row(std::size_t row_class, double price);
  void count(const List& list, std::span<double> violation);
  void count_dearest(const List& list, std::size_t taken, std::span<double> violation) const;
  [[nodiscard]] std::size_t list_of(std::size_t row_class) const {
    return lists_.size() == 1 ? 0 : row_class;
  }
  [[nodiscard]] std::size_t places() const { return places_; }
  /// Ranks with the same price up to their mirror images.
  [[nodiscard]] std::size_t rank(std::size_t place) const {
    return mirrored_ ? std::min(place, places() - 1 - place) : place;
  }

  RowLine line_;
  std::span<const std::int64_t> inside_;
  bool mirrored_;
  std::size_t places_;
  std::size_t ranks_;
  StageShapes shapes_;
  std::vector<List> lists_;
  StageShapes::Costs cost_;
  std::vector<std::size_t> known_;     // sizes that zones take of a row, scratch
  std::vector<std::uint8_t> members_;  // of their sets, by place
};

}  // namespace zonecut
