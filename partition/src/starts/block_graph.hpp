#pragma once
// A graph whose vertices stand in rows of equal length, seen coarsely: neighbouring places of a row
// are one block, and blocks are the vertices of a smaller graph.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starts/equal_rows.hpp"
#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

class BlockGraph {
 public:
  struct Neighbour {
    std::uint32_t block = 0;
    std::int64_t weight = 0;
  };

  /// Blocks of so many places, the last of a row maybe of fewer. O(edges · log degree).
  BlockGraph(const CommunicationGraph& graph, const RowOrder& order, std::uint32_t width);

  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  [[nodiscard]] std::uint32_t columns() const { return columns_; }
  [[nodiscard]] std::size_t blocks() const { return first_.size() - 1; }
  /// Places of a block, but for those of the last column.
  [[nodiscard]] std::uint32_t width() const { return width_; }
  /// Vertices of a block.
  [[nodiscard]] std::uint32_t size(std::size_t block) const {
    return block % columns_ + 1 == columns_ ? last_width_ : width_;
  }
  [[nodiscard]] std::span<const Neighbour> neighbours(std::size_t block) const {
    return std::span(neighbours_).subspan(first_[block], first_[block + 1] - first_[block]);
  }
  /// Half of what the edges of a block weigh, on average.
  [[nodiscard]] double typical() const { return typical_; }

 private:
  std::uint32_t rows_;
  std::uint32_t columns_;
  std::uint32_t width_;
  std::uint32_t last_width_;
  std::vector<std::uint32_t> first_;  // neighbours by block, row by row
  std::vector<Neighbour> neighbours_;
  double typical_ = 0;
};

}  // namespace zonecut
