#include "starts/row_places.hpp"

#include <algorithm>

namespace zonecut {
namespace {

constexpr std::size_t kMostBlocks = 16;
constexpr std::uint32_t kLeastWidth = 4;
/// A block is halved within so much of its width from the middle.
constexpr std::uint32_t kNearMiddle = 8;

/// Weighs intervals of the same positions in some neighbouring lines.
class Intervals {
 public:
  explicit Intervals(const LineModel& model)
      : model_(model),
        grid_(model.grids().front()),
        lo_(2 * LineModel::padded(grid_.lines), 0),
        hi_(lo_.size(), 0) {}

  double within(std::uint32_t lo, std::uint32_t hi, std::uint32_t lines) {
    const std::uint32_t first = std::min(grid_.lines - lines, grid_.lines / 2);
    for (std::uint32_t i = 0; i < grid_.lines; ++i) {
      const bool inside = i >= first && i < first + lines;
      lo_[i] = inside ? static_cast<std::int32_t>(lo) : 0;
      hi_[i] = inside ? static_cast<std::int32_t>(hi) : 0;
    }
    return static_cast<double>(model_.weight_within(grid_, lo_.data(), hi_.data()));
  }

  double cut(std::uint32_t lo, std::uint32_t x, std::uint32_t hi) {
    return within(lo, hi, 1) - within(lo, x, 1) - within(x, hi, 1);
  }

 private:
  const LineModel& model_;
  const LineLayout::Grid& grid_;
  std::vector<std::int32_t> lo_, hi_;
};

std::uint32_t cheapest_near_middle(Intervals& row, std::uint32_t lo, std::uint32_t hi) {
  const std::uint32_t middle = (lo + hi) / 2;
  std::uint32_t best = middle;
  double least = row.cut(lo, middle, hi);
  for (std::uint32_t d = 1; d <= (hi - lo) / kNearMiddle; ++d) {
    for (const std::uint32_t x : {middle - d, middle + d}) {
      const double cut = row.cut(lo, x, hi);
      if (cut >= least) continue;
      least = cut;
      best = x;
    }
  }
  return best;
}

}  // namespace

RowPlaces::RowPlaces(const LineModel& model)
    : lines_(model.grids().front().lines),
      place_{0, model.layout().lines[model.grids().front().first_line].length()} {
  const std::uint32_t length = place_.back();
  Intervals row(model);
  while (2 * last() <= kMostBlocks && length / last() >= 2 * kLeastWidth) {
    std::vector<std::uint32_t> halved{0};
    for (std::size_t k = 0; k < last(); ++k) {
      halved.push_back(cheapest_near_middle(row, at(k), at(k + 1)));
      halved.push_back(at(k + 1));
    }
    place_ = std::move(halved);
  }
  for (const std::uint32_t place : place_) {
    std::vector<double>& behind = behind_.emplace_back(length + 1, 0.0);
    std::vector<double>& before = before_.emplace_back(length + 1, 0.0);
    for (std::uint32_t x = place + 1; x <= length; ++x) behind[x] = row.within(place, x, 1);
    for (std::uint32_t x = 0; x < place; ++x) before[x] = row.within(x, place, 1);
  }
  const double alone = row.within(0, length, 1);
  step_ = (row.within(0, length, 2) - 2 * alone) / length;
  // Two lines have one edge between them, not two.
  const double between = row.within(0, length, lines_) - lines_ * alone;
  closing_ = std::max(0.0, between / length - step_ * (lines_ - 1));
}

std::size_t RowPlaces::nearest(double position) const {
  const auto above = std::ranges::find_if(
      place_, [&](std::uint32_t place) { return static_cast<double>(place) >= position; });
  if (above == place_.end()) return last();
  const auto index = static_cast<std::size_t>(above - place_.begin());
  return index > 0 && position - at(index - 1) < at(index) - position ? index - 1 : index;
}

double RowPlaces::cut_at(std::size_t i, std::size_t j, std::uint32_t position) const {
  return behind_[i][at(j)] - behind_[i][position] - before_[j][position];
}

double RowPlaces::cut(std::size_t i, std::size_t j, double x) const {
  const auto whole = static_cast<std::uint32_t>(x);
  const double part = x - whole;
  const double cut = cut_at(i, j, at(i) + whole);
  return part > 0 ? (1 - part) * cut + part * cut_at(i, j, at(i) + whole + 1) : cut;
}

}  // namespace zonecut
