#include "slicing_forest.hpp"

#include <algorithm>
#include <numeric>

#include "zonecut/base/error.hpp"

namespace zonecut {

SlicingForest::SlicingForest(const LineModel& model, std::span<const std::uint32_t> capacity,
                             std::span<const Shares> shares,
                             std::span<const std::uint32_t> parts_in_order)
    : model_(model),
      capacity_(capacity.begin(), capacity.end()),
      used_(capacity.size(), 0),
      loose_part_(model.loose_places().size(), 0) {
  ZONECUT_ENSURES(shares.size() == model.grids().size());
  for (const LineLayout::Grid& grid : model.grids()) {
    width_ = std::max<std::size_t>(width_, grid.lines);
    grid_of_line_.insert(grid_of_line_.end(), grid.lines,
                         static_cast<std::uint32_t>(&grid - model.grids().data()));
  }
  threshold_.resize(width_);
  spare_ = std::accumulate(capacity_.begin(), capacity_.end(), std::size_t{0}) >
           model.layout().vertex_at.size();
  for (std::uint32_t g = 0; g < shares.size(); ++g) {
    std::vector<std::uint32_t> used;
    for (const std::uint32_t p : parts_in_order) {
      used_[p] += shares[g][p];
      // With one grid and no room to spare, an empty part stays empty.
      if (shares[g][p] > 0 || shares.size() > 1 || (spare_ && capacity_[p] > 0)) used.push_back(p);
    }
    roots_.push_back(build(g, used, shares[g], -1));
  }
  bounds_.assign(cells_.size() * 2 * width_, 0);
  for (const std::int32_t root : roots_) {
    const LineLayout::Grid& g = grid(at(root));
    for (std::uint32_t i = 0; i < g.lines; ++i) {
      const LineLayout::Line& line = model.layout().lines[g.first_line + i];
      bounds(root).lo[i] = line.begin;
      bounds(root).hi[i] = line.end;
    }
  }
}

std::int32_t SlicingForest::build(std::uint32_t grid, std::span<const std::uint32_t> parts,
                                  const Shares& shares, std::int32_t parent) {
  const auto index = static_cast<std::int32_t>(cells_.size());
  cells_.push_back({});
  Cell cell;
  cell.parent = parent;
  cell.grid = grid;
  for (const std::uint32_t p : parts) cell.size += shares[p];
  if (parts.size() == 1) {
    cell.part = parts.front();
    leaves_.push_back(index);
  } else {
    // The split whose halves are closest in size.
    std::size_t left = 1;
    std::uint32_t sum = shares[parts[0]];
    while (left + 1 < parts.size() && 2 * sum + shares[parts[left]] <= cell.size) {
      sum += shares[parts[left++]];
    }
    inner_.push_back(index);
    cell.left = build(grid, parts.first(left), shares, index);
    cell.right = build(grid, parts.subspan(left), shares, index);
  }
  at(index) = cell;
  return index;
}

void SlicingForest::sweep_all(std::size_t sweep) {
  for (const std::int32_t i : inner_) {
    at(i).sweep = static_cast<std::uint32_t>(sweep % grid(at(i)).sweeps.size());
  }
  begin_step();
  for (Cell& cell : cells_) cell.changed = step_;
  for (const std::int32_t root : roots_) cut_down(root);
  weigh_all();
}

void SlicingForest::sweep_best() {
  begin_step();
  for (const std::int32_t root : roots_) cut_best(root);
  weigh_all();
}

/// Fills threshold_ for the lines of the plane in which `wanted` vertices are reached; it holds
/// `size`, which is more.
void SlicingForest::divide_plane(const LineLayout::Grid& g, const LineSweep& sweep,
                                 std::span<const std::uint32_t> plane, std::uint32_t size,
                                 std::uint32_t wanted, const Bounds& whole) {
  const LineLayout::Line* line = &model_.layout().lines[g.first_line];
  // From the common scale to a line's positions: the first at or behind x.
  const auto on_line = [&](std::uint32_t x, std::uint32_t i) {
    if (g.stretched) x = (x + line[i].stretch - 1) / line[i].stretch;
    return std::clamp(x, whole.lo[i], whole.hi[i]);
  };
  std::uint32_t low = ~0u;
  std::uint32_t high = 0;
  for (const std::uint32_t i : plane) {
    if (whole.lo[i] == whole.hi[i]) continue;
    low = std::min(low, whole.lo[i] * line[i].stretch);
    high = std::max(high, whole.hi[i] * line[i].stretch);
  }
  // Whole blocks first: as many as hold no more than wanted. Regions are nearly rectangles, so that
  // a straight line from one count to the other meets the answer in a few draws.
  const std::uint32_t block = sweep.block;
  const std::uint32_t start = sweep.downwards ? (high + block - 1) / block : low / block;
  const auto border_of = [&](std::uint32_t blocks) {
    return (sweep.downwards ? start - blocks : start + blocks) * block;
  };
  const auto held = [&](std::uint32_t blocks) {
    const std::uint32_t x = border_of(blocks);
    std::uint32_t sum = 0;
    for (const std::uint32_t i : plane) {
      const std::uint32_t end = on_line(x, i);
      sum += sweep.downwards ? whole.hi[i] - end : end - whole.lo[i];
    }
    work_ += plane.size();
    return sum;
  };
  std::uint32_t near = 0;
  std::uint32_t near_held = 0;
  std::uint32_t far = sweep.downwards ? start - low / block : (high + block - 1) / block - start;
  std::uint32_t far_held = size;
  for (int draw = 0; near + 1 < far; ++draw) {
    std::uint32_t middle = (near + far) / 2;
    if (draw < 4) {
      const std::uint64_t rise = std::uint64_t{wanted - near_held} * (far - near);
      middle = near + static_cast<std::uint32_t>(rise / (far_held - near_held));
      middle = std::clamp(middle, near + 1, far - 1);
    }
    const std::uint32_t sum = held(middle);
    (sum <= wanted ? near : far) = middle;
    (sum <= wanted ? near_held : far_held) = sum;
  }
  // Then line by line within the next block.
  const std::uint32_t border = border_of(near);
  const std::uint32_t next = sweep.downwards ? border - std::min(border, block) : border + block;
  std::uint32_t left = wanted - near_held;
  for (const std::uint32_t i : plane) {
    const std::uint32_t from = on_line(border, i);
    const std::uint32_t to = on_line(next, i);
    const std::uint32_t take = std::min(left, sweep.downwards ? from - to : to - from);
    threshold_[i] = sweep.downwards ? from - take : from + take;
    left -= take;
  }
}

/// Gives both children of a cell their regions; says which of the two, left and right, changed.
std::pair<bool, bool> SlicingForest::divide(std::int32_t index) {
  const Cell& cell = at(index);
  const LineLayout::Grid& g = grid(cell);
  const LineSweep& sweep = g.sweeps[cell.sweep];
  const Bounds whole = bounds(index);
  std::uint32_t left = at(cell.left).size;
  std::uint32_t first = 0;
  bool broken = false;
  for (const std::uint32_t end : sweep.plane_end) {
    const auto plane = std::span(sweep.line).subspan(first, end - first);
    first = end;
    std::uint32_t size = 0;
    if (!broken) {
      for (const std::uint32_t i : plane) size += whole.hi[i] - whole.lo[i];
    }
    if (!broken && size <= left) {
      left -= size;
      for (const std::uint32_t i : plane) threshold_[i] = sweep.downwards ? 0 : ~0u;
    } else if (!broken) {
      broken = true;
      divide_plane(g, sweep, plane, size, left, whole);
    } else {
      for (const std::uint32_t i : plane) threshold_[i] = sweep.downwards ? ~0u : 0;
    }
  }
  work_ += 6 * sweep.line.size();
  return sweep.downwards ? assign(index, cell.right, cell.left)
                         : assign(index, cell.left, cell.right);
}

/// Positions before the thresholds go to `low`, the others to `high`. Empty intervals all look
/// alike, so that a region that stayed as it was is known.
std::pair<bool, bool> SlicingForest::assign(std::int32_t index, std::int32_t low,
                                            std::int32_t high) {
  const Bounds whole = bounds(index);
  const Bounds below = bounds(low);
  const Bounds above = bounds(high);
  bool below_differs = false;
  bool above_differs = false;
  for (std::uint32_t i = 0; i < grid(at(index)).lines; ++i) {
    const std::uint32_t t = std::clamp(threshold_[i], whole.lo[i], whole.hi[i]);
    const bool none_below = t == whole.lo[i];
    const bool none_above = t == whole.hi[i];
    const std::uint32_t values[4] = {none_below ? 0 : whole.lo[i], none_below ? 0 : t,
                                     none_above ? 0 : t, none_above ? 0 : whole.hi[i]};
    below_differs |= below.lo[i] != values[0] || below.hi[i] != values[1];
    above_differs |= above.lo[i] != values[2] || above.hi[i] != values[3];
    below.lo[i] = values[0];
    below.hi[i] = values[1];
    above.lo[i] = values[2];
    above.hi[i] = values[3];
  }
  if (low == at(index).left) return {below_differs, above_differs};
  return {above_differs, below_differs};
}

void SlicingForest::cut_down(std::int32_t index) {
  const Cell& cell = at(index);
  const LineLayout::Grid& g = grid(cell);
  if (cell.left < 0) {
    save(index);
    const Bounds own = bounds(index);
    within_ -= cell.within;
    at(index).within = cell.size == 0 ? 0 : model_.weight_within(g, own.lo, own.hi);
    within_ += cell.within;
    work_ += model_.terms(g);
    weighed_.push_back(index);
    return;
  }
  save(cell.left);
  save(cell.right);
  const auto [left_differs, right_differs] = divide(index);
  const std::int32_t right = cell.right;
  if (left_differs || at(cell.left).changed == step_) cut_down(cell.left);
  if (right_differs || at(right).changed == step_) cut_down(right);
}

/// O(lines · sweeps) a cell. Regions below must be new: sizes, not weights, are known.
void SlicingForest::cut_best(std::int32_t index) {
  const LineLayout::Grid& g = grid(at(index));
  if (at(index).left < 0) return cut_down(index);
  const std::int32_t left = at(index).left;
  const std::int32_t right = at(index).right;
  std::uint32_t best = 0;
  std::int64_t most = -1;
  const auto weigh = [&](std::uint32_t sweep) {
    at(index).sweep = sweep;
    divide(index);
    return model_.weight_within(g, bounds(left).lo, bounds(left).hi) +
           model_.weight_within(g, bounds(right).lo, bounds(right).hi);
  };
  for (std::uint32_t sweep = 0; sweep < g.sweeps.size(); ++sweep) {
    const std::int64_t within = weigh(sweep);
    if (within > most) {
      most = within;
      best = sweep;
    }
  }
  weigh(best);
  cut_best(left);
  cut_best(right);
}

void SlicingForest::weigh_all() {
  within_ = 0;
  for (const std::int32_t leaf : leaves_) {
    Cell& cell = at(leaf);
    const Bounds own = bounds(leaf);
    cell.within = cell.size == 0 ? 0 : model_.weight_within(grid(cell), own.lo, own.hi);
    within_ += cell.within;
  }
  weigh_loose();
}

std::vector<std::uint32_t> SlicingForest::part() const {
  std::vector<std::uint32_t> part(model_.layout().vertex_at.size(), 0);
  for (const std::int32_t leaf : leaves_) {
    const LineLayout::Grid& g = grid(at(leaf));
    const std::size_t lo = static_cast<std::size_t>(leaf) * 2 * width_;
    for (std::uint32_t i = 0; i < g.lines; ++i) {
      const LineLayout::Line& line = model_.layout().lines[g.first_line + i];
      for (std::uint32_t p = bounds_[lo + i]; p < bounds_[lo + width_ + i]; ++p) {
        part[model_.layout().vertex(line, p)] = at(leaf).part;
      }
    }
  }
  return part;
}

}  // namespace zonecut
