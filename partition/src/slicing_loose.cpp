// Edges of a slicing forest that sums along lines do not cover: looked up one by one, and only
// where a leaf changed.
#include "slicing_forest.hpp"

namespace zonecut {

std::uint32_t SlicingForest::part_at(LineLayout::Place place) const {
  std::int32_t index = roots_[grid_of_line_[place.line]];
  const std::size_t line = place.line - model_.grids()[at(index).grid].first_line;
  while (at(index).left >= 0) {
    const std::size_t lo = static_cast<std::size_t>(at(index).left) * 2 * width_ + line;
    const bool inside = bounds_[lo] <= place.position && place.position < bounds_[lo + width_];
    index = inside ? at(index).left : at(index).right;
  }
  return at(index).part;
}

void SlicingForest::weigh_loose() {
  const auto places = model_.loose_places();
  for (std::size_t i = 0; i < places.size(); ++i) loose_part_[i] = part_at(places[i]);
  loose_within_ = 0;
  for (const auto& [u, v, weight] : model_.loose_edges()) {
    if (u < v && loose_part_[u] == loose_part_[v]) loose_within_ += weight;
  }
}

/// The same, where only what `weighed_` names has changed.
void SlicingForest::reweigh_loose() {
  const auto places = model_.loose_places();
  for (const std::int32_t leaf : weighed_) {
    const LineLayout::Grid& g = grid(at(leaf));
    const Bounds own = bounds(leaf);
    const std::uint32_t part = at(leaf).part;
    for (std::uint32_t i = 0; i < g.lines; ++i) {
      if (own.lo[i] == own.hi[i]) continue;
      std::uint32_t place = model_.first_loose_of(g.first_line + i);
      const std::uint32_t end = model_.first_loose_of(g.first_line + i + 1);
      work_ += end - place;
      for (; place < end && places[place].position < own.hi[i]; ++place) {
        const std::uint32_t old = loose_part_[place];
        if (places[place].position < own.lo[i] || old == part) continue;
        for (const auto& [u, v, weight] : model_.loose_edges(place)) {
          if (loose_part_[v] == old) loose_within_ -= weight;
          if (loose_part_[v] == part) loose_within_ += weight;
        }
        saved_loose_.emplace_back(place, old);
        loose_part_[place] = part;
        work_ += 4;
      }
    }
    work_ += g.lines;
  }
}

}  // namespace zonecut
