#pragma once
// Flows on their way through the fabric, cable by cable. Paths are the shortest up-down ones that
// failures leave (valley-free): up to the lowest tier that joins the two leaves, then down.
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "routing/cables.hpp"
#include "routing/nic_flows.hpp"
#include "zonecut/scheduler/routing.hpp"

namespace zonecut {

/// What one flow, or one of its queue pairs, sends over one path.
struct RoutedPart {
  std::uint32_t flow = 0;  ///< position among those that were given
  std::uint32_t first_hop = 0;
  std::uint32_t hops = 0;
  double bytes = 0;
};

struct RoutedLoads {
  std::vector<double> bytes;         ///< by Cables::load_index
  std::vector<double> squares = {};  ///< likewise, Σ bytes² of the parts that pass
  std::size_t parted = 0;            ///< flows whose ends no working path joins
  /// By switch, the entries a controller must install: one for each flow that passes it. Empty for
  /// the schemes that need none.
  std::vector<std::int64_t> rules = {};
  std::vector<RoutedPart> parts = {};    ///< only where paths were asked for
  std::vector<std::uint32_t> hops = {};  ///< of all parts: load indices, in the order of the path

  [[nodiscard]] std::span<const std::uint32_t> path(const RoutedPart& part) const {
    return std::span(hops).subspan(part.first_hop, part.hops);
  }
  [[nodiscard]] std::int64_t rule_count() const {
    return std::accumulate(rules.begin(), rules.end(), std::int64_t{0});
  }
  /// Adds those of other flows; `numbers` are the positions of these.
  void add(const RoutedLoads& others, std::span<const std::uint32_t> numbers);
};

/// Adds `each` for every switch that this path from NIC to NIC passes: what a controller installs
/// for one flow. Nothing where the path has no choice, both NICs being on one leaf.
void count_rules(const Cables& cables, std::span<const std::uint32_t> path, std::int64_t each,
                 std::vector<std::int64_t>& rules);

enum class Paths : std::uint8_t { Forget, Keep };

/// Every flow on the path its scheme gives it; Ideal and Ecmp are hashed once a pair, EnhancedEcmp
/// once a queue pair, with `seed` for the switches' hash functions. Planes are taken in turn.
/// Engineered: least use of the busiest cable, as in the SIGCOMM 2024 description of Meta's
/// controller; see engineered_routes.hpp. Where its rules are older than
/// failures, see stale_routes.hpp. Deterministic. O(flows · queue pairs · hops + destinations ·
/// links above a leaf) for the others.
[[nodiscard]] RoutedLoads route(const Cables& cables, std::span<const NicFlow> flows,
                                const Routing& routing, std::uint64_t seed,
                                Paths paths = Paths::Forget);

/// The load index whose load takes longest, and that time; {0, 0} where nothing is loaded.
struct BusiestCable {
  std::size_t load_index = 0;
  Seconds time;
};
[[nodiscard]] BusiestCable busiest(const Cables& cables, const RoutedLoads& loads);

}  // namespace zonecut
