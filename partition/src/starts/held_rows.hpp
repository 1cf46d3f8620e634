#pragma once
// How many vertices of each of several equal rows each part holds, whatever their places.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partition_problem.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

class HeldRows {
 public:
  struct Exchange {  ///< `count` vertices of `one` from row `here` to `there`, of `other` back
    std::size_t one = 0;
    std::size_t other = 0;
    std::size_t here = 0;
    std::size_t there = 0;
    std::uint32_t count = 0;
  };

  /// Nobody holds anything.
  HeldRows(std::size_t parts, std::size_t rows)
      : parts_(parts), rows_(rows), held_(parts * rows, 0) {}

  /// Parts fill row after row of so many vertices, in an order that is drawn.
  void fill_in_turn(std::span<const std::uint32_t> shares, std::size_t length, Random& random);

  [[nodiscard]] std::size_t parts() const { return parts_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::uint32_t held(std::size_t part, std::size_t row) const {
    return held_[part * rows_ + row];
  }
  /// By row.
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t part) const {
    return {&held_[part * rows_], rows_};
  }
  /// The next row from this one on, in a circle, of which the part holds some and that is not
  /// `but`; or rows().
  [[nodiscard]] std::size_t next_row(std::size_t part, std::size_t first, std::size_t but) const;
  /// The next part, in the same way, that holds some of the row; or parts().
  [[nodiscard]] std::size_t next_part(std::size_t row, std::size_t first, std::size_t but) const;

  void apply(const Exchange& exchange);
  void undo(Exchange exchange);
  void swap_rows(std::size_t a, std::size_t b);

 private:
  std::uint32_t& at(std::size_t part, std::size_t row) { return held_[part * rows_ + row]; }

  std::size_t parts_;
  std::size_t rows_;
  std::vector<std::uint32_t> held_;  // by part and row
};

}  // namespace zonecut
