#include "bound_layers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ascent.hpp"
#include "incidence.hpp"
#include "layer_relaxation.hpp"
#include "layers.hpp"

namespace zonecut {
namespace {

constexpr int kSteps = 500;
constexpr double kAhead = 0.06;

}  // namespace

std::int64_t layers_bound(const PartitionProblem& problem, int shift, WorkBudget& budget,
                          std::int64_t known, std::int64_t enough) {
  const std::size_t vertices = problem.graph.vertices();
  std::vector<std::uint32_t> capacity;
  for (const std::uint32_t c : problem.capacity) {
    capacity.push_back(std::min<std::uint32_t>(c, static_cast<std::uint32_t>(vertices)));
  }
  const std::vector<Layer> layers = layers_of(problem, shift, *std::ranges::max_element(capacity));
  if (layers.empty()) return 0;
  const bool full = std::accumulate(capacity.begin(), capacity.end(), std::size_t{0}) == vertices;
  std::size_t divisor = 0;
  for (const Layer& layer : layers) divisor = std::gcd(divisor, layer.size);
  const std::size_t touches = full ? incidence_of(capacity, divisor, layers.size()).touches : 0;
  LayerRelaxation relaxation(layers, capacity, full, touches);
  const auto affordable = budget.left() / static_cast<std::int64_t>(relaxation.steps_per_solve());
  const int steps = static_cast<int>(std::min<std::int64_t>(kSteps, affordable));
  if (steps == 0) return 0;
  Ascent ascent(relaxation, budget, static_cast<double>(known), static_cast<double>(enough));
  ascent.climb_all(steps / 3, kAhead, true);
  ascent.climb_all(steps - steps / 3, kAhead);
  return static_cast<std::int64_t>(std::floor(ascent.best()));
}

}  // namespace zonecut
