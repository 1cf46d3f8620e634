#pragma once
// The bound of one grid: which rows, what share of the groups' weight counts apart from them, and
// what share of a missing closing edge is taken off where; then the stronger bounds for the best.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grid/grid_traffic.hpp"
#include "partition_problem.hpp"

namespace zonecut {

struct GridBound {
  std::int64_t quarters = 0;
  Shares shares;
  std::string name;
  std::vector<Shares> whole{};  ///< of whole rows or columns, where sizes are open
};

/// For zones of these capacities. `steps` limits the work beyond the separable bound; the search
/// ends at `enough` quarters.
[[nodiscard]] GridBound bound_grid(const GridTraffic& grid,
                                   std::span<const std::uint32_t> zone_capacity, std::int64_t steps,
                                   std::int64_t enough);

}  // namespace zonecut
