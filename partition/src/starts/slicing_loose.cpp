// Edges of a slicing forest that sums along lines do not cover: looked up one by one, and only
// where a leaf changed.
#include "starts/slicing_forest.hpp"

namespace zonecut {

std::uint32_t SlicingForest::part_at(const auto& regions, LineLayout::Place place) const {
  std::int32_t index = roots_[grid_of_line_[place.line]];
  const std::size_t line = place.line - model_.grids()[at(index).grid].first_line;
  const auto position = static_cast<std::int32_t>(place.position);
  while (at(index).left >= 0) {
    const std::int32_t left = at(index).left;
    const bool inside = regions.lo(left)[line] <= position && position < regions.hi(left)[line];
    index = inside ? left : at(index).right;
  }
  return at(index).part;
}

void SlicingForest::weigh_loose() {
  const auto places = model_.loose_places();
  const auto look_up = [&](const auto& regions) {
    for (std::size_t i = 0; i < places.size(); ++i) loose_part_[i] = part_at(regions, places[i]);
  };
  std::visit(look_up, regions_);
  loose_within_ = 0;
  for (const auto& [u, v, weight] : model_.loose_edges()) {
    if (u < v && loose_part_[u] == loose_part_[v]) loose_within_ += weight;
  }
}

/// The same, where only what `weighed_` names has changed.
void SlicingForest::reweigh_loose() {
  const auto reweigh = [&](const auto& regions) {
    for (const std::int32_t leaf : weighed_) reweigh_loose(regions, leaf);
  };
  std::visit(reweigh, regions_);
}

void SlicingForest::reweigh_loose(const auto& regions, std::int32_t leaf) {
  const auto places = model_.loose_places();
  const LineLayout::Grid& g = grid(at(leaf));
  const std::uint32_t part = at(leaf).part;
  for (std::uint32_t i = 0; i < g.lines; ++i) {
    const auto lo = static_cast<std::uint32_t>(regions.lo(leaf)[i]);
    const auto hi = static_cast<std::uint32_t>(regions.hi(leaf)[i]);
    if (lo == hi) continue;
    std::uint32_t place = model_.first_loose_of(g.first_line + i);
    const std::uint32_t end = model_.first_loose_of(g.first_line + i + 1);
    work_ += end - place;
    for (; place < end && places[place].position < hi; ++place) {
      const std::uint32_t old = loose_part_[place];
      if (places[place].position < lo || old == part) continue;
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

}  // namespace zonecut
