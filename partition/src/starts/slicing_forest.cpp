#include "starts/slicing_forest.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kPerCut = 40;  ///< work

}  // namespace

SlicingForest::SlicingForest(const LineModel& model, std::span<const std::uint32_t> capacity,
                             std::span<const Shares> shares,
                             std::span<const std::uint32_t> parts_in_order)
    : model_(model),
      capacity_(capacity.begin(), capacity.end()),
      used_(capacity.size(), 0),
      most_within_(model.grids().size(),
                   std::vector<double>(model.layout().vertex_at.size() + 1, everything())),
      loose_part_(model.loose_places().size(), 0),
      regions_(regions_of(model, 0)) {
  ZONECUT_ENSURES(shares.size() == model.grids().size());
  for (const LineLayout::Grid& grid : model.grids()) {
    grid_of_line_.insert(grid_of_line_.end(), grid.lines,
                         static_cast<std::uint32_t>(&grid - model.grids().data()));
  }
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
  find_row_sizes();
  const auto fill = [&](auto& regions) {
    regions.resize(cells_.size());
    for (const std::int32_t root : roots_) regions.fill(root, at(root).grid);
  };
  std::visit(fill, regions_);
}

SlicingForest::Regions SlicingForest::regions_of(const LineModel& model, std::size_t cells) {
  constexpr std::size_t kMost = std::numeric_limits<std::int16_t>::max();
  const LineLayout& layout = model.layout();
  // Part of a job keeps the coordinates of the whole, so few vertices may stand far out.
  const auto is_near = [](const LineLayout::Line& line) { return line.end < kMost; };
  // Positions of a plane, and edges of a region, are counted in numbers of their kind as well.
  if (layout.vertex_at.size() <= kMost && std::ranges::all_of(layout.lines, is_near)) {
    return Regions(std::in_place_type<SlicingRegions<std::int16_t>>, model, cells);
  }
  return Regions(std::in_place_type<SlicingRegions<std::int32_t>>, model, cells);
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

void SlicingForest::follow(const SlicingPlan& plan, const Shares& shares) {
  ZONECUT_ENSURES(roots_.size() == 1);
  cells_.clear();
  leaves_.clear();
  inner_.clear();
  roots_.front() = build(plan, 0, shares, -1);
  const auto fill = [&](auto& regions) {
    regions.resize(cells_.size());
    regions.fill(roots_.front(), 0);
  };
  std::visit(fill, regions_);
  begin_step();
  for (Cell& cell : cells_) cell.changed = step_;
  cut_down(roots_.front());
  weigh_all();
}

std::int32_t SlicingForest::build(const SlicingPlan& plan, std::int32_t node, const Shares& shares,
                                  std::int32_t parent) {
  const SlicingPlan::Node& planned = plan.nodes[static_cast<std::size_t>(node)];
  const auto index = static_cast<std::int32_t>(cells_.size());
  cells_.push_back({});
  Cell cell;
  cell.parent = parent;
  if (planned.left < 0) {
    cell.part = planned.part;
    cell.size = shares[planned.part];
    leaves_.push_back(index);
  } else {
    const LineLayout::Grid& g = model_.grids().front();
    const std::size_t planes = planned.along ? 1 : g.lines;
    const auto has_planes = [&](const LineSweep& s) { return s.plane_end.size() == planes; };
    const auto sweep = std::ranges::find_if(g.sweeps, has_planes);
    ZONECUT_ENSURES(sweep != g.sweeps.end());
    cell.sweep = static_cast<std::uint32_t>(sweep - g.sweeps.begin());
    inner_.push_back(index);
    cell.left = build(plan, planned.left, shares, index);
    cell.right = build(plan, planned.right, shares, index);
    cell.size = at(cell.left).size + at(cell.right).size;
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
  const auto cut = [&](auto& regions) {
    for (const std::int32_t root : roots_) cut_best(regions, root);
  };
  std::visit(cut, regions_);
  weigh_all();
}

/// Gives both children of a cell their regions; says which of the two, left and right, changed.
std::pair<bool, bool> SlicingForest::divide(auto& regions, std::int32_t index) {
  const Cell& cell = at(index);
  work_ += kPerCut + 4 * grid(cell).lines;
  return regions.divide(index, cell.size, cell.grid, cell.sweep,
                        {cell.left, cell.right, at(cell.left).size});
}

std::int64_t SlicingForest::weigh(const auto& regions, std::int32_t leaf) const {
  return at(leaf).size == 0 ? 0 : regions.weight(leaf, at(leaf).grid);
}

double SlicingForest::hope_below(std::int32_t index) const {
  const Cell& cell = at(index);
  if (cell.left >= 0) return hope_below(cell.left) + hope_below(cell.right);
  return std::max(0.0, most_within_[cell.grid][cell.size] - static_cast<double>(cell.within));
}

bool SlicingForest::cut_down(std::int32_t index) {
  return std::visit([&](auto& regions) { return cut_down(regions, index); }, regions_);
}

/// False, and cells below are left as they were, once too little hope remains.
bool SlicingForest::cut_down(auto& regions, std::int32_t index) {
  const Cell& cell = at(index);
  if (cell.left < 0) {
    save(regions, index);
    hope_ -= hope_below(index);
    within_ -= cell.within;
    at(index).within = weigh(regions, index);
    within_ += cell.within;
    work_ += model_.terms(grid(cell));
    weighed_.push_back(index);
    return static_cast<double>(within_) + hope_ >= least_within_;
  }
  save(regions, cell.left);
  save(regions, cell.right);
  const auto [left_differs, right_differs] = divide(regions, index);
  const std::int32_t left = cell.left;
  const std::int32_t right = cell.right;
  const bool cuts_left = left_differs || at(left).changed == step_;
  const bool cuts_right = right_differs || at(right).changed == step_;
  if (!cuts_left) hope_ -= hope_below(left);
  if (!cuts_right) hope_ -= hope_below(right);
  if (cuts_left && !cut_down(regions, left)) return false;
  return !cuts_right || cut_down(regions, right);
}

/// O(lines · sweeps) a cell. Regions below must be new: sizes, not weights, are known.
void SlicingForest::cut_best(auto& regions, std::int32_t index) {
  if (at(index).left < 0) {
    cut_down(regions, index);
    return;
  }
  const std::int32_t left = at(index).left;
  const std::int32_t right = at(index).right;
  std::uint32_t best = 0;
  std::int64_t most = -1;
  const auto weigh_sweep = [&](std::uint32_t sweep) {
    at(index).sweep = sweep;
    divide(regions, index);
    return regions.weight(left, at(index).grid) + regions.weight(right, at(index).grid);
  };
  for (std::uint32_t sweep = 0; sweep < grid(at(index)).sweeps.size(); ++sweep) {
    const std::int64_t within = weigh_sweep(sweep);
    if (within > most) {
      most = within;
      best = sweep;
    }
  }
  weigh_sweep(best);
  cut_best(regions, left);
  cut_best(regions, right);
}

void SlicingForest::weigh_all() {
  within_ = 0;
  for (const std::int32_t leaf : leaves_) {
    at(leaf).within = std::visit([&](const auto& r) { return weigh(r, leaf); }, regions_);
    within_ += at(leaf).within;
  }
  weigh_loose();
}

std::vector<std::uint32_t> SlicingForest::part() const {
  std::vector<std::uint32_t> part(model_.layout().vertex_at.size(), 0);
  const auto fill = [&](const auto& regions) {
    for (const std::int32_t leaf : leaves_) {
      const LineLayout::Grid& g = grid(at(leaf));
      for (std::uint32_t i = 0; i < g.lines; ++i) {
        const LineLayout::Line& line = model_.layout().lines[g.first_line + i];
        for (auto p = regions.lo(leaf)[i]; p < regions.hi(leaf)[i]; ++p) {
          part[model_.layout().vertex(line, static_cast<std::uint32_t>(p))] = at(leaf).part;
        }
      }
    }
  };
  std::visit(fill, regions_);
  return part;
}

}  // namespace zonecut
