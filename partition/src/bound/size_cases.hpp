#pragma once
// Branch and bound over how much zones hold that may hold less. The best multipliers of a bound
// stand where solutions are mixed: two zones are full and the rest lies in a third, half of the
// time, and all three are two thirds full in the other half. In truth the third holds either at
// most a half of its room or more, and the lower of both bounds is the higher for it, since what
// suits the one does not suit the other. The case of the least bound is divided next, by the zone
// whose sizes differ most, and each half of it goes on from the multipliers that are known.
//
// Zones of the same room are the same, so the first of them may hold most, the next no more, and so
// on: cases in which they change places are one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bound/ascent.hpp"
#include "bound/multipliers.hpp"
#include "bound/shared_sizes.hpp"
#include "grid/relaxation_sums.hpp"
#include "partition_problem.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {

/// Of a Relaxation whose sizes are open, sharing() being how they are shared out.
template <class Relaxation>
class SizeCases {
 public:
  /// Borrows both. The relaxation's bound at these multipliers holds in all cases.
  SizeCases(Relaxation& relaxation, WorkBudget& budget, const PieceMultipliers& multipliers,
            double bound)
      : watched_(relaxation), budget_(budget) {
    std::vector<SizeRange> ranges;
    for (const std::size_t most : watched_.sharing().capacity()) ranges.push_back({0, most});
    cases_.push_back({std::move(ranges), multipliers, bound, {}});
  }

  /// The bound in quarters that holds in all cases. Ends at `enough`, with the budget, after some
  /// divisions, or where the lowest case mixes nothing. The relaxation is then as it was.
  double run(double enough) {
    constexpr int kMostDivisions = 400;
    const std::vector<SizeRange> all = cases_.front().ranges;
    if (bound() < enough) climb(cases_.front(), enough);
    for (int i = 0; i < kMostDivisions && !budget_.spent() && bound() < enough; ++i) {
      const auto whole = lowest();
      const std::optional<Split> split = split_of(*whole);
      if (!split) break;
      for (const bool small : {true, false}) {
        Case part{part_of(whole->ranges, *split, small), whole->multipliers, whole->bound, {}};
        if (!can_be(part.ranges)) continue;
        climb(part, enough);
        if (watched_.sharing().adds_up()) cases_.push_back(std::move(part));
      }
      cases_.erase(whole);
      ZONECUT_ENSURES(!cases_.empty());
    }
    watched_.sharing().allow(all);
    return bound();
  }

 private:
  using Sizes = std::vector<std::size_t>;  ///< by zone
  struct Case {
    std::vector<SizeRange> ranges;  ///< by zone
    PieceMultipliers multipliers;   ///< the best that are known
    double bound = 0;
    std::vector<Sizes> solutions;  ///< what zones held, step by step
  };
  struct Split {
    std::size_t zone = 0;
    std::size_t most = 0;  ///< on the one side
    double worth = 0;
  };

  /// A relaxation that keeps what its solutions took.
  class Watched {
   public:
    explicit Watched(Relaxation& relaxation) : relaxation_(relaxation) {}
    [[nodiscard]] std::size_t pieces() const { return relaxation_.pieces(); }
    [[nodiscard]] static double most_run() { return Relaxation::most_run(); }
    [[nodiscard]] std::size_t steps_per_solve() const { return relaxation_.steps_per_solve(); }
    double solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
      const double value = relaxation_.solve(multipliers, violation);
      if (const auto shares = relaxation_.shares()) taken_.push_back(in_order(*shares));
      return value;
    }
    [[nodiscard]] SharedSizes& sharing() { return relaxation_.sharing(); }
    [[nodiscard]] std::vector<Sizes> take() { return std::exchange(taken_, {}); }
    void forget() { taken_.clear(); }

   private:
    /// Of zones of the same room the first holds most.
    [[nodiscard]] Sizes in_order(const Shares& shares) const {
      Sizes sizes(shares.begin(), shares.end());
      const std::span<const std::size_t> room = relaxation_.sharing().capacity();
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        for (std::size_t j = i + 1; j < sizes.size(); ++j) {
          if (room[i] == room[j] && sizes[i] < sizes[j]) std::swap(sizes[i], sizes[j]);
        }
      }
      return sizes;
    }

    Relaxation& relaxation_;
    std::vector<Sizes> taken_;
  };

  [[nodiscard]] auto lowest() { return std::ranges::min_element(cases_, {}, &Case::bound); }
  [[nodiscard]] double bound() { return lowest()->bound; }

  void climb(Case& part, double enough) {
    constexpr int kSteps = 60;
    constexpr double kAhead = 0.05;
    watched_.sharing().allow(part.ranges);
    Ascent ascent(watched_, budget_, 0, enough);
    watched_.forget();  // what it took without multipliers
    ascent.start_at(part.multipliers);
    ascent.climb_evenly(kSteps, kAhead);
    part.solutions = watched_.take();
    if (ascent.best() <= part.bound) return;
    part.bound = ascent.best();
    part.multipliers = ascent.best_multipliers();
  }

  /// Where the sizes of a zone fall into two halves that lie far apart.
  [[nodiscard]] std::optional<Split> split_of(const Case& of) const {
    std::optional<Split> best;
    const double all = number(of.solutions.size());
    for (std::size_t zone = 0; zone < of.ranges.size(); ++zone) {
      std::vector<std::size_t> sizes;
      for (const Sizes& solution : of.solutions) sizes.push_back(solution[zone]);
      std::ranges::sort(sizes);
      for (std::size_t i = 1; i < sizes.size(); ++i) {
        if (sizes[i] == sizes[i - 1]) continue;
        const double few = std::min(number(i), all - number(i)) / all;
        const double worth = few * number(sizes[i] - sizes[i - 1]);
        if (best && worth <= best->worth) continue;
        best = Split{zone, sizes[i - 1] + (sizes[i] - sizes[i - 1] - 1) / 2, worth};
      }
    }
    return best;
  }

  /// The zone holds at most so much, or more; zones of the same room in their order.
  [[nodiscard]] std::vector<SizeRange> part_of(std::vector<SizeRange> ranges, const Split& split,
                                               bool small) {
    const std::span<const std::size_t> room = watched_.sharing().capacity();
    for (std::size_t zone = 0; zone < ranges.size(); ++zone) {
      if (room[zone] != room[split.zone]) continue;
      if (small && zone >= split.zone) {
        ranges[zone].most = std::min(ranges[zone].most, split.most);
      }
      if (!small && zone <= split.zone) {
        ranges[zone].least = std::max(ranges[zone].least, split.most + 1);
      }
    }
    return ranges;
  }

  [[nodiscard]] bool can_be(std::span<const SizeRange> ranges) {
    std::size_t least = 0;
    std::size_t most = 0;
    for (const SizeRange& range : ranges) {
      if (range.least > range.most) return false;
      least += range.least;
      most += range.most;
    }
    return least <= watched_.sharing().vertices() && watched_.sharing().vertices() <= most;
  }

  Watched watched_;
  WorkBudget& budget_;
  std::list<Case> cases_;  // that no division has replaced
};

}  // namespace zonecut
