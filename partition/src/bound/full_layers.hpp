#pragma once
// Bounds of layers whose zones are full in the end, by the bundle method.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bound/layer_looks.hpp"
#include "bound/layer_relaxation.hpp"
#include "bound/layers.hpp"
#include "partition_problem.hpp"

namespace zonecut {

class FullLayers {
 public:
  /// Borrows all of it. `shared`: of all vertices, with the same prices for all zones, which take
  /// multiples of `unit`.
  FullLayers(std::span<const Layer> layers, std::span<const std::uint32_t> capacity,
             std::size_t touches, std::size_t unit, LayerRelaxation& shared, WorkBudget& budget);

  /// Where tables of all vertices are not too large, and there is time for more than a few
  /// solutions: the same prices for all zones with fewer and fewer vertices as one, and then prices
  /// by zone. In quarters; ends at `enough`.
  [[nodiscard]] std::int64_t bound_by_steps(std::int64_t enough);

  /// Otherwise: prices are found with several vertices as one, or while zones take few of a layer,
  /// and then by zone, and are the best of what they come to with all vertices. Units are 1.
  [[nodiscard]] std::int64_t bound_by_looks(double known);

 private:
  std::unique_ptr<LayerLook> first_looks();
  std::unique_ptr<LayerLook> finest(LayerPrices prices, std::size_t width, std::int64_t steps,
                                    int wanted);
  PieceMultipliers climb_whole(LayerRelaxation& relaxation, const PieceMultipliers& start,
                               WorkBudget& budget, std::int64_t enough);
  std::int64_t bound_by_shared(std::unique_ptr<LayerLook>& look, WorkBudget& budget, double known);

  std::span<const Layer> layers_;
  std::span<const std::uint32_t> capacity_;
  std::size_t touches_;
  LayerRelaxation& shared_;
  LayerRelaxation by_zone_;
  WorkBudget& budget_;
  std::int64_t best_ = 0;
  double reach_ = 0;  // of the next climb at first, at least
};

}  // namespace zonecut
