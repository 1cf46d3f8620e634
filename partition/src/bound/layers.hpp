#pragma once
// Traffic as layers in a row, for jobs that are more than one grid: the encoder of a multimodal
// model, then the stages of its decoder. What a zone takes of each layer costs it inside the layer
// and towards the next.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "grid/weight_unit.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// Weight between a layer and the one before it, by vertex of either: a zone that takes x before
/// and y here cuts at least least_before·x − most_here·y, and the same the other way round.
struct LayerLink {
  std::int64_t least_before = 0;
  std::int64_t most_before = 0;
  std::int64_t least_here = 0;
  std::int64_t most_here = 0;
};

/// The same of the first two layers together, where ties are uneven: how many a piece has depends
/// on its shape.
class LayerPairs {
 public:
  LayerPairs() = default;
  /// Cuts by vertices of the layer before, then of the one here.
  LayerPairs(std::size_t most_here, std::vector<std::int64_t> cuts)
      : here_(most_here + 1), cuts_(std::move(cuts)) {}
  [[nodiscard]] bool empty() const { return cuts_.empty(); }
  /// The least that a zone with so many of either cuts between the layers, and inside them beyond
  /// what so many cut anyhow.
  [[nodiscard]] std::int64_t cut(std::size_t before, std::size_t here) const {
    return cuts_[before * here_ + here];
  }
  [[nodiscard]] std::int64_t most() const { return empty() ? 0 : std::ranges::max(cuts_); }
  /// Every so many vertices taken as one.
  [[nodiscard]] LayerPairs coarser(std::size_t width) const;

 private:
  std::size_t here_ = 0;
  std::vector<std::int64_t> cuts_;
};

struct Layer {
  std::size_t size = 0;
  std::vector<std::int64_t> inside;  ///< [x]: least weight that x of its vertices cut; in quarters
  LayerLink link;                    ///< in quarters
  LayerPairs pairs;                  ///< in quarters; where it is not empty, in place of the link
};

/// The grids of a problem one after the other, those with a pipeline stage by stage, and the
/// vertices of no grid as a layer without weights. Weights are in these units. `most`: vertices of
/// a layer that one zone can take.
[[nodiscard]] std::vector<Layer> layers_of(const PartitionProblem& problem, WeightUnit unit,
                                           std::size_t most);

}  // namespace zonecut
