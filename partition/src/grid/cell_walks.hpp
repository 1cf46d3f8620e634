#pragma once
// What a piece of a row cuts from one of its cells on, at least: the rest of a walk over the cells,
// by how many vertices it has still to take, by what it took of the cell before, and, where the
// row's ends are joined, by what it took of the first.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "grid/row_cut.hpp"

namespace zonecut {

class CellWalks {
 public:
  /// Never reached; sums of a few of them still are numbers.
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 64;

  /// The ring's own end price does not count, but this one does.
  CellWalks(const CellRing& ring, std::int64_t end_price);

  [[nodiscard]] std::size_t cells() const { return cells_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Whether the last cell is joined to the first.
  [[nodiscard]] bool closed() const { return closing_ != 0 || chain_ != 0; }
  /// What all ends' prices together add to the pieces of a row.
  [[nodiscard]] std::int64_t end_prices() const {
    return 2 * end_price_ * static_cast<std::int64_t>(size_);
  }
  /// What taking so many of a cell costs, and going on from `last` of the one before.
  [[nodiscard]] std::int64_t step(std::size_t cell, std::size_t last, std::size_t taken) const {
    return cell == 0 ? inside(cell, taken) : border(last, taken, slope_) + inside(cell, taken);
  }
  /// From `cell` on, one at least. The first call for a `first` takes O(length · size · cells); in
  /// a row that is not closed all are the same.
  [[nodiscard]] std::int64_t rest(std::size_t first, std::size_t cell, std::size_t left,
                                  std::size_t last) {
    return table(first)[(cell * (cells_ * size_ + 1) + left) * options_ + last];
  }
  /// Of all cells.
  [[nodiscard]] std::int64_t whole(std::size_t left);
  /// Steps since this was asked last.
  [[nodiscard]] std::size_t take_work();

  /// Entries of all tables there may be.
  [[nodiscard]] static std::size_t most_entries(const CellRing& ring);

 private:
  [[nodiscard]] std::int64_t inside(std::size_t cell, std::size_t taken) const {
    const bool end = cell == 0 || cell + 1 == cells_;
    return cell_[taken] + (end ? end_price_ * static_cast<std::int64_t>(taken) : 0);
  }
  [[nodiscard]] std::int64_t border(std::size_t last, std::size_t taken, std::int64_t slope) const;
  const std::vector<std::int64_t>& table(std::size_t first);
  void fill(std::vector<std::int64_t>& rest, std::size_t first);
  void cross(std::vector<std::int64_t>& after) const;

  std::size_t cells_;
  std::size_t size_;
  std::size_t options_;  // of a cell: 0 to its size
  std::vector<std::int64_t> cell_;
  std::int64_t slope_;
  std::int64_t closing_;
  std::int64_t chain_;
  std::int64_t end_price_;
  std::vector<std::vector<std::int64_t>> rest_;  // by what was taken of the first cell
  std::vector<std::int64_t> whole_;              // by size; kNever until it is asked for
  std::size_t work_ = 0;
};

}  // namespace zonecut
