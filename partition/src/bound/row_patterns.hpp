#pragma once
// The pieces that make up a divided row at the least sum of their prices: any pieces
// (RowPatterns), or at most one of every zone (ZonePatterns). A row of two pieces or three costs
// its excess (row_excess.hpp) besides; where any is known, all other rows have at least four.
//
// Where groups count for an excess, ZonePatterns looks at rows of any pieces one by one, those that
// cost less without excess than the best of them costs with it. Where that takes too long once, it
// does so no more, and as in RowPatterns no excess counts for which groups do.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/row_excess.hpp"

namespace zonecut {

inline constexpr std::size_t kFewPieces = 3;  ///< of a row with an excess

class RowPatterns {
 public:
  /// Rows of so many vertices, pieces below `kinds`.
  RowPatterns(std::size_t length, std::size_t kinds) : length_(length), kinds_(kinds) {}

  /// Of choose: O(length · kinds), with excess O(length²).
  [[nodiscard]] std::size_t steps(bool with_excess) const;
  /// What the cheapest costs, infinite where no pieces fill a row. price[x] of a piece of x.
  double choose(std::span<const double> price, std::span<const RowExcess> excess);
  /// Of that one.
  [[nodiscard]] std::span<const std::uint32_t> pieces() const { return pieces_; }
  /// Which excess it costs besides.
  [[nodiscard]] std::optional<std::size_t> excess() const { return excess_; }
  /// What it would cost besides with as many others.
  [[nodiscard]] double excess_by(std::span<const RowExcess> others) const;

  struct Row {
    double cost = 0;
    std::vector<std::uint32_t> pieces;
    std::optional<std::size_t> excess;
  };
  /// Others at the prices of the last choose: the cheapest with a piece of some size, for those
  /// sizes with which rows are cheapest.
  [[nodiscard]] std::vector<Row> others(std::span<const double> price,
                                        std::span<const RowExcess> excess, std::size_t most) const;

 private:
  struct Cell {
    double cost = 0;
    std::uint32_t last = 0;  ///< piece that was added
  };

  void fill(std::span<const double> price);
  double choose_many(std::span<const double> price);
  double choose_few(std::span<const double> price, std::span<const RowExcess> excess, double most);
  void take(std::size_t sum, std::vector<std::uint32_t>& pieces) const;

  std::size_t length_;
  std::size_t kinds_;
  std::vector<Cell> any_;      // by sum
  std::vector<Cell> several_;  // the same of two pieces or more
  std::vector<std::uint32_t> pieces_;
  std::optional<std::size_t> excess_;
};

class ZonePatterns {
 public:
  struct Piece {
    std::size_t zone = 0;
    std::uint32_t size = 0;
  };

  ZonePatterns(std::size_t length, std::size_t zones) : length_(length), zones_(zones) {}

  /// Of choose: O(zones · length²), and what ranking rows took the last time.
  [[nodiscard]] std::size_t steps(bool with_excess) const;
  /// What the cheapest costs, infinite where no pieces fill a row. price[z][x] of a piece of x of
  /// zone z, as large as there are prices.
  double choose(std::span<const std::span<const double>> price, std::span<const RowExcess> excess);
  [[nodiscard]] std::span<const Piece> pieces() const { return pieces_; }
  [[nodiscard]] std::optional<std::size_t> excess() const { return excess_; }
  [[nodiscard]] double excess_by(std::span<const RowExcess> others) const;

  struct Row {
    double cost = 0;
    std::vector<Piece> pieces;
    std::optional<std::size_t> excess;
  };
  /// Others at the prices of the last choose: the cheapest with a piece of one zone of some size,
  /// for those sizes with which rows are cheapest. The next choose is followed by those of another
  /// zone.
  [[nodiscard]] std::vector<Row> others(std::span<const std::span<const double>> price,
                                        std::span<const RowExcess> excess, std::size_t most);

 private:
  /// The zones that ask least for a piece of one size, the first of them first.
  struct Cheapest {
    std::array<double, kFewPieces> price;
    std::array<std::size_t, kFewPieces> zone;
  };

  /// Zones are added in turn, so that the last is another one from time to time.
  [[nodiscard]] std::size_t in_turn(std::size_t place) const { return (place + turn_) % zones_; }
  [[nodiscard]] std::span<double> least(std::size_t zones, std::size_t layer);
  double fill(std::span<const std::span<const double>> price);
  [[nodiscard]] std::size_t layer_steps() const { return zones_ * length_ * length_ / 4; }
  std::optional<double> rank(std::span<const std::span<const double>> price,
                             std::span<const RowExcess> excess);
  bool look(std::span<const std::span<const double>> price, std::span<const RowExcess> excess,
            std::size_t zones, std::size_t sum, double cost);
  void see(std::span<const Piece> pieces, std::span<const RowExcess> excess, double cost);
  void take_filled(std::span<const std::span<const double>> price, std::size_t zones,
                   std::size_t layer, std::size_t sum, std::vector<Piece>& pieces);
  void see_cheapest(std::span<const std::span<const double>> price);
  double choose_few(std::span<const RowExcess> excess, double most);
  [[nodiscard]] double assign(std::span<const std::uint32_t> sizes, double most);

  std::size_t length_;
  std::size_t zones_;
  std::size_t layers_ = 1;          // the last: of any pieces, or of four and more beside 1 to 3
  std::vector<double> least_;       // by zones so far, in turn, layer and sum
  std::vector<Cheapest> cheapest_;  // by size
  std::vector<Piece> pieces_;
  std::size_t turn_ = 0;
  std::vector<Piece> assigned_;       // scratch
  bool ranked_ = false;               // rows, the last time
  bool takes_too_long_ = false;       // to rank them
  double least_ranked_ = 0;           // of the rows that were looked at
  std::int64_t rank_work_ = 0;        // of the last time
  std::vector<std::uint32_t> sizes_;  // scratch
  std::optional<std::size_t> excess_;
};

}  // namespace zonecut
