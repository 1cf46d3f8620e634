#pragma once
// A job of so few servers that branch and bound may prove a partition of it to be the best: what a
// short search finds is enough to begin with.
#include <cstdint>
#include <optional>
#include <span>

#include "exact/exact_search.hpp"
#include "find_partition.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut {

class FewVertices {
 public:
  /// Of 1 to kMostExactVertices vertices. `bound`: what is proven already.
  FewVertices(const PartitionProblem& problem, std::span<const Shares> choices,
              std::optional<CutBound> bound, const SearchTerms& terms);

  /// Goes on with branch and bound for so many steps; where there are few enough set partitions,
  /// to its end.
  void prove(std::int64_t steps);
  void take_if_better(Partition found);

  [[nodiscard]] bool is_proven() const { return bound_ && partition_.cut <= bound_->value; }
  [[nodiscard]] const Partition& partition() const { return partition_; }
  /// None: nothing is known beyond 0, and that is not met.
  [[nodiscard]] const std::optional<CutBound>& bound() const { return bound_; }

 private:
  Partition partition_;
  std::optional<CutBound> bound_;
  ExactSearch exact_;
};

}  // namespace zonecut
