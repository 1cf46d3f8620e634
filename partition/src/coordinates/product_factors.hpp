#pragma once
// The factors of a Cartesian product, by the weights of edges: two edges of different factors at a
// vertex always close to a square, so weights whose edges do not are of one factor (the idea of
// Feder's product relation, 1992). A few edges may be missing, or there besides.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// Sets of weights, one bit each.
using WeightSet = std::uint64_t;

/// The weights of a graph's edges, rising, and which one an edge has.
class WeightClasses {
 public:
  explicit WeightClasses(const CommunicationGraph& graph);
  [[nodiscard]] std::size_t count() const noexcept { return weights_.size(); }
  [[nodiscard]] std::size_t of(std::int64_t weight) const;
  /// That have this one.
  [[nodiscard]] std::size_t edges(std::size_t weight_class) const { return edges_[weight_class]; }
  [[nodiscard]] bool in(std::int64_t weight, WeightSet set) const {
    return (set >> of(weight) & 1) != 0;
  }

 private:
  std::vector<std::int64_t> weights_;
  std::vector<std::size_t> edges_;
};

/// Numbers the components that edges of these weights make among `vertices`; by vertex of the
/// graph.
[[nodiscard]] std::vector<std::uint32_t> components(const CommunicationGraph& graph,
                                                    const WeightClasses& classes, WeightSet set,
                                                    std::span<const std::uint32_t> vertices);

struct Factor {
  WeightSet weights = 0;
  std::uint32_t size = 0;
  std::vector<std::uint32_t> index;  ///< by vertex of the graph, below `size`
};

/// The finest product found, one factor at least; `set` holds the weights that count. None: there
/// is more than one component, or its places are not those of a product. Looks at all pairs of
/// edges that meet, O(edges · degree), or at some where that would take long.
[[nodiscard]] std::optional<std::vector<Factor>> product_factors(
    const CommunicationGraph& graph, const WeightClasses& classes, WeightSet set,
    std::span<const std::uint32_t> vertices);

}  // namespace zonecut
