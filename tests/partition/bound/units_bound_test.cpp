#include <algorithm>
#include <numeric>

#include "bound/bound_units.hpp"
#include "bound/layer_relaxation.hpp"
#include "partition/mapping_fixtures.hpp"
#include "support/catch.hpp"
#include "zonecut/partition/unit_bound.hpp"

using namespace zonecut;

namespace {

/// Parts of servers in stages that do not hold whole ones, and the servers.
struct PartedJob {
  std::size_t unit = 1;
  std::size_t length = 0;
  std::size_t stages = 0;
  fixture::Instance parts;
  fixture::Instance servers;
};

void add_stage(Random& random, const PartedJob& job, std::size_t stage, bool is_ring,
               std::int64_t along, std::vector<CommunicationGraph::Edge>& edges) {
  const auto at = [&](std::size_t place) {
    return static_cast<std::uint32_t>(stage * job.length + place);
  };
  for (std::size_t place = 0; place + 1 < job.length; ++place) {
    edges.push_back({at(place), at(place + 1), along});
  }
  if (is_ring) edges.push_back({at(job.length - 1), at(0), along});
  // Now and then an edge of no kind.
  if (random.below(4) > 0) return;
  edges.push_back({at(random.below(job.length)), at(random.below(job.length)), 1});
}

PartedJob draw_parted(Random& random) {
  struct Size {
    std::size_t unit, length, stages;
  };
  constexpr std::array kSizes{Size{2, 5, 2}, Size{2, 7, 2},  Size{2, 9, 2},
                              Size{2, 5, 4}, Size{3, 7, 3},  Size{3, 8, 3},
                              Size{4, 9, 4}, Size{4, 10, 2}, Size{4, 11, 4}};
  const Size size = kSizes.at(random.below(kSizes.size()));
  PartedJob job{size.unit, size.length, size.stages, {}, {}};
  const bool is_ring = random.below(3) > 0;
  const auto along = static_cast<std::int64_t>(1 + random.below(20));
  const auto across = static_cast<std::int64_t>(1 + random.below(12));
  std::vector<CommunicationGraph::Edge> edges;
  for (std::size_t stage = 0; stage < job.stages; ++stage) {
    add_stage(random, job, stage, is_ring, along, edges);
    for (std::size_t place = 0; place < job.length; ++place) {
      job.parts.coordinates.push_back({0, static_cast<int>(place), static_cast<int>(stage)});
      const auto here = static_cast<std::uint32_t>(stage * job.length + place);
      if (stage > 0) edges.push_back({here - static_cast<std::uint32_t>(job.length), here, across});
    }
  }
  const std::size_t vertices = job.length * job.stages;
  job.parts.graph = CommunicationGraph::from_edges(vertices, edges);
  for (CommunicationGraph::Edge& edge : edges) {
    edge.u /= static_cast<std::uint32_t>(job.unit);
    edge.v /= static_cast<std::uint32_t>(job.unit);
  }
  job.servers.graph = CommunicationGraph::from_edges(vertices / job.unit, std::move(edges));
  job.servers.tree = fixture::draw_zones(random, vertices / job.unit, random.below(2) * 3);
  job.parts.tree = job.servers.tree;
  for (std::uint32_t& free : job.parts.tree.free) free *= static_cast<std::uint32_t>(job.unit);
  return job;
}

}  // namespace

TEST_CASE("servers that stages share are bounded as a whole", "[partition]") {
  Random random(36);
  int higher = 0;
  int proven = 0;
  int cut = 0;
  for (int i = 0; i < 250; ++i) {
    const PartedJob job = draw_parted(random);
    const std::int64_t optimum = fixture::brute_force_cut(job.servers.graph, job.servers.tree);
    const auto of_parts =
        cut_lower_bound(job.parts.graph, job.parts.tree, job.parts.coordinates, Effort::Fast);
    const auto of_servers = cut_lower_bound_of_units(job.parts.graph, job.unit, job.parts.tree,
                                                     job.parts.coordinates, Effort::Fast);
    REQUIRE(of_parts);
    REQUIRE(of_servers);
    CAPTURE(i, job.unit, job.length, job.stages, of_servers->method);
    REQUIRE(of_servers->value <= optimum);
    CHECK(of_servers->value >= of_parts->value);
    if (of_parts->value == optimum) continue;
    ++cut;
    if (of_servers->value > of_parts->value) ++higher;
    if (of_servers->value == optimum) ++proven;
  }
  CAPTURE(higher, proven);
  CHECK(cut > 100);
  CHECK(higher > cut / 3);
  CHECK(proven > cut / 10);
}

TEST_CASE("any prices of stages of whole units bound the cut", "[partition]") {
  Random random(63);
  int checked = 0;
  int positive = 0;
  for (int i = 0; i < 250; ++i) {
    const PartedJob job = draw_parted(random);
    std::vector<std::uint32_t> capacity;
    for (const std::uint32_t free : job.parts.tree.free) capacity.push_back(free);
    const std::size_t room = std::accumulate(capacity.begin(), capacity.end(), std::size_t{0});
    const PartitionProblem problem{job.parts.graph, capacity, job.parts.coordinates};
    const auto optimum =
        static_cast<double>(fixture::brute_force_cut(job.servers.graph, job.servers.tree));
    for (const bool both_ends : {false, true}) {
      const UnitLayers stages = layers_of_units(problem, job.unit, WeightUnit{}, both_ends);
      REQUIRE(stages.layers.size() == job.stages);
      for (const LayerPrices prices : {LayerPrices::Shared, LayerPrices::ByZone}) {
        LayerRelaxation relaxation(stages.layers, capacity, room == job.parts.graph.vertices(), 0,
                                   prices, LayerRelaxation::kAll, job.unit);
        PieceViolation violation;
        for (int draw = 0; draw < 6; ++draw) {
          PieceMultipliers multipliers;
          for (std::size_t piece = 0; piece < relaxation.pieces(); ++piece) {
            multipliers.piece.push_back(8 * draw *
                                        (static_cast<double>(random.below(1001)) / 1000 - 0.3));
          }
          const double bound =
              relaxation.solve(multipliers, violation) - static_cast<double>(stages.deduction);
          CAPTURE(i, draw, both_ends, job.unit, job.length, job.stages);
          REQUIRE(bound <= 4 * optimum);
          positive += bound > 0 ? 1 : 0;
          ++checked;
        }
      }
    }
  }
  CHECK(positive > checked / 10);
}

TEST_CASE("where units go into stages nothing more is known", "[partition]") {
  std::vector<CommunicationGraph::Edge> edges;
  std::vector<Coordinates> coordinates;
  for (std::uint32_t v = 0; v < 24; ++v) {
    if (v % 8 > 0) edges.push_back({v - 1, v, 5});
    if (v >= 8) edges.push_back({v - 8, v, 3});
    coordinates.push_back({0, static_cast<int>(v % 8), static_cast<int>(v / 8)});
  }
  const CommunicationGraph graph = CommunicationGraph::from_edges(24, edges);
  const PartitionProblem problem{graph, {12, 12}, coordinates};
  CHECK(layers_of_units(problem, 2, WeightUnit{}, false).layers.empty());
  CHECK(layers_of_units(problem, 3, WeightUnit{}, false).layers.size() == 3);
  CHECK(
      layers_of_units(problem, 6, WeightUnit{}, false).layers.empty());  // longer than half of one
  const PartitionProblem without{graph, {12, 12}, {}};
  CHECK(layers_of_units(without, 3, WeightUnit{}, false).layers.empty());
}
