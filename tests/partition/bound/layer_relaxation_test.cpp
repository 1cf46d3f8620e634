#include "bound/layer_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bound/layers.hpp"
#include "grid/min_plus.hpp"
#include "partition/mapping_families.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

struct Case {
  fixture::Instance job;
  std::vector<std::uint32_t> capacity;
  std::vector<Layer> layers;
};

Case draw_case(Random& random, std::size_t most, std::size_t most_tie_sums = kMostTieSums) {
  constexpr fixture::Family family = fixture::Family::Encoder;
  Case drawn;
  drawn.job = fixture::draw_job(random, family, fixture::draw_shape(random, family, most));
  drawn.job.tree = fixture::draw_zones(random, drawn.job.graph.vertices(), 0);
  for (const std::uint64_t room : drawn.job.tree.capacity(drawn.job.tree.cut_level)) {
    drawn.capacity.push_back(static_cast<std::uint32_t>(room));
  }
  drawn.layers = layers_of({drawn.job.graph, drawn.capacity, drawn.job.coordinates}, WeightUnit{},
                           std::ranges::max(drawn.capacity), most_tie_sums);
  return drawn;
}

PieceMultipliers draw_multipliers(Random& random, std::size_t pieces, double most) {
  PieceMultipliers multipliers;
  for (std::size_t i = 0; i < pieces; ++i) {
    multipliers.piece.push_back(most * (static_cast<double>(random.below(1001)) / 1000 - 0.3));
  }
  return multipliers;
}

}  // namespace

TEST_CASE("prices of layers bound the cut, shared or by zone", "[partition]") {
  Random random(21);
  int checked = 0;
  int positive = 0;
  for (int i = 0; i < 500; ++i) {
    const Case drawn = draw_case(random, 10);
    if (drawn.layers.empty()) continue;
    const auto optimum =
        static_cast<double>(fixture::brute_force_cut(drawn.job.graph, drawn.job.tree));
    for (const LayerPrices prices : {LayerPrices::Shared, LayerPrices::ByZone}) {
      LayerRelaxation relaxation(drawn.layers, drawn.capacity, true, 0, prices);
      PieceViolation violation;
      for (int draw = 0; draw < 10; ++draw) {
        const PieceMultipliers multipliers =
            draw_multipliers(random, relaxation.pieces(), draw % 3 == 0 ? 0 : 12 * draw);
        const double bound = relaxation.solve(multipliers, violation);
        CAPTURE(i, draw);
        CHECK(bound <= 4 * optimum);
        positive += bound > 0 ? 1 : 0;
        ++checked;
      }
    }
  }
  CHECK(checked > 5000);
  CHECK(positive > checked / 10);
}

TEST_CASE("parts of a solution of layers add up to it", "[partition]") {
  Random random(27);
  int checked = 0;
  int columns = 0;
  for (int i = 0; i < 200; ++i) {
    const Case drawn = draw_case(random, 10);
    if (drawn.layers.empty()) continue;
    for (const LayerPrices prices : {LayerPrices::Shared, LayerPrices::ByZone}) {
      LayerRelaxation relaxation(drawn.layers, drawn.capacity, true, 1, prices);
      const MultiplierIndex index{relaxation.pieces()};
      const PieceMultipliers multipliers = draw_multipliers(random, index.pieces, 12);
      PieceViolation violation;
      const double bound = relaxation.solve(multipliers, violation);
      const auto touches = static_cast<double>(relaxation.incidence().touches);
      double sum = multipliers.touch * touches;
      PieceViolation of_parts{std::vector<double>(index.pieces, 0), touches, 0};
      for (const Part& part : relaxation.parts()) {
        REQUIRE(!part.columns.empty());
        CHECK(std::ranges::is_sorted(part.columns, {}, &Column::value));
        sum += part.count * part.columns.front().value;
        for (const auto& [k, each] : part.columns.front().slope) {
          (k < index.pieces ? of_parts.piece[k] : of_parts.touch) += part.count * each;
        }
      }
      CAPTURE(i);
      CHECK(bound == Approx(sum).margin(1e-6));
      CHECK(of_parts.piece == violation.piece);
      CHECK(of_parts.touch == violation.touch);
      // Rows alone, at the same multipliers.
      const std::vector<Part> rows = relaxation.rows(multipliers);
      const std::vector<Part> all = relaxation.parts();
      REQUIRE(rows.size() == drawn.layers.size());
      for (std::size_t layer = 0; layer < rows.size(); ++layer) {
        CHECK(rows[layer].columns.front().value == all[layer].columns.front().value);
      }
      // Whatever a part took here it can take elsewhere.
      const PieceMultipliers others = draw_multipliers(random, index.pieces, 12);
      relaxation.solve(others, violation);
      const std::vector<Part> elsewhere = relaxation.parts();
      REQUIRE(elsewhere.size() == all.size());
      for (std::size_t p = 0; p < all.size(); ++p) {
        for (const Column& column : all[p].columns) {
          double there = column.value;
          for (const auto& [k, each] : column.slope) {
            there += each * (k < index.pieces ? others.piece[k] - multipliers.piece[k]
                                              : others.touch - multipliers.touch);
          }
          CHECK(elsewhere[p].columns.front().value <= there + 1e-6);
          if (column.value < kNotReached) ++columns;
        }
      }
      ++checked;
    }
  }
  CHECK(checked > 200);
  CHECK(columns > 5 * checked);
}

namespace {

/// What the vertices of a set cut inside the encoder, inside the stage it feeds and between them.
struct CutOfSet {
  std::size_t before = 0;
  std::size_t here = 0;
  std::int64_t cut = 0;
};

CutOfSet cut_of_set(const fixture::Instance& job, std::uint32_t set) {
  CutOfSet result;
  const auto counts = [&](std::uint32_t v) { return job.coordinates[v][2] <= 0; };
  for (std::uint32_t v = 0; v < job.graph.vertices(); ++v) {
    if ((set >> v & 1U) == 0 || !counts(v)) continue;
    ++(job.coordinates[v][2] < 0 ? result.before : result.here);
    for (const CommunicationGraph::Neighbour& to : job.graph.neighbours(v)) {
      if (counts(to.vertex) && (set >> to.vertex & 1U) == 0) result.cut += to.weight;
    }
  }
  return result;
}

}  // namespace

TEST_CASE("what pieces of encoder and decoder cut together bounds any two", "[partition]") {
  // Vertex by vertex, or by rows at prices of a tie.
  const std::size_t most_tie_sums = GENERATE(kMostTieSums, std::size_t{0});
  Random random(27);
  int uneven = 0;
  int checked = 0;
  int tight = 0;
  for (int i = 0; i < 600; ++i) {
    const Case drawn = draw_case(random, 11, most_tie_sums);
    if (drawn.layers.size() < 2 || drawn.layers[1].pairs.empty()) continue;
    const Layer& encoder = drawn.layers[0];
    const Layer& stage = drawn.layers[1];
    // A decoder of one replica is one layer.
    const CutOfSet all = cut_of_set(drawn.job, ~std::uint32_t{0});
    if (all.before != encoder.size || all.here != stage.size) continue;
    ++uneven;
    for (std::uint32_t set = 0; set >> drawn.job.graph.vertices() == 0; ++set) {
      const CutOfSet found = cut_of_set(drawn.job, set);
      if (found.before >= encoder.inside.size() || found.here >= stage.inside.size()) continue;
      const std::int64_t pairs = stage.pairs.cut(found.before, found.here);
      const std::int64_t said = encoder.inside[found.before] + stage.inside[found.here] + pairs;
      CAPTURE(i, set, pairs);
      CHECK(pairs >= 0);
      REQUIRE(said <= 4 * found.cut);
      ++checked;
      if (said > 4 * (found.cut - 1)) ++tight;
    }
    // Wider units know the least of what they stand for.
    const std::size_t last_before = encoder.inside.size() - 1;
    const std::size_t last_here = stage.inside.size() - 1;
    const LayerPairs wide = stage.pairs.coarser(2, last_before / 2 + 1, last_here / 2 + 1);
    const auto stands_for = [](std::size_t at, std::size_t last) {
      const std::size_t middle = std::min(2 * at, last);
      return at == 0 ? std::pair{middle, middle}
                     : std::pair{std::max<std::size_t>(1, middle - 1), std::min(middle + 1, last)};
    };
    for (std::size_t x = 0; x <= last_before / 2 + 1; ++x) {
      for (std::size_t y = 0; y <= last_here / 2 + 1; ++y) {
        const auto [x_low, x_high] = stands_for(x, last_before);
        const auto [y_low, y_high] = stands_for(y, last_here);
        std::int64_t least = stage.pairs.most();
        for (std::size_t p = x_low; p <= x_high; ++p) {
          for (std::size_t q = y_low; q <= y_high; ++q) {
            least = std::min(least, stage.pairs.cut(p, q));
          }
        }
        CHECK(wide.cut(x, y) == least);
      }
    }
  }
  CHECK(uneven > 50);
  CHECK(tight > checked / 20);
}

TEST_CASE("ties of a thousand vertices in rings of eight have prices", "[partition]") {
  constexpr std::uint32_t kRing = 8;
  constexpr std::uint32_t kRings = 128;
  constexpr std::uint32_t kLarge = kRing * kRings;
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t v = 0; v < kLarge; ++v) {
    edges.push_back({v, v % kRing < kRing - 1 ? v + 1 : v + 1 - kRing, 5});
    edges.push_back({v, (v + kRing) % kLarge, 2});
  }
  // The first half of the rings feeds one vertex each, the other half none.
  std::vector<std::uint32_t> large(kLarge);
  std::iota(large.begin(), large.end(), 0U);
  std::vector<std::uint32_t> fed(kLarge / 16);
  std::iota(fed.begin(), fed.end(), kLarge);
  for (std::uint32_t v = 0; v < kLarge / 2; ++v) edges.push_back({v, fed[v / 8], 3});
  const auto graph = CommunicationGraph::from_edges(kLarge + fed.size(), std::move(edges));
  const std::vector<std::int64_t> inside(kLarge + 1, 0);
  const std::vector<std::int64_t> inside_fed(fed.size() + 1, 0);
  LayerRows rows{std::vector<std::int64_t>(kRing + 1, 4 * 10), 4 * 2, 4 * 2};
  rows.inside.front() = rows.inside.back() = 0;
  const LayerPairs pairs =
      pair_layers(graph, {large, inside, &rows}, {fed, inside_fed, nullptr}, WeightUnit{});
  REQUIRE_FALSE(pairs.empty());
  CHECK(pairs.cut(0, 0) == 0);
  // All ties of a fed vertex, of two, and of all but one.
  CHECK(pairs.cut(0, 1) == 4 * 3 * 8);
  CHECK(pairs.cut(0, 2) == 4 * 3 * 16);
  CHECK(pairs.cut(kLarge, fed.size() - 1) == 4 * 3 * 8);
}

TEST_CASE("the same prices for all zones bound no less than shared ones", "[partition]") {
  Random random(22);
  int checked = 0;
  int higher = 0;
  for (int i = 0; i < 200; ++i) {
    const Case drawn = draw_case(random, 60);
    if (drawn.layers.empty()) continue;
    LayerRelaxation shared(drawn.layers, drawn.capacity, true, 0);
    LayerRelaxation by_zone(drawn.layers, drawn.capacity, true, 0, LayerPrices::ByZone);
    PieceViolation violation;
    for (int draw = 0; draw < 5; ++draw) {
      const PieceMultipliers multipliers = draw_multipliers(random, shared.pieces(), 20 * draw);
      const double least = shared.solve(multipliers, violation);
      PieceViolation slope;
      const PieceMultipliers same = by_zone.of_more(shared, multipliers);
      const double bound = by_zone.solve(same, slope);
      CHECK(bound >= least - 1e-6 * (1 + std::abs(least)));
      higher += bound > least + 1 ? 1 : 0;
      // The violation is a slope of the bound.
      const PieceMultipliers other = draw_multipliers(random, by_zone.pieces(), 40);
      double line = bound;
      for (std::size_t p = 0; p < same.piece.size(); ++p) {
        line += slope.piece[p] * (other.piece[p] - same.piece[p]);
      }
      CHECK(by_zone.solve(other, violation) <= line + 1e-6 * (1 + std::abs(line)));
      ++checked;
    }
  }
  CHECK(checked > 500);
  CHECK(higher > checked / 10);
}

TEST_CASE("prices found with fewer options bound the cut with all, and no zone pays more for less",
          "[partition]") {
  Random random(25);
  int checked = 0;
  int same = 0;
  for (int i = 0; i < 400; ++i) {
    const Case drawn = draw_case(random, 10);
    if (drawn.layers.empty()) continue;
    const auto optimum =
        static_cast<double>(fixture::brute_force_cut(drawn.job.graph, drawn.job.tree));
    LayerRelaxation all(drawn.layers, drawn.capacity, true, 0);
    PieceViolation violation;
    for (int draw = 0; draw < 5; ++draw) {
      const PieceMultipliers multipliers = draw_multipliers(random, all.pieces(), 12 * draw);
      const double with_all = all.solve(multipliers, violation);
      const std::size_t taken = all.most_taken(multipliers);
      CHECK(taken <= std::ranges::max(drawn.capacity));
      LayerRelaxation narrow(drawn.layers, drawn.capacity, true, 0, LayerPrices::Shared,
                             std::max<std::size_t>(2, taken));
      const PieceMultipliers fewer = narrow.of_more(all, multipliers);
      // Without the larger pieces neither zones nor layers find anything cheaper.
      CHECK(narrow.solve(fewer, violation) >= with_all - 1e-6 * (1 + std::abs(with_all)));
      const PieceMultipliers back = all.of_fewer(narrow, fewer);
      const double bound = all.solve(back, violation);
      CHECK(bound <= 4 * optimum);
      for (std::size_t layer = 0; layer < drawn.layers.size(); ++layer) {
        for (std::size_t x = 1; x < narrow.options(layer); ++x) {
          const std::size_t at = all.first(layer) + x;
          same += back.piece[at] == multipliers.piece[at] ? 1 : 0;
          ++checked;
        }
      }
    }
  }
  CHECK(checked > 1000);
  CHECK(same == checked);
}

TEST_CASE("the bound of layers alone is that of a solution, and so are the sizes of zones",
          "[partition]") {
  Random random(31);
  int checked = 0;
  int positive = 0;
  int shared = 0;
  for (int i = 0; i < 200; ++i) {
    Case drawn = draw_case(random, 24);
    if (drawn.layers.empty()) continue;
    for (const bool full : {true, false}) {
      for (const LayerPrices prices : {LayerPrices::Shared, LayerPrices::ByZone}) {
        LayerRelaxation relaxation(drawn.layers, drawn.capacity, full, 0, prices);
        LayerRelaxation alone(drawn.layers, drawn.capacity, full, 0, prices);
        PieceViolation violation;
        for (int draw = 0; draw < 5; ++draw) {
          const PieceMultipliers multipliers =
              draw_multipliers(random, relaxation.pieces(), 12 * draw);
          const double bound = relaxation.solve(multipliers, violation);
          CAPTURE(i, draw, full);
          CHECK(alone.bound_at(multipliers) == bound);
          CHECK(alone.shares() == relaxation.shares());
          // Tables are there again where they are asked for.
          PieceViolation again;
          CHECK(alone.solve(multipliers, again) == bound);
          CHECK(again.piece == violation.piece);
          positive += bound > 0 ? 1 : 0;
          shared += relaxation.shares() ? 1 : 0;
          ++checked;
        }
      }
    }
  }
  CHECK(checked > 2000);
  CHECK(positive > checked / 10);
  CHECK(shared > checked / 4);
}
