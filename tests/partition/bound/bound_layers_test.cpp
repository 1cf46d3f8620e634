#include "bound/bound_layers.hpp"

#include <limits>
#include <vector>

#include "bound/full_layers.hpp"
#include "bound/layer_looks.hpp"
#include "bound/layer_relaxation.hpp"
#include "bound/narrow_layers.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

/// Stages of `size` vertices that cut one edge inside wherever they are divided, and an edge for
/// every vertex by which a zone has more of one than of the next. What up to `most` cut is known.
std::vector<Layer> stages(std::size_t count, std::size_t size, std::size_t most) {
  std::vector<std::int64_t> inside(most + 1, 4);
  inside.front() = 0;
  if (most == size) inside.back() = 0;
  std::vector<Layer> layers(count, {size, inside, {4, 4, 4, 4}, {}});
  layers.front().link = {};
  return layers;
}

std::vector<Layer> two_stages(std::size_t most) { return stages(2, 24, most); }

SharedBound bound_of(std::span<const Layer> layers, std::span<const std::uint32_t> capacity,
                     std::int64_t steps) {
  const auto graph = CommunicationGraph::from_edges(layers.size() * layers.front().size, {});
  const PartitionProblem problem{graph, {capacity.begin(), capacity.end()}, {}};
  WorkBudget budget(steps);
  return bound_of_layers(layers, problem, 1, budget, 0, kUnknown);
}

std::int64_t bound_of(std::span<const std::uint32_t> capacity, std::size_t most,
                      std::int64_t steps) {
  return bound_of(two_stages(most), capacity, steps).quarters;
}

}  // namespace

TEST_CASE(
    "zones that are rounded up where several vertices count as one need no more than is known",
    "[partition]") {
  // By twos the second zone takes seven, and what fourteen cut is not known.
  const std::vector<std::uint32_t> capacity{11, 13, 11, 13};
  const std::int64_t quarters = bound_of(capacity, 13, 10'000'000);
  CHECK(quarters > 0);
  CHECK(quarters == bound_of(capacity, 24, 10'000'000));
}

TEST_CASE("layers take no work where it does not do for two solutions", "[partition]") {
  const std::vector<std::uint32_t> capacity{11, 13, 11, 13};
  const auto layers = two_stages(13);
  const LayerRelaxation relaxation(layers, capacity, true, 0);
  const auto each = static_cast<std::int64_t>(relaxation.steps_per_solve());
  const auto graph = CommunicationGraph::from_edges(48, {});
  const PartitionProblem problem{graph, capacity, {}};
  WorkBudget budget(2 * each - 1);
  CHECK(bound_of_layers(layers, problem, 1, budget, 0, kUnknown).quarters == 0);
  CHECK(budget.left() == 2 * each - 1);
  CHECK(bound_of(capacity, 13, 200 * each) > 0);
}

TEST_CASE("prices found with several vertices as one bound the cut with all", "[partition]") {
  // Zones take a third of every stage; by twos, fours and eights their sizes are rounded.
  const auto layers = stages(12, 96, 96);
  const std::vector<std::uint32_t> capacity{12 * 35, 12 * 33, 12 * 28};
  constexpr std::int64_t kOptimum = 3 * 12 * 4 / 2;
  for (const int solutions : {3, 12, 400}) {
    LayerRelaxation shared(layers, capacity, true, 0);
    WorkBudget budget(solutions * static_cast<std::int64_t>(shared.steps_per_solve()));
    FullLayers zones(layers, capacity, 0, 1, shared, budget);
    const std::int64_t bound = zones.bound_by_looks(0);
    CAPTURE(solutions);
    CHECK(bound <= kOptimum);
    CHECK(bound > 0);
    if (solutions == 400) CHECK(100 * bound > 95 * kOptimum);
  }
}

TEST_CASE("layers of which a zone takes more than tables hold are bounded", "[partition]") {
  const auto layers = stages(12, 600, 600);
  const std::vector<std::uint32_t> capacity{12 * 500, 12 * 60, 12 * 40};
  constexpr std::int64_t kOptimum = 3 * 12 * 4 / 2;
  const LayerRelaxation relaxation(layers, capacity, true, 0);
  REQUIRE(relaxation.entries() > kMostTableEntries);
  REQUIRE(options_that_fit(layers, capacity) < 500);
  const auto each = static_cast<std::int64_t>(relaxation.steps_per_solve());
  const SharedBound bound = bound_of(layers, capacity, 6 * each);
  CHECK(bound.quarters <= kOptimum);
  CHECK(bound.quarters > kOptimum / 2);
}

TEST_CASE("layers whose tables are too large are bounded with fewer at a time", "[partition]") {
  const auto layers = stages(18, 400, 400);
  // The same part of every stage.
  constexpr std::int64_t kOptimum = 3 * 18 * 4 / 2;
  for (const bool full : {true, false}) {
    const auto capacity = full ? std::vector<std::uint32_t>{18 * 144, 18 * 139, 18 * 117}
                               : std::vector<std::uint32_t>(3, 2600);
    const LayerRelaxation relaxation(layers, capacity, full, 0);
    REQUIRE(relaxation.entries() > kMostTableEntries);
    const auto each = static_cast<std::int64_t>(relaxation.steps_per_solve());
    const SharedBound bound = bound_of(layers, capacity, 6 * each);
    CAPTURE(full);
    CHECK(bound.quarters <= kOptimum);
    CHECK(bound.quarters > kOptimum / 2);
  }
}
