#include "bound/possible_cut.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <vector>

namespace zonecut {
namespace {

constexpr std::size_t kMostWeights = 64;
constexpr int kMostSteps = 200'000;

/// Least sum of the weights, largest first, that reaches the target.
class SumSearch {
 public:
  [[nodiscard]] bool finished() const { return steps_ < kMostSteps; }

  std::int64_t run(std::span<const std::int64_t> weights, std::int64_t target) {
    visit(weights, target);
    return target + over_;
  }

 private:
  /// `missing`: to the target.
  void visit(std::span<const std::int64_t> weights, std::int64_t missing) {
    if (weights.empty() || ++steps_ >= kMostSteps) return;
    const std::int64_t weight = weights.front();
    const std::int64_t most = (missing + weight - 1) / weight;
    over_ = std::min(over_, most * weight - missing);
    // Fewer of the lightest do not reach the target.
    if (weights.size() == 1) return;
    for (std::int64_t n = most - 1; n >= 0 && over_ > 0 && finished(); --n) {
      visit(weights.subspan(1), missing - n * weight);
    }
  }

  std::int64_t over_ = std::numeric_limits<std::int64_t>::max();
  int steps_ = 0;
};

}  // namespace

std::int64_t next_possible_cut(const CommunicationGraph& graph, std::int64_t bound) {
  if (bound <= 0) return bound;
  std::set<std::int64_t, std::greater<>> weights;
  std::int64_t divisor = 0;
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (u > v || weight == 0) continue;
      divisor = std::gcd(divisor, weight);
      if (weights.size() <= kMostWeights) weights.insert(weight);
    }
  }
  if (divisor == 0) return bound;
  const std::int64_t multiple = (bound - 1) / divisor + 1;
  if (weights.size() > kMostWeights) return multiple * divisor;
  std::vector<std::int64_t> units;
  for (const std::int64_t weight : weights) units.push_back(weight / divisor);
  SumSearch search;
  const std::int64_t sum = search.run(units, multiple);
  return (search.finished() ? sum : multiple) * divisor;
}

}  // namespace zonecut
