#include "grid/row_model.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "grid/line_cut.hpp"
#include "grid/relaxation_sums.hpp"
#include "grid/row_cut.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kQuarter = 4;

/// An axis as a cycle: `all` is the weight of its edges, `missing` what the closing edge lacks.
struct Cycle {
  std::int64_t all = 0;
  std::int64_t missing = 0;
};

/// For two vertices the one edge counts as a cycle with an absent second edge.
Cycle cycle_of(std::int64_t step, std::int64_t wrap) { return {step, step - std::min(step, wrap)}; }

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

/// `columns`: edges between two neighbouring rows.
void add_row_cycle(RowModel& model, const Cycle& rows, std::size_t columns) {
  model.across = linear(model.length, kQuarter * rows.all);
  // What the closing edge lacks makes a path of its own, and whoever is in a place of a path pays
  // for it, wherever it ends: the deduction is what that is too much for each place.
  model.around = linear(model.length, kQuarter * (rows.all - rows.missing));
  model.lacking_across = kQuarter * rows.missing;
  model.deduction = model.lacking_across * static_cast<std::int64_t>(columns);
}

/// Two axes: rows along one, stacked along the other.
RowModel plane(const GridTraffic& grid, std::size_t along, std::size_t stacked,
               const std::string& name) {
  RowModel model;
  model.rows = grid.size[stacked];
  model.length = grid.size[along];
  model.name = name;
  const Cycle inside = cycle_of(grid.step[along], grid.wrap[along]);
  model.inside = two_ends(model.length, 2 * inside.all);
  model.lacking_inside = kQuarter * inside.missing;
  model.per_divided_row = model.lacking_inside;
  add_row_cycle(model, cycle_of(grid.step[stacked], grid.wrap[stacked]), model.length);
  return model;
}

/// Rows along axis 1 with all the edges they have, stacked along the other axis.
RowModel plane_of_lines(const GridTraffic& grid, std::size_t stacked, bool shared) {
  RowModel model;
  model.rows = grid.size[stacked];
  model.length = grid.size[1];
  model.name = shared ? "tree × pipeline, edges shared evenly" : "tree × pipeline, by stage";
  model.inside =
      shared ? least_shares(model.length, grid.lines) : least_cuts(model.length, grid.lines);
  for (std::int64_t& cut : model.inside) cut *= kQuarter;
  add_row_cycle(model, cycle_of(grid.step[stacked], grid.wrap[stacked]), model.length);
  return model;
}

/// The weights inside a stage whose groups are cliques or rings, joined by a chain, in quarters.
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
  for (std::int64_t* weight : {&weights.clique, &weights.ring, &weights.replica, &weights.chain}) {
    *weight *= kQuarter;
  }
  return weights;
}

std::int64_t group_cut(const StageWeights& weights, std::size_t group, std::size_t taken) {
  if (taken == 0 || taken == group) return 0;
  const auto pairs = static_cast<std::int64_t>(taken * (group - taken));
  return weights.clique * pairs + 2 * weights.ring;
}

/// As `inside` counts: a cut has two sides.
std::vector<std::int64_t> prices_of(std::span<const std::int64_t> refund) {
  std::vector<std::int64_t> prices;
  for (const std::int64_t each : refund) prices.push_back(-2 * each);
  return prices;
}

/// Whether what a group and its border cut is known by how many of it are taken. Otherwise it
/// counts which.
bool are_cells(const StageWeights& weights) { return weights.clique > 0 || weights.replica > 0; }

/// Groups of axis 0 in a ring along axis 1.
CellRing ring_of_groups(const GridTraffic& grid, const StageWeights& weights,
                        std::span<const std::int64_t> refund) {
  const std::size_t group = grid.size[0];
  const auto cell = [weights, group](std::size_t k) {
    const bool divided = k > 0 && k < group;
    return group_cut(weights, group, k) + (divided ? weights.chain : 0);
  };
  return {grid.size[1], group, cell, weights.replica, weights.chain, prices_of(refund)};
}

CutBySize least_stage_cuts(const GridTraffic& grid, const StageWeights& weights,
                           std::span<const std::int64_t> refund) {
  if (are_cells(weights)) return least_cuts(ring_of_groups(grid, weights, refund));
  // The chain's step along a group comes on top of the ring's.
  return least_cuts(ChainOfRings{grid.size[1], grid.size[0], weights.ring + weights.chain,
                                 weights.ring, weights.chain, prices_of(refund)});
}

RowModel stages_of_groups(const GridTraffic& grid, CutBySize inside) {
  RowModel model;
  model.rows = grid.size[2];
  model.length = std::size_t{grid.size[0]} * grid.size[1];
  model.inside = std::move(inside);
  model.name = "groups × pipeline, by stage";
  add_row_cycle(model, cycle_of(grid.step[2], grid.wrap[2]), model.length);
  return model;
}

/// Groups of axis 0 in a path along axis 2, as rows that are replicas in a ring along axis 1.
struct ReplicaRows {
  Cycle stages;
  CellRing ring;         ///< a row
  CellRing with_chains;  ///< the same, and what it cuts of the chains through its cells
};

/// None of a single replica.
std::optional<ReplicaRows> replica_rows(const GridTraffic& grid, const StageWeights& weights,
                                        std::span<const std::int64_t> refund, double closing) {
  if (grid.size[1] < 2) return std::nullopt;
  const std::size_t group = grid.size[0];
  ReplicaRows rows;
  rows.stages = cycle_of(grid.step[2], grid.wrap[2]);
  const auto cell = [weights, group](std::size_t k) { return group_cut(weights, group, k); };
  rows.ring = {grid.size[2], group, cell, kQuarter * rows.stages.all, 0, prices_of(refund)};
  if (grid.size[2] > 2) {
    // Without a price every piece would lie at an end of the path, where it cuts half.
    rows.ring.lacking = kQuarter * rows.stages.missing;
    rows.ring.end_price = rounded_up(closing * static_cast<double>(rows.ring.lacking));
  }
  rows.with_chains = rows.ring;
  rows.with_chains.price.resize(group + 1, 0);
  for (std::size_t k = 1; k <= group; ++k) rows.with_chains.price[k] += 2 * weights.chain;
  return rows;
}

/// Half of what chains are cut, one through the groups in each cell of every row, by a zone whose
/// piece of a row has x vertices, beside what such a piece cuts: a few cells are cheap for the
/// chains, and may be dear for the piece.
std::vector<std::int64_t> chains_by_piece(const CutBySize& inside, const CutBySize& with_chains,
                                          std::int64_t all) {
  std::vector<std::int64_t> chains;
  for (std::size_t x = 0; x < inside.size(); ++x)
    chains.push_back(half_down(with_chains[x] - inside[x]));
  chains.front() = 0;
  chains.back() = all;
  return chains;
}

RowModel model_of(const GridTraffic& grid, const StageWeights& weights, const ReplicaRows& rows,
                  CutBySize inside, const CutBySize& with_chains) {
  const std::size_t group = grid.size[0];
  RowModel model;
  model.rows = grid.size[1];
  model.length = group * grid.size[2];
  model.lacking_border = rows.ring.lacking;
  model.per_divided_row = rows.ring.end_price * static_cast<std::int64_t>(group);
  model.inside = std::move(inside);
  // Of two replicas the edges to the one neighbour count half on either side.
  const std::int64_t per_place = model.rows > 2 ? weights.replica : weights.replica / 2;
  const auto all_chains = weights.chain * static_cast<std::int64_t>(rows.ring.cells);
  const std::vector<std::int64_t> chains = chains_by_piece(model.inside, with_chains, all_chains);
  model.across.resize(model.length + 1);
  model.around.resize(model.length + 1);
  for (std::size_t m = 0; m <= model.length; ++m) {
    const std::int64_t places = per_place * static_cast<std::int64_t>(m);
    model.across[m] = places + chains[m];
    model.around[m] = places + weights.chain * static_cast<std::int64_t>(m / group);
  }
  model.name = "groups × pipeline, by replica";
  return model;
}

std::optional<RowModel> replicas_of_groups(const GridTraffic& grid, const StageWeights& weights,
                                           std::span<const std::int64_t> refund, double closing) {
  const std::optional<ReplicaRows> rows = replica_rows(grid, weights, refund, closing);
  if (!rows) return std::nullopt;
  CutBySize inside = least_cuts(rows->ring);
  const CutBySize with_chains = weights.chain == 0 ? inside : least_cuts(rows->with_chains);
  return model_of(grid, weights, *rows, std::move(inside), with_chains);
}

/// Of more than one place.
std::vector<std::size_t> live_axes(const GridTraffic& grid) {
  std::vector<std::size_t> live;
  for (std::size_t axis = 0; axis < grid.size.size(); ++axis) {
    if (grid.size[axis] > 1) live.push_back(axis);
  }
  return live;
}

bool has_groups(const GridTraffic& grid) {
  const auto live = std::ranges::count_if(grid.size, [](auto extent) { return extent > 1; });
  return grid.size[0] > 1 && (live == 3 || (live == 2 && (grid.chain > 0 || grid.clique > 0)));
}

}  // namespace

RowModel with_closing(RowModel model, double share) {
  if (share >= 1) return model;
  const auto per_place = static_cast<double>(model.lacking_across) * (1 - share) / 2;
  for (std::size_t m = 1; m <= model.length; ++m) {
    model.across[m] -= rounded_up(per_place * static_cast<double>(m));
    // Where none is taken off once, who has every row of a place pays nothing for it.
    model.around[m] += rounded_up(per_place) * static_cast<std::int64_t>(m);
  }
  model.deduction = rounded_up(static_cast<double>(model.deduction) * share);
  const std::int64_t per_piece =
      rounded_up(static_cast<double>(model.lacking_inside) * (1 - share));
  for (std::size_t x = 1; x < model.length; ++x) model.inside[x] -= per_piece;
  model.per_divided_row -=
      model.lacking_inside - rounded_up(static_cast<double>(model.lacking_inside) * share);
  return model;
}

std::optional<RowModel> row_model(const GridTraffic& grid, Rows rows,
                                  std::span<const std::int64_t> refund, double closing) {
  if (has_groups(grid)) {
    const StageWeights weights = stage_weights(grid);
    if (rows == Rows::Stages) {
      return stages_of_groups(grid, least_stage_cuts(grid, weights, refund));
    }
    return rows == Rows::Replicas ? replicas_of_groups(grid, weights, refund, closing)
                                  : std::nullopt;
  }
  std::vector<std::size_t> live = live_axes(grid);
  // A single row: the rows' cycle has no edges.
  if (live.size() == 1) live.push_back(live[0] == 0 ? 1 : 0);
  if (live.size() != 2 || (grid.vertices() == grid.size[live[0]] && rows == Rows::Replicas)) {
    return std::nullopt;
  }
  const bool lines = !grid.lines.empty();
  const std::size_t other = live[0] == 1 ? live[1] : live[0];
  switch (rows) {
    case Rows::Stages:
      if (lines && live[0] == 1) return plane_of_lines(grid, other, false);
      return plane(grid, live[0], live[1],
                   grid.size[live[1]] > 1 ? "ring × pipeline, by stage" : "ring");
    case Rows::Replicas:
      if (lines && live[1] == 1) return plane_of_lines(grid, other, false);
      return plane(grid, live[1], live[0], "ring × pipeline, by replica");
    case Rows::SharedLines:
      break;
  }
  if (!lines) return std::nullopt;
  return plane_of_lines(grid, other, true);
}

std::optional<Rows> rows_of_lines(const GridTraffic& grid) {
  const std::vector<std::size_t> live = live_axes(grid);
  if (grid.lines.empty() || has_groups(grid) || live.size() > 2) return std::nullopt;
  if (live[0] == 1) return Rows::Stages;
  return live.size() == 2 && live[1] == 1 ? std::optional(Rows::Replicas) : std::nullopt;
}

bool has_group_replicas(const GridTraffic& grid) {
  return has_groups(grid) && grid.size[1] > 1 && group_model(grid).has_value();
}

bool has_counted_groups(const GridTraffic& grid, Rows rows) {
  if (rows == Rows::Replicas) return has_group_replicas(grid);
  return rows == Rows::Stages && has_groups(grid) && are_cells(stage_weights(grid));
}

CountedRows counted_rows(const GridTraffic& grid, Rows way, std::span<const std::int64_t> refund,
                         double closing) {
  ZONECUT_ENSURES(has_counted_groups(grid, way));
  const StageWeights weights = stage_weights(grid);
  if (way == Rows::Stages) {
    CountedCuts cuts = counted_cuts(ring_of_groups(grid, weights, refund));
    RowModel model = with_closing(stages_of_groups(grid, std::move(cuts.cut)), closing);
    return {std::move(model), cuts.cells, cuts.cells};
  }
  const std::optional<ReplicaRows> rows = replica_rows(grid, weights, refund, closing);
  CountedCuts inside = counted_cuts(rows->ring);
  CountedCuts ended = weights.chain == 0 ? inside : counted_cuts(rows->with_chains);
  return {model_of(grid, weights, *rows, std::move(inside.cut), ended.cut), std::move(inside.cells),
          std::move(ended.cells)};
}

std::optional<CellRing> cells_of_rows(const GridTraffic& grid, Rows rows,
                                      std::span<const std::int64_t> refund) {
  if (!has_groups(grid)) return std::nullopt;
  const StageWeights weights = stage_weights(grid);
  if (rows == Rows::Stages && are_cells(weights)) return ring_of_groups(grid, weights, refund);
  if (rows != Rows::Replicas) return std::nullopt;
  const std::optional<ReplicaRows> replicas = replica_rows(grid, weights, refund, 0);
  return replicas ? std::optional(replicas->ring) : std::nullopt;
}

std::size_t counted_rows_steps(const GridTraffic& grid, Rows rows) {
  if (rows == Rows::Stages) return counted_steps(grid.size[1], grid.size[0], true);
  const bool path = grid.size[2] > 2 && grid.wrap[2] == 0;
  // Without chains and with them.
  return 2 * counted_steps(grid.size[2], grid.size[0], !path);
}

std::optional<RowModel> group_model(const GridTraffic& grid) {
  if (!has_groups(grid)) return std::nullopt;
  const StageWeights weights = stage_weights(grid);
  if (weights.clique == 0 && weights.ring == 0) return std::nullopt;
  RowModel model;
  model.length = grid.size[0];
  model.rows = std::size_t{grid.size[1]} * grid.size[2];
  for (std::size_t k = 0; k <= model.length; ++k) {
    model.inside.push_back(group_cut(weights, model.length, k));
  }
  model.across.assign(model.length + 1, 0);
  model.around = model.across;
  model.name = "groups";
  return model;
}

}  // namespace zonecut
