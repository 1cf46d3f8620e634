// Slicing trees planned by sums of shares, for double binary trees times a pipeline.
#include "starts/slicing_blocks.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

#include "partition/mapping_families.hpp"
#include "starts/row_places.hpp"
#include "starts/slicing_forest.hpp"
#include "support/catch.hpp"
#include "traffic/binary_tree.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kTree = 300;
constexpr std::int64_t kStep = 90;
constexpr std::int64_t kWork = 200'000;

/// Rank r of stage s is vertex s · ranks + r.
fixture::Instance trees_in_stages(std::size_t ranks, std::size_t stages) {
  fixture::Instance job;
  std::vector<CommunicationGraph::Edge> edges;
  const auto add = [&](std::size_t u, std::size_t v, std::int64_t weight) {
    edges.push_back({static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v), weight});
  };
  for (std::size_t s = 0; s < stages; ++s) {
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::size_t v = s * ranks + r;
      job.coordinates.push_back({0, static_cast<int>(r), static_cast<int>(s)});
      if (s > 0) add(v - ranks, v, kStep);
      if (const auto up = tree_parent(r, ranks)) add(v, s * ranks + *up, kTree);
      if (const auto up = second_tree_parent(r, ranks)) add(v, s * ranks + *up, kTree);
    }
  }
  job.graph = CommunicationGraph::from_edges(static_cast<std::uint32_t>(ranks * stages), edges);
  return job;
}

LineModel model_of(const fixture::Instance& job) {
  return LineModel(job.graph, lay_out_lines(job.graph, job.coordinates));
}

Shares drawn_shares(std::size_t vertices, std::size_t parts, Random& random) {
  Shares shares(parts, 1);
  for (std::size_t left = vertices - parts; left > 0;) {
    const std::size_t more = 1 + random.below(std::min<std::size_t>(left, 1 + vertices / parts));
    shares[random.below(parts)] += static_cast<std::uint32_t>(more);
    left -= more;
  }
  return shares;
}

std::vector<std::uint32_t> parts_of(const LineModel& model, const Shares& shares,
                                    const SlicingPlan& plan) {
  std::vector<std::uint32_t> order(shares.size());
  std::iota(order.begin(), order.end(), 0u);
  SlicingForest forest(model, shares, std::vector<Shares>{shares}, order);
  forest.follow(plan, shares);
  return forest.part();
}

}  // namespace

TEST_CASE("a row's cheap places lie between subtrees, and cuts are those counted",
          "[partition][slicing]") {
  const fixture::Instance job = trees_in_stages(128, 4);
  const LineModel model = model_of(job);
  const RowPlaces places(model);
  REQUIRE(places.last() == 16);
  CHECK(places.step() == kStep);
  CHECK(places.closing() == 0);
  CHECK(places.nearest(0) == 0);
  CHECK(places.nearest(127) == 16);
  const std::uint32_t lo = places.at(4);
  const std::uint32_t hi = places.at(12);
  for (std::uint32_t x = lo; x <= hi; ++x) {
    std::int64_t cut = 0;
    for (std::uint32_t u = lo; u < x; ++u) {
      for (const auto& [v, weight] : job.graph.neighbours(u)) {
        if (v >= x && v < hi) cut += weight;
      }
    }
    CHECK(places.cut(4, 12, x - lo) == static_cast<double>(cut));
  }
}

TEST_CASE("a planned tree gives every part its share", "[partition][slicing]") {
  CHECK(rc::check([](std::uint64_t seed) {
    Random random(seed);
    const std::size_t ranks = 64 + random.below(40);
    const std::size_t stages = 2 + random.below(7);
    const fixture::Instance job = trees_in_stages(ranks, stages);
    const LineModel model = model_of(job);
    const Shares shares = drawn_shares(ranks * stages, 6 + random.below(12), random);
    const auto plans = block_plans(model, shares, 5, Random(seed), WorkBudget(kWork));
    RC_ASSERT(plans.empty() != model.has_trees());
    for (const SlicingPlan& plan : plans) {
      Shares counted(shares.size(), 0);
      for (const std::uint32_t part : parts_of(model, shares, plan)) ++counted[part];
      RC_ASSERT(counted == shares);
    }
  }));
}

TEST_CASE("parts whose shares add up to columns are put into them", "[partition][slicing]") {
  const fixture::Instance job = trees_in_stages(64, 16);
  const LineModel model = model_of(job);
  // Four columns of 16 ranks with two parts each, 256 vertices a pair.
  const Shares shares{64, 96, 208, 112, 144, 48, 160, 192};
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> columns{
      {0, 7}, {1, 6}, {2, 5}, {3, 4}};
  std::vector<std::uint32_t> by_hand(64 * 16);
  for (std::uint32_t v = 0; v < by_hand.size(); ++v) {
    const auto [first, second] = columns[v % 64 / 16];
    by_hand[v] = v / 64 < shares[first] / 16 ? first : second;
  }
  const auto plans = block_plans(model, shares, 20, Random(1), WorkBudget(kWork));
  REQUIRE(!plans.empty());
  std::int64_t best = job.graph.total_weight();
  for (const SlicingPlan& plan : plans) {
    best = std::min(best, cut_weight(job.graph, parts_of(model, shares, plan)));
  }
  CHECK(best <= cut_weight(job.graph, by_hand));
}

TEST_CASE("nothing is planned for rings, or for few parts", "[partition][slicing]") {
  const fixture::Instance job = trees_in_stages(64, 4);
  const LineModel model = model_of(job);
  CHECK(block_plans(model, {128, 128}, 5, Random(1), WorkBudget(kWork)).empty());
  CHECK(block_plans(model, Shares(64, 4), 5, Random(1), WorkBudget(kWork)).empty());
  fixture::Instance rings;
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t v = 0; v < 256; ++v) {
    rings.coordinates.push_back({0, static_cast<int>(v % 64), static_cast<int>(v / 64)});
    edges.push_back({v, v / 64 * 64 + (v + 1) % 64, 5});
    if (v >= 64) edges.push_back({v - 64, v, 3});
  }
  rings.graph = CommunicationGraph::from_edges(256, edges);
  const LineModel lines = model_of(rings);
  CHECK(block_plans(lines, Shares(8, 32), 5, Random(1), WorkBudget(kWork)).empty());
}
