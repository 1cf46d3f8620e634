#include "refine/order_twins.hpp"

#include <algorithm>
#include <ranges>
#include <vector>

#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

using Neighbour = CommunicationGraph::Neighbour;

/// Equal for twins; of others that have it too, the edges tell.
struct Signature {
  std::uint64_t value;
  std::uint32_t vertex;
  friend constexpr auto operator<=>(const Signature&, const Signature&) = default;
};

std::uint64_t signature_of(std::uint32_t vertex, std::int64_t weight) {
  return Random(Random(static_cast<std::uint64_t>(weight)).next() + vertex).next();
}

/// A vertex has its edges' signature for twins it has no edge to. For twins joined by edges of a
/// weight it counts as joined to itself by such an edge, which makes the edges of all of them
/// equal.
std::vector<Signature> signatures(const CommunicationGraph& graph) {
  std::vector<Signature> result;
  std::vector<std::int64_t> weights;
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    std::uint64_t edges = 0;
    weights.clear();
    for (const auto& [v, weight] : graph.neighbours(u)) {
      edges += signature_of(v, weight);
      weights.push_back(weight);
    }
    std::ranges::sort(weights);
    weights.erase(std::unique(weights.begin(), weights.end()), weights.end());
    result.push_back({edges, u});
    for (const std::int64_t weight : weights)
      result.push_back({edges + signature_of(u, weight), u});
  }
  std::ranges::sort(result);
  return result;
}

bool are_twins(const CommunicationGraph& graph, std::uint32_t u, std::uint32_t v) {
  const auto others = [&](std::uint32_t of) {
    return graph.neighbours(of) | std::views::filter([=](const Neighbour& neighbour) {
             return neighbour.vertex != u && neighbour.vertex != v;
           });
  };
  return std::ranges::equal(others(u), others(v), [](const Neighbour& x, const Neighbour& y) {
    return x.vertex == y.vertex && x.weight == y.weight;
  });
}

}  // namespace

void order_twins(const CommunicationGraph& graph, std::span<std::uint32_t> leaf) {
  const std::vector<Signature> all = signatures(graph);
  std::vector<std::uint32_t> twins;
  std::vector<std::uint32_t> leaves;
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::ranges::find_if(first, all.end(), [&](const Signature& signature) {
      return signature.value != first->value;
    });
    twins.clear();
    leaves.clear();
    for (; first != last; ++first) {
      if (!twins.empty() && !are_twins(graph, twins.front(), first->vertex)) continue;
      twins.push_back(first->vertex);
      leaves.push_back(leaf[first->vertex]);
    }
    std::ranges::sort(leaves);
    for (std::size_t i = 0; i < twins.size(); ++i) leaf[twins[i]] = leaves[i];
  }
}

}  // namespace zonecut
