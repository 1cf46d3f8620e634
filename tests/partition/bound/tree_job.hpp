#pragma once
// Stages of equal lines of ranks, joined place by place: double binary trees times a pipeline, say.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grid/grid_traffic.hpp"
#include "partition/mapping_fixtures.hpp"

namespace zonecut::fixture {

/// Ranks along axis 1, stages along axis 2, as grid_traffic.hpp has them.
struct TreeJob {
  GridTraffic grid;
  Instance instance;
  std::vector<std::uint32_t> sizes;
};

/// `step` between equal places of neighbouring stages, `wrap` of the last and the first.
inline TreeJob tree_job(std::size_t ranks, std::size_t stages, std::int64_t step, std::int64_t wrap,
                        std::vector<LineEdge> lines, std::vector<std::uint32_t> sizes) {
  TreeJob job;
  job.grid.size = {1, static_cast<std::uint32_t>(ranks), static_cast<std::uint32_t>(stages)};
  job.grid.step[2] = step;
  job.grid.wrap[2] = wrap;
  std::vector<CommunicationGraph::Edge> edges;
  const auto at = [&](std::size_t rank, std::size_t stage) {
    return static_cast<std::uint32_t>(rank + ranks * stage);
  };
  for (std::size_t stage = 0; stage < stages; ++stage) {
    for (const LineEdge& e : lines) {
      edges.push_back({at(e.low, stage), at(e.high, stage), e.weight});
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (stage + 1 < stages) edges.push_back({at(rank, stage), at(rank, stage + 1), step});
      if (stage + 1 == stages && wrap > 0) edges.push_back({at(rank, stage), at(rank, 0), wrap});
      job.instance.coordinates.push_back({0, static_cast<int>(rank), static_cast<int>(stage)});
    }
  }
  job.instance.graph = CommunicationGraph::from_edges(ranks * stages, std::move(edges));
  job.instance.tree = {{std::vector<std::uint32_t>(sizes.size(), 0)}, sizes, 0, {10, 1}};
  job.grid.lines = std::move(lines);
  job.sizes = std::move(sizes);
  return job;
}

}  // namespace zonecut::fixture
