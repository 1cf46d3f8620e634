#pragma once
// The least price of exactly k pieces that add up to exactly v, from below and without a table over
// k: the line under the lower hull of the prices, and what the pieces must lie above it because
// their sum has to leave the right remainder (the group relaxation of Gomory, Linear Algebra and
// its Applications 2, 1969).
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zonecut {

/// Pieces of one size; relaxed solutions have fractions of them, and less than none.
struct PieceCount {
  std::size_t piece = 0;
  double count = 0;
};

class CountedPieces {
 public:
  /// price[x] for x = 1 … kinds − 1; [0] is not used. O(kinds).
  void set_prices(std::span<const double> price);
  /// At most the least price. For 1 ≤ v/k ≤ kinds − 1. The first call for a part of the hull is
  /// O(kinds · length of that part).
  double bound(std::size_t k, std::size_t v);
  /// The same; `pieces` make it up.
  double bound(std::size_t k, std::size_t v, std::vector<PieceCount>& pieces);

 private:
  struct Cell {
    double excess = 0;
    std::uint32_t last = 0;
  };
  struct Segment {  ///< of the hull
    std::size_t low = 0;
    std::size_t high = 0;
    double slope = 0;
    std::vector<Cell> least;  ///< by remainder; empty until it is needed
  };

  void fill(Segment& segment) const;
  static void take_steps(Segment& segment, std::size_t length, const Cell& step);
  struct Found {
    const Segment* segment = nullptr;
    double cost = 0;
  };
  [[nodiscard]] static std::size_t remainder_on(const Segment& segment, std::size_t k,
                                                std::size_t v);
  double on(Segment& segment, std::size_t k, std::size_t v) const;
  Found dearer_segment(std::size_t k, std::size_t v);

  std::span<const double> price_;
  std::vector<Segment> hull_;
};

}  // namespace zonecut
