#pragma once
// First looks at layers (layer_relaxation.hpp): with several vertices as one a solution takes a
// fraction of the time, and the prices it comes to say much about those of all vertices.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bound/layer_relaxation.hpp"
#include "bound/layers.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// By which the sizes of all layers can be divided.
[[nodiscard]] std::size_t common_divisor(std::span<const Layer> layers);
/// The largest such width up to `most`.
[[nodiscard]] std::size_t width_up_to(std::span<const Layer> layers, std::size_t most);

/// That of a first look.
[[nodiscard]] std::size_t first_width(std::span<const Layer> layers);

/// Numbers in tables that are there at a time, at most.
inline constexpr std::size_t kMostTableEntries = std::size_t{1} << 24;
inline constexpr int kMostLayerSteps = 500;
/// A look with fewer steps says little.
inline constexpr int kFewestOfALook = 20;

/// Up to kMostLayerSteps.
[[nodiscard]] int steps_within(const WorkBudget& budget, const LayerRelaxation& relaxation);

class LayerLook {
 public:
  /// All layers are multiples of `width`.
  LayerLook(std::span<const Layer> fine, std::span<const std::uint32_t> capacity, bool full,
            std::size_t width, LayerPrices prices = LayerPrices::Shared);
  // The relaxation borrows the layers.
  LayerLook(const LayerLook&) = delete;
  LayerLook& operator=(const LayerLook&) = delete;

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] LayerRelaxation& relaxation() { return relaxation_; }
  [[nodiscard]] bool fits() const { return relaxation_.entries() <= kMostTableEntries; }
  /// The most vertices of a layer that a zone takes at the prices that were kept, about. Of shared
  /// prices.
  [[nodiscard]] std::size_t most_taken() {
    const std::size_t most = width_ * relaxation_.most_taken(prices_);
    relaxation_.forget_tables();
    return most;
  }
  /// Its tables are gone until it is solved again.
  void keep(PieceMultipliers prices) {
    prices_ = std::move(prices);
    relaxation_.forget_tables();
  }
  [[nodiscard]] const PieceMultipliers& prices() const { return prices_; }

  /// What was kept for all vertices, or for another look at the same layers; what it does not say
  /// is in proportion.
  [[nodiscard]] PieceMultipliers prices_for(const LayerRelaxation& fine) const {
    return prices_for(fine, 1);
  }
  [[nodiscard]] PieceMultipliers prices_for(const LayerLook& look) const {
    return prices_for(look.relaxation_, look.width_);
  }

 private:
  LayerLook(std::span<const Layer> fine, const std::vector<std::uint32_t>& wide_capacity, bool full,
            std::size_t width, LayerPrices prices);
  [[nodiscard]] PieceMultipliers prices_for(const LayerRelaxation& other, std::size_t width) const;

  std::size_t width_;
  std::vector<Layer> layers_;
  LayerRelaxation relaxation_;
  PieceMultipliers prices_;
};

}  // namespace zonecut
