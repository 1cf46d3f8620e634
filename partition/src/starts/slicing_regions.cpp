#include "starts/slicing_regions.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace zonecut {
namespace {

template <class Position>
constexpr std::uint32_t kHighest = std::numeric_limits<Position>::max();

/// The first position at or behind x on the common scale.
std::uint32_t shrink(std::uint32_t x, std::uint32_t factor) { return (x + factor - 1) / factor; }

}  // namespace

template <class Position>
SlicingRegions<Position>::SlicingRegions(const LineModel& model, std::size_t cells)
    : model_(&model) {
  for (const LineLayout::Grid& grid : model.grids()) {
    width_ = std::max(width_, LineModel::padded(grid.lines));
  }
  for (const LineLayout::Grid& grid : model.grids()) {
    std::vector<std::vector<Position>>& of_grid = plane_of_.emplace_back();
    for (const LineSweep& sweep : grid.sweeps) {
      std::vector<Position>& plane_of = of_grid.emplace_back(width_, Position{0});
      std::uint32_t place = 0;
      for (std::size_t plane = 0; plane < sweep.plane_end.size(); ++plane) {
        for (; place < sweep.plane_end[plane]; ++place) {
          plane_of[sweep.line[place]] = static_cast<Position>(plane);
        }
      }
    }
    std::vector<Stretch>& stretches = stretches_.emplace_back();
    for (std::uint32_t i = 0; grid.stretched && i < grid.lines; ++i) {
      const std::uint32_t factor = model.layout().lines[grid.first_line + i].stretch;
      auto same = std::ranges::find(stretches, factor, &Stretch::factor);
      if (same == stretches.end()) {
        same = stretches.insert(same, {factor, std::vector<Position>(width_, Position{0})});
      }
      same->lanes[i] = Position{-1};
    }
  }
  threshold_.resize(width_);
  plane_lo_.resize(width_);
  plane_hi_.resize(width_);
  block_.resize(width_);
  resize(cells);
}

template <class Position>
void SlicingRegions<Position>::resize(std::size_t cells) {
  // Links look at lanes behind the last.
  bounds_.resize((2 * cells + 1) * width_, Position{0});
}

template <class Position>
void SlicingRegions<Position>::fill(std::int32_t cell, std::uint32_t grid) {
  const LineLayout::Grid& g = model_->grids()[grid];
  for (std::uint32_t i = 0; i < g.lines; ++i) {
    const LineLayout::Line& line = model_->layout().lines[g.first_line + i];
    bounds_[at(cell) + i] = static_cast<Position>(line.begin);
    bounds_[at(cell) + width_ + i] = static_cast<Position>(line.end);
  }
}

template <class Position>
std::pair<bool, bool> SlicingRegions<Position>::divide(std::int32_t cell, std::uint32_t size,
                                                       std::uint32_t grid, std::uint32_t sweep,
                                                       const Halves& halves) {
  const LineSweep& s = model_->grids()[grid].sweeps[sweep];
  const Position* plane_of = plane_of_[grid][sweep].data();
  // The plane in which as many are reached as the left half wants.
  Plane plane{0, size, halves.left_size, s.line, s.downwards, s.block};
  std::uint32_t first = 0;
  for (; plane.wanted > 0 && plane.number < s.plane_end.size(); ++plane.number) {
    plane.lines = std::span(s.line).subspan(first, s.plane_end[plane.number] - first);
    if (s.plane_end.size() > 1) {
      plane.size = 0;
      for (const std::uint32_t i : plane.lines) {
        plane.size += static_cast<std::uint32_t>(hi(cell)[i] - lo(cell)[i]);
      }
    }
    if (plane.size > plane.wanted) break;
    plane.wanted -= plane.size;
    first = s.plane_end[plane.number];
  }
  divide_planes(plane_of, plane);
  if (plane.wanted > 0) {
    if (plane.lines.size() == 1) {
      const std::uint32_t i = plane.lines.front();
      const auto wanted = static_cast<Position>(plane.wanted);
      threshold_[i] = static_cast<Position>(s.downwards ? hi(cell)[i] - wanted  //
                                                        : lo(cell)[i] + wanted);
    } else {
      divide_plane(cell, stretches_[grid], plane_of, plane);
    }
  }
  if (!s.downwards) return assign(cell, halves.left, halves.right);
  const auto [right, left] = assign(cell, halves.right, halves.left);
  return {left, right};
}

/// Planes before the one where the halves meet belong to the left half, the others to the right.
template <class Position>
void SlicingRegions<Position>::divide_planes(const Position* plane_of, const Plane& plane) {
  const auto number = static_cast<Position>(plane.number);
  const auto highest = static_cast<Position>(kHighest<Position>);
  const Lanes before = plane.downwards ? Position{0} : highest;
  const Lanes behind = plane.downwards ? highest : Position{0};
  for (std::size_t i = 0; i < width_; i += LineModel::kLanes) {
    Lanes threshold = behind;
    where(load(plane_of + i) < number, threshold) = before;
    store(threshold, &threshold_[i]);
  }
}

/// Of each line of these lanes the first position at or behind x on the common scale.
template <class Position>
auto SlicingRegions<Position>::on_lines(std::uint32_t x, std::span<const Stretch> stretches,
                                        std::size_t lane) const -> Lanes {
  x = std::min(x, kHighest<Position>);
  if (stretches.empty()) return static_cast<Position>(x);
  Lanes result = Position{0};
  for (const Stretch& stretch : stretches) {
    const Lanes here = static_cast<Position>(shrink(x, stretch.factor));
    result |= here & load(&stretch.lanes[lane]);
  }
  return result;
}

/// Of the plane that is divided.
template <class Position>
auto SlicingRegions<Position>::range(std::span<const Stretch> stretches) const -> Range {
  constexpr auto kMost = static_cast<Position>(kHighest<Position>);
  Range range{~0u, 0};
  const auto widen = [&](std::uint32_t factor, const Position* counts) {
    Lanes low = kMost;
    Lanes high = Position{0};
    for (std::size_t i = 0; i < width_; i += LineModel::kLanes) {
      Lanes first = load(&plane_lo_[i]);
      Lanes last = load(&plane_hi_[i]);
      where(first == last, first) = kMost;
      if (counts != nullptr) where(load(counts + i) == Position{0}, first) = kMost;
      if (counts != nullptr) last &= load(counts + i);
      low = min(low, first);
      high = max(high, last);
    }
    const auto end = static_cast<std::uint32_t>(hmax(high));
    if (end == 0) return;
    range.low = std::min(range.low, static_cast<std::uint32_t>(hmin(low)) * factor);
    range.high = std::max(range.high, end * factor);
  };
  if (stretches.empty()) widen(1, nullptr);
  for (const Stretch& stretch : stretches) widen(stretch.factor, stretch.lanes.data());
  return range;
}

/// The thresholds in the plane where the halves meet.
template <class Position>
void SlicingRegions<Position>::divide_plane(std::int32_t cell, std::span<const Stretch> stretches,
                                            const Position* plane_of, const Plane& plane) {
  const auto number = static_cast<Position>(plane.number);
  for (std::size_t i = 0; i < width_; i += LineModel::kLanes) {
    const auto elsewhere = load(plane_of + i) != number;
    Lanes low = load(lo(cell) + i);
    Lanes high = load(hi(cell) + i);
    where(elsewhere, low) = Position{0};
    where(elsewhere, high) = Position{0};
    store(low, &plane_lo_[i]);
    store(high, &plane_hi_[i]);
  }
  // Whole blocks first: as many as hold no more than wanted. Regions are nearly rectangles, so that
  // a straight line from one count to the other meets the answer in a few draws.
  const auto [low, high] = range(stretches);
  const std::uint32_t block = plane.block;
  const std::uint32_t start = plane.downwards ? (high + block - 1) / block : low / block;
  const auto border_of = [&](std::uint32_t blocks) {
    return (plane.downwards ? start - blocks : start + blocks) * block;
  };
  const auto held = [&](std::uint32_t blocks) {
    const std::uint32_t x = border_of(blocks);
    Lanes below = Position{0};
    for (std::size_t i = 0; i < width_; i += LineModel::kLanes) {
      const Lanes from = load(&plane_lo_[i]);
      below += clamp(on_lines(x, stretches, i), from, load(&plane_hi_[i])) - from;
    }
    const auto sum = static_cast<std::uint32_t>(reduce(below));
    return plane.downwards ? plane.size - sum : sum;
  };
  // Both factors are at most the highest position.
  using Product = std::conditional_t<sizeof(Position) == 2, std::uint32_t, std::uint64_t>;
  std::uint32_t near = 0;
  std::uint32_t near_held = 0;
  std::uint32_t far = plane.downwards ? start - low / block : (high + block - 1) / block - start;
  std::uint32_t far_held = plane.size;
  for (int draw = 0; near + 1 < far; ++draw) {
    std::uint32_t middle = (near + far) / 2;
    if (draw < 4) {
      const Product rise = Product{plane.wanted - near_held} * (far - near);
      middle = near + static_cast<std::uint32_t>(rise / (far_held - near_held));
      middle = std::clamp(middle, near + 1, far - 1);
    }
    const std::uint32_t sum = held(middle);
    (sum <= plane.wanted ? near : far) = middle;
    (sum <= plane.wanted ? near_held : far_held) = sum;
  }
  divide_block(stretches, plane_of, plane, border_of(near), plane.wanted - near_held);
}

/// So many up to a border, and `left` more line by line within the next block.
template <class Position>
void SlicingRegions<Position>::divide_block(std::span<const Stretch> stretches,
                                            const Position* plane_of, const Plane& plane,
                                            std::uint32_t border, std::uint32_t left) {
  const auto number = static_cast<Position>(plane.number);
  const std::uint32_t next =
      plane.downwards ? border - std::min(border, plane.block) : border + plane.block;
  for (std::size_t i = 0; i < width_; i += LineModel::kLanes) {
    const Lanes low = load(&plane_lo_[i]);
    const Lanes high = load(&plane_hi_[i]);
    const Lanes from = clamp(on_lines(border, stretches, i), low, high);
    const Lanes to = clamp(on_lines(next, stretches, i), low, high);
    Lanes threshold = load(&threshold_[i]);
    where(load(plane_of + i) == number, threshold) = from;
    store(threshold, &threshold_[i]);
    store(plane.downwards ? Lanes(from - to) : Lanes(to - from), &block_[i]);
  }
  for (const std::uint32_t i : plane.lines) {
    if (left == 0) return;
    const std::uint32_t take = std::min(left, static_cast<std::uint32_t>(block_[i]));
    threshold_[i] = static_cast<Position>(plane.downwards ? threshold_[i] - static_cast<int>(take)
                                                          : threshold_[i] + static_cast<int>(take));
    left -= take;
  }
}

/// Positions before the thresholds go to `low`, the others to `high`. Empty intervals all look
/// alike, so that a region that stayed as it was is known.
template <class Position>
std::pair<bool, bool> SlicingRegions<Position>::assign(std::int32_t cell, std::int32_t low,
                                                       std::int32_t high) {
  const Position* whole = &bounds_[at(cell)];
  Position* below = &bounds_[at(low)];
  Position* above = &bounds_[at(high)];
  Lanes below_differs = Position{0};
  Lanes above_differs = Position{0};
  const auto put = [](const Lanes& lanes, Position* to, Lanes& differs) {
    differs |= lanes ^ load(to);
    store(lanes, to);
  };
  for (std::size_t i = 0; i < width_; i += LineModel::kLanes) {
    Lanes first = load(whole + i);
    Lanes last = load(whole + width_ + i);
    Lanes end = clamp(load(&threshold_[i]), first, last);
    Lanes begin = end;
    const auto none_below = end == first;
    const auto none_above = end == last;
    where(none_below, first) = Position{0};
    where(none_below, end) = Position{0};
    where(none_above, begin) = Position{0};
    where(none_above, last) = Position{0};
    put(first, below + i, below_differs);
    put(end, below + width_ + i, below_differs);
    put(begin, above + i, above_differs);
    put(last, above + width_ + i, above_differs);
  }
  return {any_of(below_differs != Position{0}), any_of(above_differs != Position{0})};
}

template <class Position>
void SlicingRegions<Position>::save(std::int32_t cell) {
  const Position* from = lo(cell);
  saved_.insert(saved_.end(), from, from + 2 * width_);
}

template <class Position>
void SlicingRegions<Position>::restore(std::size_t k, std::int32_t cell) {
  std::copy_n(&saved_[k * 2 * width_], 2 * width_, &bounds_[at(cell)]);
}

template class SlicingRegions<std::int16_t>;
template class SlicingRegions<std::int32_t>;

}  // namespace zonecut
