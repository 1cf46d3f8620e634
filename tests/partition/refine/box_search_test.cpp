#include "refine/box_search.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "partition/mapping_families.hpp"
#include "refine/box_exchanges.hpp"
#include "refine/box_grids.hpp"
#include "refine/box_offers.hpp"
#include "refine/refine_search.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

/// A job of a family whose parts are painted box by box, so that some reach over several rows.
struct Painted {
  fixture::Instance job;
  BoxGrids grids;
  PartitionProblem problem;
  std::vector<std::uint32_t> part;

  Painted(Random& random, fixture::Family family, std::size_t least, std::size_t most)
      : job(fixture::draw_job(random, family,
                              fixture::draw_large_shape(random, family, least, most))),
        grids(box_grids(job.coordinates)),
        problem{job.graph, {}, job.coordinates},
        part(job.graph.vertices(), 0) {
    const std::size_t parts = 2 + random.below(4);
    for (std::size_t stroke = 0; stroke < 3 * parts; ++stroke) {
      paint(random, static_cast<std::uint32_t>(random.below(parts)));
    }
    problem.capacity.assign(parts, 0);
    for (const std::uint32_t p : part) ++problem.capacity[p];
  }
  Painted(const Painted&) = delete;
  Painted& operator=(const Painted&) = delete;

  void paint(Random& random, std::uint32_t colour) {
    const std::size_t row = random.below(grids.rows.size());
    const std::size_t column = random.below(grids.rows[row].length);
    const std::size_t rows = 1 + random.below(grids.rows.size());
    const std::size_t columns = 1 + random.below(grids.rows[row].length);
    for (std::size_t r = row; r < std::min(row + rows, grids.rows.size()); ++r) {
      const std::size_t end = std::min<std::size_t>(column + columns, grids.rows[r].length);
      for (std::size_t c = column; c < end; ++c) part[grids.vertex(r, c)] = colour;
    }
  }
};

std::vector<std::uint32_t> vertices_of(const Box& box, const BoxGrids& grids) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t r = box.row; r < box.row + box.rows; ++r) {
    for (std::uint32_t c = box.column; c < box.column + box.columns; ++c) {
      all.push_back(grids.vertex(r, c));
    }
  }
  return all;
}

/// Whether edges between two of the box's rows join neighbouring rows and the same column.
bool is_plain(const Box& box, const BoxGrids& grids, const CommunicationGraph& graph) {
  for (const std::uint32_t v : vertices_of(box, grids)) {
    const BoxGrids::Place at = grids.place[v];
    for (const auto& [u, weight] : graph.neighbours(v)) {
      const BoxGrids::Place to = grids.place[u];
      if (to.row - box.row >= box.rows || to.row == at.row) continue;
      const bool neighbours = to.row + 1 == at.row || at.row + 1 == to.row;
      if (!neighbours || to.column != at.column) return false;
    }
  }
  return true;
}

std::vector<std::uint32_t> all_parts(const PartitionProblem& problem) {
  std::vector<std::uint32_t> all(problem.parts());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

std::int64_t cut_after(const CommunicationGraph& graph, std::vector<std::uint32_t> part,
                       std::span<const std::uint32_t> moved, std::uint32_t to) {
  for (const std::uint32_t v : moved) part[v] = to;
  return cut_weight(graph, part);
}

/// Cheapest by parts and number of vertices, every box looked at by itself.
using ByHand = std::map<std::array<std::size_t, 3>, std::int64_t>;

class Enumeration {
 public:
  Enumeration(const Painted& painted, BoxSide side) : painted_(painted), side_(side) {}

  ByHand run() {
    for (std::uint32_t row = 0; row < painted_.grids.rows.size(); ++row) {
      for (std::uint32_t column = 0; column < painted_.grids.rows[row].length; ++column) {
        for (std::uint32_t columns = 1; column + columns <= painted_.grids.rows[row].length;
             ++columns) {
          over_rows({row, 1, column, columns});
        }
      }
    }
    return std::move(least_);
  }

 private:
  /// Whether the part of the box's first vertex has all of this row's, and begins or ends there.
  [[nodiscard]] bool is_offered(const Box& box, std::uint32_t row) const {
    const BoxGrids& grids = painted_.grids;
    if (grids.rows[row].grid != grids.rows[box.row].grid) return false;
    const std::uint32_t own = painted_.part[grids.vertex(box.row, box.column)];
    const auto is_own = [&](std::uint32_t c) { return painted_.part[grids.vertex(row, c)] == own; };
    for (std::uint32_t c = box.column; c < box.column + box.columns; ++c) {
      if (!is_own(c)) return false;
    }
    const std::uint32_t end = box.column + box.columns;
    return side_ == BoxSide::Begin ? box.column == 0 || !is_own(box.column - 1)
                                   : end == grids.rows[row].length || !is_own(end);
  }

  void over_rows(Box box) {
    while (is_offered(box, box.row + box.rows - 1)) {
      weigh(box);
      if (box.row + ++box.rows > painted_.grids.rows.size()) return;
    }
  }

  void weigh(const Box& box) {
    const std::vector<std::uint32_t> moved = vertices_of(box, painted_.grids);
    if (moved.size() > BoxOffers::kMostVertices) return;
    const std::uint32_t from = painted_.part[moved.front()];
    const std::int64_t before = cut_weight(painted_.job.graph, painted_.part);
    for (std::uint32_t to = 0; to < painted_.problem.parts(); ++to) {
      if (to == from || !touches(moved, to)) continue;
      const std::int64_t cost = cut_after(painted_.job.graph, painted_.part, moved, to) - before;
      const auto [at, is_new] = least_.try_emplace({from, to, moved.size()}, cost);
      at->second = std::min(at->second, cost);
    }
  }

  [[nodiscard]] bool touches(std::span<const std::uint32_t> vertices, std::uint32_t part) const {
    return std::ranges::any_of(vertices, [&](std::uint32_t v) {
      return std::ranges::any_of(painted_.job.graph.neighbours(v), [&](const auto& next) {
        return painted_.part[next.vertex] == part && next.weight > 0;
      });
    });
  }

  const Painted& painted_;
  BoxSide side_;
  ByHand least_;
};

ByHand offered(const BoxOffers& offers, BoxSide side) {
  ByHand all;
  for (std::size_t from = 0; from < offers.parts(); ++from) {
    for (std::size_t to = 0; to < offers.parts(); ++to) {
      const auto costs = offers.between(from, to, side).costs();
      const std::int64_t least = costs.empty() ? BoxOffers::kNone : std::ranges::min(costs);
      REQUIRE(offers.between(from, to, side).least == least);
      for (std::size_t size = 0; size < costs.size(); ++size) {
        if (costs[size] < BoxOffers::kNone) all[{from, to, size}] = costs[size];
      }
    }
  }
  return all;
}

std::vector<std::uint32_t> sizes_of(const WorkingPartition& partition) {
  std::vector<std::uint32_t> sizes;
  for (std::size_t p = 0; p < partition.parts(); ++p) {
    sizes.push_back(static_cast<std::uint32_t>(partition.members(p).size()));
  }
  return sizes;
}

/// In every row three bodies and three limbs of 16 columns each, closely tied within: a limb
/// belongs to its body, and a little less to the next one.
fixture::Instance limbs(std::uint32_t rows) {
  constexpr std::uint32_t kBlock = 16;
  constexpr std::uint32_t kColumns = 6 * kBlock;
  std::vector<CommunicationGraph::Edge> edges;
  fixture::Instance job;
  for (std::uint32_t v = 0; v < rows * kColumns; ++v) {
    const std::uint32_t column = v % kColumns;
    job.coordinates.push_back({-1, static_cast<int>(column), static_cast<int>(v / kColumns)});
    if ((column + 1) % kBlock > 0) edges.push_back({v, v + 1, 100});
    if (v + kColumns < rows * kColumns) edges.push_back({v, v + kColumns, 20});
  }
  for (std::uint32_t first = 0; first < rows * kColumns; first += kColumns) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      const std::uint32_t limb = first + (3 + i) * kBlock;
      edges.push_back({first + i * kBlock, limb, 50});
      edges.push_back({first + (i + 1) % 3 * kBlock, limb + kBlock - 1, 30});
    }
  }
  job.graph = CommunicationGraph::from_edges(std::size_t{rows} * kColumns, std::move(edges));
  return job;
}

}  // namespace

TEST_CASE("an encoder and its decoder have rows of their own", "[partition]") {
  const std::vector<Coordinates> coordinates{{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {1, 1, -1},
                                             {0, 0, 0},  {0, 1, 0},  {0, 2, 0},  {0, 0, 1},
                                             {0, 1, 1},  {0, 2, 1}};
  const BoxGrids grids = box_grids(coordinates);
  REQUIRE(grids.rows.size() == 4);
  CHECK(grids.rows[0].grid == grids.rows[1].grid);
  CHECK(grids.rows[1].grid != grids.rows[2].grid);
  CHECK(grids.rows[2].grid == grids.rows[3].grid);
  for (std::uint32_t v = 0; v < coordinates.size(); ++v) {
    CHECK(grids.vertex(grids.place[v].row, grids.place[v].column) == v);
  }
}

TEST_CASE("vertices that fill no grid have no boxes", "[partition]") {
  CHECK(box_grids({}).rows.empty());
  CHECK(box_grids(std::vector<Coordinates>{{0, 0, 0}, {0, 1, 1}}).rows.empty());
  CHECK(
      box_grids(std::vector<Coordinates>{{0, 0, 0}, {0, 0, 0}, {0, 3, 0}, {0, 3, 0}}).rows.empty());
}

TEST_CASE("every box costs what it was offered for", "[partition]") {
  Random random(5);
  std::size_t weighed = 0;
  for (int i = 0; i < 210; ++i) {
    const Painted painted(random, fixture::kFamilies[static_cast<std::size_t>(i) % 7], 20, 120);
    const WorkingPartition partition(painted.problem, painted.part);
    BoxOffers offers(partition, painted.grids);
    WorkBudget budget(1);
    offers.see(all_parts(painted.problem), budget);
    INFO("job " << i);
    for (std::uint32_t from = 0; from < offers.parts(); ++from) {
      for (std::uint32_t to = 0; to < offers.parts(); ++to) {
        for (const BoxSide side : {BoxSide::Begin, BoxSide::End}) {
          const BoxOffers::OfPair& pair = offers.between(from, to, side);
          for (std::size_t size = 0; size < pair.sizes; ++size) {
            if (pair.cost[size] == BoxOffers::kNone) continue;
            const auto moved = vertices_of(pair.box[size], painted.grids);
            REQUIRE(moved.size() == size);
            REQUIRE(std::ranges::all_of(moved,
                                        [&](std::uint32_t v) { return painted.part[v] == from; }));
            if (!is_plain(pair.box[size], painted.grids, painted.job.graph)) continue;
            REQUIRE(partition.cut() + pair.cost[size] ==
                    cut_after(painted.job.graph, painted.part, moved, to));
            ++weighed;
          }
        }
      }
    }
  }
  CHECK(weighed > 20'000);
}

TEST_CASE("no box that a part may give is cheaper than the one offered", "[partition]") {
  Random random(6);
  std::size_t compared = 0;
  for (int i = 0; i < 60; ++i) {
    const auto family = i % 2 == 0 ? fixture::Family::TreePipeline : fixture::Family::RingPipeline;
    const Painted painted(random, family, 16, 48);
    const WorkingPartition partition(painted.problem, painted.part);
    BoxOffers offers(partition, painted.grids);
    WorkBudget budget(1);
    offers.see(all_parts(painted.problem), budget);
    for (const BoxSide side : {BoxSide::Begin, BoxSide::End}) {
      const ByHand by_hand = Enumeration(painted, side).run();
      const ByHand all = offered(offers, side);
      INFO("job " << i << ", rows " << painted.grids.rows.size());
      REQUIRE(all.size() == by_hand.size());
      for (const auto& [key, cost] : by_hand) {
        // A pipeline that is a cycle joins its last row to the first.
        REQUIRE(all.contains(key));
        REQUIRE(all.at(key) >= cost);
        if (all.at(key) == cost) ++compared;
      }
    }
  }
  CHECK(compared > 2000);
}

TEST_CASE("an exchange of boxes costs what it is said to", "[partition]") {
  Random random(7);
  std::size_t weighed = 0;
  std::size_t corrected = 0;
  for (int i = 0; i < 70; ++i) {
    const Painted painted(random, fixture::kFamilies[static_cast<std::size_t>(i) % 7], 20, 80);
    const WorkingPartition partition(painted.problem, painted.part);
    BoxOffers offers(partition, painted.grids);
    WorkBudget budget(1'000'000'000);
    const std::vector<std::uint32_t> parts = all_parts(painted.problem);
    offers.see(parts, budget);
    for_exchanges(offers, parts, BoxOffers::kNone / 2, budget, [&](const BoxExchange& exchange) {
      if (random.below(4) > 0) return;
      const std::array<Box, 3> boxes = boxes_of(offers, exchange);
      std::vector<std::uint32_t> part = painted.part;
      for (std::size_t k = 0; k < exchange.count; ++k) {
        if (!is_plain(boxes[k], painted.grids, painted.job.graph)) return;
        for (const std::uint32_t v : vertices_of(boxes[k], painted.grids)) {
          part[v] = exchange.to(k);
        }
      }
      const std::int64_t cost = exact_cost(offers, exchange, budget);
      REQUIRE(partition.cut() + cost == cut_weight(painted.job.graph, part));
      ++weighed;
      if (cost != exchange.cost) ++corrected;
    });
  }
  CHECK(weighed > 4000);
  CHECK(corrected > 200);
}

TEST_CASE("search by boxes never makes the cut worse, nor changes a part's size", "[partition]") {
  Random random(8);
  int helped = 0;
  for (int i = 0; i < 140; ++i) {
    const Painted painted(random, fixture::kFamilies[static_cast<std::size_t>(i) % 7], 20, 300);
    WorkingPartition partition(painted.problem, painted.part);
    const std::int64_t before = partition.cut();
    const std::vector<std::uint32_t> sizes = sizes_of(partition);
    // Work may run out anywhere.
    const std::uint64_t most = std::uint64_t{1} << (8 + random.below(14));
    const auto steps = static_cast<std::int64_t>(1 + random.below(most));
    const std::uint64_t seed = random.next();
    INFO("job " << i << ", steps " << steps);
    WorkBudget budget(steps);
    Random first(seed);
    search_by_boxes(partition, first, budget, steps, 0);
    REQUIRE(partition.cut() <= before);
    REQUIRE(partition.cut() == cut_weight(painted.job.graph, partition.all()));
    REQUIRE(sizes_of(partition) == sizes);  // no part has room
    if (partition.cut() < before) ++helped;
    WorkingPartition again(painted.problem, painted.part);
    WorkBudget same(steps);
    Random second(seed);
    search_by_boxes(again, second, same, steps, 0);
    REQUIRE(std::ranges::equal(again.all(), partition.all()));
  }
  CHECK(helped > 40);
}

TEST_CASE("search by boxes comes back from where the cut has risen", "[partition]") {
  // From what an earlier search ended in little is to be gained, and much to be lost.
  Random random(11);
  int ended_level = 0;
  for (int i = 0; i < 35; ++i) {
    const Painted painted(random, fixture::kFamilies[static_cast<std::size_t>(i) % 7], 60, 300);
    WorkingPartition partition(painted.problem, painted.part);
    const std::vector<std::uint32_t> sizes = sizes_of(partition);
    for (int round = 0; round < 6; ++round) {
      const std::int64_t before = partition.cut();
      WorkBudget budget(400'000);
      search_by_boxes(partition, random, budget, 400'000, 0);
      INFO("job " << i << ", round " << round);
      REQUIRE(partition.cut() <= before);
      REQUIRE(partition.cut() == cut_weight(painted.job.graph, partition.all()));
      REQUIRE(sizes_of(partition) == sizes);
      if (partition.cut() == before) ++ended_level;
    }
  }
  CHECK(ended_level > 100);
}

TEST_CASE("search by boxes finds what balls cannot", "[partition]") {
  constexpr std::uint32_t kRows = 4;
  const fixture::Instance job = limbs(kRows);
  const auto third = static_cast<std::uint32_t>(job.graph.vertices() / 3);
  const PartitionProblem problem{job.graph, {third, third, third}, job.coordinates};
  // Every limb is with the next body. Where two change places one comes home, but both leave a body
  // that they belong to a little less: only all three together gain.
  std::vector<std::uint32_t> part;
  for (std::uint32_t v = 0; v < job.graph.vertices(); ++v) {
    const std::uint32_t block = v / 16 % 6;
    part.push_back(block < 3 ? block : (block - 3 + 1) % 3);
  }
  constexpr std::int64_t kSteps = 3'000'000;
  constexpr std::int64_t kLeast = std::int64_t{kRows} * 3 * 30;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    WorkingPartition by_balls(problem, part);
    WorkBudget budget(kSteps);
    Random random(seed);
    search_by_balls(by_balls, random, budget, kLeast);
    CHECK(by_balls.cut() > kLeast);
    WorkingPartition by_boxes(problem, part);
    WorkBudget same(kSteps);
    search_by_boxes(by_boxes, random, same, kSteps, kLeast);
    CHECK(by_boxes.cut() == kLeast);
  }
}

TEST_CASE("a part gets no box for one that does not exist", "[partition]") {
  // One offer saves more than a missing one is said to cost.
  const auto graph = CommunicationGraph::from_edges(
      14, {{0, 3, std::int64_t{3} << 59}, {1, 2, 5}, {2, 3, 5}, {3, 4, 5}, {4, 5, 5}, {7, 8, 5}});
  std::vector<Coordinates> coordinates;
  for (int v = 0; v < 14; ++v) coordinates.push_back({-1, v % 7, v / 7});
  const PartitionProblem problem{graph, {9, 5}, coordinates};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    WorkingPartition partition(problem, {0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
    WorkBudget budget(1'000'000);
    Random random(seed);
    search_by_boxes(partition, random, budget, 1'000'000, 0);
    CHECK(partition.room(0) == 0);
    CHECK(partition.room(1) == 0);
  }
}
