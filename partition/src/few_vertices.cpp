#include "few_vertices.hpp"

#include <limits>
#include <utility>

namespace zonecut {
namespace {

constexpr PartitionEffort kShort{.metis_starts = 4,
                                 .anneal_steps = 200'000,
                                 .polish_steps = 200'000,
                                 .search_steps = 200'000,
                                 .kept = 3};

}  // namespace

FewVertices::FewVertices(const PartitionProblem& problem, std::span<const Shares> choices,
                         std::optional<CutBound> bound, const SearchTerms& terms)
    : partition_(find_partition(problem, choices, kShort, terms)),
      bound_(std::move(bound)),
      exact_(problem) {}

void FewVertices::prove(std::int64_t steps) {
  if (is_proven()) return;
  const bool always = partition_.part.size() <= kAlwaysExactVertices;
  WorkBudget budget(always ? std::numeric_limits<std::int64_t>::max() : steps);
  const std::int64_t known = bound_ ? bound_->value : 0;
  exact_.run(partition_, known, budget);
  if (exact_.bound() > known || (!bound_ && partition_.cut == 0)) {
    bound_ = CutBound{exact_.bound(), "branch and bound"};
  }
}

void FewVertices::take_if_better(Partition found) {
  if (found.cut < partition_.cut) partition_ = std::move(found);
}

}  // namespace zonecut
