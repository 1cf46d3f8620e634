#pragma once
// Drawn jobs whose traffic is a single grid, with zones that are full.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bound/incidence.hpp"
#include "grid/grid_traffic.hpp"
#include "grid/row_model.hpp"
#include "partition/mapping_families.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut::fixture {

struct DrawnGrid {
  Instance job;
  GridTraffic grid;
  std::vector<std::uint32_t> sizes;  ///< of zones that are not empty

  /// Of small jobs.
  [[nodiscard]] double optimum() const {
    return static_cast<double>(brute_force_cut(job.graph, job.tree));
  }
  [[nodiscard]] Incidence incidence(const RowModel& model) const {
    return incidence_of(sizes, model.length, model.rows);
  }
};

/// None where the job is more than one grid, or all in one zone.
inline std::optional<DrawnGrid> draw_grid(Random& random, Family family, const FamilyShape& shape) {
  DrawnGrid drawn;
  drawn.job = draw_job(random, family, shape);
  drawn.job.tree = draw_zones(random, drawn.job.graph.vertices(), 0);
  std::vector<GridTraffic> grids = recover_grids(drawn.job.graph, drawn.job.coordinates);
  if (grids.size() != 1 || grids[0].vertices() != drawn.job.graph.vertices()) return std::nullopt;
  drawn.grid = std::move(grids[0]);
  for (const std::uint64_t room : drawn.job.tree.capacity(drawn.job.tree.cut_level)) {
    if (room > 0) drawn.sizes.push_back(static_cast<std::uint32_t>(room));
  }
  if (drawn.sizes.size() < 2) return std::nullopt;
  return drawn;
}

/// For for_each_drawn: jobs with groups, two of each shape in turn.
inline auto draw_with_groups(std::vector<FamilyShape> shapes) {
  return [shapes = std::move(shapes)](Random& random, int i) {
    const Family family = i % 2 == 0 ? Family::ContextParallel : Family::Experts;
    return draw_grid(random, family, shapes[static_cast<std::size_t>(i) / 2 % shapes.size()]);
  };
}

/// Checks so many jobs that `draw` draws, but for those of which it gives none; how many were
/// checked.
template <class Draw, class Check>
int for_each_drawn(std::uint64_t seed, int jobs, const Draw& draw, const Check& check) {
  Random random(seed);
  int checked = 0;
  for (int i = 0; i < jobs; ++i) {
    const std::optional<DrawnGrid> drawn = draw(random, i);
    if (!drawn) continue;
    INFO("job " << i);
    check(random, *drawn);
    ++checked;
  }
  return checked;
}

}  // namespace zonecut::fixture
