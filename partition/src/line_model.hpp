#pragma once
// What a region of a line layout holds, in time that grows with the lines and not the vertices: a
// region is one interval per line, and all weights are summed up along the lines beforehand.
//
//     line 0   o=o=o=o=o=o=o=o     within a line: sums for each stride that occurs (1, a clique's
//              | | | | | | | |     2, 3, …, a ring's closing edge)
//     line 1   o=o=o=o=o=o=o=o     between equal positions of two lines: links, summed up too
//                      `--.
//     line 2   o=o=o=o=o=o=o=o     any other edge is loose: looked up by its ends
#include <cstdint>
#include <span>
#include <vector>

#include "line_layout.hpp"

namespace zonecut {

class LineModel {
 public:
  struct LooseEdge {
    std::uint32_t u, v;  ///< indices into loose_places()
    std::int64_t weight;
  };

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
  /// positions from lo[i] to before hi[i]. O(lines + links).
  [[nodiscard]] std::int64_t weight_within(const LineLayout::Grid& grid, const std::uint32_t* lo,
                                           const std::uint32_t* hi) const;
  /// Lines, strides and links of a grid: the work of weight_within.
  [[nodiscard]] std::size_t terms(const LineLayout::Grid& grid) const;

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
  static constexpr std::uint32_t kNoTable = ~0u;
  struct Occurrence {  ///< an edge of a line: its kind (stride or other line) and where it starts
    std::uint32_t kind, position, vertex, neighbour;
    std::int64_t weight;
  };
  void add_line(const CommunicationGraph& graph, const LineLayout::Grid& grid, std::uint32_t line);
  std::uint32_t add_sums(std::span<const Occurrence> edges, std::uint32_t begin, std::uint32_t end);
  std::uint32_t add_table(const LineLayout::Line& line, std::span<const Occurrence> within);
  void add_loose(const Occurrence& edge);
  std::uint32_t loose_index(std::uint32_t vertex);
  void index_loose();

  LineLayout layout_;
  std::vector<Ranges> ranges_;  // by line, [0] empty
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
};

}  // namespace zonecut
