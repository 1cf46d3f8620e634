#pragma once
// Assigns the vertices of a communication graph to the slots of a SlotTree: least bytes between
// zones first, then least J, the sum over edges of weight times distance. Capacities are exact.
// Deterministic: effort is counted in work, not in time, and the same input and seed give the same
// mapping on any number of threads.
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/base/int128.hpp"
#include "zonecut/partition/communication_graph.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {

/// How much work a search does.
enum class Effort {
  Fast,      ///< about 0.1 s
  Balanced,  ///< about 1 s up to 4,096 vertices, in proportion up to four times as many
  Thorough,  ///< far longer
};

enum class Objective {
  Cut,         ///< the least weight between zones
  Bottleneck,  ///< the least load of the busiest zone, then the cut
};

struct MappingOptions {
  Effort effort = Effort::Balanced;
  std::uint64_t seed = 1;
  int threads = 1;
  Objective objective = Objective::Cut;
  /// The uplink capacity of each zone of the tree, in any unit: 1 to 2^50, and 2^62 at most
  /// together. Empty: all equal.
  // gcc wants it said in aggregates. NOLINTNEXTLINE(readability-redundant-member-init)
  std::vector<std::int64_t> uplinks = {};
  /// A mapping to begin with: slots by vertex, or empty. The answer is never worse than it.
  // NOLINTNEXTLINE(readability-redundant-member-init)
  std::vector<std::uint32_t> start = {};
  /// Whether Mapping::bound is wanted. Without, only as much of a bound is worked out as may end
  /// the search early.
  bool prove = true;
  /// Approximate coordinates by vertex (rough_coordinates()), or empty. They guide the search where
  /// no coordinates are given and none can be recovered from the graph; no bound rests on them.
  // NOLINTNEXTLINE(readability-redundant-member-init)
  std::vector<Coordinates> rough = {};
};

/// Weight between one zone and all others, over what its uplinks carry. Compared exactly.
struct ZoneLoad {
  std::int64_t border = 0;
  std::int64_t uplink = 1;
  friend std::strong_ordering operator<=>(const ZoneLoad& a, const ZoneLoad& b) {
    return static_cast<Int128>(a.border) * b.uplink <=> static_cast<Int128>(b.border) * a.uplink;
  }
  friend bool operator==(const ZoneLoad& a, const ZoneLoad& b) { return std::is_eq(a <=> b); }
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
  ZoneLoad busiest;               ///< the largest load of a zone
  /// No mapping has a smaller largest load; computed for Objective::Bottleneck.
  std::optional<ZoneLoad> busiest_bound;
};

/// `coordinates` may be empty. Throws InputError when there are fewer slots than vertices, uplinks
/// are not one number in range for each zone, or a start is not one slot of its own for each
/// vertex.
[[nodiscard]] Mapping map_vertices(const CommunicationGraph& graph, const SlotTree& tree,
                                   std::span<const Coordinates> coordinates,
                                   const MappingOptions& options);

/// O(edges). Throws InternalError when a slot is used twice or does not exist, InputError when the
/// cost does not fit 63 bits.
[[nodiscard]] MappingCost measure(const CommunicationGraph& graph, const SlotTree& tree,
                                  std::span<const std::uint32_t> slot);

/// The bound alone, with about as much work as map_vertices spends on it. With more slots than
/// vertices it holds for every choice of slots; with fewer there is none. Where `coordinates` is
/// empty they are recovered from the graph, if it shows any.
[[nodiscard]] std::optional<CutBound> cut_lower_bound(const CommunicationGraph& graph,
                                                      const SlotTree& tree,
                                                      std::span<const Coordinates> coordinates,
                                                      Effort effort = Effort::Balanced);

/// (cost - bound) / bound; 0 when both are 0, none when the bound is 0 and the cost is not.
[[nodiscard]] std::optional<double> relative_gap(std::int64_t cut, std::int64_t bound);

}  // namespace zonecut
