#pragma once
// Rows of at most one piece of every zone, the cheapest with an excess that is of all their pieces
// (row_excess.hpp): rows are looked at one by one, those that cost less without excess than the
// best of them costs with it. Where they are too many, only those that cost so much more than the
// cheapest without excess: no other costs less. Where that takes too long as well, with many that
// cost the same, it is given up.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bound/row_excess.hpp"
#include "grid/min_plus.hpp"

namespace zonecut {

/// What zones ask for pieces, and what rows cost without excess, zone after zone.
struct PiecePrices {
  std::vector<std::span<const double>> price;  ///< by zone and size of the piece, [0] not used
  std::span<const double> least;               ///< by how many zones come before, and by sum
  std::size_t length = 0;                      ///< of a row
  [[nodiscard]] std::size_t zones() const { return price.size(); }
  [[nodiscard]] std::span<const double> before(std::size_t zone) const {
    return least.subspan(zone * (length + 1), length + 1);
  }
  /// What the cheapest row costs.
  [[nodiscard]] double filled() const { return before(zones()).back(); }
};

class RankedRows {
 public:
  struct Piece {
    std::size_t zone = 0;
    std::uint32_t size = 0;
  };
  struct Row {
    double cost = kNotReached;  ///< with its excess
    std::vector<Piece> pieces;
    std::optional<std::size_t> excess;
  };

  /// Steps of rank, beside those that all take, where that is less than it takes by itself.
  void allow(std::int64_t steps) { allowed_ = steps; }
  /// Whether it is worth its while.
  [[nodiscard]] bool gave_up() const { return vain_ >= kMostVain; }
  /// Looks at the rows there are, from one of them on. Excess of all pieces comes last.
  void rank(PiecePrices prices, std::span<const RowExcess> excess, std::vector<Piece> cheapest);
  /// The cheapest of those it looked at.
  [[nodiscard]] const Row& best() const { return best_; }
  /// What rows cost at least that it did not look at.
  [[nodiscard]] double others() const { return others_; }
  /// Steps of the last time.
  [[nodiscard]] std::size_t work() const { return static_cast<std::size_t>(work_); }

 private:
  static constexpr int kMostVain = 4;
  static constexpr std::size_t kBlock = 8;
  /// Of one zone, those that are part of rows that are cheap enough.
  struct Offers {
    std::vector<double> price{};     ///< by size, whole blocks
    std::vector<double> of_block{};  ///< the least of them
    std::vector<double> before{};    ///< [sum]: the least that the zones before cost, of this sum
                                     ///< and those after it up to a block
  };

  void see_rows_with();
  void offer();
  [[nodiscard]] bool is_dear(double at_least) const {
    return at_least >= std::min(best_.cost, others_);
  }
  bool look_ahead();
  bool look(std::size_t zones, std::size_t sum, double cost);
  bool look_with(std::size_t zone, std::size_t first, std::size_t sum, double cost);
  void see(double cost);

  PiecePrices prices_;
  std::span<const RowExcess> excess_;
  Row best_;
  double others_ = 0;
  double ahead_ = kNotReached;  // of the cheapest row
  int vain_ = 0;                // times in a row that it was of no use
  std::int64_t allowed_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t work_ = 0;
  std::int64_t looked_ = 0;  // steps of one try
  std::int64_t most_looked_ = 0;
  std::int64_t of_a_row_ = 0;
  std::vector<std::vector<double>> rows_with_;  // by zone and size of a piece
  std::vector<Offers> offers_;                  // by zone
  std::vector<Piece> pieces_;                   // of the row so far
  std::vector<std::uint32_t> sizes_;            // scratch
};

}  // namespace zonecut
