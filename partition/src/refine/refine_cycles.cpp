#include "refine/refine_cycles.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <span>
#include <vector>

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
      : partition_(partition),
        budget_(budget),
        parts_(partition.parts()),
        steps_(parts_ * parts_),
        weight_(parts_, 0) {
    for (std::uint32_t part = 0; part < parts_; ++part) see(part);
  }

  [[nodiscard]] const Step& operator()(std::size_t from, std::size_t to) const {
    return steps_[from * parts_ + to];
  }

  /// Those from this part.
  void see(std::uint32_t from) {
    Step alone;  // to a part that it has nothing to do with
    const std::span<Step> steps = std::span(steps_).subspan(from * parts_, parts_);
    std::ranges::fill(steps, Step{});
    for (const std::uint32_t v : partition_.members(from)) {
      const auto neighbours = partition_.graph().neighbours(v);
      for (const auto& [u, w] : neighbours) weight_[partition_.part(u)] += w;
      const std::int64_t inside = weight_[from];
      take(alone, {-inside, v});
      for (const auto& [u, w] : neighbours) {
        const std::uint32_t to = partition_.part(u);
        take(steps[to], {weight_[to] - inside, v});
      }
      for (const auto& [u, w] : neighbours) weight_[partition_.part(u)] = 0;
      budget_.spend(1 + neighbours.size());
    }
    for (Step& step : steps) take(step, alone);
  }

 private:
  static void take(Step& best, const Step& step) {
    if (step.gain > best.gain || (step.gain == best.gain && step.vertex < best.vertex)) best = step;
  }

  const WorkingPartition& partition_;
  WorkBudget& budget_;
  std::size_t parts_;
  std::vector<Step> steps_;
  std::vector<std::int64_t> weight_;  // scratch, by part
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

std::array<std::uint32_t, 3> vertices_of(const BestSteps& step, const Cycle& cycle) {
  std::array<std::uint32_t, 3> vertex{};
  for (std::size_t i = 0; i < 3; ++i) {
    vertex[i] = step(cycle.parts[i], cycle.parts[(i + 1) % 3]).vertex;
  }
  return vertex;
}

/// Parts that have something to do with these vertices.
std::set<std::uint32_t> parts_around(const WorkingPartition& partition,
                                     std::span<const std::uint32_t> vertices) {
  std::set<std::uint32_t> parts;
  for (const std::uint32_t v : vertices) {
    parts.insert(partition.part(v));
    for (const auto& neighbour : partition.graph().neighbours(v)) {
      parts.insert(partition.part(neighbour.vertex));
    }
  }
  return parts;
}

/// True if the cut fell; edges among the three can make the turn worth less than its sum.
bool turn(WorkingPartition& partition, std::span<const std::uint32_t> vertex, const Cycle& cycle) {
  const std::int64_t before = partition.cut();
  for (std::size_t i = 0; i < 3; ++i) partition.move(vertex[i], cycle.parts[(i + 1) % 3]);
  if (partition.cut() < before) return true;
  for (std::size_t i = 0; i < 3; ++i) partition.move(vertex[i], cycle.parts[i]);
  return false;
}

}  // namespace

std::vector<std::uint32_t> refine_cycles(WorkingPartition& partition, WorkBudget& budget) {
  if (partition.parts() < 3 || partition.parts() > kMostParts || budget.spent()) return {};
  std::set<std::uint32_t> changed;
  BestSteps step(partition, budget);
  while (!budget.spent()) {
    const Cycle cycle = best_cycle(step, static_cast<std::uint32_t>(partition.parts()));
    budget.spend(partition.parts() * partition.parts() * partition.parts());
    if (cycle.gain <= 0) break;
    const std::array<std::uint32_t, 3> vertices = vertices_of(step, cycle);
    const std::set<std::uint32_t> around = parts_around(partition, vertices);
    if (!turn(partition, vertices, cycle)) break;
    changed.insert(cycle.parts.begin(), cycle.parts.end());
    for (const std::uint32_t part : around) step.see(part);
  }
  return {changed.begin(), changed.end()};
}

void refine_by_turns(WorkingPartition& partition, WorkBudget& budget) {
  PairRefinement pairs(partition, PairRefinement::kPatience);
  pairs.improve_all(budget);
  for (;;) {
    std::vector<std::uint32_t> changed = refine_cycles(partition, budget);
    if (changed.empty() || budget.spent()) return;
    pairs.improve_around(std::move(changed), budget);
  }
}

}  // namespace zonecut
