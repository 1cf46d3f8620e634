#pragma once
// How many vertices of either side of a bipartite mesh each zone gets so that least is cut, as far
// as numbers alone say.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grid/bipartite_mesh.hpp"

namespace zonecut {

struct BipartiteShares {
  std::int64_t quarters = 0;                        ///< no partition cuts less
  std::vector<std::array<std::uint32_t, 2>> zones;  ///< by zone, of either side, or not known
};

/// By dynamic programming over zones: O(zones · first side · largest zone) where these are filled;
/// else, as capacities add up to more, that times the second side and a zone. Where that takes more
/// than `most_steps`, or a table too large, none for zones that are filled, and else a bound alone,
/// by a price of the second side; none of that either where it does not do for a few prices.
[[nodiscard]] std::optional<BipartiteShares> bipartite_shares(
    const BipartiteMesh& mesh, const BipartiteCuts& cuts, std::span<const std::uint32_t> capacity,
    std::int64_t most_steps);

}  // namespace zonecut
