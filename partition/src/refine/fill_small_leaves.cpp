#include "refine/fill_small_leaves.hpp"

#include <algorithm>

#include "matching.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

std::vector<WeightedPair> heaviest_pairs(const CommunicationGraph& graph) {
  std::vector<WeightedPair> edges;
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (u < v && weight > 0) edges.push_back({u, v, weight});
    }
  }
  return heaviest_matching(static_cast<std::uint32_t>(graph.vertices()), edges);
}

}  // namespace

bool all_small(std::span<const std::uint32_t> capacity) {
  return std::ranges::all_of(capacity, [](std::uint32_t c) { return c <= 2; });
}

std::vector<std::uint32_t> fill_small_leaves(const PartitionProblem& problem) {
  std::vector<std::uint32_t> doubles;
  std::vector<std::uint32_t> singles;
  for (std::uint32_t p = 0; p < problem.parts(); ++p) {
    ZONECUT_ENSURES(problem.capacity[p] <= 2);
    if (problem.capacity[p] == 2) doubles.push_back(p);
    if (problem.capacity[p] == 1) singles.push_back(p);
  }
  const std::size_t vertices = problem.graph.vertices();
  std::vector<std::uint32_t> part(vertices, 0);
  std::vector<bool> placed(vertices, false);
  const auto put = [&](std::uint32_t vertex, std::uint32_t p) {
    part[vertex] = p;
    placed[vertex] = true;
  };

  std::size_t next_double = 0;
  for (const WeightedPair& pair : heaviest_pairs(problem.graph)) {
    if (next_double == doubles.size()) break;
    put(pair.u, doubles[next_double]);
    put(pair.v, doubles[next_double++]);
  }
  // The others: two by two while that is needed for them to fit, then one by one.
  std::vector<std::uint32_t> rest;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (!placed[v]) rest.push_back(v);
  }
  std::size_t next_single = 0;
  for (std::size_t i = 0; i < rest.size();) {
    const std::size_t left = rest.size() - i;
    if (next_single < singles.size() && left <= singles.size() - next_single) {
      put(rest[i++], singles[next_single++]);
    } else if (next_double < doubles.size()) {
      put(rest[i++], doubles[next_double]);
      if (i < rest.size()) put(rest[i++], doubles[next_double]);
      ++next_double;
    } else {
      ZONECUT_ENSURES(next_single < singles.size());
      put(rest[i++], singles[next_single++]);
    }
  }
  return part;
}

}  // namespace zonecut
