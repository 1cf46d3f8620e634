// A part in several pieces of one grid: full rows here and what is left over in a row elsewhere. A
// piece is one more leaf of the grid's tree. What joins two pieces of a part counts as cut, so that
// cut() is never less than the partition's.
#include <algorithm>

#include "starts/slicing_forest.hpp"

namespace zonecut {
namespace {

void erase(std::vector<std::int32_t>& cells, std::int32_t cell) {
  const auto place = std::ranges::find(cells, cell);
  *place = cells.back();
  cells.pop_back();
}

}  // namespace

void SlicingForest::allow_pieces(std::size_t most) {
  unused_.clear();
  for (std::size_t i = 0; i < 2 * most; ++i) {
    unused_.push_back(static_cast<std::int32_t>(cells_.size()));
    cells_.push_back({});
  }
  std::visit([&](auto& regions) { regions.resize(cells_.size()); }, regions_);
  in_pieces_ = true;
}

void SlicingForest::find_row_sizes() {
  even_rows_ = !model_.has_trees();
  row_sizes_.assign(roots_.size(), {});
  for (const std::int32_t root : roots_) {
    const LineLayout::Grid& g = grid(at(root));
    const std::span lines_of_grid = std::span(model_.layout().lines).subspan(g.first_line, g.lines);
    even_rows_ &= std::ranges::all_of(lines_of_grid, [&](const LineLayout::Line& line) {
      return line.length() == lines_of_grid.front().length();
    });
    std::vector<std::uint32_t>& sizes = row_sizes_[at(root).grid];
    for (const LineSweep& sweep : g.sweeps) {
      const std::uint32_t lines = sweep.plane_end.front();
      std::uint32_t plane = 0;
      for (std::uint32_t i = 0; i < lines; ++i) {
        plane += model_.layout().lines[g.first_line + sweep.line[i]].length();
      }
      sizes.insert(sizes.end(), {plane, lines * sweep.block, plane / lines});
    }
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::erase_if(sizes, [&](std::uint32_t s) { return s < 2 || s >= g.vertices; });
  }
}

void SlicingForest::save_lists() {
  if (lists_saved_) return;
  lists_saved_ = true;
  saved_lists_ = {leaves_, inner_, unused_};
}

/// How many of a leaf's `size` vertices, at least two, go elsewhere: what is over full rows, a row,
/// or any number.
std::uint32_t SlicingForest::piece_size(std::uint32_t grid, std::uint32_t size, Random& random) {
  const std::vector<std::uint32_t>& rows = row_sizes_[grid];
  const std::size_t kind = random.below(4);
  if (kind < 2 && !rows.empty()) {
    const std::uint32_t over = size % rows[random.below(rows.size())];
    if (over > 0 && over < size) return over;
  }
  if (kind == 2) return static_cast<std::uint32_t>(1 + random.below(std::min(size - 1, 8u)));
  return static_cast<std::uint32_t>(1 + random.below(size - 1));
}

/// Part of a leaf's vertices become a leaf of their own beside another cell.
void SlicingForest::split_leaf(Random& random) {
  if (unused_.empty()) return;
  const std::int32_t leaf = any_leaf(random);
  const std::int32_t target = random.below(2) == 0 ? near(leaf, random) : any_leaf(random);
  if (target == leaf || at(leaf).size < 2 || at(target).grid != at(leaf).grid) return;
  const std::int32_t above = at(target).parent;
  if (above < 0) return;
  const std::uint32_t amount = piece_size(at(leaf).grid, at(leaf).size, random);
  save_lists();
  const std::int32_t piece = unused_.back();
  unused_.pop_back();
  const std::int32_t pair = unused_.back();
  unused_.pop_back();
  leaves_.push_back(piece);
  inner_.push_back(pair);
  save(leaf);
  save(piece);
  save(pair);
  replace_child(above, target, pair);
  save(target);
  at(target).parent = pair;
  const bool first = random.below(2) == 0;
  at(pair).left = first ? piece : target;
  at(pair).right = first ? target : piece;
  at(pair).grid = at(piece).grid = at(leaf).grid;
  at(pair).sweep = random.below(2) == 0
                       ? at(above).sweep
                       : static_cast<std::uint32_t>(random.below(grid(at(leaf)).sweeps.size()));
  at(piece).parent = pair;
  at(piece).left = at(piece).right = -1;
  at(piece).part = at(leaf).part;
  at(piece).size = amount;
  at(piece).within = 0;
  at(leaf).size -= amount;
  const std::int32_t top = common_ancestor(above, leaf);
  resize_upwards(leaf, top);
  resize_upwards(piece, top);
  resize_upwards(leaf, top);
  tops_.push_back(top);
}

/// Two leaves of one part in one grid, or -1: both the first from a leaf that is drawn.
std::pair<std::int32_t, std::int32_t> SlicingForest::any_two_pieces(Random& random) {
  const std::size_t start = random.below(leaves_.size());
  const std::size_t step = random.below(leaves_.size());
  const auto pieces_of = [&](std::int32_t leaf) -> std::uint32_t& {
    return pieces_[at(leaf).grid * capacity_.size() + at(leaf).part];
  };
  pieces_.assign(roots_.size() * capacity_.size(), 0);
  for (const std::int32_t leaf : leaves_) ++pieces_of(leaf);
  const auto from = [&](std::size_t first, const auto& is_wanted) -> std::int32_t {
    for (std::size_t i = first; i < leaves_.size(); ++i) {
      if (is_wanted(leaves_[i])) return leaves_[i];
    }
    for (std::size_t i = 0; i < first; ++i) {
      if (is_wanted(leaves_[i])) return leaves_[i];
    }
    return -1;
  };
  const std::int32_t a = from(start, [&](std::int32_t leaf) { return pieces_of(leaf) > 1; });
  if (a < 0) return {-1, -1};
  const std::int32_t b = from(step, [&](std::int32_t leaf) {
    return leaf != a && at(leaf).part == at(a).part && at(leaf).grid == at(a).grid;
  });
  return {a, b};
}

/// A piece goes back to another piece of its part.
void SlicingForest::merge_leaves(Random& random) {
  const auto [piece, rest] = any_two_pieces(random);
  if (piece < 0) return;
  const std::int32_t pair = at(piece).parent;
  const std::int32_t above = at(pair).parent;
  if (above < 0) return;
  const std::int32_t sibling = at(pair).left == piece ? at(pair).right : at(pair).left;
  save_lists();
  save(piece);
  save(pair);
  save(rest);
  replace_child(above, pair, sibling);
  at(rest).size += at(piece).size;
  within_ -= at(piece).within;
  at(piece) = Cell{.saved = step_};
  at(pair) = Cell{.saved = step_};
  erase(leaves_, piece);
  erase(inner_, pair);
  unused_.push_back(pair);
  unused_.push_back(piece);
  const std::int32_t top = common_ancestor(above, rest);
  resize_upwards(rest, top);
  resize_upwards(sibling, top);
  tops_.push_back(top);
}

/// Vertices from one piece of a part to another of its pieces.
void SlicingForest::shift_between_pieces(Random& random) {
  const auto [from, to] = any_two_pieces(random);
  if (from < 0 || at(from).size < 2) return;
  const std::uint32_t amount = piece_size(at(from).grid, at(from).size, random);
  save(from);
  save(to);
  at(from).size -= amount;
  at(to).size += amount;
  const std::int32_t top = common_ancestor(from, to);
  resize_upwards(from, top);
  resize_upwards(to, top);
  tops_.push_back(top);
}

}  // namespace zonecut
