#pragma once
// Zones as any sets of the vertices, at half of what a set cuts less what its vertices are worth:
// every vertex has a price, and that it lies in exactly one zone is relaxed. The best set of every
// size is found exactly (priced_sets.hpp), so nothing else is. The multipliers are those of
// multipliers.hpp, of vertices in the order of the sets' places; none of touches and runs.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/filling.hpp"
#include "bound/multipliers.hpp"
#include "bound/priced_sets.hpp"
#include "bound/shared_sizes.hpp"

namespace zonecut {

class SetRelaxation {
 public:
  /// Borrows the sets, of single vertices, in quarters and as large as the largest zone. `sizes` of
  /// zones add up to all vertices, or to more where they are open.
  SetRelaxation(PricedSets& sets, std::span<const std::uint32_t> sizes, Filling filling);

  [[nodiscard]] std::size_t pieces() const { return sets_.places(); }
  [[nodiscard]] static double most_run() { return 0; }
  [[nodiscard]] std::size_t steps_per_solve() const;
  /// The bound in quarters, what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);
  /// Where sizes are open: the last solution's, by zone, unless they do not add up.
  [[nodiscard]] std::optional<Shares> shares() const {
    return sharing_ ? sharing_->shares() : std::nullopt;
  }
  /// Where sizes are open: how they are shared out.
  [[nodiscard]] SharedSizes& sharing() { return *sharing_; }

 private:
  struct Zones {  ///< of one size
    std::size_t size = 0;
    double count = 0;
  };

  void price_sizes();
  double choose_sizes();
  void take_members(std::size_t size);

  PricedSets& sets_;
  std::vector<Zones> zones_;            // of the last solution; none is empty
  std::optional<SharedSizes> sharing_;  // where sizes are open
  std::vector<double> cost_;            // by size
  std::vector<std::uint32_t> dearest_;  // places, the dearest first
  std::vector<std::uint8_t> members_;   // by place
};

}  // namespace zonecut
