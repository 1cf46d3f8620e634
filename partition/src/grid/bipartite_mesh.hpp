#pragma once
// Traffic in which every vertex of one side exchanges as much with every vertex of the other: keys
// and values that prefill servers send to decode servers. Where replicas of both sides take two
// servers, each server exchanges with one half of the other side, and with its twin.
//
//     one way                two ways, tied vertices side by side
//     p p p p                p═p p═p
//      ╳ ╳ ╳                 │╳ ╳ │   first halves among each other, second ones too
//     d d d                  d═d d═d
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "grid/weight_unit.hpp"
#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

struct BipartiteMesh {
  std::size_t ways = 1;     ///< 1 or 2
  std::int64_t weight = 0;  ///< of every edge between sides, or halves, that face each other
  /// All vertices. Of two ways every even one lies in the first half, the next one is tied to it.
  std::array<std::vector<std::uint32_t>, 2> sides;
  std::array<std::int64_t, 2> tie{};  ///< of two ways: the least weight of one on each side
};

/// None where the graph is not such a mesh. Of one way other edges lie within the sides; of two,
/// ties alone. O(edges + vertices log vertices).
[[nodiscard]] std::optional<BipartiteMesh> bipartite_mesh(const CommunicationGraph& graph);

/// What a zone cuts at least that holds so many vertices of either side.
class BipartiteCuts {
 public:
  BipartiteCuts(const BipartiteMesh& mesh, const CommunicationGraph& graph, WeightUnit unit);
  /// All edges of it, in quarters of the unit.
  [[nodiscard]] double of(std::size_t first, std::size_t second) const;

 private:
  [[nodiscard]] double of_halves(std::size_t first, std::size_t second) const;

  std::size_t ways_;
  double weight_;
  std::array<std::size_t, 2> size_;
  std::array<double, 2> tie_;
  std::array<std::vector<std::int64_t>, 2> inside_;  // of one way: by side and vertices
};

}  // namespace zonecut
