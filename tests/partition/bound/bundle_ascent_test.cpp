#include "bound/bundle_ascent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "bound/ascent.hpp"
#include "bound/blended_relaxation.hpp"
#include "bound/branch_and_bound.hpp"
#include "bound/grid_views.hpp"
#include "bound/group_relaxation.hpp"
#include "bound/symmetric.hpp"
#include "partition/bound/drawn_grid.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

double draw_number(Random& random) { return static_cast<double>(random.below(2001)) / 1000 - 1; }

/// All relaxations that give their parts, of drawn jobs. `small`: with a known optimum.
template <class Check>
int for_each_relaxation(std::uint64_t seed, int jobs, bool small, const Check& check) {
  const std::vector<fixture::FamilyShape> shapes =
      small ? std::vector<fixture::FamilyShape>{{2, 2, 3, 0}, {2, 3, 2, 0}, {3, 3, 1, 0}}
            : std::vector<fixture::FamilyShape>{{3, 3, 4, 0}, {4, 2, 5, 0}, {6, 3, 3, 0}};
  int checked = 0;
  const auto check_all = [&](Random& random, const fixture::DrawnGrid& drawn) {
    GridViews views(drawn.grid, drawn.sizes);
    WorkBudget budget(1'000'000);
    views.price_groups(budget);
    for (const Rows rows : {Rows::Stages, Rows::Replicas}) {
      const std::optional<GridView> view = views.at(rows, 0, 1);
      if (!view) continue;
      INFO(view->model.name);
      const std::vector<GridView> blended = blended_views(views, *view);
      const Incidence incidence = drawn.incidence(view->model);
      BlendedRelaxation pooled(blended, drawn.sizes, incidence);
      check(random, drawn, pooled, pooled.multipliers_at(0.4, 0.7, {}));
      BlendedByZone by_zone(blended, drawn.sizes, incidence);
      check(random, drawn, by_zone, by_zone.multipliers_at(0.4, 0.7, {}));
      checked += 2;
      if (!views.groups() || !has_counted_groups(drawn.grid, rows)) continue;
      GroupRelaxation groups(drawn.grid, rows, *views.groups(), 0.5, drawn.sizes, incidence,
                             ZoneShapes::kMostCounted);
      PieceMultipliers start;
      start.piece.assign(groups.own_pieces(), 0);
      check(random, drawn, groups, groups.multipliers_at(0, start));
      ++checked;
    }
  };
  fixture::for_each_drawn(seed, jobs, fixture::draw_with_groups(shapes), check_all);
  return checked;
}

/// Near others, those that are no pieces' the same.
template <class Relaxation>
PieceMultipliers draw_near(Random& random, const Relaxation& relaxation, PieceMultipliers from,
                           double most) {
  for (std::size_t x = 1; x + 2 < from.piece.size(); ++x) {
    from.piece[x] += std::round(most * draw_number(random));
  }
  from.touch = std::max(0.0, from.touch + most * draw_number(random));
  from.run = std::clamp(from.run + most * draw_number(random), 0.0, relaxation.most_run());
  return from;
}

std::vector<double> flat(const PieceMultipliers& multipliers, double full_row) {
  std::vector<double> all = multipliers.piece;
  all.front() = full_row;
  all.push_back(multipliers.touch);
  all.push_back(multipliers.run);
  return all;
}

double at(const Column& column, std::span<const double> from, std::span<const double> to) {
  double value = column.value;
  for (const auto& [multiplier, each] : column.slope) {
    value += each * (to[multiplier] - from[multiplier]);
  }
  return value;
}

}  // namespace

TEST_CASE("the cheapest of all parts make up the bound, and bound it elsewhere", "[partition]") {
  int rows_checked = 0;
  const int checked = for_each_relaxation(
      51, 120, false,
      [&](Random& random, const fixture::DrawnGrid& drawn, auto& relaxation,
          const PieceMultipliers& start) {
        const PieceMultipliers here = draw_near(random, relaxation, start, 60);
        PieceViolation violation;
        const double value = relaxation.solve(here, violation);
        const std::vector<Part> parts = relaxation.parts();
        const double full_row = parts.front().columns.front().value;
        const std::vector<double> from = flat(here, full_row);
        const auto steady = [&](const PieceMultipliers& of) {
          const Incidence& incidence = relaxation.incidence();
          return of.touch * number(incidence.touches) - 2 * of.run * number(incidence.components);
        };
        double sum = steady(here);
        for (const Part& part : parts) sum += part.count * part.columns.front().value;
        // Shapes of which only a bound is known cost no less than that.
        CHECK(std::abs(sum - value) < 1e-3 + 1e-6 * std::abs(value));
        const double rounding = 4 * number(drawn.grid.vertices());
        for (int draw = 0; draw < 5; ++draw) {
          const PieceMultipliers there = draw_near(random, relaxation, here, 40);
          const std::vector<Part> rows = relaxation.rows(there);
          const double row = rows.front().columns.front().value;
          const std::vector<double> to = flat(there, row);
          double most = steady(there);
          for (const Part& part : parts) most += part.count * at(part.columns.front(), from, to);
          CHECK(relaxation.solve(there, violation) <= most + rounding);
          // No row that is given costs less than the cheapest, there or here.
          for (const Column& column : rows.front().columns) {
            CHECK(column.value >= std::min(row, there.piece.front()) - 1e-6);
            CHECK(at(column, to, from) >= full_row - 1e-3);
            ++rows_checked;
          }
        }
      });
  CHECK(checked > 150);
  CHECK(rows_checked > 5 * checked);
}

TEST_CASE("an ascent by parts comes to bounds, in fewer solutions than others", "[partition]") {
  int reached = 0;
  const int checked = for_each_relaxation(
      52, 240, true,
      [&](Random&, const fixture::DrawnGrid& drawn, auto& relaxation,
          const PieceMultipliers& start) {
        const double optimum = drawn.optimum();
        WorkBudget budget(1'000'000'000);
        constexpr double kNoLimit = std::numeric_limits<double>::infinity();
        BundleAscent by_parts(relaxation, budget, kNoLimit, start);
        by_parts.climb(40);
        CHECK(std::ceil(by_parts.best() / 4 - 1e-6) <= optimum);
        // Zones come first in a row by turns, with every look at other rows, and sums are rounded
        // in their order.
        PieceViolation violation;
        bool found_again = false;
        for (std::size_t turn = 0; turn < drawn.sizes.size() && !found_again; ++turn) {
          const double again = relaxation.solve(by_parts.best_multipliers(), violation);
          CHECK(std::abs(again - by_parts.best()) < 1e-12 * (1 + std::abs(again)));
          found_again = again == by_parts.best();
          CHECK_FALSE(relaxation.rows(by_parts.best_multipliers()).empty());
        }
        CHECK(found_again);
        Ascent evenly(relaxation, budget, 0, kNoLimit);
        evenly.start_at(start);
        evenly.climb_evenly(400, 0.1);
        reached += by_parts.best() >= evenly.best() - 0.005 * std::abs(evenly.best()) ? 1 : 0;
      });
  CHECK(checked > 150);
  CHECK(reached > checked * 9 / 10);
}

TEST_CASE("an ascent that begins with the reach of another comes as high", "[partition]") {
  int as_high = 0;
  int led_higher = 0;
  const int checked = for_each_relaxation(
      57, 240, true,
      [&](Random&, const fixture::DrawnGrid& drawn, auto& relaxation,
          const PieceMultipliers& start) {
        WorkBudget budget(1'000'000'000);
        constexpr double kNoLimit = std::numeric_limits<double>::infinity();
        BundleAscent plain(relaxation, budget, kNoLimit, start);
        plain.climb(40);
        BundleAscent further(relaxation, budget, kNoLimit, start);
        const double begun = further.best();
        CHECK(further.reached() == 0);
        further.climb(40, {1, 0.1, plain.reached()});
        CHECK(std::ceil(further.best() / 4 - 1e-6) <= drawn.optimum());
        if (further.reached() > 0) {
          CHECK(further.best() > begun);
          ++led_higher;
        }
        as_high += further.best() >= plain.best() - 0.01 * std::abs(plain.best()) ? 1 : 0;
      });
  CHECK(checked > 150);
  CHECK(led_higher > 200);  // many start where nothing is higher
  CHECK(as_high > checked * 9 / 10);
}

TEST_CASE("an ascent ends early where it promises less than is known, and only there",
          "[partition]") {
  int as_high = 0;
  int no_higher = 0;
  int ended = 0;
  int saved = 0;
  const int checked = for_each_relaxation(
      58, 480, true,
      [&](Random&, const fixture::DrawnGrid&, auto& relaxation, const PieceMultipliers& start) {
        constexpr double kNoLimit = std::numeric_limits<double>::infinity();
        const auto steps = 30 * static_cast<std::int64_t>(relaxation.steps_per_solve());
        WorkBudget budget(steps);
        BundleAscent plain(relaxation, budget, kNoLimit, start);
        plain.climb(40);
        WorkBudget same(steps);
        BundleAscent below(relaxation, same, kNoLimit, start);
        below.climb(40, below.best() - 1);
        const double nearly = 1e-3 * (1 + std::abs(plain.best()));
        as_high += below.best() > plain.best() - nearly ? 1 : 0;
        WorkBudget less(steps);
        BundleAscent above(relaxation, less, kNoLimit, start);
        above.climb(40, 100 * (1 + std::abs(plain.best())));
        no_higher += above.best() < plain.best() + nearly ? 1 : 0;
        ended += less.left() > budget.left() ? 1 : 0;
        saved += less.left() > steps / 3 && budget.left() <= 0 ? 1 : 0;
      });
  CHECK(checked > 300);
  CHECK(as_high > checked * 9 / 10);
  CHECK(no_higher > checked * 9 / 10);
  CHECK(ended > checked / 4);
  CHECK(saved > 10);
}

namespace {

struct Branched {
  double root = 0;
  double bound = 0;
};

/// What climbing gives alone, and then case by case.
template <class Relaxation>
Branched branch(Relaxation& relaxation, const PieceMultipliers& start) {
  WorkBudget budget(1'000'000'000);
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  BundleAscent root(relaxation, budget, kNoLimit, start);
  root.climb(40);
  const Branched result{root.best(), BranchAndBound(relaxation, budget, root).run(kNoLimit)};
  CHECK(result.bound >= result.root);
  // Nothing is left restricted.
  PieceViolation violation;
  const double again = relaxation.solve(root.best_multipliers(), violation);
  CHECK(std::abs(again - result.root) < 1e-6 * (1 + std::abs(again)));
  return result;
}

}  // namespace

TEST_CASE("bounds case by case hold in all cases", "[partition]") {
  int branched = 0;
  for_each_relaxation(54, 600, true,
                      [&](Random&, const fixture::DrawnGrid& drawn, auto& relaxation,
                          const PieceMultipliers& start) {
                        if constexpr (requires { relaxation.relaxed().kinds(); }) {
                          const double bound = branch(relaxation, start).bound;
                          CHECK(std::ceil(bound / 4 - 1e-6) <= drawn.optimum());
                          ++branched;
                        }
                      });
  CHECK(branched > 200);
}

TEST_CASE("bounds case by case are sometimes higher", "[partition]") {
  int higher = 0;
  const auto draw = [](Random& random, int i) {
    const fixture::Family family =
        fixture::kFamilies[static_cast<std::size_t>(i) % fixture::kFamilies.size()];
    return fixture::draw_grid(random, family, fixture::draw_shape(random, family, 96));
  };
  fixture::for_each_drawn(56, 200, draw, [&](Random&, const fixture::DrawnGrid& drawn) {
    const GridViews views(drawn.grid, drawn.sizes);
    for (const GridView& view : views.plain()) {
      INFO(view.model.name);
      BlendedByZone relaxation({&view, 1}, drawn.sizes, drawn.incidence(view.model));
      const auto [root, bound] = branch(relaxation, relaxation.multipliers_at(0, 1, {}));
      higher += bound > root + 1e-3 * std::abs(root) ? 1 : 0;
    }
  });
  CHECK(higher >= 3);
}

TEST_CASE("a master that has forgotten columns mixes those that are left", "[partition]") {
  ProximalMaster master(std::vector<MultiplierRange>(2), Slope{}, {});
  const std::vector<Column> columns{{1, {{0, -1.0}}}, {2, {{0, -2.0}}}, {4, {{1, 1.0}}}};
  const std::vector<Part> parts{{1, columns}};
  master.add(parts);
  master.solve(1, 1, 50);
  double all = 0;
  for (const auto& [slope, weight] : master.mixed(0, 0)) all += weight;
  CHECK(std::abs(all - 1) < 1e-9);
  master.keep_only(0, 0, {-2, -1.5});
  REQUIRE(master.mixed(0, 0).size() == 1);
  CHECK(master.mixed(0, 0).front().slope == -2);
  CHECK(master.mixed(0, 0).front().weight == 1);
  master.return_to_centre();
  CHECK(master.least(0) == 2);
}

TEST_CASE("a master finds the highest of its model near the centre", "[partition]") {
  Random random(53);
  constexpr std::size_t kMultipliers = 6;
  for (int draw = 0; draw < 200; ++draw) {
    std::vector<MultiplierRange> ranges(kMultipliers);
    ranges.front().low = 0;
    ranges.back() = {-0.2, 0.3};
    const Slope steady{{0, draw_number(random)}};
    std::vector<Part> parts(1 + random.below(4));
    for (Part& part : parts) {
      part.count = 1 + number(random.below(3));
      part.columns.resize(1 + random.below(8));
      for (Column& column : part.columns) {
        column.value = draw_number(random);
        // No two alike.
        for (std::uint32_t i = 0; i < kMultipliers; ++i) {
          if (i == 1 || random.below(2) == 0) column.slope.emplace_back(i, draw_number(random));
        }
      }
      std::ranges::sort(part.columns, {}, &Column::value);
    }
    const auto model = [&](std::span<const double> prices) {
      double value = 0;
      for (const auto& [i, each] : steady) value += each * prices[i];
      for (const Part& part : parts) {
        double least = std::numeric_limits<double>::infinity();
        for (const Column& column : part.columns) {
          least = std::min(least, at(column, std::vector<double>(kMultipliers, 0), prices));
        }
        value += part.count * least;
      }
      return value;
    };
    ProximalMaster master(ranges, steady, {});
    master.add(parts);
    const double reach = std::ldexp(1.0, static_cast<int>(random.below(6)) - 3);
    const auto height = [&](std::span<const double> prices) {
      double squares = 0;
      for (const double price : prices) squares += price * price;
      return model(prices) - squares / (2 * reach);
    };
    CAPTURE(draw, reach);
    const double start = model(master.prices());
    const double found = master.solve(reach, start, 200);
    const std::vector<double> prices(master.prices().begin(), master.prices().end());
    CHECK(!master.unfinished());
    CHECK(std::abs(found - model(prices)) < 1e-9);
    for (std::size_t i = 0; i < kMultipliers; ++i) {
      CHECK(prices[i] >= ranges[i].low);
      CHECK(prices[i] <= ranges[i].high);
    }
    // Within a tenth of what the model rises by, or of 1.
    const double allowed = 0.1 * std::max(1.0, found - start) + 1e-9;
    for (int other = 0; other < 300; ++other) {
      std::vector<double> there = prices;
      const double far = std::ldexp(1.0, -static_cast<int>(random.below(8)));
      for (std::size_t i = 0; i < kMultipliers; ++i) {
        there[i] = std::clamp(there[i] + far * draw_number(random), ranges[i].low, ranges[i].high);
      }
      CHECK(height(there) <= height(prices) + allowed);
    }
  }
}

TEST_CASE("a master holds that nothing costs less than the cheapest that was found",
          "[partition]") {
  const Slope rising{{0, 1.0}};
  const Slope falling{{1, 1.0}};
  for (const bool first : {true, false}) {
    ProximalMaster master(std::vector<MultiplierRange>(2), Slope{}, {});
    const std::vector<Part> known{
        {1, {{0, first ? rising : falling}, {0, first ? falling : rising}}}};
    master.add(known);
    master.set_price(0, 2);
    master.set_price(1, -1);
    CHECK(master.least(0) == -1);
    // The same column, wherever it is kept.
    master.add(std::vector<Part>{{1, {{2, rising}}}});
    CHECK(master.least(0) == 2);
  }
}

TEST_CASE("a master says where its model rises without end", "[partition]") {
  ProximalMaster master(std::vector<MultiplierRange>(2), Slope{}, {});
  const std::vector<Part> parts{{1, {{0, {{0, 1.0}}}}}, {2, {{0, {{0, 1.0}, {1, -1.0}}}}}};
  master.add(parts);
  master.solve(8, 0, 10);
  CHECK(master.is_sound());
  for (const double reach : {1e40, 1e200, 1e308}) {
    master.solve(reach, 0, 10);
    CHECK(!master.is_sound());
  }
}

TEST_CASE("a factor without unknowns is that of the matrix without them", "[partition]") {
  Random random(54);
  for (std::size_t size = 1; size < 30; ++size) {
    std::vector<std::vector<double>> slope(size, std::vector<double>(size + 3));
    for (auto& each : slope) std::ranges::generate(each, [&] { return draw_number(random); });
    const auto product = [&](std::size_t a, std::size_t b) {
      double sum = 0;
      for (std::size_t i = 0; i < slope[a].size(); ++i) sum += slope[a][i] * slope[b][i];
      return sum;
    };
    Symmetric factor(size);
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = a; b < size; ++b) factor.at(a, b) = product(a, b);
    }
    factor.factorize();
    std::vector<std::size_t> unknown(size);
    for (std::size_t i = 0; i < size; ++i) unknown[i] = i;
    while (!unknown.empty()) {
      REQUIRE(factor.size() == unknown.size());
      std::vector<double> wanted(unknown.size());
      std::ranges::generate(wanted, [&] { return draw_number(random); });
      std::vector<double> x = wanted;
      factor.solve(x);
      for (std::size_t a = 0; a < unknown.size(); ++a) {
        double sum = 0;
        for (std::size_t b = 0; b < unknown.size(); ++b)
          sum += product(unknown[a], unknown[b]) * x[b];
        CHECK(std::abs(sum - wanted[a]) < 1e-4);
      }
      const std::size_t gone = random.below(unknown.size());
      unknown.erase(unknown.begin() + static_cast<std::ptrdiff_t>(gone));
      factor.remove(gone);
    }
  }
}
