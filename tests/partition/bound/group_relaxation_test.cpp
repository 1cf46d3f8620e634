#include "bound/group_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "bound/ascent.hpp"
#include "bound/blended_relaxation.hpp"
#include "bound/grid_views.hpp"
#include "grid/row_cut.hpp"
#include "partition/bound/drawn_grid.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

using Shapes = std::vector<fixture::FamilyShape>;
const Shapes kSmall{{2, 2, 3, 0}, {2, 3, 2, 0}, {3, 2, 2, 0}, {4, 3, 1, 0}, {3, 4, 1, 0}};
const Shapes kLarge{{3, 3, 4, 0}, {4, 2, 5, 0}, {6, 3, 3, 0}, {5, 4, 3, 0}};

GroupMultipliers groups_of(const fixture::DrawnGrid& drawn, const RowModel& groups) {
  WorkBudget budget(1'000'000);
  return {groups, drawn.sizes, budget};
}

/// From low to high.
std::int64_t draw(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

/// Jobs whose rows are made up of groups, seen in all such ways.
template <class Check>
int for_each_job(std::uint64_t seed, int jobs, const Shapes& shapes, const Check& check) {
  int checked = 0;
  const auto check_job = [&](Random& random, const fixture::DrawnGrid& drawn) {
    for (const Rows rows : {Rows::Replicas, Rows::Stages}) {
      if (!has_counted_groups(drawn.grid, rows) || !group_model(drawn.grid)) continue;
      const RowModel model = *row_model(drawn.grid, rows);
      const GroupMultipliers groups = groups_of(drawn, *group_model(drawn.grid));
      const double closing = static_cast<double>(random.below(3)) / 2;
      GroupRelaxation relaxation(drawn.grid, rows, groups, closing, drawn.sizes,
                                 drawn.incidence(model), ZoneShapes::kMostCounted);
      INFO(model.name << ", closing " << closing);
      check(random, drawn, rows, relaxation);
      ++checked;
    }
  };
  fixture::for_each_drawn(seed, jobs, fixture::draw_with_groups(shapes), check_job);
  return checked;
}

/// Whole numbers, for those of groups are rounded to such.
PieceMultipliers draw_multipliers(Random& random, const GroupRelaxation& relaxation,
                                  std::int64_t most) {
  const auto price = [&] { return static_cast<double>(draw(random, -most / 3, most)); };
  PieceMultipliers multipliers;
  for (std::size_t i = 0; i < relaxation.pieces(); ++i) multipliers.piece.push_back(price());
  multipliers.piece.back() = std::max(0.0, multipliers.piece.back());
  multipliers.touch = std::max(0.0, price());
  multipliers.run = std::clamp(price(), 0.0, relaxation.most_run());
  return multipliers;
}

double dot(const PieceViolation& slope, const PieceMultipliers& to, const PieceMultipliers& from) {
  double sum = slope.touch * (to.touch - from.touch) + slope.run * (to.run - from.run);
  for (std::size_t i = 0; i < slope.piece.size(); ++i) {
    sum += slope.piece[i] * (to.piece[i] - from.piece[i]);
  }
  return sum;
}

}  // namespace

TEST_CASE("the counted cells of a walk are those of a set that cuts as much", "[partition]") {
  Random random(81);
  for (int i = 0; i < 400; ++i) {
    const std::size_t cells = 1 + random.below(4);
    const std::size_t size = 1 + random.below(3);
    const auto weight = [&] { return static_cast<std::int64_t>(random.below(40)); };
    std::vector<std::int64_t> inside(size + 1, 0);
    std::vector<std::int64_t> price(size + 1, 0);
    for (std::size_t k = 1; k <= size; ++k) {
      inside[k] = weight();
      price[k] = weight() - 20;
    }
    CellRing ring{cells, size, [&](std::size_t k) { return inside[k]; }, weight(), weight(), price};
    if (cells > 2) {
      // A path whose ends lack the whole closing edge has no chain around either.
      ring.lacking = random.below(2) == 0 ? ring.slope : draw(random, 0, ring.slope);
      if (ring.lacking == ring.slope) ring.chain = 0;
      ring.end_price = weight() / 2;
    }
    INFO("case " << i << ", cells " << cells << ", size " << size);
    const CountedCuts counted = counted_cuts(ring);
    REQUIRE(counted.cut == least_cuts(ring));
    const auto cost_of = [&](const std::vector<std::size_t>& taken) {
      std::int64_t cost = 0;
      for (std::size_t c = 0; c < cells; ++c) {
        cost += inside[taken[c]] + price[taken[c]];
        const bool last = c + 1 == cells;
        if (last && cells <= 2) continue;
        const std::size_t next = taken[last ? 0 : c + 1];
        const std::size_t apart = std::max(taken[c], next) - std::min(taken[c], next);
        cost += (last ? ring.slope - ring.lacking : ring.slope) * static_cast<std::int64_t>(apart);
        if (apart == size) cost += ring.chain;
      }
      const auto ends = static_cast<std::int64_t>(taken.front() + (cells > 1 ? taken.back() : 0));
      return cost + ring.end_price * ends;
    };
    for (std::size_t x = 0; x <= cells * size; ++x) {
      std::vector<std::size_t> taken;
      for (std::size_t k = 0; k <= size; ++k) {
        taken.insert(taken.end(), counted.cells[x * (size + 1) + k], k);
      }
      REQUIRE(taken.size() == cells);
      CHECK(std::accumulate(taken.begin(), taken.end(), std::size_t{0}) == x);
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      do {
        least = std::min(least, cost_of(taken));
      } while (std::ranges::next_permutation(taken).found);
      CHECK(least == counted.cut[x]);
    }
  }
}

TEST_CASE("prices of groups, each by itself, bound the cut", "[partition]") {
  int positive = 0;
  const int checked = for_each_job(
      82, 900, kSmall,
      [&](Random& random, const fixture::DrawnGrid& drawn, Rows, GroupRelaxation& relaxation) {
        const double optimum = drawn.optimum();
        PieceViolation violation;
        for (std::int64_t most = 0; most < 90; most += 3) {
          const double bound =
              relaxation.solve(draw_multipliers(random, relaxation, most), violation);
          CHECK(bound <= 4 * optimum);
          if (bound > 0) ++positive;
        }
        WorkBudget budget(2'000'000);
        Ascent ascent(relaxation, budget, 0, std::numeric_limits<double>::infinity());
        ascent.climb_evenly(300, 0.1);
        CHECK(std::ceil(ascent.best() / 4) <= optimum);
      });
  CHECK(checked > 300);
  CHECK(positive > 5 * checked);
}

TEST_CASE("prices of groups that are out of all proportion bound the cut", "[partition]") {
  const int checked = for_each_job(
      85, 400, kSmall,
      [&](Random& random, const fixture::DrawnGrid& drawn, Rows, GroupRelaxation& relaxation) {
        const double optimum = drawn.optimum();
        PieceViolation violation;
        for (int bits = 40; bits <= 90; ++bits) {
          PieceMultipliers multipliers = draw_multipliers(random, relaxation, 60);
          const std::size_t own = relaxation.own_pieces();
          for (std::size_t i = own; i < multipliers.piece.size(); ++i)
            multipliers.piece[i] = std::ldexp(multipliers.piece[i], bits);
          CHECK(relaxation.solve(multipliers, violation) <= 4 * optimum);
        }
      });
  CHECK(checked > 100);
}

TEST_CASE("what pieces of groups violate is a slope of the bound", "[partition]") {
  const int checked = for_each_job(
      83, 200, kLarge,
      [&](Random& random, const fixture::DrawnGrid& drawn, Rows, GroupRelaxation& relaxation) {
        PieceViolation here;
        PieceViolation there;
        for (std::int64_t most = 30; most < 430; most += 20) {
          const PieceMultipliers from = draw_multipliers(random, relaxation, most);
          const PieceMultipliers to = draw_multipliers(random, relaxation, most);
          const double value = relaxation.solve(from, here);
          // The bound is concave in its multipliers; halves are rounded in what runs of rows cut.
          const double rounding =
              number(drawn.sizes.size() * drawn.grid.size[1] * drawn.grid.size[2]);
          CHECK(relaxation.solve(to, there) <= value + dot(here, to, from) + rounding);
        }
      });
  CHECK(checked > 30);
}

TEST_CASE("at a share of the groups' own multipliers it is the view with that share",
          "[partition]") {
  int priced = 0;
  for_each_job(
      84, 400, kLarge,
      [&](Random& random, const fixture::DrawnGrid& drawn, Rows rows, GroupRelaxation&) {
        GridViews views(drawn.grid, drawn.sizes);
        WorkBudget budget(1'000'000);
        views.price_groups(budget);
        if (!views.priced(rows)) return;
        const double share = static_cast<double>(random.below(101)) / 100;
        const GridView view = *views.at(rows, share, 1);
        GroupRelaxation closed(drawn.grid, rows, *views.groups(), 1, drawn.sizes,
                               drawn.incidence(view.model), ZoneShapes::kMostCounted);
        ZonePieceRelaxation seen(view.model, drawn.sizes, drawn.incidence(view.model));
        PieceViolation violation;
        const PieceMultipliers none{std::vector<double>(seen.pieces(), 0), 0, 0};
        const double bound = closed.solve(closed.multipliers_at(share, none), violation);
        CHECK(std::abs(bound - seen.solve(none, violation) - in_quarters(view.groups)) <= 1);
        ++priced;
      });
  CHECK(priced > 20);
}
