#pragma once
// Branch and bound over how many full rows each zone has. The best multipliers of a bound stand
// where solutions are mixed: a zone is half in two full rows and a piece, half in three. In truth
// it has two at most or three at least, and the lower of both bounds is the higher for it, since
// what suits the one does not suit the other. The case of the least bound is divided next, by the
// zone whose mixture is nearest to halves, and each half of it goes on from the columns that are
// known.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "bound/bundle_ascent.hpp"
#include "bound/zone_shapes.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// Of a Relaxation that has zones by size, relaxed() being a ZonePieceRelaxation. Only zones whose
/// size no other has divide cases.
template <class Relaxation>
class BranchAndBound {
 public:
  /// Borrows both; `root` climbed by that budget.
  BranchAndBound(Relaxation& relaxation, WorkBudget& budget, BundleAscent<Relaxation> root)
      : relaxation_(relaxation), budget_(budget) {
    const double bound = root.best();
    cases_.push_back({std::vector<FullRows>(kinds()), std::move(root), bound});
  }

  /// The bound in quarters that holds in all cases. Ends at `enough`, with the budget, after some
  /// divisions, or where the lowest case mixes nothing. The relaxation is then as it was.
  double run(double enough) {
    constexpr int kMostDivisions = 60;
    // Where no pieces make up a row there is nothing to divide.
    if (!std::isfinite(lowest()->bound)) return lowest()->bound;
    for (int i = 0; i < kMostDivisions && !budget_.spent() && lowest()->bound < enough; ++i) {
      const auto whole = lowest();
      const std::optional<Split> split = split_of(*whole);
      if (!split) break;
      FullRows few = whole->full[split->kind];
      FullRows many = few;
      few.most = split->most;
      many.least = split->most + 1;
      add_part(Case(*whole), split->kind, few);
      add_part(std::move(*whole), split->kind, many);
      cases_.erase(whole);
    }
    allow(std::vector<FullRows>(kinds()));
    return lowest()->bound;
  }

 private:
  struct Case {
    std::vector<FullRows> full;  ///< by size of zones
    BundleAscent<Relaxation> ascent;
    double bound = 0;
  };
  struct Split {
    std::size_t kind = 0;
    std::size_t most = 0;  ///< full rows on the one side
    double mixed = 0;      ///< of the mixture, on either side at least
  };

  [[nodiscard]] std::size_t kinds() const { return relaxation_.relaxed().kinds(); }
  /// Of the parts that BundleAscent knows: rows come first.
  [[nodiscard]] static std::size_t part_of(std::size_t kind) { return kind + 1; }
  [[nodiscard]] auto lowest() { return std::ranges::min_element(cases_, {}, &Case::bound); }

  void allow(const std::vector<FullRows>& full) {
    for (std::size_t kind = 0; kind < full.size(); ++kind) {
      relaxation_.relaxed().allow(kind, full[kind]);
    }
  }

  [[nodiscard]] std::optional<Split> split_of(const Case& of) const {
    constexpr double kLeast = 0.02;  // of a mixture: less may be what rounding leaves
    std::optional<Split> best;
    for (std::size_t kind = 0; kind < kinds(); ++kind) {
      if (relaxation_.relaxed().zones_of(kind) > 1) continue;
      auto mixed = of.ascent.master().mixed(part_of(kind), Relaxation::kFullRow);
      std::ranges::sort(mixed, std::ranges::greater{}, &ProximalMaster::Mixed::slope);
      double few = 0;
      for (std::size_t i = 0; i + 1 < mixed.size(); ++i) {
        few += mixed[i].weight;
        if (mixed[i].slope == mixed[i + 1].slope) continue;
        const double least = std::min(few, 1 - few);
        if (least < (best ? best->mixed : kLeast)) continue;
        best = Split{kind, static_cast<std::size_t>(std::lround(-mixed[i].slope)), least};
      }
    }
    return best;
  }

  void add_part(Case part, std::size_t kind, FullRows full) {
    constexpr int kSteps = 20;
    part.full[kind] = full;
    allow(part.full);
    // A full row asks its price: a slope of -1.
    part.ascent.restrict_to(part_of(kind), Relaxation::kFullRow,
                            {-static_cast<double>(full.most), -static_cast<double>(full.least)});
    part.ascent.climb(kSteps);
    part.bound = std::max(part.bound, part.ascent.best());
    cases_.push_back(std::move(part));
  }

  Relaxation& relaxation_;
  WorkBudget& budget_;
  std::list<Case> cases_;  // that no division has replaced
};

}  // namespace zonecut
