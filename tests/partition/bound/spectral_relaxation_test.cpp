#include "bound/spectral_relaxation.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "bound/bound.hpp"
#include "bound/bound_spectral.hpp"
#include "partition/mapping_fixtures.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

std::int64_t bound_by_eigenvalues(const CommunicationGraph& graph,
                                  const std::vector<std::uint32_t>& capacity, std::int64_t steps,
                                  std::int64_t enough = kUnknown) {
  WorkBudget budget(steps);
  return spectral_bound({graph, capacity, {}}, budget, enough);
}

/// Vertices whose numbers differ in one bit.
CommunicationGraph cube(std::uint32_t bits, std::int64_t weight) {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t v = 0; v < 1U << bits; ++v) {
    for (std::uint32_t bit = 0; bit < bits; ++bit) {
      if (v < (v ^ 1U << bit)) edges.push_back({v, v ^ 1U << bit, weight});
    }
  }
  return CommunicationGraph::from_edges(1U << bits, edges);
}

/// Any two of so many vertices with three edges each or so.
CommunicationGraph irregular(Random& random, std::uint32_t vertices) {
  std::vector<CommunicationGraph::Edge> edges;
  const auto weight = [&] { return static_cast<std::int64_t>(1 + random.below(10)); };
  for (std::uint32_t v = 1; v < vertices; ++v) {
    edges.push_back({static_cast<std::uint32_t>(random.below(v)), v, weight()});
  }
  for (std::uint32_t i = 0; i < 2 * vertices; ++i) {
    const auto u = static_cast<std::uint32_t>(random.below(vertices));
    const auto v = static_cast<std::uint32_t>(random.below(vertices));
    if (u != v) edges.push_back({u, v, weight()});
  }
  return CommunicationGraph::from_edges(vertices, edges);
}

}  // namespace

TEST_CASE("whatever is added to the diagonal, eigenvalues bound the cut", "[partition]") {
  Random random(71);
  int positive = 0;
  for (int draw = 0; draw < 1500; ++draw) {
    const std::size_t vertices = 2 + random.below(8);
    const CommunicationGraph graph = fixture::draw_graph(random, vertices);
    const SlotTree zones = fixture::draw_zones(random, vertices, draw % 3 == 0 ? 3 : 0);
    const std::int64_t optimum = fixture::brute_force_cut(graph, zones);
    SpectralRelaxation relaxation(graph, zones.free);
    CAPTURE(draw, vertices, zones.free, optimum);
    PieceMultipliers multipliers;
    PieceViolation violation;
    for (int i = 0; i < 4; ++i) {
      multipliers.piece.clear();
      for (std::size_t v = 0; v < vertices; ++v) {
        multipliers.piece.push_back(i == 0 ? 0 : 20 * random.unit() - 10);
      }
      CHECK(relaxation.solve(multipliers, violation) <= static_cast<double>(optimum));
    }
    const std::int64_t bound = bound_by_eigenvalues(graph, zones.free, 1'000'000);
    CHECK(bound <= optimum);
    positive += bound > 0 ? 1 : 0;
  }
  CHECK(positive > 700);
}

TEST_CASE("the violation is how the bound changes with a multiplier", "[partition]") {
  Random random(72);
  const CommunicationGraph graph = irregular(random, 24);
  const std::vector<std::uint32_t> capacity{10, 8, 6};
  SpectralRelaxation relaxation(graph, capacity);
  PieceMultipliers at;
  for (std::size_t v = 0; v < 24; ++v) at.piece.push_back(4 * random.unit() - 2);
  PieceViolation violation;
  const double value = relaxation.solve(at, violation);
  for (std::size_t v = 0; v < 24; ++v) {
    constexpr double kStep = 1e-4;
    PieceMultipliers other = at;
    other.piece[v] += kStep;
    PieceViolation ignored;
    const double slope = (relaxation.solve(other, ignored) - value) / kStep;
    CHECK(slope == Approx(violation.piece[v]).margin(1e-2));
  }
}

TEST_CASE("cubes and what every two exchange are bounded by their least cuts", "[partition]") {
  // Half of a cube cuts an edge of each vertex; rounding takes less than an edge off.
  CHECK(bound_by_eigenvalues(cube(6, 1), {32, 32}, 100'000'000) == 32);
  CHECK(bound_by_eigenvalues(cube(6, 1000), {32, 32}, 100'000'000) == 32'000);
  CHECK(bound_by_eigenvalues(cube(6, 1), {16, 16, 16, 16}, 100'000'000) <= 64);
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < 12; ++u) {
    for (std::uint32_t v = u + 1; v < 12; ++v) edges.push_back({u, v, 5});
  }
  const auto complete = CommunicationGraph::from_edges(12, edges);
  CHECK(bound_by_eigenvalues(complete, {4, 4, 4}, 100'000'000) == 5 * 48);
}

TEST_CASE("weights beyond what a double holds exactly are bounded all the same", "[partition]") {
  const std::int64_t weight = (std::int64_t{1} << 54) + 1;
  const std::int64_t bound = bound_by_eigenvalues(cube(4, weight), {8, 8}, 100'000'000);
  CHECK(bound <= 8 * weight);
  CHECK(bound > 8 * weight - weight / 1'000'000);
}

TEST_CASE("traffic of no family is bounded by eigenvalues, where work does for it", "[partition]") {
  Random random(73);
  const CommunicationGraph graph = irregular(random, 120);
  const std::vector<std::uint32_t> capacity{50, 40, 30};
  const PartitionProblem problem{graph, capacity, {}};
  const auto bound = bound_of(problem, 50'000'000);
  REQUIRE(bound);
  CHECK(bound->cut.method == "eigenvalues");
  // Connectedness alone knows of two light edges.
  CHECK(bound->cut.value > 10 * spanning_tree_bound(problem));
  CHECK(bound_of(problem, 1'000'000)->cut.method == "spanning tree");
  // More room is no higher bound.
  CHECK(bound_of({graph, std::vector<std::uint32_t>{60, 50, 40}, {}}, 50'000'000)->cut.value <=
        bound->cut.value);
}

TEST_CASE("a bound by eigenvalues ends where it is enough", "[partition]") {
  Random random(74);
  const CommunicationGraph graph = irregular(random, 60);
  const std::vector<std::uint32_t> capacity{20, 20, 20};
  const std::int64_t most = bound_by_eigenvalues(graph, capacity, 100'000'000);
  WorkBudget budget(100'000'000);
  const std::int64_t enough = most * 9 / 10;
  const std::int64_t found = spectral_bound({graph, capacity, {}}, budget, enough);
  CHECK(found >= enough);
  CHECK(found <= most);
  CHECK(budget.left() > 50'000'000);
}
