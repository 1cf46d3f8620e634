// Relaxations by pieces where zones may hold fewer vertices than they have room for.
#include <algorithm>
#include <limits>
#include <numeric>

#include "bound/bound.hpp"
#include "bound/bound_grid.hpp"
#include "bound/grid_views.hpp"
#include "bound/group_prices.hpp"
#include "bound/open_zones.hpp"
#include "bound/piece_relaxation.hpp"
#include "bound/zone_piece_relaxation.hpp"
#include "partition/bound/drawn_grid.hpp"
#include "shares.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

struct OpenJob {
  fixture::DrawnGrid drawn;
  std::vector<std::uint32_t> capacity;
  double optimum = 0;  ///< in quarters
};

std::optional<OpenJob> draw_open_job(Random& random, fixture::Family family) {
  const fixture::FamilyShape shape = fixture::draw_shape(random, family, 9);
  std::optional<fixture::DrawnGrid> drawn = fixture::draw_grid(random, family, shape);
  if (!drawn) return std::nullopt;
  OpenJob job{*std::move(drawn), {}, 0};
  const std::size_t vertices = job.drawn.grid.vertices();
  job.drawn.job.tree = fixture::draw_zones(random, vertices, 1 + random.below(5));
  for (const std::uint64_t room : job.drawn.job.tree.capacity(0)) {
    job.capacity.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(room, vertices)));
  }
  job.optimum = 4 * job.drawn.optimum();
  return job;
}

PieceMultipliers draw_multipliers(Random& random, std::size_t pieces, double most_run,
                                  double most) {
  const auto draw = [&] { return most * (static_cast<double>(random.below(1001)) / 1000 - 0.3); };
  PieceMultipliers multipliers;
  for (std::size_t i = 0; i < pieces; ++i) multipliers.piece.push_back(draw());
  multipliers.touch = std::max(0.0, draw());
  multipliers.run = std::clamp(draw(), 0.0, most_run);
  return multipliers;
}

struct PricedRows {
  RowModel model;
  double groups = 0;  ///< what their prices add
  bool priced = false;
};

/// What paths lack taken off in any way, pieces of groups with any prices.
PricedRows draw_prices(Random& random, const OpenJob& job, Rows rows) {
  const fixture::DrawnGrid& drawn = job.drawn;
  WorkBudget budget(10'000);
  const GroupMultipliers multipliers(*group_model(drawn.grid), job.capacity, budget, Filling::Open);
  std::vector<std::int64_t> refund(drawn.grid.size[0] + 1, 0);
  for (std::size_t k = 1; k + 1 < refund.size(); ++k) {
    refund[k] = static_cast<std::int64_t>(random.below(160)) - 40;
  }
  const GroupPrices prices =
      multipliers.at(std::move(refund), static_cast<std::int64_t>(random.below(100)));
  const double closing = static_cast<double>(random.below(5)) / 4;
  PricedRows priced{with_closing(*row_model(drawn.grid, rows, prices.refund, closing), closing),
                    static_cast<double>(prices.constant), true};
  priced.model.group = drawn.grid.size[0];
  priced.model.per_divider = prices.touch / 2;
  return priced;
}

/// With prices of groups, and without.
std::vector<PricedRows> rows_of(Random& random, const OpenJob& job) {
  std::vector<PricedRows> all;
  for (const GridView& view : GridViews(job.drawn.grid, job.capacity, Filling::Open).plain()) {
    all.push_back({view.model, 0, false});
    if (!group_model(job.drawn.grid)) continue;
    for (int draw = 0; draw < 4; ++draw) all.push_back(draw_prices(random, job, view.rows));
  }
  return all;
}

template <class Relaxation>
double highest(Random& random, Relaxation relaxation) {
  PieceViolation violation;
  double most = -std::numeric_limits<double>::infinity();
  for (int draw = 0; draw < 6; ++draw) {
    const double prices = draw % 3 == 0 ? 0 : 25 * draw;
    const PieceMultipliers multipliers =
        draw_multipliers(random, relaxation.pieces(), relaxation.most_run(), prices);
    most = std::max(most, relaxation.solve(multipliers, violation));
  }
  return most;
}

}  // namespace

TEST_CASE("prices bound the cut whatever they are where sizes are open", "[partition]") {
  Random random(31);
  int checked = 0;
  int priced = 0;
  int positive = 0;
  for (std::size_t i = 0; i < 6000; ++i) {
    const auto job = draw_open_job(random, fixture::kFamilies[i % fixture::kFamilies.size()]);
    if (!job) continue;
    for (const PricedRows& rows : rows_of(random, *job)) {
      INFO("job " << i << ", " << rows.model.name << ", priced " << rows.priced);
      const Incidence incidence = open_incidence(rows.model);
      const double pooled =
          highest(random, PieceRelaxation(rows.model, job->capacity, incidence, Filling::Open));
      const double by_zone =
          highest(random, ZonePieceRelaxation(rows.model, job->capacity, incidence,
                                              ZoneShapes::kMostCounted, Filling::Open));
      CHECK(pooled + rows.groups <= job->optimum);
      CHECK(by_zone + rows.groups <= job->optimum);
      ++checked;
      priced += rows.priced ? 1 : 0;
      positive += pooled + rows.groups > 0 ? 1 : 0;
    }
  }
  CHECK(checked > 5000);
  CHECK(priced > 2500);
  CHECK(positive > checked / 3);
}

TEST_CASE("shares of whole rows or columns fit where zones have room for them", "[partition]") {
  Random random(58);
  int none = 0;
  int of_rows = 0;
  int of_columns = 0;
  for (std::size_t i = 0; i < 700; ++i) {
    const auto job = draw_open_job(random, fixture::kFamilies[i % fixture::kFamilies.size()]);
    if (!job) continue;
    INFO("job " << i);
    const GridTraffic& grid = job->drawn.grid;
    const GridBound bound = bound_grid(grid, job->capacity, 0, std::numeric_limits<int>::max());
    none += bound.whole.empty() ? 1 : 0;
    for (const Shares& shares : bound.whole) {
      CHECK(std::ranges::equal(shares, job->capacity, std::ranges::less_equal{}));
      CHECK(std::reduce(shares.begin(), shares.end(), std::size_t{0}) == grid.vertices());
      std::uint32_t unit = 0;
      for (const std::uint32_t share : shares) unit = std::gcd(unit, share);
      const auto is_whole = [&](std::size_t each) { return each > 1 && unit % each == 0; };
      const auto views = GridViews(grid, job->capacity, Filling::Open).plain();
      const bool rows = std::ranges::any_of(
          views, [&](const GridView& view) { return is_whole(view.model.length); });
      const bool columns = std::ranges::any_of(
          views, [&](const GridView& view) { return is_whole(view.model.rows); });
      CHECK((rows || columns));
      of_rows += rows ? 1 : 0;
      of_columns += columns ? 1 : 0;
    }
  }
  CHECK(none > 50);
  CHECK(of_rows > 50);
  CHECK(of_columns > 50);
}

TEST_CASE("shares of whole rows are tried, and shares in proportion where there are none",
          "[partition]") {
  Random random(59);
  int with = 0;
  int without = 0;
  for (std::size_t i = 0; i < 700; ++i) {
    const auto job = draw_open_job(random, fixture::kFamilies[i % fixture::kFamilies.size()]);
    if (!job) continue;
    const fixture::Instance& drawn = job->drawn.job;
    const PartitionProblem problem{drawn.graph, job->capacity, drawn.coordinates};
    const auto bound = bound_of(problem, 0);
    if (!bound) continue;
    const std::vector<Shares> choices = share_choices(problem, bound);
    const auto tried = [&](const Shares& shares) {
      return std::ranges::find(choices, shares) != choices.end();
    };
    CHECK(std::ranges::all_of(bound->whole, tried));
    CHECK(tried(fewest_parts(job->capacity, drawn.graph.vertices())));
    if (bound->whole.empty())
      CHECK(tried(proportional_shares(job->capacity, drawn.graph.vertices())));
    (bound->whole.empty() ? without : with) += 1;
  }
  CHECK(with > 50);
  CHECK(without > 50);
}
