#pragma once
// All sets of vertices of a small graph that cut little, where few vertices lie open at a time
// (line_cut.hpp). In NCCL's double binary tree these are subtrees and little else: of 128 ranks
// 3,781 sets cut at most six edges.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grid_traffic.hpp"

namespace zonecut {

struct LowCuts {
  struct Set {
    std::uint32_t size = 0;
    std::uint32_t runs = 0;   ///< of consecutive vertices
    std::uint32_t first = 0;  ///< its runs in `ends`
    std::int64_t cut = 0;
  };

  std::size_t length = 0;           ///< vertices
  std::vector<Set> sets;            ///< but the empty one
  std::vector<std::uint32_t> ends;  ///< of every run the first vertex and the one after the last
  std::int64_t others = 0;          ///< any other set cuts at least so much
  bool mirrored = false;            ///< the graph read backwards is the same; then one of a set and
                                    ///< its mirror image is listed
  std::size_t steps = 0;            ///< work it took
};

/// With the highest limit on the cut that at most about so many sets meet, all of them up to the
/// limit that have at most `largest` vertices. None where that is more work than allowed. By
/// dynamic programming over vertices and open ones, then a search back from the end that goes
/// nowhere in vain: O(length · 2^open + length · sets).
[[nodiscard]] std::optional<LowCuts> low_cuts(std::size_t length, std::span<const LineEdge> edges,
                                              std::size_t most_sets, std::size_t largest,
                                              std::size_t most_steps);

}  // namespace zonecut
