#include "starts/bipartite_start.hpp"

#include <utility>

#include "grid/bipartite_shares.hpp"

namespace zonecut {

std::optional<Partition> bipartite_start(const PartitionProblem& problem, const Shares& shares) {
  constexpr std::int64_t kMostSteps = 20'000'000;
  const std::optional<BipartiteMesh> mesh = bipartite_mesh(problem.graph);
  if (!mesh) return std::nullopt;
  // Of a full mesh any vertex is a side: that says little, and soon takes long.
  constexpr std::size_t kFew = 16;
  const bool is_full = mesh->sides[1].size() < 2;
  if (is_full && problem.graph.vertices() > kFew) return std::nullopt;
  const BipartiteCuts cuts(*mesh, problem.graph, WeightUnit::finest(problem.graph.total_weight()));
  const auto division = bipartite_shares(*mesh, cuts, shares, kMostSteps);
  if (!division || division->zones.empty()) return std::nullopt;
  Partition start{std::vector<std::uint32_t>(problem.graph.vertices()), 0, "sides of a mesh"};
  for (std::size_t side = 0; side < 2; ++side) {
    auto vertex = mesh->sides[side].begin();
    for (std::uint32_t zone = 0; zone < shares.size(); ++zone) {
      for (std::uint32_t i = 0; i < division->zones[zone][side]; ++i) start.part[*vertex++] = zone;
    }
  }
  start.cut = cut_weight(problem.graph, start.part);
  return start;
}

}  // namespace zonecut
