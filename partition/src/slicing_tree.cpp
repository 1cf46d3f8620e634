#include "slicing_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace zonecut {

SlicingTree::SlicingTree(const PartitionProblem& problem, const Shares& shares,
                         std::span<const Sweep> sweeps,
                         std::span<const std::uint32_t> parts_in_order)
    : problem_(problem), shares_(shares), sweeps_(sweeps) {
  start(parts_in_order);
  cut_down(root_, std::nullopt, true);
  cut_ = cut_weight(problem_.graph, part_);
}

SlicingTree::SlicingTree(const PartitionProblem& problem, const Shares& shares,
                         std::span<const Sweep> sweeps,
                         std::span<const std::uint32_t> parts_in_order, std::size_t sweep)
    : problem_(problem), shares_(shares), sweeps_(sweeps) {
  start(parts_in_order);
  cut_down(root_, static_cast<std::uint32_t>(sweep), false);
  cut_ = cut_weight(problem_.graph, part_);
}

void SlicingTree::start(std::span<const std::uint32_t> parts_in_order) {
  std::vector<std::uint32_t> used;
  for (const std::uint32_t p : parts_in_order) {
    if (shares_[p] > 0) used.push_back(p);
  }
  order_.resize(problem_.graph.vertices());
  std::iota(order_.begin(), order_.end(), 0u);
  part_.assign(order_.size(), 0);
  side_.assign(order_.size(), 0);
  root_ = build(used, -1);
  cells_[static_cast<std::size_t>(root_)].begin = 0;
}

std::int32_t SlicingTree::build(std::span<const std::uint32_t> parts, std::int32_t parent) {
  const auto index = static_cast<std::int32_t>(cells_.size());
  cells_.push_back({});
  Cell cell;
  cell.parent = parent;
  for (const std::uint32_t p : parts) cell.size += shares_[p];
  if (parts.size() == 1) {
    cell.part = parts.front();
    leaves_.push_back(index);
  } else {
    // The split whose halves are closest in size.
    std::size_t left = 1;
    std::uint32_t sum = shares_[parts[0]];
    while (left + 1 < parts.size() && 2 * sum + shares_[parts[left]] <= cell.size) {
      sum += shares_[parts[left++]];
    }
    inner_.push_back(index);
    cell.left = build(parts.first(left), index);
    cell.right = build(parts.subspan(left), index);
  }
  cells_[static_cast<std::size_t>(index)] = cell;
  return index;
}

void SlicingTree::split(const Cell& cell, std::uint32_t sweep) {
  const Sweep& rank = sweeps_[sweep];
  const auto first = order_.begin() + cell.begin;
  const auto middle = first + cells_[static_cast<std::size_t>(cell.left)].size;
  // Ranks are unique, so the two sets do not depend on how the selection is done.
  std::nth_element(first, middle, first + cell.size,
                   [&](std::uint32_t u, std::uint32_t v) { return rank[u] < rank[v]; });
}

std::int64_t SlicingTree::border(const Cell& left, const Cell& right) {
  mark_ += 1;
  for (std::uint32_t i = 0; i < right.size; ++i) side_[order_[right.begin + i]] = mark_;
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < left.size; ++i) {
    for (const auto& [v, weight] : problem_.graph.neighbours(order_[left.begin + i])) {
      if (side_[v] == mark_) sum += weight;
    }
  }
  return sum;
}

std::uint32_t SlicingTree::best_sweep(const Cell& cell) {
  std::uint32_t best = 0;
  std::int64_t least = -1;
  for (std::uint32_t sweep = 0; sweep < sweeps_.size(); ++sweep) {
    split(cell, sweep);
    const std::uint32_t left_size = cells_[static_cast<std::size_t>(cell.left)].size;
    Cell left = cell;
    left.size = left_size;
    Cell right = cell;
    right.begin += left_size;
    right.size -= left_size;
    const std::int64_t weight = border(left, right);
    if (least < 0 || weight < least) {
      least = weight;
      best = sweep;
    }
  }
  return best;
}

void SlicingTree::cut_down(std::int32_t index, std::optional<std::uint32_t> fixed, bool choose) {
  Cell& cell = cells_[static_cast<std::size_t>(index)];
  if (cell.left < 0) {
    for (std::uint32_t i = 0; i < cell.size; ++i) part_[order_[cell.begin + i]] = cell.part;
    return;
  }
  if (fixed) cell.sweep = *fixed;
  if (choose) cell.sweep = best_sweep(cell);
  split(cell, cell.sweep);
  Cell& left = cells_[static_cast<std::size_t>(cell.left)];
  Cell& right = cells_[static_cast<std::size_t>(cell.right)];
  left.begin = cell.begin;
  right.begin = cell.begin + left.size;
  const std::int32_t right_index = cell.right;
  cut_down(cell.left, fixed, choose);
  cut_down(right_index, fixed, choose);
}

std::int64_t SlicingTree::weight_cut_in(const Cell& cell) const {
  // Edges with both ends in the cell are met twice, those that leave it once.
  std::int64_t inside = 0;
  std::int64_t leaving = 0;
  for (std::uint32_t i = 0; i < cell.size; ++i) {
    const std::uint32_t u = order_[cell.begin + i];
    for (const auto& [v, weight] : problem_.graph.neighbours(u)) {
      if (part_[v] == part_[u]) continue;
      (side_[v] == mark_ ? inside : leaving) += weight;
    }
  }
  return inside / 2 + leaving;
}

std::int32_t SlicingTree::common_ancestor(std::int32_t a, std::int32_t b) const {
  const auto depth = [&](std::int32_t c) {
    int d = 0;
    for (; c >= 0; c = cells_[static_cast<std::size_t>(c)].parent) ++d;
    return d;
  };
  int da = depth(a);
  int db = depth(b);
  for (; da > db; --da) a = cells_[static_cast<std::size_t>(a)].parent;
  for (; db > da; --db) b = cells_[static_cast<std::size_t>(b)].parent;
  while (a != b) {
    a = cells_[static_cast<std::size_t>(a)].parent;
    b = cells_[static_cast<std::size_t>(b)].parent;
  }
  return a;
}

void SlicingTree::resize_upwards(std::int32_t index, std::int32_t top) {
  while (index != top) {
    index = cells_[static_cast<std::size_t>(index)].parent;
    Cell& cell = cells_[static_cast<std::size_t>(index)];
    cell.size = cells_[static_cast<std::size_t>(cell.left)].size +
                cells_[static_cast<std::size_t>(cell.right)].size;
  }
}

/// (x y) z becomes x (y z), or the mirror image. Returns the cell that changed.
std::int32_t SlicingTree::rotate(std::int32_t index) {
  const auto at = [&](std::int32_t i) -> Cell& { return cells_[static_cast<std::size_t>(i)]; };
  Cell& cell = at(index);
  if (at(cell.left).left >= 0) {
    const std::int32_t child = cell.left;
    const std::int32_t x = at(child).left;
    const std::int32_t y = at(child).right;
    const std::int32_t z = cell.right;
    cell.left = x;
    cell.right = child;
    at(child).left = y;
    at(child).right = z;
    at(x).parent = index;
    at(z).parent = child;
    at(child).size = at(y).size + at(z).size;
  } else if (at(cell.right).left >= 0) {
    const std::int32_t child = cell.right;
    const std::int32_t x = cell.left;
    const std::int32_t y = at(child).left;
    const std::int32_t z = at(child).right;
    cell.right = z;
    cell.left = child;
    at(child).left = x;
    at(child).right = y;
    at(z).parent = index;
    at(x).parent = child;
    at(child).size = at(x).size + at(y).size;
  }
  return index;
}

std::int32_t SlicingTree::propose(Random& random) {
  const auto at = [&](std::int32_t i) -> Cell& { return cells_[static_cast<std::size_t>(i)]; };
  const std::size_t kind = random.below(8);
  if (kind < 3 || leaves_.size() < 3) {
    const std::int32_t index = inner_[random.below(inner_.size())];
    if (sweeps_.size() > 1 && kind > 0) {
      const auto step = static_cast<std::uint32_t>(1 + random.below(sweeps_.size() - 1));
      at(index).sweep = (at(index).sweep + step) % static_cast<std::uint32_t>(sweeps_.size());
    } else {
      std::swap(at(index).left, at(index).right);
    }
    return index;
  }
  if (kind < 6) {
    const std::int32_t a = leaves_[random.below(leaves_.size())];
    const std::int32_t b = leaves_[random.below(leaves_.size())];
    std::swap(at(a).part, at(b).part);
    std::swap(at(a).size, at(b).size);
    const std::int32_t top = common_ancestor(a, b);
    resize_upwards(a, top);
    resize_upwards(b, top);
    return top;
  }
  if (kind == 6) return rotate(inner_[random.below(inner_.size())]);
  // Two whole subtrees change places, unless one holds the other.
  const auto a = static_cast<std::int32_t>(random.below(cells_.size()));
  const auto b = static_cast<std::int32_t>(random.below(cells_.size()));
  const std::int32_t top = common_ancestor(a, b);
  if (top == a || top == b) return a;
  const std::int32_t above_a = at(a).parent;
  const std::int32_t above_b = at(b).parent;
  if (above_a == above_b) {
    std::swap(at(above_a).left, at(above_a).right);
    return top;
  }
  (at(above_a).left == a ? at(above_a).left : at(above_a).right) = b;
  (at(above_b).left == b ? at(above_b).left : at(above_b).right) = a;
  std::swap(at(a).parent, at(b).parent);
  resize_upwards(b, top);
  resize_upwards(a, top);
  return top;
}

bool SlicingTree::try_change(Random& random, double temperature, WorkBudget& budget) {
  undo_.cells = cells_;
  undo_.cut = cut_;
  const std::int32_t index = propose(random);
  const Cell& cell = cells_[static_cast<std::size_t>(index)];
  undo_.begin = cell.begin;
  const auto first = order_.begin() + cell.begin;
  undo_.order.assign(first, first + cell.size);
  undo_.part.resize(cell.size);
  mark_ += 1;
  for (std::uint32_t i = 0; i < cell.size; ++i) {
    undo_.part[i] = part_[undo_.order[i]];
    side_[undo_.order[i]] = mark_;
  }
  const std::int64_t before = weight_cut_in(cell);
  cut_down(index, std::nullopt, false);
  cut_ += weight_cut_in(cell) - before;
  budget.spend(16 * std::size_t{cell.size} + 2 * cells_.size());
  const auto rise = static_cast<double>(cut_ - undo_.cut);
  if (rise <= 0 || random.unit() < std::exp(-rise / temperature)) return true;
  cells_ = undo_.cells;
  cut_ = undo_.cut;
  for (std::size_t i = 0; i < undo_.order.size(); ++i) {
    order_[undo_.begin + i] = undo_.order[i];
    part_[undo_.order[i]] = undo_.part[i];
  }
  return false;
}

void SlicingTree::anneal(double heat, Random& random, WorkBudget& budget, std::int64_t enough) {
  if (leaves_.size() < 2) return;
  std::vector<std::uint32_t> best_part = part_;
  std::int64_t best = cut_;
  const auto steps = static_cast<double>(std::max<std::int64_t>(budget.left(), 1));
  const double hot = heat * static_cast<double>(cut_);
  while (!budget.spent() && best > enough) {
    const double left = static_cast<double>(budget.left()) / steps;
    const double temperature = std::max(1e-9, hot * left * left);
    if (try_change(random, temperature, budget) && cut_ < best) {
      best = cut_;
      best_part = part_;
    }
  }
  part_ = std::move(best_part);
  cut_ = best;
}

}  // namespace zonecut
