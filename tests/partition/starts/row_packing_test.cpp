#include "starts/row_packing.hpp"

#include <algorithm>
#include <numeric>

#include "find_partition.hpp"
#include "partition/bound/drawn_grid.hpp"
#include "starts/packed_excess.hpp"
#include "starts/packed_starts.hpp"
#include "starts/row_layouts.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

/// A job of context parallelism whose rows are replicas.
std::optional<fixture::DrawnGrid> draw_replicas(Random& random, int /*turn*/) {
  const fixture::FamilyShape shape{2 + random.below(4), 2 + random.below(4), 1 + random.below(5),
                                   0};
  auto drawn = fixture::draw_grid(random, fixture::Family::ContextParallel, shape);
  if (drawn && !has_group_replicas(drawn->grid)) drawn.reset();
  return drawn;
}

template <class Check>
int for_each_job(std::uint64_t seed, int jobs, const Check& check) {
  return fixture::for_each_drawn(seed, jobs, draw_replicas, check);
}

/// By its definition: pieces, the largest of each run of rows, what a full row does not lack, and
/// what rows cut more.
std::int64_t cost_of(const RowModel& model, PackedExcess& excess, const HeldRows& held) {
  std::int64_t cost = 0;
  for (std::size_t part = 0; part < held.parts(); ++part) {
    std::uint32_t least = held.held(part, 0);
    std::uint32_t most = least;
    for (std::size_t row = 0; row < model.rows; ++row) {
      const std::uint32_t here = held.held(part, row);
      least = std::min(least, here);
      most = std::max(most, here);
      cost += here == model.length ? 2 * model.per_divided_row : model.inside[here];
      const std::size_t before = row == 0 ? model.rows - 1 : row - 1;
      if (here == 0 || held.held(part, before) > 0) continue;
      std::uint32_t largest = 0;
      for (std::size_t i = row; held.held(part, i % model.rows) > 0; ++i) {
        largest = std::max(largest, held.held(part, i % model.rows));
      }
      cost += 2 * model.across[largest];
    }
    if (least > 0) cost += 2 * (model.across[most] - model.around[least]);
  }
  for (std::size_t row = 0; row < model.rows; ++row) {
    std::vector<std::uint32_t> pieces;
    for (std::size_t part = 0; part < held.parts(); ++part) {
      if (held.held(part, row) > 0) pieces.push_back(held.held(part, row));
    }
    if (pieces.size() > 1) cost += excess.about(pieces);
  }
  return cost;
}

/// Of these vertices, in their order.
std::vector<std::uint32_t> parts_at(std::span<const std::uint32_t> part,
                                    std::span<const std::uint32_t> vertices) {
  std::vector<std::uint32_t> parts;
  for (const std::uint32_t v : vertices) parts.push_back(part[v]);
  return parts;
}

std::vector<std::uint32_t> divide_briefly(const PartitionProblem& row, const Shares& shares) {
  const std::vector<Shares> choices{shares};
  return find_partition(row, choices, {.metis_starts = 0, .polish_steps = 1000}, {}).part;
}

Shares shares_of(std::span<const std::uint32_t> part, std::size_t parts) {
  Shares shares(parts, 0);
  for (const std::uint32_t p : part) ++shares.at(p);
  return shares;
}

void check_filled(const RowModel& model, const HeldRows& held, const Shares& shares) {
  for (std::size_t row = 0; row < model.rows; ++row) {
    std::size_t sum = 0;
    for (std::size_t part = 0; part < shares.size(); ++part) sum += held.held(part, row);
    CHECK(sum == model.length);
  }
  for (std::size_t part = 0; part < shares.size(); ++part) {
    std::size_t sum = 0;
    for (std::size_t row = 0; row < model.rows; ++row) sum += held.held(part, row);
    CHECK(sum == shares[part]);
  }
}

}  // namespace

TEST_CASE("a packing fills every row and every part, and its cost is what the model says",
          "[partition]") {
  int lower = 0;
  const int checked = for_each_job(71, 200, [&](Random& random, const fixture::DrawnGrid& drawn) {
    const RowModel model = *row_model(drawn.grid, Rows::Replicas);
    PackedExcess excess(drawn.grid, model, 10'000);
    RowPacking packing(model, excess, drawn.sizes, drawn.grid.size[0], Random(random.next()));
    check_filled(model, packing.rows(), drawn.sizes);
    const std::int64_t before = packing.cost();
    CHECK(before == cost_of(model, excess, packing.rows()));
    WorkBudget budget(20'000);
    packing.anneal(budget);
    check_filled(model, packing.rows(), drawn.sizes);
    CHECK(packing.cost() == cost_of(model, excess, packing.rows()));
    CHECK(packing.cost() <= before);
    if (packing.cost() < before) ++lower;
  });
  CHECK(checked > 100);
  CHECK(lower > checked / 2);
}

TEST_CASE("parts of whole rows are packed so that no row is divided", "[partition]") {
  Random random(72);
  const fixture::Instance job =
      fixture::draw_job(random, fixture::Family::ContextParallel, {4, 8, 3, 0});
  const GridTraffic grid = recover_grids(job.graph, job.coordinates).at(0);
  REQUIRE(has_group_replicas(grid));
  const RowModel model = *row_model(grid, Rows::Replicas);
  // Three rows and a half, twice, and one row.
  const Shares shares{42, 12, 42};
  PackedExcess excess(grid, model, 10'000);
  RowPacking packing(model, excess, shares, 4, Random(1));
  WorkBudget budget(200'000);
  packing.anneal(budget);
  int divided = 0;
  for (std::size_t row = 0; row < model.rows; ++row) {
    if (packing.rows().held(0, row) % 12 != 0 || packing.rows().held(1, row) % 12 != 0) ++divided;
  }
  CHECK(divided == 1);
}

TEST_CASE("what a row cuts more is what any division of it cuts at least", "[partition]") {
  int more = 0;
  for_each_job(74, 150, [&](Random& random, const fixture::DrawnGrid& drawn) {
    const GridTraffic& grid = drawn.grid;
    // Rows of two groups are not searched.
    if (grid.clique > 0 || grid.size[2] < 3) return;
    if (grid.vertices() != drawn.job.graph.vertices()) return;
    const RowModel model = *row_model(grid, Rows::Replicas);
    PackedExcess excess(grid, model, 1'000'000);
    const std::size_t parts = 2 + random.below(3);
    if (parts > model.length) return;
    // A row by itself: what is cut within it, and for every group that a piece touches one edge of
    // the chain through it, on either side half of one.
    std::vector<std::uint32_t> row = vertices_of_replica(grid, 0);
    for (int turn = 0; turn < 20; ++turn) {
      std::vector<std::uint32_t> part(drawn.job.graph.vertices(), 0);
      std::vector<std::uint32_t> pieces(parts, 0);
      random.shuffle(std::span(row));
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto to = static_cast<std::uint32_t>(i < parts ? i : random.below(parts));
        part[row[i]] = to + 1;
        ++pieces[to];
      }
      std::int64_t twice = 0;
      for (const std::uint32_t v : row) {
        for (const auto& [u, weight] : drawn.job.graph.neighbours(v)) {
          // Every other row is one part of its own.
          if (part[u] != part[v]) twice += weight;
        }
      }
      std::int64_t least = -2 * model.per_divided_row + excess.of(pieces);
      for (const std::uint32_t piece : pieces) {
        least += model.inside[piece] + 2 * model.across[piece];
      }
      // Weights in quarters, cuts counted from both sides.
      CHECK(least <= 4 * twice);
      if (excess.of(pieces) > 0) ++more;
    }
  });
  CHECK(more > 100);
}

TEST_CASE("pieces that leave each other no room touch groups once more", "[partition]") {
  Random random(75);
  const fixture::Instance job =
      fixture::draw_job(random, fixture::Family::ContextParallel, {16, 3, 16, 0});
  const GridTraffic grid = recover_grids(job.graph, job.coordinates).at(0);
  REQUIRE(has_group_replicas(grid));
  REQUIRE(grid.clique == 0);
  const RowModel model = *row_model(grid, Rows::Replicas);
  PackedExcess excess(grid, model, 1'000'000);
  // 13, 13 and 6 over fill two groups: one of them is divided between two and one of those comes
  // again, while 13 and 3, and 10 and 6, fill one each.
  const std::int64_t one = excess.about(std::vector<std::uint32_t>{77, 61, 6, 112});
  CHECK(one > 0);
  CHECK(excess.about(std::vector<std::uint32_t>{77, 3, 58, 118}) == 0);
  CHECK(excess.about(std::vector<std::uint32_t>{80, 64, 112}) == 0);
  // 15, 15, 15, 15 and 4 over fill four groups with all of them together.
  CHECK(excess.about(std::vector<std::uint32_t>{63, 63, 63, 63, 4}) == 3 * one);
}

TEST_CASE("rows are laid out no worse than one after the other, parts in their order",
          "[partition]") {
  int better = 0;
  const int checked = for_each_job(76, 150, [&](Random& random, const fixture::DrawnGrid& drawn) {
    const GridTraffic& grid = drawn.grid;
    if (grid.vertices() != drawn.job.graph.vertices()) return;
    HeldRows held(drawn.sizes.size(), grid.size[1]);
    held.fill_in_turn(drawn.sizes, std::size_t{grid.size[0]} * grid.size[2], random);
    RowLayouts layouts(drawn.job.graph, grid, 1'000'000);
    std::vector<std::uint32_t> plain(grid.vertices());
    for (std::size_t row = 0; row < grid.size[1]; ++row) {
      if (held.parts_of(row).size() > 4) return;
      layouts.add_orders(row, held, random);
      std::size_t place = 0;
      const std::vector<std::uint32_t> vertices = vertices_of_replica(grid, row);
      for (const std::uint32_t part : held.parts_of(row)) {
        for (std::uint32_t i = 0; i < held.held(part, row); ++i) plain[vertices[place++]] = part;
      }
      layouts.add(row, parts_at(plain, vertices));
    }
    WorkBudget budget(100'000);
    const std::vector<std::uint32_t> laid = layouts.best(budget);
    const std::int64_t cut = cut_weight(drawn.job.graph, laid);
    const std::int64_t plainly = cut_weight(drawn.job.graph, plain);
    CHECK(cut <= plainly);
    if (cut < plainly) ++better;
    CHECK(shares_of(laid, drawn.sizes.size()) == drawn.sizes);
  });
  CHECK(checked > 50);
  CHECK(better > 20);
}

TEST_CASE("held rows know who holds what", "[partition]") {
  Random random(77);
  for (int turn = 0; turn < 200; ++turn) {
    const std::size_t parts = 2 + random.below(5);
    const std::size_t rows = 2 + random.below(5);
    Shares shares(parts, 0);
    for (std::size_t i = 0; i < 6 * rows; ++i) ++shares[random.below(parts)];
    HeldRows held(parts, rows);
    held.fill_in_turn(shares, 6, random);
    for (int step = 0; step < 30; ++step) {
      const HeldRows before = held;
      HeldRows::Exchange exchange{random.below(parts), random.below(parts), random.below(rows),
                                  random.below(rows), 0};
      if (exchange.one == exchange.other || exchange.here == exchange.there) continue;
      const std::uint32_t most = std::min(held.held(exchange.one, exchange.here),
                                          held.held(exchange.other, exchange.there));
      exchange.count = static_cast<std::uint32_t>(random.below(most + 1));
      held.apply(exchange);
      held.undo(exchange);
      for (std::size_t part = 0; part < parts; ++part) {
        CHECK(std::ranges::equal(held.of(part), before.of(part)));
        CHECK(std::ranges::equal(held.rows_of(part), before.rows_of(part)));
      }
      held.apply(exchange);
      if (random.below(2) == 0) held.swap_rows(exchange.here, exchange.there);
      for (std::size_t part = 0; part < parts; ++part) {
        std::vector<std::uint32_t> touched;
        std::uint32_t sum = 0;
        for (std::uint32_t row = 0; row < rows; ++row) {
          if (held.held(part, row) > 0) touched.push_back(row);
          sum += held.held(part, row);
        }
        CHECK(std::ranges::equal(held.rows_of(part), touched));
        CHECK(sum == shares[part]);
        const std::size_t next = held.next_row(part, rows - 1, rows);
        CHECK((touched.empty()
                   ? next == rows
                   : next == (touched.back() == rows - 1 ? rows - 1 : touched.front())));
      }
      for (std::size_t row = 0; row < rows; ++row) {
        std::vector<std::uint32_t> sharing;
        for (std::uint32_t part = 0; part < parts; ++part) {
          if (held.held(part, row) > 0) sharing.push_back(part);
        }
        CHECK(std::ranges::equal(held.parts_of(row), sharing));
        CHECK(held.next_part(row, 0, sharing.front()) == (sharing.size() > 1 ? sharing[1] : parts));
      }
    }
  }
}

TEST_CASE("packed starts keep shares and measure their cut", "[partition]") {
  int found = 0;
  const int checked = for_each_job(73, 60, [&](Random& random, const fixture::DrawnGrid& drawn) {
    const PartitionProblem problem{drawn.job.graph, drawn.sizes, drawn.job.coordinates};
    const PackingEffort effort{20'000, 3, 2};
    const std::vector<Partition> starts =
        packed_starts(problem, drawn.sizes, effort, random.next(), divide_briefly);
    CHECK(starts.size() <= 2);
    if (drawn.grid.clique == 0) CHECK(!starts.empty());
    for (const Partition& start : starts) {
      ++found;
      CHECK(start.cut == cut_weight(drawn.job.graph, start.part));
      CHECK(shares_of(start.part, drawn.sizes.size()) == drawn.sizes);
    }
  });
  CHECK(checked > 30);
  CHECK(found > checked / 2);
}

TEST_CASE("a partition that is packed anew keeps its shares", "[partition]") {
  int better = 0;
  for_each_job(78, 100, [&](Random& random, const fixture::DrawnGrid& drawn) {
    const PartitionProblem problem{drawn.job.graph, drawn.sizes, drawn.job.coordinates};
    std::vector<std::uint32_t> part;
    for (std::uint32_t p = 0; p < drawn.sizes.size(); ++p) {
      part.insert(part.end(), drawn.sizes[p], p);
    }
    random.shuffle(std::span(part));
    const std::optional<Partition> anew =
        packed_anew(problem, part, 20'000, random.next(), divide_briefly);
    if (!anew) return;
    CHECK(anew->cut == cut_weight(drawn.job.graph, anew->part));
    CHECK(shares_of(anew->part, drawn.sizes.size()) == drawn.sizes);
    if (anew->cut < cut_weight(drawn.job.graph, part)) ++better;
  });
  CHECK(better > 30);
}
