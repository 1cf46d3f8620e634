#pragma once
// Vertices into slots: first the least bytes between zones, then the least J = sum of weight times
// distance. Exact capacities, always. Deterministic: effort is counted in work, not in time, and
// the same input and seed give the same mapping on any number of threads.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {

enum class Effort { Fast, Balanced, Thorough };

struct MappingOptions {
  Effort effort = Effort::Balanced;
  std::uint64_t seed = 1;
  int threads = 1;
};

/// Measured from a mapping alone.
struct MappingCost {
  std::int64_t zone_cut = 0;
  std::int64_t cost = 0;  ///< J
  friend auto operator<=>(const MappingCost&, const MappingCost&) = default;
};

/// A proven lower bound of the zone cut over every mapping that respects the capacities.
struct CutBound {
  std::int64_t value = 0;
  std::string method;  ///< "ring × pipeline, separable", "fits in one zone", …
};

struct Mapping {
  std::vector<std::uint32_t> slot;  ///< by vertex
  MappingCost cost;
  std::optional<CutBound> bound;  ///< none: the traffic fits no family that has one
  std::string method;             ///< the constructor that won, for explanations
};

/// `coordinates` may be empty. Throws InputError when there are fewer slots than vertices.
[[nodiscard]] Mapping map_vertices(const CommunicationGraph& graph, const SlotTree& tree,
                                   std::span<const Coordinates> coordinates,
                                   const MappingOptions& options);

/// O(edges). Throws InternalError when a slot is used twice or does not exist, InputError when the
/// cost does not fit 63 bits.
[[nodiscard]] MappingCost measure(const CommunicationGraph& graph, const SlotTree& tree,
                                  std::span<const std::uint32_t> slot);

/// The bound alone; when there are more slots than vertices it holds for every choice of slots.
[[nodiscard]] std::optional<CutBound> cut_lower_bound(const CommunicationGraph& graph,
                                                      const SlotTree& tree,
                                                      std::span<const Coordinates> coordinates);

/// (cost - bound) / bound; 0 when both are 0, none when the bound is 0 and the cost is not.
[[nodiscard]] std::optional<double> relative_gap(std::int64_t cut, std::int64_t bound);

}  // namespace zonecut
