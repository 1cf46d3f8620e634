#pragma once
// What a piece of the encoder and one of the stage it feeds cut together, where vertices of one of
// the two have different numbers of ties to the other: how many a piece has depends on its shape.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grid/weight_unit.hpp"
#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// By vertices of either layer, in quarters of a unit of weight.
class LayerPairs {
 public:
  LayerPairs() = default;
  static constexpr std::int64_t kNever = -1;  ///< in place of a cut: no zone has so many of either
  /// Cuts by vertices of the layer before, then of the one here.
  LayerPairs(std::size_t most_here, std::vector<std::int64_t> cuts)
      : here_(most_here + 1),
        cuts_(std::move(cuts)),
        never_(static_cast<std::size_t>(std::ranges::count(cuts_, kNever))) {}
  [[nodiscard]] bool empty() const { return cuts_.empty(); }
  /// Whether a zone may have so many of either.
  [[nodiscard]] bool may_be(std::size_t before, std::size_t here) const {
    return cut(before, here) != kNever;
  }
  /// How many pairs may be.
  [[nodiscard]] std::size_t count() const { return cuts_.size() - never_; }
  /// The least that a zone with so many of either cuts between the layers, and inside them beyond
  /// what so many cut anyhow.
  [[nodiscard]] std::int64_t cut(std::size_t before, std::size_t here) const {
    return cuts_[before * here_ + here];
  }
  [[nodiscard]] std::int64_t most() const { return empty() ? 0 : std::ranges::max(cuts_); }
  /// Every so many vertices taken as one, up to so many of those. What no zone has then is only
  /// dear, since it stands for what is near it.
  [[nodiscard]] LayerPairs coarser(std::size_t width, std::size_t most_before,
                                   std::size_t most_here) const;

 private:
  std::size_t here_ = 0;
  std::vector<std::int64_t> cuts_;
  std::size_t never_ = 0;
};

struct LayerSide {
  std::span<const std::uint32_t> vertices;
  std::span<const std::int64_t> inside;  ///< [x]: least that x of them cut; in quarters of a unit
};

/// Where one of two layers has uneven ties, all of one weight; empty where neither has, both have,
/// or it takes too much memory. Exact over the uneven layer, by dynamic programming over its
/// vertices.
[[nodiscard]] LayerPairs pair_layers(const CommunicationGraph& graph, const LayerSide& before,
                                     const LayerSide& here, WeightUnit unit);

}  // namespace zonecut
