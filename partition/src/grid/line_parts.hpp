#pragma once
// A line of vertices taken apart where few of its edges pass, again and again, down to single
// vertices: a tree decomposition (Robertson and Seymour, Journal of Algorithms 7, 1986) whose bags
// are intervals. A vertex of a part is *open* if it has edges to vertices outside of the part. In
// NCCL's double binary trees of 2^k ranks three at most are open in any part, however many ranks
// there are; a sweep from end to end (frontier_sweep.hpp) has one more with every doubling.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/grid_traffic.hpp"

namespace zonecut {

/// The vertices from `low` up to but not including `high`. All lists of them are in order.
struct LinePart {
  struct Half {
    std::size_t index = 0;              ///< of the part that it is
    std::vector<std::uint32_t> hidden;  ///< its open vertices that are not known
    /// The known vertices on which it depends what it cuts: its own, and those of the other half
    /// with edges to hidden ones.
    std::vector<std::uint32_t> seen;
  };
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::vector<std::uint32_t> open;
  /// The open vertices, and so many others of one half that every edge between the halves has an
  /// end among them. Once it is said which of these belong to a set, what either half cuts does not
  /// depend on the other.
  std::vector<std::uint32_t> known;
  std::vector<LineEdge> joined;  ///< edges between the halves
  std::array<Half, 2> halves;    ///< where there is more than one vertex

  [[nodiscard]] std::size_t size() const { return high - low; }
  [[nodiscard]] std::size_t states() const { return std::size_t{1} << open.size(); }
};

/// The whole line first, every part before its halves. Each is divided where there are fewest
/// states of both halves' open vertices and entries of their tables, by state and by size, all
/// added up, then near the middle. Edges of no weight count for nothing. Ends at the first half
/// with too many open ones for `join_steps`: then parts are not whole. O((length + edges) · depth);
/// the depth is the logarithm of the length where parts are divided near the middle, and the length
/// at most.
[[nodiscard]] std::vector<LinePart> take_apart(std::size_t length, std::span<const LineEdge> edges);

/// Sums of sizes up to `most` when all halves are joined (joined_sums.hpp): of every state of a
/// half, then of every pair of states and sizes of two. Vertices count as so many. The most there
/// can be where states or tables of them are too large.
[[nodiscard]] std::size_t join_steps(std::span<const LinePart> parts,
                                     std::span<const std::uint32_t> widths, std::size_t most);

/// Of edges in order of how far they reach, how many there may be so that vertices that count as
/// one are joined in at most so many steps. With every edge these are no fewer, or hardly. As
/// `take_apart`, times the logarithm of the edges.
[[nodiscard]] std::size_t edges_to_join(std::size_t length, std::span<const LineEdge> by_reach,
                                        std::size_t most, std::size_t most_steps);

}  // namespace zonecut
