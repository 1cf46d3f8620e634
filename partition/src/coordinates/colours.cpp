#include "coordinates/colours.hpp"

#include <set>
#include <utility>

#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

constexpr int kRounds = 64;

}  // namespace

std::vector<std::uint64_t> refined_colours(const CommunicationGraph& graph,
                                           std::vector<std::uint64_t> colour) {
  std::size_t known = std::set(colour.begin(), colour.end()).size();
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::uint64_t> next(colour.size());
    for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
      next[u] = mixed(colour[u]);
      for (const auto& [v, weight] : graph.neighbours(u)) {
        next[u] += mixed(mixed(static_cast<std::uint64_t>(weight)) + colour[v]);
      }
    }
    const std::size_t now = std::set(next.begin(), next.end()).size();
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
