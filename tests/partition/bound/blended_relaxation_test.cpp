#include "bound/blended_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "bound/ascent.hpp"
#include "partition/bound/drawn_grid.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

GridViews views_of(const fixture::DrawnGrid& drawn) {
  GridViews views(drawn.grid, drawn.sizes);
  WorkBudget budget(1'000'000);
  views.price_groups(budget);
  return views;
}

double draw_share(Random& random) { return static_cast<double>(random.below(1001)) / 1000; }

/// Prices of 0.
PieceMultipliers at_shares_of(const BlendedRelaxation& relaxation, const GridView& view) {
  return relaxation.multipliers_at(view.priced, view.closing, {});
}

PieceMultipliers draw_multipliers(Random& random, const BlendedRelaxation& relaxation,
                                  GridView view, double most) {
  view.priced = draw_share(random);
  view.closing = draw_share(random);
  PieceMultipliers multipliers = at_shares_of(relaxation, view);
  for (std::size_t x = 1; x + 2 < relaxation.pieces(); ++x) {
    multipliers.piece[x] = most * (draw_share(random) - 0.3);
  }
  multipliers.touch = most * draw_share(random);
  multipliers.run = relaxation.most_run() * draw_share(random);
  return multipliers;
}

/// What is rounded when views are blended: every piece that zones take, every row, and what the
/// groups add.
double rounding(const fixture::DrawnGrid& drawn) {
  return 2 * static_cast<double>(drawn.grid.vertices()) + 2;
}

using Shapes = std::vector<fixture::FamilyShape>;
const Shapes kSmall{{2, 2, 3, 0}, {2, 3, 2, 0}, {2, 2, 3, 0}, {3, 3, 1, 0}};
const Shapes kLarge{{3, 3, 4, 0}, {4, 2, 5, 0}, {2, 5, 3, 0}, {5, 4, 3, 0}};

/// Views of jobs with groups as a blended relaxation takes them.
template <class Check>
int for_each_view(std::uint64_t seed, int jobs, const Shapes& shapes, const Check& check) {
  int checked = 0;
  const auto check_views = [&](Random& random, const fixture::DrawnGrid& drawn) {
    // Where the groups alone cut more than zones would choose to.
    const GridViews views = views_of(drawn);
    if (!views.priced(Rows::Replicas)) return;
    for (const Rows rows : {Rows::Stages, Rows::Replicas}) {
      const std::optional<GridView> view = views.at(rows, 0.5, 0.5);
      if (!view) continue;
      INFO(view->model.name);
      const std::vector<GridView> blended = blended_views(views, *view);
      BlendedRelaxation relaxation(blended, drawn.sizes, drawn.incidence(view->model));
      check(random, drawn, views, *view, relaxation);
      ++checked;
    }
  };
  fixture::for_each_drawn(seed, jobs, fixture::draw_with_groups(shapes), check_views);
  return checked;
}

}  // namespace

TEST_CASE("blended views bound the cut at any shares and prices", "[partition]") {
  int positive = 0;
  const int checked =
      for_each_view(31, 3000, kSmall,
                    [&](Random& random, const fixture::DrawnGrid& drawn, const GridViews&,
                        const GridView& view, BlendedRelaxation& relaxation) {
                      PieceViolation violation;
                      const double optimum = drawn.optimum();
                      for (int draw = 0; draw < 30; ++draw) {
                        const double most = draw % 3 == 0 ? 0 : 10 * draw;
                        const double bound = relaxation.solve(
                            draw_multipliers(random, relaxation, view, most), violation);
                        CHECK(bound <= 4 * optimum);
                        if (bound > 0) ++positive;
                      }
                    });
  CHECK(checked > 100);
  CHECK(positive > 5 * checked);
}

TEST_CASE("the best that blended views come to is a bound, and often the optimum", "[partition]") {
  int tight = 0;
  int tight_by_zone = 0;
  const int checked = for_each_view(
      32, 3000, kSmall,
      [&](Random&, const fixture::DrawnGrid& drawn, const GridViews& views, const GridView& view,
          BlendedRelaxation& relaxation) {
        const double optimum = drawn.optimum();
        const auto best = [&](auto& of, const PieceMultipliers& start) {
          WorkBudget budget(400'000);
          Ascent ascent(of, budget, 0, std::numeric_limits<double>::infinity());
          ascent.start_at(start);
          ascent.climb_evenly(400, 0.1);
          CHECK(std::ceil(ascent.best() / 4) <= optimum);
          return std::pair{ascent.best_multipliers(), std::ceil(ascent.best() / 4) == optimum};
        };
        const auto [pooled, reached] = best(relaxation, at_shares_of(relaxation, view));
        tight += reached ? 1 : 0;
        const std::vector<GridView> blended = blended_views(views, view);
        BlendedByZone by_zone(blended, drawn.sizes, drawn.incidence(view.model));
        const PieceMultipliers start =
            by_zone.multipliers_at(relaxation.priced(pooled), relaxation.closing(pooled),
                                   by_zone.relaxed().of_pooled(relaxation.of_pieces(pooled)));
        tight_by_zone += best(by_zone, start).second ? 1 : 0;
      });
  CHECK(checked > 100);
  CHECK(tight > checked / 20);
  CHECK(tight_by_zone >= tight);
}

TEST_CASE("where there is a view, the blended ones are that view", "[partition]") {
  const int checked = for_each_view(
      33, 600, kLarge,
      [](Random& random, const fixture::DrawnGrid& drawn, const GridViews& views,
         const GridView& view, BlendedRelaxation& relaxation) {
        for (const double priced : {0.0, 0.25, 0.5, 0.75, 1.0}) {
          for (const double closing : {0.0, 0.5, 1.0}) {
            const GridView exact = *views.at(view.rows, priced, view.lacks() ? closing : 1);
            PieceMultipliers multipliers =
                draw_multipliers(random, relaxation, exact, 400 * draw_share(random));
            const PieceMultipliers shares = at_shares_of(relaxation, exact);
            std::copy(shares.piece.end() - 2, shares.piece.end(), multipliers.piece.end() - 2);
            PieceViolation violation;
            const double blended = relaxation.solve(multipliers, violation);
            RowModel model = exact.model;
            for (const double other : {0.0, 0.5, 1.0}) {
              if (view.raw.lacking_border == 0) break;
              model.excess.push_back(
                  excess_in(views.at(view.rows, priced, other)->model, exact.model));
            }
            PieceRelaxation plain(model, drawn.sizes,
                                  incidence_of(drawn.sizes, model.length, model.rows));
            const double value = plain.solve(relaxation.of_pieces(multipliers), violation) +
                                 static_cast<double>(exact.groups);
            CHECK(blended <= value + 1e-3);
            CHECK(blended >= value - rounding(drawn));
          }
        }
      });
  CHECK(checked > 50);
}

TEST_CASE("the bound of blended views rises with a share no faster than they say", "[partition]") {
  int changed = 0;
  int wrong = 0;
  const int checked = for_each_view(
      34, 600, kLarge,
      [&](Random& random, const fixture::DrawnGrid& drawn, const GridViews&, const GridView& view,
          BlendedRelaxation& relaxation) {
        GridView at = view;
        // The less of it is taken off once, the less runs of rows apart may cost.
        at.closing = 0;
        PieceViolation violation;
        relaxation.solve(at_shares_of(relaxation, at), violation);
        const double most_run = relaxation.most_run();
        for (int draw = 0; draw < 20; ++draw) {
          // With one share at its end the bound is concave in the other.
          PieceMultipliers multipliers = draw_multipliers(random, relaxation, view, 30);
          multipliers.run = std::min(multipliers.run, most_run);
          const std::size_t which = relaxation.pieces() - 1 - random.below(2);
          const bool prices = which + 2 == relaxation.pieces();
          PieceMultipliers other = multipliers;
          const double end = random.below(2) == 0 ? 0 : 1;
          at.priced = prices ? draw_share(random) : end;
          at.closing = prices ? end : draw_share(random);
          const PieceMultipliers ends = at_shares_of(relaxation, at);
          std::copy(ends.piece.end() - 2, ends.piece.end(), other.piece.end() - 2);
          const std::size_t fixed = prices ? which + 1 : which - 1;
          multipliers.piece[fixed] = other.piece[fixed];
          const double here = relaxation.solve(multipliers, violation);
          const double slope = violation.piece[which];
          const double way = other.piece[which] - multipliers.piece[which];
          const double there = relaxation.solve(other, violation);
          // Prices of groups are rounded in the views as well.
          const double rounded = 3 * rounding(drawn);
          if (there > here + slope * way + rounded) ++wrong;
          if (std::abs(there - here) > rounded) ++changed;
        }
      });
  CHECK(checked > 50);
  CHECK(changed > 2 * checked);
  // Of a zone in every row the cost is bounded, and its pieces are only close to that.
  CHECK(wrong < changed / 50);
}

namespace {

/// Checks that prices by zone bound the cut, whatever they are, with what `more` knows of groups:
/// more(views, plain), empty where it knows nothing.
template <class More>
void check_groups(std::uint64_t seed, const Shapes& shapes, const More& more) {
  int checked = 0;
  int positive = 0;
  int higher = 0;
  const auto check_job = [&](Random& random, const fixture::DrawnGrid& drawn) {
    const GridViews views = views_of(drawn);
    for (const Rows rows : {Rows::Stages, Rows::Replicas}) {
      const std::optional<GridView> view = views.at(rows, 0, 0.5);
      if (!view) continue;
      INFO(view->model.name);
      const std::vector<GridView> plain = blended_views(views, *view);
      const std::vector<GridView> knowing = more(views, plain);
      if (knowing.empty()) continue;
      const double optimum = drawn.optimum();
      BlendedByZone without(plain, drawn.sizes, drawn.incidence(view->model));
      BlendedByZone with(knowing, drawn.sizes, drawn.incidence(view->model));
      PieceViolation violation;
      for (int draw = 0; draw < 20; ++draw) {
        const double most = draw % 3 == 0 ? 0 : 10 * draw;
        PieceMultipliers multipliers =
            with.multipliers_at(draw_share(random), draw_share(random), {});
        for (std::size_t x = 1; x + 2 < with.pieces(); ++x) {
          multipliers.piece[x] = most * (draw_share(random) - 0.3);
        }
        multipliers.touch = most * draw_share(random);
        multipliers.run = with.most_run() * draw_share(random);
        const double bound = with.solve(multipliers, violation);
        CHECK(bound <= 4 * optimum);
        const double less = without.solve(multipliers, violation);
        CHECK(bound >= less - 1e-3);
        higher += bound > less + 1 ? 1 : 0;
        positive += bound > 0 ? 1 : 0;
        ++checked;
      }
      const auto best_of = [&](BlendedByZone& relaxation) {
        WorkBudget budget(400'000);
        Ascent ascent(relaxation, budget, 0, std::numeric_limits<double>::infinity());
        ascent.start_at(relaxation.multipliers_at(view->priced, view->closing, {}));
        ascent.climb_evenly(200, 0.1);
        return ascent.best();
      };
      CHECK(std::ceil(best_of(with) / 4) <= optimum);
    }
  };
  fixture::for_each_drawn(seed, 600, fixture::draw_with_groups(shapes), check_job);
  CHECK(checked > 2000);
  CHECK(positive > checked / 4);
  CHECK(higher > 20);
}

}  // namespace

TEST_CASE("with touches of groups, prices by zone bound the cut, whatever they are",
          "[partition]") {
  const Shapes shapes{{3, 2, 2, 0}, {3, 3, 1, 0}, {4, 3, 1, 0}, {3, 1, 3, 0}, {3, 2, 2, 0}};
  check_groups(35, shapes, [](const GridViews& views, std::span<const GridView> plain) {
    std::vector<GridView> touched(plain.begin(), plain.end());
    if (views.touches(touched.front().rows) == 0) touched.clear();
    for (GridView& each : touched) each.touched = views.touched(each);
    return touched;
  });
}

TEST_CASE("with divisions of rows, prices by zone bound the cut, whatever they are",
          "[partition]") {
  const Shapes shapes{{2, 2, 3, 0}, {3, 3, 1, 0}, {2, 3, 2, 0}, {2, 4, 1, 0}, {2, 2, 3, 0}};
  check_groups(36, shapes, [](const GridViews& views, std::span<const GridView> plain) {
    if (!views.divisible(plain.front().rows)) return std::vector<GridView>{};
    return views.with_divisions(plain);
  });
}
