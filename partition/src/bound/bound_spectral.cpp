#include "bound/bound_spectral.hpp"

#include <algorithm>
#include <cmath>

#include "bound/ascent.hpp"
#include "bound/spectral_relaxation.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {

std::int64_t spectral_bound(const PartitionProblem& problem, WorkBudget& budget,
                            std::int64_t enough) {
  constexpr int kMostSteps = 150;
  constexpr double kAhead = 0.1;
  constexpr std::size_t kMostVertices = 2000;  // for memory
  const std::size_t vertices = problem.graph.vertices();
  if (vertices > kMostVertices) return 0;
  if (static_cast<std::int64_t>(SpectralRelaxation::steps(vertices)) > budget.left()) return 0;
  SpectralRelaxation relaxation(problem.graph, problem.capacity);
  Ascent ascent(relaxation, budget, 0, static_cast<double>(enough));
  ascent.climb_evenly(kMostSteps, kAhead);
  // A cut is a whole number.
  return ascent.best() > 0 ? rounded_up(ascent.best()) : 0;
}

}  // namespace zonecut
