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
  /// Every so many vertices taken as one, up to so many of those. One stands for what is nearer to
  /// it than to the next, and cuts the least of that; what no zone has is then only dear.
  [[nodiscard]] LayerPairs coarser(std::size_t width, std::size_t most_before,
                                   std::size_t most_here) const;

 private:
  [[nodiscard]] std::int64_t least_near(std::size_t before, std::size_t here,
                                        std::size_t apart) const;

  std::size_t here_ = 0;
  std::vector<std::int64_t> cuts_;
  std::size_t never_ = 0;
};

/// A layer as equal rows, one after the other in its list of vertices and joined place by place. In
/// quarters of a unit.
struct LayerRows {
  std::vector<std::int64_t> inside;  ///< [k]: least that k vertices of a row cut; up to all of them
  std::int64_t step = 0;             ///< between equal places of neighbouring rows
  std::int64_t wrap = 0;             ///< of the last row and the first
  [[nodiscard]] std::size_t length() const { return inside.size() - 1; }
};

/// Ties of two layers are known vertex by vertex where that takes so many sums at most.
inline constexpr std::size_t kMostTieSums = std::size_t{1} << 23;

struct LayerSide {
  std::span<const std::uint32_t> vertices;
  std::span<const std::int64_t> inside;  ///< [x]: least that x of them cut; in quarters of a unit
  const LayerRows* rows;                 ///< or none, where it is not known
};

/// Where one of two layers has uneven ties, all of one weight; empty where neither has, both have,
/// or it takes too much memory. By dynamic programming over the uneven layer: exact over its
/// vertices where that takes `most_sums` at most, else over its rows, at a few prices of a tie.
[[nodiscard]] LayerPairs pair_layers(const CommunicationGraph& graph, const LayerSide& before,
                                     const LayerSide& here, WeightUnit unit,
                                     std::size_t most_sums = kMostTieSums);

}  // namespace zonecut
