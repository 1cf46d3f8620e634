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
  HeldRows(std::size_t parts, std::size_t rows);

  /// Parts fill row after row of so many vertices, in an order that is drawn.
  void fill_in_turn(std::span<const std::uint32_t> shares, std::size_t length, Random& random);

  /// The part holds so many more of the row.
  void add(std::size_t part, std::size_t row, std::uint32_t count);

  [[nodiscard]] std::size_t parts() const { return parts_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::uint32_t held(std::size_t part, std::size_t row) const {
    return held_[part * rows_ + row];
  }
  /// By row.
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t part) const {
    return {&held_[part * rows_], rows_};
  }
  /// Of which the part holds some, in order.
  [[nodiscard]] std::span<const std::uint32_t> rows_of(std::size_t part) const {
    return {&rows_of_[part * rows_], row_count_[part]};
  }
  /// That hold some of the row, in order.
  [[nodiscard]] std::span<const std::uint32_t> parts_of(std::size_t row) const {
    return {&parts_of_[row * parts_], part_count_[row]};
  }
  /// The next row from this one on, in a circle, of which the part holds some and that is not
  /// `but`; or as many as there are rows.
  [[nodiscard]] std::size_t next_row(std::size_t part, std::size_t first, std::size_t but) const;
  /// The next part, in the same way, that holds some of the row; or as many as there are parts.
  [[nodiscard]] std::size_t next_part(std::size_t row, std::size_t first, std::size_t but) const;

  void apply(const Exchange& exchange);
  void undo(Exchange exchange);
  void swap_rows(std::size_t a, std::size_t b);
  /// The same; no other parts hold any of them.
  void swap_rows(std::size_t a, std::size_t b, std::span<const std::uint32_t> parts);

 private:
  void swap_held(std::size_t part, std::size_t a, std::size_t b);
  void swap_parts_of(std::size_t a, std::size_t b);
  void remove(std::size_t part, std::size_t row, std::uint32_t count);

  std::size_t parts_;
  std::size_t rows_;
  std::vector<std::uint32_t> held_;        // by part and row
  std::vector<std::uint32_t> rows_of_;     // by part: as many as row_count_ says, in order
  std::vector<std::uint32_t> row_count_;   // by part
  std::vector<std::uint32_t> parts_of_;    // by row, in the same way
  std::vector<std::uint32_t> part_count_;  // by row
};

}  // namespace zonecut
