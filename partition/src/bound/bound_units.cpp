#include "bound/bound_units.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "bound/bound_layers.hpp"
#include "grid/grid_traffic.hpp"
#include "grid/row_model.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kTrial = 8;  // of the steps
constexpr std::size_t kMostPairs = std::size_t{1} << 22;

/// A grid whose vertices are numbered stage by stage, all of them.
std::optional<GridTraffic> numbered_grid(const PartitionProblem& problem) {
  std::vector<GridTraffic> grids = recover_grids(problem.graph, problem.coordinates);
  if (grids.size() != 1 || grids.front().size[2] < 2) return std::nullopt;
  if (grids.front().vertices() != problem.graph.vertices()) return std::nullopt;
  if (!std::ranges::is_sorted(grids.front().at)) return std::nullopt;
  return std::move(grids.front());
}

/// How units lie in the stages of a grid: whole ones, and parts of those that two stages share.
class UnitsInStages {
 public:
  UnitsInStages(std::size_t length, std::size_t unit) : length_(length), unit_(unit) {}

  /// Whether so many vertices of the stage can be whole units but for those shared with its
  /// neighbours, of which `first` and `last` say whether they are among them.
  [[nodiscard]] bool can_be(std::size_t x, std::size_t stage, bool first, bool last) const {
    const std::size_t shared = (first ? head(stage) : 0) + (last ? tail(stage) : 0);
    const std::size_t whole = length_ - head(stage) - tail(stage);
    return x >= shared && x - shared <= whole && (x - shared) % unit_ == 0;
  }
  /// The same of a stage and the next: what they share is in both or in neither.
  [[nodiscard]] bool can_be(std::size_t x, std::size_t y, std::size_t stage) const {
    for (const bool shared : {false, true}) {
      const auto in_one = [&](bool other) { return can_be(x, stage, other, shared); };
      const auto in_next = [&](bool other) { return can_be(y, stage + 1, shared, other); };
      if ((in_one(false) || in_one(true)) && (in_next(false) || in_next(true))) return true;
    }
    return false;
  }

  /// The shortest that a unit of the stage and one of the next have in common, and the next one.
  [[nodiscard]] std::array<std::size_t, 2> overlaps_with_next(std::size_t stage) const {
    std::array<std::size_t, 2> least{length_, length_};  // as if there were two at least
    std::size_t begin = 0;
    for (std::size_t place = 1; place <= length_; ++place) {
      const std::size_t here = stage * length_ + place;
      if (place < length_ && here % unit_ != 0 && (here + length_) % unit_ != 0) continue;
      std::size_t common = place - begin;
      begin = place;
      for (std::size_t& each : least) {
        if (common < each) std::swap(common, each);
      }
    }
    return least;
  }

 private:
  /// Of a unit that began in the stage before.
  [[nodiscard]] std::size_t head(std::size_t stage) const {
    return (unit_ - stage * length_ % unit_) % unit_;
  }
  /// Of a unit that ends in the next.
  [[nodiscard]] std::size_t tail(std::size_t stage) const { return (stage + 1) * length_ % unit_; }

  std::size_t length_;
  std::size_t unit_;
};

}  // namespace

UnitLayers layers_of_units(const PartitionProblem& problem, std::size_t unit, WeightUnit weight,
                           bool both_ends) {
  const std::optional<GridTraffic> whole = numbered_grid(problem);
  if (!whole) return {};
  const GridTraffic grid = in_units(*whole, weight);
  const std::size_t length = std::size_t{grid.size[0]} * grid.size[1];
  if (length % unit == 0 || length < 2 * unit) return {};
  if ((length + 1) * (length + 1) * grid.size[2] > kMostPairs) return {};
  const std::optional<RowModel> raw = row_model(grid, Rows::Stages);
  if (!raw || raw->rows != grid.size[2] || raw->length != length) return {};
  const RowModel model = with_closing(*raw, 0);
  if (model.per_divided_row != 0) return {};

  const UnitsInStages units(length, unit);
  UnitLayers result;
  const std::int64_t step = 4 * grid.step[2];
  for (std::size_t stage = 0; stage < model.rows; ++stage) {
    Layer layer{length, model.inside, {}, {}};
    if (stage > 0) {
      const auto [least, second] = units.overlaps_with_next(stage - 1);
      const std::size_t of_part = both_ends ? least + second : least;
      if (both_ends) result.deduction += step * static_cast<std::int64_t>(second);
      std::vector<std::int64_t> cuts;
      for (std::size_t x = 0; x <= length; ++x) {
        for (std::size_t y = 0; y <= length; ++y) {
          const bool neither_or_both = x == y && (x == 0 || x == length);
          const std::size_t apart = std::max(x, y) - std::min(x, y);
          const std::size_t cut = neither_or_both ? 0 : std::max(apart, of_part);
          cuts.push_back(units.can_be(x, y, stage - 1) ? step * static_cast<std::int64_t>(cut)
                                                       : LayerPairs::kNever);
        }
      }
      layer.pairs = LayerPairs(length, std::move(cuts));
    }
    result.layers.push_back(std::move(layer));
  }
  return result;
}

std::int64_t units_bound(const PartitionProblem& problem, std::size_t unit, std::int64_t steps,
                         std::int64_t known) {
  const WeightUnit weight = WeightUnit::finest(problem.graph.total_weight());
  const std::array<UnitLayers, 2> stages{layers_of_units(problem, unit, weight, false),
                                         layers_of_units(problem, unit, weight, true)};
  if (stages.front().layers.empty()) return 0;
  const auto bound = [&](const UnitLayers& of_units, std::int64_t work, std::int64_t above) {
    WorkBudget budget(work);
    const SharedBound found = bound_of_layers(of_units.layers, problem, unit, budget,
                                              weight.least_quarters(above) + of_units.deduction,
                                              std::numeric_limits<std::int64_t>::max());
    return weight.whole_cut(std::max<std::int64_t>(0, found.quarters - of_units.deduction));
  };
  // Which one leads further shows soon.
  const std::int64_t one_end = bound(stages[0], steps / kTrial, known);
  const std::int64_t both_ends = bound(stages[1], steps / kTrial, known);
  const std::int64_t best = std::max({one_end, both_ends, known});
  return std::max(best,
                  bound(stages[both_ends > one_end ? 1 : 0], steps - 2 * (steps / kTrial), best));
}

}  // namespace zonecut
