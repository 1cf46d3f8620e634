#pragma once
// What it costs to give a box of a part's vertices to another part: an interval of columns in
// neighbouring rows that begins, or ends, where the part does in these rows. For every two parts
// and every number of vertices the cheapest box of either kind is known.
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "refine/box_grids.hpp"
#include "refine/working_partition.hpp"

namespace zonecut {

struct Box {
  std::uint32_t row = 0, rows = 0;
  std::uint32_t column = 0, columns = 0;
  [[nodiscard]] bool holds(const BoxGrids::Place& place) const {
    return place.row - row < rows && place.column - column < columns;
  }
};

enum class BoxSide : std::uint8_t { Begin, End };

class BoxOffers {
 public:
  static constexpr std::size_t kMostVertices = 128;
  /// Where there is no box; three of them add up.
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 4;

  /// By number of vertices, below `sizes`.
  struct OfPair {
    std::size_t sizes = 0;
    std::int64_t least = kNone;      ///< of all costs
    std::vector<std::int64_t> cost;  ///< what the cut rises by
    std::vector<Box> box;
    [[nodiscard]] std::span<const std::int64_t> costs() const { return {cost.data(), sizes}; }
  };
  using OfPart = std::vector<OfPair>;

  /// Borrows both.
  BoxOffers(const WorkingPartition& partition, const BoxGrids& grids);

  /// Looks anew what these parts may give. What others offer them keeps its box, not always its
  /// cost. O(degrees of their vertices + rows · vertices · parts they border on).
  void see(std::span<const std::uint32_t> parts, WorkBudget& budget);
  /// Exact as of the last look, where edges between rows join neighbours and keep their column;
  /// others count as if they left the box.
  [[nodiscard]] const OfPair& between(std::size_t from, std::size_t to, BoxSide side) const {
    return offers_[from][index(to, side)];
  }
  [[nodiscard]] std::size_t parts() const { return offers_.size(); }
  /// Weight between two boxes. O(vertices of the first · their degree).
  [[nodiscard]] std::int64_t weight(const Box& box, const Box& other, WorkBudget& budget) const;
  /// What a part offers is exchanged for what is remembered of it, of 2 · parts pairs.
  void swap(std::size_t from, OfPart& other) { offers_[from].swap(other); }

 private:
  static constexpr std::uint32_t kNotNear = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kAbove = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kBelow = kAbove - 1;
  static constexpr std::uint32_t kElsewhere = kAbove - 2;
  /// An edge as the vertex at its one end sees it.
  struct Link {
    std::uint32_t vertex;
    std::uint32_t column;  ///< in the same row, or kAbove, kBelow, kElsewhere
    std::int64_t weight;
  };
  /// Columns of one row that a part has side by side.
  struct Segment {
    std::uint32_t row, begin, end;
    [[nodiscard]] std::uint32_t length() const { return end - begin; }
  };

  [[nodiscard]] static std::size_t index(std::size_t to, BoxSide side) {
    return 2 * to + static_cast<std::size_t>(side);
  }
  [[nodiscard]] std::span<const Link> links(std::uint32_t vertex) const {
    return std::span(links_).subspan(first_link_[vertex],
                                     first_link_[vertex + 1] - first_link_[vertex]);
  }
  [[nodiscard]] std::uint32_t column_of(std::uint32_t vertex, std::uint32_t row) const;
  void find_segments(std::span<const std::uint32_t> parts);
  void see_part(std::uint32_t part, BoxSide side);
  void see_run(std::uint32_t part, std::span<const Segment> run, BoxSide side);
  void add_column(const Segment& segment, std::uint32_t length, BoxSide side, std::size_t row);
  void offer(std::span<const Segment> run, std::uint32_t length, BoxSide side);
  std::size_t near(std::uint32_t part) {
    return near_[part] == kNotNear ? add_near(part) : near_[part];
  }
  std::size_t add_near(std::uint32_t part);
  void choose_targets(std::uint32_t part, BoxSide side);

  const WorkingPartition& partition_;
  const BoxGrids& grids_;
  std::vector<std::size_t> first_link_;  // by vertex
  std::vector<Link> links_;
  std::vector<OfPart> offers_;                  // by part that gives; of index()
  std::vector<std::vector<Segment>> segments_;  // by part
  // Of a run of rows:
  std::vector<std::uint32_t> parts_near_;  // that it has to do with, its own first
  std::vector<std::uint32_t> near_;        // where in parts_near_, by part
  std::vector<OfPair*> target_;            // by parts_near_
  // Weight between a box's columns and the vertices of a part that lie elsewhere, in rows above and
  // in rows below; by row of the run and parts_near_.
  std::vector<std::int64_t> beside_, above_, below_;
  std::vector<std::int64_t> sum_;  // of beside_, by parts_near_
  std::size_t work_ = 0;
};

}  // namespace zonecut
