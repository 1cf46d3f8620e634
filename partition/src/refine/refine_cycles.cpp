#include "refine/refine_cycles.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "refine/refine_pairs.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostParts = 64;

struct Step {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min() / 4;
  std::int64_t gain = kNone;  ///< an empty part has none to send
  std::uint32_t vertex = 0;
};

/// The best vertex to send from each part to each other part.
class BestSteps {
 public:
  BestSteps(const WorkingPartition& partition, WorkBudget& budget)
      : parts_(partition.parts()), steps_(parts_ * parts_) {
    std::vector<std::int64_t> weight(parts_);
    for (std::uint32_t v = 0; v < partition.graph().vertices(); ++v) {
      std::ranges::fill(weight, 0);
      for (const auto& [u, w] : partition.graph().neighbours(v)) weight[partition.part(u)] += w;
      const std::uint32_t from = partition.part(v);
      for (std::uint32_t to = 0; to < parts_; ++to) {
        const std::int64_t gain = weight[to] - weight[from];
        Step& best = steps_[from * parts_ + to];
        if (to != from && gain > best.gain) best = {gain, v};
      }
      budget.spend(parts_ + partition.graph().neighbours(v).size());
    }
  }
  [[nodiscard]] const Step& operator()(std::size_t from, std::size_t to) const {
    return steps_[from * parts_ + to];
  }

 private:
  std::size_t parts_;
  std::vector<Step> steps_;
};

struct Cycle {
  std::int64_t gain = 0;
  std::array<std::uint32_t, 3> parts{};
};

Cycle best_cycle(const BestSteps& step, std::uint32_t parts) {
  Cycle best;
  for (std::uint32_t a = 0; a < parts; ++a) {
    for (std::uint32_t b = a + 1; b < parts; ++b) {
      for (std::uint32_t c = a + 1; c < parts; ++c) {
        if (c == b) continue;
        const std::array gains{step(a, b).gain, step(b, c).gain, step(c, a).gain};
        const std::int64_t gain = gains[0] + gains[1] + gains[2];
        if (gain > best.gain && std::ranges::min(gains) > Step::kNone) best = {gain, {a, b, c}};
      }
    }
  }
  return best;
}

/// True if the cut fell; edges among the three can make the turn worth less than its sum.
bool turn(WorkingPartition& partition, const BestSteps& step, const Cycle& cycle) {
  const std::int64_t before = partition.cut();
  std::array<std::uint32_t, 3> vertex{};
  for (std::size_t i = 0; i < 3; ++i) {
    vertex[i] = step(cycle.parts[i], cycle.parts[(i + 1) % 3]).vertex;
  }
  for (std::size_t i = 0; i < 3; ++i) partition.move(vertex[i], cycle.parts[(i + 1) % 3]);
  if (partition.cut() < before) return true;
  for (std::size_t i = 0; i < 3; ++i) partition.move(vertex[i], cycle.parts[i]);
  return false;
}

}  // namespace

bool refine_cycles(WorkingPartition& partition, WorkBudget& budget) {
  if (partition.parts() < 3 || partition.parts() > kMostParts) return false;
  bool improved = false;
  while (!budget.spent()) {
    const BestSteps step(partition, budget);
    const Cycle cycle = best_cycle(step, static_cast<std::uint32_t>(partition.parts()));
    budget.spend(partition.parts() * partition.parts() * partition.parts());
    if (cycle.gain <= 0 || !turn(partition, step, cycle)) break;
    improved = true;
  }
  return improved;
}

void refine_by_turns(WorkingPartition& partition, WorkBudget& budget) {
  PairRefinement pairs(partition, PairRefinement::kPatience);
  do {
    pairs.improve_all(budget);
  } while (refine_cycles(partition, budget) && !budget.spent());
}

}  // namespace zonecut
