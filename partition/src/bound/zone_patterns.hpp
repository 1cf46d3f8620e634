#pragma once
// The pieces that make up a divided row at the least sum of their prices, at most one of every
// zone. A row of two pieces or three costs its excess (row_excess.hpp) besides; where any is known,
// all other rows have at least four. Where an excess is of all pieces, rows of any number are
// ranked (ranked_rows.hpp).
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/few_pieces.hpp"
#include "bound/ranked_rows.hpp"
#include "bound/row_excess.hpp"

namespace zonecut {

class ZonePatterns {
 public:
  using Piece = RankedRows::Piece;

  ZonePatterns(std::size_t length, std::size_t zones) : length_(length), zones_(zones) {}

  /// RankedRows::allow.
  void allow_ranking(std::int64_t steps) { ranks_.allow(steps); }
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
  double choose_sums(std::span<const std::span<const double>> price,
                     std::span<const RowExcess> excess);
  double rank(std::span<const std::span<const double>> price, std::span<const RowExcess> excess);
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
  std::vector<Piece> assigned_;  // scratch
  RankedRows ranks_;
  bool ranked_ = false;               // rows, the last time
  double most_excess_ = kNotReached;  // that is known of rows, then
  std::size_t rank_work_ = 0;         // of that
  std::optional<std::size_t> excess_;
};

}  // namespace zonecut
