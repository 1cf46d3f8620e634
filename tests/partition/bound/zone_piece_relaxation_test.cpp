#include "bound/zone_piece_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "bound/counted_pieces.hpp"
#include "bound/grid_views.hpp"
#include "bound/piece_relaxation.hpp"
#include "bound/piece_table.hpp"
#include "partition/bound/drawn_grid.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

/// Every way to see drawn jobs as rows.
template <class Check>
void for_each_view(std::uint64_t seed, std::size_t jobs, std::size_t most, const Check& check) {
  Random random(seed);
  for (std::size_t i = 0; i < jobs; ++i) {
    const fixture::Family family = fixture::kFamilies[i % fixture::kFamilies.size()];
    const fixture::FamilyShape shape = fixture::draw_shape(random, family, most);
    const std::optional<fixture::DrawnGrid> drawn = fixture::draw_grid(random, family, shape);
    if (!drawn) continue;
    for (const GridView& view : GridViews(drawn->grid, drawn->sizes).plain()) {
      INFO("job " << i << ", " << view.model.name);
      check(random, *drawn, view.model);
    }
  }
}

double draw_price(Random& random, double most) {
  return most * (static_cast<double>(random.below(1001)) / 1000 - 0.3);
}

PieceMultipliers draw_multipliers(Random& random, std::size_t pieces, double most_run,
                                  double most) {
  PieceMultipliers multipliers;
  for (std::size_t i = 0; i < pieces; ++i) {
    multipliers.piece.push_back(draw_price(random, most));
  }
  multipliers.touch = std::max(0.0, draw_price(random, most));
  multipliers.run = std::clamp(draw_price(random, most), 0.0, most_run);
  return multipliers;
}

}  // namespace

TEST_CASE("prices of pieces for each zone bound the cut, whatever they are", "[partition]") {
  int checked = 0;
  int positive = 0;
  for_each_view(
      7, 1500, 10, [&](Random& random, const fixture::DrawnGrid& drawn, const RowModel& model) {
        const auto optimum =
            static_cast<double>(fixture::brute_force_cut(drawn.job.graph, drawn.job.tree));
        ZonePieceRelaxation relaxation(model, drawn.sizes, drawn.incidence(model));
        PieceViolation violation;
        for (int draw = 0; draw < 12; ++draw) {
          const double most = draw % 3 == 0 ? 0 : 12 * draw;
          const double bound = relaxation.solve(
              draw_multipliers(random, relaxation.pieces(), relaxation.most_run(), most),
              violation);
          CHECK(bound <= 4 * optimum);
          positive += bound > 0 ? 1 : 0;
          ++checked;
        }
      });
  CHECK(checked > 10'000);
  CHECK(positive > checked / 3);
}

TEST_CASE("the same prices for all zones bound no less than where zones share them",
          "[partition]") {
  int checked = 0;
  int higher = 0;
  for_each_view(8, 400, 48,
                [&](Random& random, const fixture::DrawnGrid& drawn, const RowModel& model) {
                  // Small enough that both count pieces exactly.
                  PieceRelaxation pooled(model, drawn.sizes, drawn.incidence(model));
                  ZonePieceRelaxation by_zone(model, drawn.sizes, drawn.incidence(model));
                  PieceViolation violation;
                  for (int draw = 0; draw < 6; ++draw) {
                    const PieceMultipliers multipliers =
                        draw_multipliers(random, pooled.pieces(), pooled.most_run(), 15 * draw);
                    const double least = pooled.solve(multipliers, violation);
                    const double bound = by_zone.solve(by_zone.of_pooled(multipliers), violation);
                    CHECK(bound >= least - 1e-6 * (1 + std::abs(least)));
                    higher += bound > least + 1 ? 1 : 0;
                    ++checked;
                  }
                });
  CHECK(checked > 1000);
  CHECK(higher > checked / 10);
}

TEST_CASE("with full rows few or many, the cheaper shape is the cheapest of all", "[partition]") {
  int checked = 0;
  int dearer = 0;
  for_each_view(10, 400, 40,
                [&](Random& random, const fixture::DrawnGrid& drawn, const RowModel& model) {
                  const std::size_t size = std::ranges::max(drawn.sizes);
                  ZoneShapes shapes(model, size, ZoneShapes::kMostCounted);
                  shapes.set_prices(draw_multipliers(random, model.length, shapes.most_run(), 60));
                  const double per_full_row = draw_price(random, 200);
                  const auto choose = [&](FullRows full) {
                    shapes.allow(full);
                    std::vector<ZoneShapes::Zones> zones{{size, 1, {}}};
                    shapes.choose(zones, per_full_row);
                    const ZoneShapes::Shape& shape = zones.front().shape;
                    if (shape.cost < kNotReached) {
                      CHECK(shape.full >= full.least);
                      CHECK(shape.full <= full.most);
                    }
                    return shape.cost;
                  };
                  const double least = choose({});
                  for (std::size_t most = 0; most < size / model.length; ++most) {
                    const double few = choose({0, most});
                    const double many = choose({.least = most + 1});
                    CHECK(std::min(few, many) == least);
                    dearer += std::max(few, many) > least + 1 ? 1 : 0;
                    ++checked;
                  }
                });
  CHECK(checked > 200);
  CHECK(dearer > checked / 2);
}

namespace {

/// The least cut of all partitions in which the first zone has so many full rows; by those.
class CutsByFullRows {
 public:
  CutsByFullRows(const fixture::DrawnGrid& drawn, const RowModel& model, Rows rows)
      : drawn_(drawn),
        model_(model),
        rows_(rows),
        zone_of_(drawn.grid.vertices(), 0),
        left_(drawn.sizes),
        least_(model.rows + 1, std::numeric_limits<std::int64_t>::max()) {
    enumerate(0);
  }
  [[nodiscard]] std::int64_t least(FullRows full) const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t f = full.least; f < least_.size() && f <= full.most; ++f) {
      least = std::min(least, least_[f]);
    }
    return least;
  }

 private:
  void enumerate(std::size_t place) {
    if (place == zone_of_.size()) {
      std::vector<std::uint32_t> part(zone_of_.size());
      for (std::size_t p = 0; p < part.size(); ++p) part[drawn_.grid.at[p]] = zone_of_[p];
      std::int64_t& least = least_[full_rows()];
      least = std::min(least, cut_weight(drawn_.job.graph, part));
      return;
    }
    for (std::uint32_t z = 0; z < left_.size(); ++z) {
      if (left_[z] == 0) continue;
      --left_[z];
      zone_of_[place] = z;
      enumerate(place + 1);
      ++left_[z];
    }
  }
  /// Of zone 0. Places count along axis 1, then along axis 2.
  [[nodiscard]] std::size_t full_rows() const {
    std::vector<std::size_t> held(model_.rows, 0);
    for (std::size_t p = 0; p < zone_of_.size(); ++p) {
      const std::size_t along = drawn_.grid.size[1];
      if (zone_of_[p] == 0) ++held[rows_ == Rows::Stages ? p / along : p % along];
    }
    return static_cast<std::size_t>(std::ranges::count(held, model_.length));
  }

  const fixture::DrawnGrid& drawn_;
  const RowModel& model_;
  Rows rows_;
  std::vector<std::uint32_t> zone_of_;  // by place
  std::vector<std::uint32_t> left_;
  std::vector<std::int64_t> least_;
};

}  // namespace

TEST_CASE("with full rows few or many, no partition like that cuts less", "[partition]") {
  int checked = 0;
  int stronger = 0;
  const auto check = [&](Random& random, const fixture::DrawnGrid& drawn) {
    for (const Rows rows : {Rows::Stages, Rows::Replicas}) {
      const std::optional<RowModel> model = row_model(drawn.grid, rows);
      const std::size_t along = drawn.grid.size[rows == Rows::Stages ? 1 : 2];
      if (!model || model->length != along || model->rows < 2) continue;
      const CutsByFullRows cuts(drawn, *model, rows);
      ZonePieceRelaxation relaxation(*model, drawn.sizes, drawn.incidence(*model));
      std::size_t kind = 0;
      std::vector<std::uint32_t> sizes(drawn.sizes);
      std::ranges::sort(sizes);
      sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
      while (sizes[kind] != drawn.sizes.front()) ++kind;
      if (relaxation.zones_of(kind) > 1) continue;
      for (std::size_t most = 0; most < drawn.sizes.front() / model->length; ++most) {
        for (const FullRows full : {FullRows{0, most}, FullRows{.least = most + 1}}) {
          if (cuts.least(full) == std::numeric_limits<std::int64_t>::max()) continue;
          relaxation.allow(kind, full);
          PieceViolation violation;
          for (int draw = 0; draw < 10; ++draw) {
            const double bound = relaxation.solve(
                draw_multipliers(random, relaxation.pieces(), relaxation.most_run(), 8 * draw),
                violation);
            CHECK(bound <= 4 * in_quarters(cuts.least(full)));
            stronger += bound > 4 * in_quarters(cuts.least({})) ? 1 : 0;
            ++checked;
          }
        }
      }
    }
  };
  const auto draw = [](Random& random, int) {
    const fixture::FamilyShape shape =
        fixture::draw_shape(random, fixture::Family::RingPipeline, 9);
    return fixture::draw_grid(random, fixture::Family::RingPipeline, shape);
  };
  fixture::for_each_drawn(11, 600, draw, check);
  CHECK(checked > 1000);
  CHECK(stronger > 0);
}

TEST_CASE("how far a solution violates its constraints is a slope of the bound by zone",
          "[partition]") {
  int checked = 0;
  for_each_view(
      9, 300, 24, [&](Random& random, const fixture::DrawnGrid& drawn, const RowModel& model) {
        ZonePieceRelaxation relaxation(model, drawn.sizes, drawn.incidence(model));
        const PieceMultipliers at =
            draw_multipliers(random, relaxation.pieces(), relaxation.most_run(), 40);
        const PieceMultipliers other =
            draw_multipliers(random, relaxation.pieces(), relaxation.most_run(), 40);
        PieceViolation slope;
        PieceViolation ignored;
        const double value = relaxation.solve(at, slope);
        const double further = relaxation.solve(other, ignored);
        double line =
            value + slope.touch * (other.touch - at.touch) + slope.run * (other.run - at.run);
        for (std::size_t i = 0; i < at.piece.size(); ++i) {
          line += slope.piece[i] * (other.piece[i] - at.piece[i]);
        }
        CHECK(further <= line + 1e-6 * (1 + std::abs(line)));
        ++checked;
      });
  CHECK(checked > 200);
}

TEST_CASE("ends that a zone in every row does not have add nothing by rounding", "[partition]") {
  constexpr std::int64_t kPlace = 3'362'711'165'428;
  RowModel model;
  model.rows = 2;
  model.length = 4;
  model.inside.assign(5, 0);
  model.across = {0, kPlace, 2 * kPlace, 3 * kPlace, 4 * kPlace};
  model.around = model.across;
  const std::vector<std::uint32_t> sizes{4, 4};
  const Incidence incidence = incidence_of(sizes, model.length, model.rows);
  PieceRelaxation pooled(model, sizes, incidence);
  ZonePieceRelaxation by_zone(model, sizes, incidence);
  Random random(5);
  PieceViolation violation;
  for (int draw = 0; draw < 500; ++draw) {
    PieceMultipliers multipliers = draw_multipliers(random, model.length, 0, 8);
    multipliers.touch = 0;
    // Half of every row for either zone cuts nothing.
    CHECK(pooled.solve(multipliers, violation) <= 0);
    CHECK(by_zone.solve(by_zone.of_pooled(multipliers), violation) <= 0);
  }
}

TEST_CASE("a table of pieces has the least of all their sums", "[partition]") {
  constexpr std::size_t kKinds = 6;
  constexpr std::size_t kMost = 4;
  constexpr std::size_t kColumns = 19;
  Random random(3);
  for (int draw = 0; draw < 60; ++draw) {
    std::vector<double> price{0};
    for (std::size_t x = 1; x < kKinds; ++x) price.push_back(draw_price(random, 100));
    // Piece after piece, by number and sum.
    std::vector<std::vector<double>> least(kMost + 1, std::vector<double>(kColumns + kKinds, 1e9));
    least[0][0] = 0;
    for (std::size_t k = 0; k < kMost; ++k) {
      for (std::size_t v = 0; v < kColumns; ++v) {
        for (std::size_t x = 1; x < kKinds; ++x) {
          least[k + 1][v + x] = std::min(least[k + 1][v + x], least[k][v] + price[x]);
        }
      }
    }
    PieceTable table(kMost, kColumns);
    table.set_prices(price);
    CountedPieces counted;
    counted.set_prices(price);
    for (std::size_t k = 1; k <= kMost; ++k) {
      for (std::size_t v = k; v < std::min(kColumns, k * (kKinds - 1) + 1); ++v) {
        CAPTURE(draw, k, v);
        CHECK(std::abs(table.least(k, v) - least[k][v]) < 1e-9);
        std::vector<PieceCount> pieces;
        table.take(k, v, pieces);
        double cost = 0;
        double sum = 0;
        double count = 0;
        for (const PieceCount& taken : pieces) {
          cost += taken.count * price[taken.piece];
          sum += taken.count * static_cast<double>(taken.piece);
          count += taken.count;
        }
        CHECK(std::abs(cost - least[k][v]) < 1e-9);
        CHECK(sum == static_cast<double>(v));
        CHECK(count == static_cast<double>(k));
        CHECK(counted.bound(k, v, pieces) <= least[k][v] + 1e-9);
      }
      CHECK(table.least(k, k - 1) > 1e9);
    }
  }
}
