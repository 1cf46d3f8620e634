// The changes that annealing tries on a slicing forest.
#include <algorithm>

#include "starts/slicing_forest.hpp"

namespace zonecut {

std::int32_t SlicingForest::common_ancestor(std::int32_t a, std::int32_t b) const {
  const auto depth = [&](std::int32_t c) {
    int d = 0;
    for (; c >= 0; c = at(c).parent) ++d;
    return d;
  };
  int da = depth(a);
  int db = depth(b);
  for (; da > db; --da) a = at(a).parent;
  for (; db > da; --db) b = at(b).parent;
  while (a != b) {
    a = at(a).parent;
    b = at(b).parent;
  }
  return a;
}

void SlicingForest::resize_upwards(std::int32_t index, std::int32_t top) {
  at(index).changed = step_;
  while (index != top) {
    index = at(index).parent;
    save(index);
    at(index).changed = step_;
    at(index).size = at(at(index).left).size + at(at(index).right).size;
  }
}

void SlicingForest::replace_child(std::int32_t parent, std::int32_t old_child,
                                  std::int32_t new_child) {
  save(parent);
  save(new_child);
  (at(parent).left == old_child ? at(parent).left : at(parent).right) = new_child;
  at(new_child).parent = parent;
}

/// Some way up and down again: near cells more often than far ones, since a change costs what lies
/// below the lowest cell that holds both.
std::int32_t SlicingForest::near(std::int32_t index, Random& random) const {
  do {
    if (at(index).parent >= 0) index = at(index).parent;
  } while (at(index).parent >= 0 && random.below(8) < 7);
  while (at(index).left >= 0 && random.below(4) > 0) {
    index = random.below(2) == 0 ? at(index).left : at(index).right;
  }
  return index;
}

void SlicingForest::change_sweep(Random& random) {
  const std::int32_t index = inner_[random.below(inner_.size())];
  const std::size_t sweeps = grid(at(index)).sweeps.size();
  save(index);
  at(index).changed = step_;
  if (sweeps > 1 && random.below(3) > 0) {
    const std::size_t step = 1 + random.below(sweeps - 1);
    at(index).sweep = static_cast<std::uint32_t>((at(index).sweep + step) % sweeps);
  } else {
    std::swap(at(index).left, at(index).right);
  }
  tops_.push_back(index);
}

void SlicingForest::exchange_leaves(Random& random) {
  const std::int32_t a = any_leaf(random);
  std::int32_t b = near(a, random);
  while (at(b).left >= 0) b = random.below(2) == 0 ? at(b).left : at(b).right;
  if (a == b) return;
  save(a);
  save(b);
  std::swap(at(a).part, at(b).part);
  std::swap(at(a).size, at(b).size);
  const std::int32_t top = common_ancestor(a, b);
  resize_upwards(a, top);
  resize_upwards(b, top);
  tops_.push_back(top);
}

/// (x y) z becomes x (y z), or the mirror image.
void SlicingForest::rotate(Random& random) {
  const std::int32_t index = inner_[random.below(inner_.size())];
  const bool from_left = at(at(index).left).left >= 0;
  const std::int32_t child = from_left ? at(index).left : at(index).right;
  if (at(child).left < 0) return;
  save(index);
  save(child);
  const std::int32_t x = from_left ? at(child).left : at(index).left;
  const std::int32_t y = from_left ? at(child).right : at(child).left;
  const std::int32_t z = from_left ? at(index).right : at(child).right;
  save(x);
  save(z);
  save(y);
  at(index).left = from_left ? x : child;
  at(index).right = from_left ? child : z;
  at(child).left = from_left ? y : x;
  at(child).right = from_left ? z : y;
  at(x).parent = from_left ? index : child;
  at(z).parent = from_left ? child : index;
  at(child).size = at(at(child).left).size + at(at(child).right).size;
  at(child).changed = step_;
  tops_.push_back(index);
}

/// Two whole subtrees change places, unless one holds the other.
void SlicingForest::exchange_subtrees(Random& random) {
  const std::size_t any = random.below(leaves_.size() + inner_.size());
  const std::int32_t a = any < leaves_.size() ? leaves_[any] : inner_[any - leaves_.size()];
  const std::int32_t b = near(a, random);
  const std::int32_t top = common_ancestor(a, b);
  if (top == a || top == b) return;
  const std::int32_t above_a = at(a).parent;
  const std::int32_t above_b = at(b).parent;
  if (above_a == above_b) {
    save(above_a);
    std::swap(at(above_a).left, at(above_a).right);
  } else {
    replace_child(above_a, a, b);
    replace_child(above_b, b, a);
  }
  at(a).changed = step_;
  at(b).changed = step_;
  resize_upwards(b, top);
  resize_upwards(a, top);
  tops_.push_back(top);
}

/// A leaf leaves its sibling and joins another cell.
void SlicingForest::relocate_leaf(Random& random) {
  const std::int32_t leaf = any_leaf(random);
  const std::int32_t target = near(leaf, random);
  const std::int32_t pair = at(leaf).parent;
  if (pair < 0) return;
  const std::int32_t sibling = at(pair).left == leaf ? at(pair).right : at(pair).left;
  const std::int32_t above = at(pair).parent;
  if (above < 0 || target == leaf || target == pair || target == sibling) return;
  const std::int32_t above_target = at(target).parent;
  if (above_target < 0) return;
  save(leaf);
  save(pair);
  save(target);
  replace_child(above, pair, sibling);
  replace_child(above_target, target, pair);
  at(target).parent = pair;
  const bool first = random.below(2) == 0;
  at(pair).left = first ? leaf : target;
  at(pair).right = first ? target : leaf;
  // Either of the two old places may now lie above the other.
  const std::int32_t top = common_ancestor(above, above_target);
  resize_upwards(sibling, top);
  resize_upwards(leaf, top);
  resize_upwards(sibling, top);
  tops_.push_back(top);
}

/// How many of at most `most` vertices: one, a few, any number or all; of parts with room to spare
/// that may have pieces also as many as make full rows of either.
std::uint32_t SlicingForest::amount_to_shift(const Cell& from, const Cell& to, std::uint32_t most,
                                             Random& random) const {
  const std::vector<std::uint32_t>& rows = row_sizes_[from.grid];
  const bool rounds = spare_ && in_pieces_ && even_rows_ && !rows.empty();
  const std::size_t kind = random.below(rounds ? 8 : 4);
  if (kind == 0) return 1;
  if (kind == 1) return static_cast<std::uint32_t>(1 + random.below(most));
  if (kind == 2) return static_cast<std::uint32_t>(1 + random.below(std::min(most, 8u)));
  if (kind == 3) return most;
  const std::uint32_t row = rows[random.below(rows.size())];
  const std::uint32_t rounded = kind < 6 ? from.size % row : row - to.size % row;
  return rounded > 0 && rounded <= most ? rounded : most;
}

/// A few vertices more of one part in one grid. Where parts are full, another part takes the place
/// and both make up for it in another grid.
void SlicingForest::shift(Random& random) {
  const std::int32_t a = any_leaf(random);
  const std::int32_t b = any_leaf(random);
  const Cell& from = at(a);
  const Cell& to = at(b);
  if (from.grid != to.grid || from.part == to.part || from.size == 0) return;
  const std::uint32_t room = capacity_[to.part] - used_[to.part];
  std::int32_t back_from = -1;  // part of `to` in another grid, which gives way
  std::int32_t back_to = -1;
  std::uint32_t most = from.size;
  if (room == 0 || (roots_.size() > 1 && random.below(2) == 0)) {
    if (roots_.size() < 2) return;
    const std::size_t step = 1 + random.below(roots_.size() - 1);
    const std::size_t other = (from.grid + step) % roots_.size();
    for (const std::int32_t leaf : leaves_) {
      if (at(leaf).grid != other) continue;
      if (at(leaf).part == to.part) back_from = leaf;
      if (at(leaf).part == from.part) back_to = leaf;
    }
    if (back_from < 0 || back_to < 0) return;
    most = std::min(most, at(back_from).size);
  } else {
    most = std::min(most, room);
  }
  if (most == 0) return;
  const std::uint32_t amount = amount_to_shift(from, to, most, random);
  saved_used_ = used_;
  const auto transfer = [&](std::int32_t giver, std::int32_t taker) {
    save(giver);
    save(taker);
    at(giver).size -= amount;
    at(taker).size += amount;
    used_[at(giver).part] -= amount;
    used_[at(taker).part] += amount;
    const std::int32_t top = common_ancestor(giver, taker);
    resize_upwards(giver, top);
    resize_upwards(taker, top);
    tops_.push_back(top);
  };
  transfer(a, b);
  if (back_from >= 0) transfer(back_from, back_to);
}

}  // namespace zonecut
