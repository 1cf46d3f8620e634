#include "coordinates/colours.hpp"

#include <algorithm>
#include <utility>

#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

constexpr int kRounds = 64;

std::size_t unlike(std::vector<std::uint64_t> colours) {
  std::ranges::sort(colours);
  return static_cast<std::size_t>(std::ranges::unique(colours).begin() - colours.begin());
}

}  // namespace

std::vector<std::uint64_t> refined_colours(const CommunicationGraph& graph,
                                           std::vector<std::uint64_t> colour) {
  std::size_t known = unlike(colour);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::uint64_t> next(colour.size());
    for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
      next[u] = mixed(colour[u]);
      for (const auto& [v, weight] : graph.neighbours(u)) {
        next[u] += mixed(mixed(static_cast<std::uint64_t>(weight)) + colour[v]);
      }
    }
    const std::size_t now = unlike(next);
    if (now <= known) break;
    known = now;
    colour = std::move(next);
  }
  return colour;
}

std::vector<std::uint64_t> refined_colours(const CommunicationGraph& graph) {
  return refined_colours(graph, std::vector<std::uint64_t>(graph.vertices(), 1));
}

}  // namespace zonecut
