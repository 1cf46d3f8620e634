#include "bound/group_prices.hpp"

#include <limits>

#include "bound/bound_grid.hpp"
#include "grid/row_cut.hpp"
#include "partition/bound/enumerated_cuts.hpp"
#include "partition/mapping_families.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using fixture::between;
using fixture::enumerated_cuts;

namespace {

using Sizes = std::vector<std::uint32_t>;

RowModel draw_groups(Random& random, std::size_t rows, std::size_t length) {
  RowModel model;
  model.rows = rows;
  model.length = length;
  const auto weight = static_cast<std::int64_t>(4 + 4 * random.below(200));
  const bool clique = random.below(2) == 0;
  for (std::size_t k = 0; k <= length; ++k) {
    const bool divided = k > 0 && k < length;
    const auto pairs = static_cast<std::int64_t>(k * (length - k));
    model.inside.push_back(clique ? weight * pairs : divided ? 2 * weight : 0);
  }
  model.across.assign(length + 1, 0);
  model.around = model.across;
  return model;
}

Sizes draw_sizes(Random& random, std::size_t vertices) {
  Sizes sizes(2 + random.below(4), 0);
  for (std::size_t v = 0; v < vertices; ++v) ++sizes[random.below(sizes.size())];
  return sizes;
}

/// The zone of every vertex: zones one after the other, as whole as they can be, or in disorder.
std::vector<std::size_t> draw_zones(Random& random, const Sizes& sizes, bool whole) {
  std::vector<std::size_t> order(sizes.size());
  for (std::size_t z = 0; z < order.size(); ++z) order[z] = z;
  random.shuffle(std::span(order));
  std::vector<std::size_t> zone;
  for (const std::size_t z : order) zone.insert(zone.end(), sizes[z], z);
  if (!whole) random.shuffle(std::span(zone));
  return zone;
}

std::int64_t refunds(const GroupPrices& prices, std::span<const std::size_t> zone,
                     std::size_t length, std::size_t zones) {
  std::int64_t sum = 0;
  for (std::size_t first = 0; first < zone.size(); first += length) {
    std::vector<std::size_t> taken(zones, 0);
    for (std::size_t v = first; v < first + length; ++v) ++taken[zone[v]];
    for (const std::size_t k : taken) sum += prices.refund[k];
  }
  return sum;
}

std::vector<std::int64_t> draw_prices(Random& random, std::size_t size) {
  std::vector<std::int64_t> price(size + 1, 0);
  for (std::size_t k = 1; k < size; ++k) {
    price[k] = static_cast<std::int64_t>(random.below(30)) - 20;
  }
  return price;
}

}  // namespace

TEST_CASE("pieces of divided groups get back what the groups add to the bound", "[partition]") {
  Random random(11);
  int added = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t length = 2 + random.below(6);
    const RowModel groups = draw_groups(random, 2 + random.below(8), length);
    const Sizes sizes = draw_sizes(random, groups.rows * length);
    WorkBudget budget(1'000'000);
    const GroupMultipliers multipliers(groups, sizes, budget);
    for (const double scale : {0.3, 1.0}) {
      const GroupPrices prices = multipliers.times(scale);
      if (prices.constant > 0) ++added;
      CHECK(prices.refund.front() == 0);
      CHECK(prices.refund.back() == 0);
      for (int draw = 0; draw < 20; ++draw) {
        const auto zone = draw_zones(random, sizes, draw % 4 > 0);
        CHECK(refunds(prices, zone, length, sizes.size()) >= prices.constant);
      }
    }
  }
  CHECK(added > 100);
}

TEST_CASE("the least cuts of priced cells are those of enumeration", "[partition]") {
  Random random(12);
  for (int i = 0; i < 60; ++i) {
    const std::size_t cells = 2 + random.below(3);
    const std::size_t size = 2 + random.below(2);
    const auto clique = static_cast<std::int64_t>(random.below(9));
    const auto slope = static_cast<std::int64_t>(random.below(9));
    const auto lacking =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(slope) + 1));
    std::vector<LineEdge> edges;
    for (std::size_t c = 0; c < cells; ++c) {
      for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t h = k + 1; h < size; ++h) {
          edges.push_back(between(c * size + k, c * size + h, clique));
        }
        if (c + 1 < cells) edges.push_back(between(c * size + k, (c + 1) * size + k, slope));
        if (c + 1 == cells && cells > 2) edges.push_back(between(c * size + k, k, slope - lacking));
      }
    }
    const auto cell = [&](std::size_t k) {
      return clique * static_cast<std::int64_t>(k * (size - k));
    };
    const std::vector<std::int64_t> price = draw_prices(random, size);
    // Where edges between cells join equal places, a set of the first of each cell cuts least.
    CHECK(least_cuts(CellRing{cells, size, cell, slope, 0, price, lacking}) ==
          enumerated_cuts(cells * size, edges, price));
    CHECK(least_cuts(CellRing{cells, size, cell, slope, 0, {}, lacking}) ==
          enumerated_cuts(cells * size, edges));
  }
}

TEST_CASE("vertices at the ends of a path of cells have their price", "[partition]") {
  Random random(14);
  for (int i = 0; i < 60; ++i) {
    const std::size_t cells = 3 + random.below(2);
    const std::size_t size = 2 + random.below(2);
    const auto ring = static_cast<std::int64_t>(random.below(9));
    const auto slope = static_cast<std::int64_t>(random.below(9));
    const auto lacking = i % 2 == 0 ? slope : slope / 2;
    const auto end_price = static_cast<std::int64_t>(random.below(6));
    const std::vector<std::int64_t> price = draw_prices(random, size);
    const auto cell = [&](std::size_t k) { return k > 0 && k < size ? ring : 0; };
    // All ways to take so many of each cell, in places that differ by no more than that.
    std::vector<std::int64_t> least(cells * size + 1, std::numeric_limits<std::int64_t>::max());
    std::vector<std::int64_t> taken(cells, 0);
    const auto options = static_cast<std::int64_t>(size) + 1;
    std::int64_t codes = 1;
    for (std::size_t c = 0; c < cells; ++c) codes *= options;
    for (std::int64_t code = 0; code < codes; ++code) {
      std::int64_t left = code;
      std::int64_t sum = 0;
      std::int64_t cost = 0;
      for (std::int64_t& k : taken) {
        k = left % options;
        left /= options;
        sum += k;
        cost += cell(static_cast<std::size_t>(k)) + price[static_cast<std::size_t>(k)];
      }
      for (std::size_t c = 0; c + 1 < cells; ++c) cost += slope * std::abs(taken[c] - taken[c + 1]);
      cost += (slope - lacking) * std::abs(taken.front() - taken.back());
      cost += end_price * (taken.front() + taken.back());
      std::int64_t& here = least[static_cast<std::size_t>(sum)];
      here = std::min(here, cost);
    }
    CHECK(least_cuts(CellRing{cells, size, cell, slope, 0, price, lacking, end_price}) == least);
  }
}

TEST_CASE("the least cuts of a chain of priced rings are those of enumeration", "[partition]") {
  Random random(13);
  for (int i = 0; i < 60; ++i) {
    const std::size_t cells = 2 + random.below(3);
    const std::size_t size = 3;
    const auto step = static_cast<std::int64_t>(random.below(9));
    const auto closing = static_cast<std::int64_t>(random.below(9));
    const auto chain = static_cast<std::int64_t>(random.below(9));
    std::vector<LineEdge> edges;
    for (std::size_t c = 0; c < cells; ++c) {
      for (std::size_t k = 0; k + 1 < size; ++k) {
        edges.push_back(between(c * size + k, c * size + k + 1, step));
      }
      edges.push_back(between(c * size, c * size + size - 1, closing));
      edges.push_back(between(c * size + size - 1, (c + 1) % cells * size, chain));
    }
    const std::vector<std::int64_t> price = draw_prices(random, size);
    CHECK(least_cuts(ChainOfRings{cells, size, step, closing, chain, price}) ==
          enumerated_cuts(cells * size, edges, price));
  }
}

TEST_CASE("groups in paths of three stages: the bound does not exceed the optimum", "[partition]") {
  Random random(14);
  const fixture::FamilyShape shapes[] = {{2, 2, 3, 0}, {2, 2, 4, 0}, {3, 2, 3, 0}, {2, 3, 3, 0}};
  int tight = 0;
  for (int i = 0; i < 160; ++i) {
    const auto family = i % 2 == 0 ? fixture::Family::ContextParallel : fixture::Family::Experts;
    fixture::Instance job = fixture::draw_job(random, family, shapes[i / 2 % 4]);
    job.tree = fixture::draw_zones(random, job.graph.vertices(), 0);
    const auto bound = fixture::bound_by_structure(job.graph, job.tree, job.coordinates);
    const std::int64_t optimum = fixture::brute_force_cut(job.graph, job.tree);
    REQUIRE(bound);
    INFO("job " << i << ", method " << bound->method);
    CHECK(bound->value <= optimum);
    if (bound->value == optimum) ++tight;
  }
  CHECK(tight > 24);
}

TEST_CASE("a bound of groups holds at whatever step the work ends", "[partition]") {
  Random random(15);
  int positive = 0;
  for (int i = 0; i < 240; ++i) {
    const auto family = i % 2 == 0 ? fixture::Family::ContextParallel : fixture::Family::Experts;
    const fixture::FamilyShape shape = fixture::draw_shape(random, family, 10);
    fixture::Instance job = fixture::draw_job(random, family, shape);
    job.tree = fixture::draw_zones(random, job.graph.vertices(), 0);
    const std::int64_t optimum = fixture::brute_force_cut(job.graph, job.tree);
    std::vector<std::uint32_t> capacity;
    for (const std::uint64_t room : job.tree.capacity(job.tree.cut_level)) {
      capacity.push_back(static_cast<std::uint32_t>(room));
    }
    for (const GridTraffic& grid : recover_grids(job.graph, job.coordinates)) {
      if (grid.vertices() != job.graph.vertices()) continue;
      for (std::int64_t steps = 16; steps < 2'000'000; steps *= 3) {
        const GridBound bound =
            bound_grid(grid, capacity, steps, std::numeric_limits<std::int64_t>::max());
        INFO("job " << i << ", " << steps << " steps, " << bound.name);
        CHECK(bound.quarters <= 4 * optimum);
        if (bound.quarters > 0) ++positive;
      }
    }
  }
  CHECK(positive > 1000);
}
