#pragma once
// Drawn jobs of double binary trees, and what starts for them must hold.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "partition/bound/drawn_grid.hpp"
#include "support/catch.hpp"

namespace zonecut::fixture {

/// Trees times a pipeline, every third times shards.
inline std::optional<DrawnGrid> draw_trees(Random& random, int turn) {
  const Family family = turn % 3 == 0 ? Family::ShardedTrees : Family::TreePipeline;
  const FamilyShape shape{1, 2 + random.below(14), 2 + random.below(6), 0};
  auto drawn = draw_grid(random, family, shape);
  if (drawn && !rows_of_lines(drawn->grid)) drawn.reset();
  return drawn;
}

template <class Check>
int for_each_tree(std::uint64_t seed, int jobs, const Check& check) {
  return for_each_drawn(seed, jobs, draw_trees, check);
}

inline void check_filled(std::span<const std::uint32_t> parts,
                         std::span<const std::uint32_t> shares) {
  for (std::uint32_t part = 0; part < shares.size(); ++part) {
    CHECK(std::ranges::count(parts, part) == shares[part]);
  }
}

}  // namespace zonecut::fixture
