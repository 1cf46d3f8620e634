#pragma once
// What a region of a line layout holds, in time that grows with the lines and not the vertices: a
// region is one interval per line, and all weights are summed up along the lines beforehand.
//
//     line 0   o=o=o=o=o=o=o=o     within a line: sums for each stride that occurs (1, a clique's
//              | | | | | | | |     2, 3, …, a ring's closing edge)
//     line 1   o=o=o=o=o=o=o=o     between equal positions of two lines: links, summed up too
//                      `--.
//     line 2   o=o=o=o=o=o=o=o     any other edge is loose: looked up by its ends
//
// A stretched line's link leads from each position p to position factor·p + offset of a longer one.
// Where all edges of a stride or of a link weigh the same, nothing need be looked up: what counts
// is how long an interval is, for several lines at a time.
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "starts/line_layout.hpp"

namespace zonecut {

class LineModel {
 public:
  struct LooseEdge {
    std::uint32_t u, v;  ///< indices into loose_places()
    std::int64_t weight;
  };

  /// Lines that are weighed at a time.
  static constexpr std::size_t kLanes = 8;
  [[nodiscard]] static constexpr std::size_t padded(std::size_t lines) {
    return (lines + kLanes - 1) / kLanes * kLanes;
  }

  LineModel(const CommunicationGraph& graph, LineLayout layout);

  [[nodiscard]] const LineLayout& layout() const noexcept { return layout_; }
  [[nodiscard]] std::span<const LineLayout::Grid> grids() const noexcept { return layout_.grids; }
  [[nodiscard]] std::int64_t total_weight() const noexcept { return total_weight_; }
  /// Each edge twice, once from either end; of one place they are next to each other.
  [[nodiscard]] std::span<const LooseEdge> loose_edges() const noexcept { return loose_; }
  [[nodiscard]] std::span<const LooseEdge> loose_edges(std::uint32_t place) const {
    return std::span(loose_).subspan(loose_begin_[place],
                                     loose_begin_[place + 1] - loose_begin_[place]);
  }
  [[nodiscard]] std::span<const LineLayout::Place> loose_places() const noexcept {
    return loose_at_;
  }
  /// The first of loose_places() in this line or a later one; positions rise within a line.
  [[nodiscard]] std::uint32_t first_loose_of(std::uint32_t line) const {
    return loose_in_line_[line];
  }

  /// Weight within a region of one grid without loose edges: of the grid's i-th line it holds the
  /// positions from lo[i] to before hi[i]. `Position`, int16_t or int32_t, holds the number of all
  /// vertices. Twice as many lanes as the lines need, rounded up, can be read. O(lines + links).
  template <class Position>
  [[nodiscard]] std::int64_t weight_within(const LineLayout::Grid& grid, const Position* lo,
                                           const Position* hi) const;
  /// Whether edges within lines are few and of all lengths, as those of trees.
  [[nodiscard]] bool has_trees() const noexcept { return has_trees_; }
  /// The work of weight_within, in steps of a WorkBudget.
  [[nodiscard]] std::size_t terms(const LineLayout::Grid& grid) const {
    return sums_of(grid).terms;
  }

 private:
  struct Stride {
    std::uint32_t stride, sums, begin;  ///< sums_[sums + p - begin]: all that start before p
  };
  struct Link {
    std::uint32_t other;  ///< line of the grid, counted from its first
    std::uint32_t sums, begin;
  };
  struct Ranges {
    std::uint32_t strides_end = 0, links_end = 0;
    std::uint32_t table = kNoTable;  ///< into tables_: instead of strides
  };
  /// Edges of one kind and weight.
  struct RunKind {
    std::uint32_t stride = 0;  ///< within lines; 0: links
    std::uint32_t factor = 1;  ///< above 1: links of stretched lines
    std::uint32_t other = 0;   ///< lines from one end of a link to the other; of stretched lines:
                               ///< the other line itself
    std::int32_t offset = 0;   ///< of stretched lines
    std::int64_t weight = 0;
    auto operator<=>(const RunKind&) const = default;
  };
  /// In some lines of a grid: those whose lane is all ones.
  struct Run {
    RunKind kind;
    std::vector<std::int16_t> lanes;
    std::size_t begin, end;  ///< the lanes lie between
  };
  struct GridSums {
    std::vector<Run> runs;
    bool looked_up = false;  ///< some lines have sums or tables
    std::size_t terms = 0;   ///< work to weigh a region
  };
  static constexpr std::uint32_t kNoTable = ~0u;
  struct Occurrence {  ///< an edge of a line: its kind (stride or other line) and where it starts
    std::uint32_t kind, position, vertex, neighbour;
    std::int64_t weight;
  };
  void add_line(const CommunicationGraph& graph, const LineLayout::Grid& grid, std::uint32_t line);
  void add_stretched(const LineLayout::Grid& grid, std::uint32_t line,
                     std::span<const Occurrence> edges);
  bool add_to_run(std::span<const Occurrence> edges, std::size_t places, RunKind kind,
                  std::uint32_t line);
  void end_grid(const LineLayout::Grid& grid);
  [[nodiscard]] const GridSums& sums_of(const LineLayout::Grid& grid) const {
    return grid_sums_[static_cast<std::size_t>(&grid - layout_.grids.data())];
  }
  std::uint32_t add_sums(std::span<const Occurrence> edges, std::uint32_t begin, std::uint32_t end);
  std::uint32_t add_table(const LineLayout::Line& line, std::span<const Occurrence> within);
  void add_loose(const Occurrence& edge);
  std::uint32_t loose_index(std::uint32_t vertex);
  void index_loose();

  LineLayout layout_;
  std::vector<GridSums> grid_sums_;
  std::map<RunKind, std::vector<std::uint32_t>> runs_;  // lines, of the grid that is being added
  std::vector<Ranges> ranges_;                          // by line, [0] empty
  std::vector<Stride> strides_;
  std::vector<Link> links_;
  std::vector<std::int64_t> sums_;
  std::vector<std::int64_t> tables_;     // by first and last position, all weight between them
  std::vector<Occurrence> last_within_;  // of the line whose table came last
  LineLayout::Line last_line_{};
  std::uint32_t last_table_ = kNoTable;
  std::vector<LooseEdge> loose_;
  std::vector<LineLayout::Place> loose_at_;
  std::vector<std::uint32_t> loose_of_;  // by vertex; not valid after index_loose()
  std::vector<std::uint32_t> loose_in_line_, loose_begin_;
  std::int64_t total_weight_ = 0;
  bool has_trees_ = false;
};

}  // namespace zonecut
