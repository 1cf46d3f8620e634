#include "row_model.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

namespace zonecut {
namespace {

constexpr std::int64_t kQuarter = 4;
constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::size_t kMostCellWork = 40'000'000;

/// An axis as a cycle: `all` is the weight of its edges, `missing` what the closing edge lacks.
struct Cycle {
  std::int64_t all = 0;
  std::int64_t missing = 0;
};

/// For two vertices the one edge counts as a cycle with an absent second edge.
Cycle cycle_of(std::int64_t step, std::int64_t wrap) {
  return {step, step - std::min(step, wrap)};
}

using CellCost = std::function<std::int64_t(std::size_t)>;
using LinkCost = std::function<std::int64_t(std::size_t, std::size_t)>;

/// Least cut of x vertices spread over a ring of cells of `size`: a shortest closed walk over the
/// number taken from each. None when the table would be too large.
std::optional<std::vector<std::int64_t>> ring_of_cells(std::size_t cells, std::size_t size,
                                                       const CellCost& cell,
                                                       const LinkCost& link) {
  const std::size_t options = size + 1;
  const std::size_t total = cells * size;
  if (options > 256 || total > kMostCellWork / (cells * options * options * options)) {
    return std::nullopt;
  }
  std::vector<std::int64_t> least(total + 1, kUnreached);
  std::vector<std::int64_t> now;
  std::vector<std::int64_t> next;
  for (std::size_t first = 0; first < options; ++first) {
    now.assign(options * (total + 1), kUnreached);
    now[first * (total + 1) + first] = cell(first);
    for (std::size_t c = 1; c < cells; ++c) {
      next.assign(options * (total + 1), kUnreached);
      for (std::size_t k = 0; k < options; ++k) {
        for (std::size_t to = 0; to < options; ++to) {
          const std::int64_t cost = link(k, to) + cell(to);
          for (std::size_t sum = k; sum + to <= total; ++sum) {
            const std::int64_t before = now[k * (total + 1) + sum];
            std::int64_t& entry = next[to * (total + 1) + sum + to];
            if (before < kUnreached) entry = std::min(entry, before + cost);
          }
        }
      }
      now.swap(next);
    }
    for (std::size_t k = 0; k < options; ++k) {
      // Two cells have one border between them, one cell none.
      const std::int64_t closing = cells > 2 ? link(k, first) : 0;
      for (std::size_t sum = 0; sum <= total; ++sum) {
        const std::int64_t open = now[k * (total + 1) + sum];
        if (open < kUnreached) least[sum] = std::min(least[sum], open + closing);
      }
    }
  }
  return least;
}

std::vector<std::int64_t> linear(std::size_t length, std::int64_t slope) {
  std::vector<std::int64_t> values(length + 1);
  for (std::size_t m = 0; m <= length; ++m) values[m] = slope * static_cast<std::int64_t>(m);
  return values;
}

/// A set of some vertices of a cycle, not all, has two ends.
std::vector<std::int64_t> two_ends(std::size_t length, std::int64_t weight) {
  std::vector<std::int64_t> values{0};
  values.resize(length, kQuarter * weight);
  values.push_back(0);
  return values;
}

/// Both ways to allow for an edge that the cycle of rows lacks: in every zone's ends, or once for
/// the whole cut. `columns`: edges between two neighbouring rows.
void add_with_row_cycle(std::vector<RowModel>& models, RowModel model, const Cycle& rows,
                        std::size_t columns) {
  model.across = linear(model.length, kQuarter * rows.all - kQuarter / 2 * rows.missing);
  models.push_back(model);
  if (rows.missing == 0) return;
  model.across = linear(model.length, kQuarter * rows.all);
  model.deduction += kQuarter * rows.missing * static_cast<std::int64_t>(columns);
  models.push_back(std::move(model));
}

/// Two axes: rows along one, stacked along the other.
void add_plane(std::vector<RowModel>& models, const GridTraffic& grid, std::size_t along,
               std::size_t stacked, const std::string& name) {
  RowModel model;
  model.rows = grid.size[stacked];
  model.length = grid.size[along];
  model.name = name;
  const Cycle inside = cycle_of(grid.step[along], grid.wrap[along]);
  const Cycle rows = cycle_of(grid.step[stacked], grid.wrap[stacked]);
  model.inside = two_ends(model.length, 2 * inside.all - inside.missing);
  add_with_row_cycle(models, model, rows, model.length);
  if (inside.missing == 0) return;
  // Better where rows are divided among many: allow for the closing edge once in every row.
  model.inside = two_ends(model.length, 2 * inside.all);
  model.per_divided_row = kQuarter * inside.missing;
  add_with_row_cycle(models, model, rows, model.length);
}

/// The weights inside a stage whose groups are cliques or rings, joined by a chain.
struct StageWeights {
  std::int64_t clique = 0;   ///< between any two of a group
  std::int64_t ring = 0;     ///< around a group; used when there is no clique
  std::int64_t replica = 0;  ///< same place of neighbouring groups
  std::int64_t chain = 0;    ///< through all groups, one after the other, and around
};

StageWeights stage_weights(const GridTraffic& grid) {
  StageWeights weights;
  const std::uint32_t group = grid.size[0];
  // The chain runs along axis 0 too: an edge there is group and chain together.
  weights.chain = std::min(grid.chain, grid.step[0]);
  const std::int64_t beside = grid.step[0] - weights.chain;
  if (group > 3) weights.clique = std::min({grid.clique, beside, grid.wrap[0]});
  if (group == 3) weights.clique = std::min(beside, grid.wrap[0]);
  if (group == 2) weights.clique = beside;
  if (weights.clique == 0) weights.ring = std::min(beside, grid.wrap[0]);
  weights.replica = grid.size[1] > 2 ? std::min(grid.step[1], grid.wrap[1]) : grid.step[1];
  // Of two groups the chain's edges back and forth are two different ones, the replicas' are one.
  return weights;
}

std::int64_t group_cut(const StageWeights& weights, std::size_t group, std::size_t taken) {
  if (taken == 0 || taken == group) return 0;
  const auto pairs = static_cast<std::int64_t>(taken * (group - taken));
  return kQuarter * (weights.clique * pairs + 2 * weights.ring);
}

/// Rows are stages: groups of axis 0 in a ring along axis 1.
void add_stages(std::vector<RowModel>& models, const GridTraffic& grid) {
  const StageWeights weights = stage_weights(grid);
  const std::size_t group = grid.size[0];
  const auto cell = [&](std::size_t k) {
    const bool divided = k > 0 && k < group;
    return group_cut(weights, group, k) + (divided ? kQuarter * weights.chain : 0);
  };
  const auto link = [&](std::size_t k, std::size_t to) {
    const auto apart = static_cast<std::int64_t>(k > to ? k - to : to - k);
    return kQuarter * (weights.replica * apart +
                       (apart == static_cast<std::int64_t>(group) ? weights.chain : 0));
  };
  RowModel model;
  auto inside = ring_of_cells(grid.size[1], group, cell, link);
  if (!inside) return;
  model.rows = grid.size[2];
  model.length = group * grid.size[1];
  model.inside = std::move(*inside);
  model.name = "groups × pipeline, by stage";
  add_with_row_cycle(models, std::move(model), cycle_of(grid.step[2], grid.wrap[2]),
                     group * grid.size[1]);
}

/// Rows are replicas: groups of axis 0 in a path along axis 2, replicas in a ring along axis 1.
void add_replicas(std::vector<RowModel>& models, const GridTraffic& grid) {
  const StageWeights weights = stage_weights(grid);
  const std::size_t group = grid.size[0];
  const Cycle stages = cycle_of(grid.step[2], grid.wrap[2]);
  RowModel model;
  model.rows = grid.size[1];
  model.length = group * grid.size[2];
  auto inside = ring_of_cells(
      grid.size[2], group, [&](std::size_t k) { return group_cut(weights, group, k); },
      [&](std::size_t k, std::size_t to) {
        return kQuarter * stages.all * static_cast<std::int64_t>(k > to ? k - to : to - k);
      });
  if (!inside) return;
  model.inside = std::move(*inside);
  if (grid.size[2] > 2) {
    // The cycle of stages lacks its closing edges.
    model.per_divided_row = kQuarter * stages.missing * static_cast<std::int64_t>(group);
  }
  model.across.resize(model.length + 1);
  // Of two replicas the edges to the one neighbour count half on either side.
  const std::int64_t per_place = model.rows > 2 ? kQuarter * weights.replica
                                                : kQuarter / 2 * weights.replica;
  for (std::size_t m = 0; m <= model.length; ++m) {
    model.across[m] = per_place * static_cast<std::int64_t>(m) +
                      kQuarter * weights.chain * static_cast<std::int64_t>((m + group - 1) / group);
  }
  model.name = "groups × pipeline, by replica";
  models.push_back(std::move(model));
}

}  // namespace

std::vector<RowModel> row_models(const GridTraffic& grid) {
  std::vector<std::size_t> live;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid.size[axis] > 1) live.push_back(axis);
  }
  std::vector<RowModel> models;
  if (live.size() == 1) {
    // A single row: the rows' cycle has no edges.
    add_plane(models, grid, live[0], live[0] == 0 ? 1 : 0, "ring");
  } else if (live.size() == 2 && grid.chain == 0 && grid.clique == 0) {
    add_plane(models, grid, live[0], live[1], "ring × pipeline, by stage");
    add_plane(models, grid, live[1], live[0], "ring × pipeline, by replica");
  } else if (live.size() >= 2 && grid.size[0] > 1) {
    add_stages(models, grid);
    if (grid.size[1] > 1) add_replicas(models, grid);
  }
  return models;
}

}  // namespace zonecut
