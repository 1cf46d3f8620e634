#pragma once
// The optimum itself, or what is proven of it, for jobs of a few dozen servers whatever their
// traffic: branch and bound (nested_search.hpp) with the vertices in several orders by turns, for
// one may be done in a hundredth of the steps of another. Deterministic.
#include <cstdint>
#include <vector>

#include "exact/nested_search.hpp"

namespace zonecut {

/// Up to so many vertices it is worth trying.
inline constexpr std::size_t kMostExactVertices = 64;
/// Up to so many there are few enough set partitions (4,213,597) to go through all of them.
inline constexpr std::size_t kAlwaysExactVertices = 12;

class ExactSearch {
 public:
  /// Of 1 to kMostExactVertices vertices. Keeps nothing of the problem.
  explicit ExactSearch(const PartitionProblem& problem);

  /// Goes on with what is not known yet. `best`: within the capacities; a better one takes its
  /// place. Ends where that is proven to be the best or cuts no more than `enough`, a proven bound
  /// or 0, or with the budget.
  void run(Partition& best, std::int64_t enough, WorkBudget& budget);

  /// No partition cuts less, as far as is known.
  [[nodiscard]] std::int64_t bound() const;

 private:
  std::vector<NestedSearch> searches_;
  std::int64_t turn_;  // steps of each order at a time
};

}  // namespace zonecut
