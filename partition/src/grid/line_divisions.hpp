#pragma once
// What the ranks of a line cut, a double binary tree for instance, when pieces of given sizes
// divide it. The best sets of 63, 66, 31, 33 and 63 of 256 ranks fit each other, those of 63, 32,
// 66, 39 and 56 do not: two of them would have the same places.
//
// A search for the shortest path (A*: Hart, Nilsson and Raphael, IEEE Transactions on Systems
// Science and Cybernetics 4, 1968) from place to place. Its state is which of the open places every
// piece has and what it has left to take (frontier_sweep.hpp); what is ahead is at least what every
// piece would cut by itself, which one table says for all. Pieces that have the same places and as
// many left are not told apart.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/divisions.hpp"
#include "grid/grid_traffic.hpp"

namespace zonecut {

class LineDivisions : public Divisions {
 public:
  /// Whether its table is not too large.
  [[nodiscard]] static bool can_search(std::size_t length, std::span<const LineEdge> edges);

  /// Weights up to 2^59 together. O(2^open · length²).
  LineDivisions(std::size_t length, std::span<const LineEdge> edges);

  [[nodiscard]] std::size_t group() const override { return 1; }
  [[nodiscard]] std::size_t take_work() override;

 private:
  friend class LineSearch;
  /// Of a piece over a place that it takes or does not take.
  struct Way {
    std::uint32_t to = 0;  ///< which of the places that are open then it has
    std::int16_t cut = 0;  ///< weight of edges there that it cuts
  };

  [[nodiscard]] std::int64_t alone(std::span<const std::uint32_t> pieces) override;
  [[nodiscard]] std::int64_t search(std::span<const std::uint32_t> pieces) override;
  void fill_ways(std::span<const LineEdge> edges);
  void fill_rest();
  [[nodiscard]] const Way& way(std::size_t place, std::size_t state, bool taken) const {
    return ways_[2 * (first_[place] + state) + (taken ? 1 : 0)];
  }
  /// What a piece cuts from a place on, at least, that has these open ones and so many left to
  /// take.
  [[nodiscard]] std::int16_t rest(std::size_t place, std::size_t state, std::size_t left) const {
    return rest_[(first_[place] + state) * counts_ + left];
  }

  std::size_t length_;
  std::size_t counts_;              // sizes, 0 among them
  std::int64_t unit_ = 1;           // of cuts, which are rounded down to it
  std::vector<std::size_t> first_;  // by place, of the states before it; that after the last
  std::vector<Way> ways_;           // by state, not taken and taken
  std::vector<std::int16_t> rest_;  // by state and left
  std::size_t work_ = 0;
};

}  // namespace zonecut
