#include "starts/column_borders.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace zonecut {
namespace {

constexpr std::size_t kCheapPart = 4;  // one place in so many
constexpr std::size_t kFewestCheap = 8;
constexpr std::size_t kMostNear = 16;
constexpr double kNarrowest = 6;           // window
constexpr std::uint32_t kMostCounts = 64;  // of rows at one place, about
constexpr std::size_t kPerDraft = 24;      // work
constexpr std::size_t kPerPlace = 4;       // of a border

}  // namespace

ColumnBorders::ColumnBorders(const EqualRows& rows, std::size_t parts)
    : rows_(rows),
      window_(
          std::max(kNarrowest, static_cast<double>(rows.length()) / static_cast<double>(parts))),
      cheap_(cheapest_places(
          rows, std::max<std::size_t>(kFewestCheap, (rows.length() - 1) / kCheapPart))) {
  cheap_.insert(cheap_.end(), {0, rows.length()});
  std::ranges::sort(cheap_);
}

std::span<const ColumnBorder> ColumnBorders::with(std::uint32_t vertices) {
  const auto [found, is_new] = known_.try_emplace(vertices);
  if (is_new) found->second = find(vertices);
  return found->second;
}

std::size_t ColumnBorders::take_work() { return std::exchange(work_, 0); }

std::vector<std::uint32_t> ColumnBorders::places_near(double place) const {
  std::vector<std::uint32_t> near;
  const auto far = [&](std::uint32_t other) {
    return std::abs(static_cast<double>(other) - place);
  };
  std::ranges::copy_if(cheap_, std::back_inserter(near),
                       [&](std::uint32_t other) { return far(other) <= window_; });
  std::ranges::stable_sort(near, {}, far);
  if (near.size() > kMostNear) near.resize(kMostNear);
  std::ranges::sort(near);
  return near;
}

/// Rows differ where the first end, after the one between, and where none is a place further.
std::int64_t ColumnBorders::apart(const Draft& draft) const {
  const auto between = [&](std::uint32_t row, std::uint32_t other) {
    return std::abs(std::int64_t{draft.at(row)} - std::int64_t{draft.at(other)});
  };
  std::int64_t apart = rows_.wrap() * between(0, rows_.rows() - 1);
  const auto add = [&](std::uint32_t row) {
    if (row > 0 && row < rows_.rows()) apart += rows_.step() * between(row - 1, row);
  };
  add(draft.rows);
  add(draft.rows + 1);
  if (draft.further > 0) add(draft.rows + 1 + draft.further);
  return apart;
}

void ColumnBorders::add(Draft draft) {
  const auto over = [&](std::uint32_t rows, std::uint32_t place) {
    return rows == 0 ? 0 : std::int64_t{rows} * rows_.over(place);
  };
  const std::uint32_t last = rows_.rows() - draft.rows - 1 - draft.further;
  draft.cost = apart(draft) + over(draft.rows, draft.place) + over(1, draft.middle) +
               over(draft.further, draft.other + 1) + over(last, draft.other);
  work_ += kPerDraft;
  drafts_.push_back(draft);
}

/// All rows but these as level as can be.
void ColumnBorders::add_level(std::uint32_t rows, std::uint32_t place, std::uint32_t vertices) {
  if (std::uint64_t{rows} * place > vertices) return;
  const std::uint32_t left = vertices - rows * place;
  const std::uint32_t others = rows_.rows() - rows;
  const std::uint32_t level = left / others;
  const std::uint32_t further = left % others;
  if (level + (further > 0 ? 1 : 0) > rows_.length()) return;
  const auto far = static_cast<double>(std::max(level, place) - std::min(level, place));
  if (rows > 0 && far > window_) return;
  const std::uint32_t first = further > 0 ? 1 : 0;
  add({rows, place, level + first, level, further - first});
}

/// The first rows at the high place, the last at the low one.
void ColumnBorders::add_between(std::uint32_t low, std::uint32_t high, std::uint32_t vertices) {
  const std::uint32_t more = vertices - rows_.rows() * low;
  const std::uint32_t rows = more / (high - low);
  if (rows < rows_.rows()) add({rows, high, low + more % (high - low), low, 0});
}

std::vector<ColumnBorder> ColumnBorders::find(std::uint32_t vertices) {
  drafts_.clear();
  add_level(0, 0, vertices);
  const double mean = static_cast<double>(vertices) / static_cast<double>(rows_.rows());
  const std::vector<std::uint32_t> near = places_near(mean);
  const std::uint32_t next = std::max(1U, rows_.rows() / kMostCounts);
  for (const std::uint32_t place : near) {
    for (std::uint32_t rows = 1; rows < rows_.rows(); rows += next) {
      add_level(rows, place, vertices);
    }
  }
  for (const std::uint32_t low : near) {
    for (const std::uint32_t high : near) {
      if (low < high && low <= mean && mean < high) add_between(low, high, vertices);
    }
  }
  std::ranges::stable_sort(drafts_, {}, &Draft::cost);
  std::vector<ColumnBorder> borders;
  const auto take = [&](const Draft& draft, bool turned) {
    ColumnBorder border{{}, apart(draft)};
    for (std::uint32_t row = 0; row < rows_.rows(); ++row) {
      border.place.push_back(static_cast<std::uint16_t>(draft.at(row)));
    }
    if (turned) std::ranges::reverse(border.place);
    if (std::ranges::find(borders, border.place, &ColumnBorder::place) != borders.end()) return;
    borders.push_back(std::move(border));
  };
  for (const Draft& draft : drafts_) {
    if (borders.size() >= kMost) break;
    take(draft, false);
    take(draft, true);
  }
  work_ += 8 * drafts_.size() + kPerPlace * kMost * rows_.rows();
  return borders;
}

}  // namespace zonecut
