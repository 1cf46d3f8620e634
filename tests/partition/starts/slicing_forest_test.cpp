// Slicing trees over part of a job, which keeps the coordinates of the whole.
#include "starts/slicing_forest.hpp"

#include <algorithm>

#include "partition/mapping_families.hpp"
#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("trees slice vertices that stand far out as they do near ones", "[partition]") {
  constexpr int kRanks = 60;
  constexpr int kFar = 40'000;  // more than 16 bits hold
  std::vector<CommunicationGraph::Edge> edges;
  std::vector<Coordinates> near;
  std::vector<Coordinates> far;
  for (int v = 0; v < 2 * kRanks; ++v) {
    const int rank = v % kRanks;
    const int stage = v / kRanks;
    near.push_back({0, rank, stage});
    far.push_back({0, kFar + rank, stage});
    const auto at = static_cast<std::uint32_t>(v);
    if (rank > 0) edges.push_back({at - 1, at, 5});
    if (stage > 0) edges.push_back({at - kRanks, at, 2});
  }
  const auto graph = CommunicationGraph::from_edges(2 * kRanks, std::move(edges));
  const std::vector<std::uint32_t> sizes{17, 40, 63};
  const std::vector<Shares> shares{sizes};
  const std::vector<std::uint32_t> order{0, 1, 2};
  const auto sliced = [&](const std::vector<Coordinates>& coordinates) {
    const LineModel model(graph, lay_out_lines(graph, coordinates));
    SlicingForest forest(model, sizes, shares, order);
    Random random(7);
    WorkBudget budget(100'000);
    forest.anneal(0.1, random, budget, 0);
    return forest.part();
  };
  const std::vector<std::uint32_t> part = sliced(far);
  for (std::uint32_t p = 0; p < sizes.size(); ++p)
    CHECK(static_cast<std::uint32_t>(std::ranges::count(part, p)) == sizes[p]);
  CHECK(part == sliced(near));
}

TEST_CASE("trees slice more vertices than 16 bits count", "[partition]") {
  constexpr std::uint32_t kRanks = 2000;
  constexpr std::uint32_t kVertices = 18 * kRanks;
  std::vector<CommunicationGraph::Edge> edges;
  std::vector<Coordinates> coordinates;
  for (std::uint32_t v = 0; v < kVertices; ++v) {
    coordinates.push_back({0, static_cast<int>(v % kRanks), static_cast<int>(v / kRanks)});
    if (v % kRanks > 0) edges.push_back({v - 1, v, 5});
    if (v >= kRanks) edges.push_back({v - kRanks, v, 5});
  }
  const auto graph = CommunicationGraph::from_edges(kVertices, std::move(edges));
  const LineModel model(graph, lay_out_lines(graph, coordinates));
  const std::vector<std::uint32_t> sizes{20'000, 9000, 7000};
  const std::vector<Shares> shares{sizes};
  const std::vector<std::uint32_t> order{0, 1, 2};
  SlicingForest forest(model, sizes, shares, order);
  Random random(7);
  WorkBudget budget(1'000'000);
  forest.anneal(0.1, random, budget, 0);
  const std::vector<std::uint32_t> part = forest.part();
  for (std::uint32_t p = 0; p < sizes.size(); ++p)
    CHECK(static_cast<std::uint32_t>(std::ranges::count(part, p)) == sizes[p]);
}
