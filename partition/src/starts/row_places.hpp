#pragma once
// The places along like lines where a row cuts little, as between the subtrees of a double binary
// tree, and what blocks between two of them cut.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "starts/line_model.hpp"

namespace zonecut {

class RowPlaces {
 public:
  /// Of a model with one grid of at least two lines of equal length. Halves the row, its halves and
  /// so on, each where it cuts least near its middle, into 16 blocks at most. O(length · work of
  /// weight_within).
  explicit RowPlaces(const LineModel& model);

  /// Places are counted from 0, the begin of the row, to this, its end.
  [[nodiscard]] std::size_t last() const { return place_.size() - 1; }
  [[nodiscard]] std::uint32_t at(std::size_t place) const { return place_[place]; }
  [[nodiscard]] std::size_t nearest(double position) const;

  /// What a row of the block from place i to place j cuts in two x positions from its begin; x may
  /// lie between two.
  [[nodiscard]] double cut(std::size_t i, std::size_t j, double x) const;
  /// Weight from one line to the next, for each position.
  [[nodiscard]] double step() const { return step_; }
  /// The same from the last line to the first.
  [[nodiscard]] double closing() const { return closing_; }
  [[nodiscard]] std::uint32_t lines() const { return lines_; }

 private:
  [[nodiscard]] double cut_at(std::size_t i, std::size_t j, std::uint32_t position) const;

  std::uint32_t lines_;
  std::vector<std::uint32_t> place_;
  std::vector<std::vector<double>> behind_;  ///< by place: within the row from it to any position
  std::vector<std::vector<double>> before_;  ///< by place: from any position to it
  double step_ = 0;
  double closing_ = 0;
};

}  // namespace zonecut
