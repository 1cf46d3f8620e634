#pragma once
// Traffic as layers in a row, for jobs that are more than one grid: the encoder of a multimodal
// model, then the stages of its decoder. What a zone takes of each layer costs it inside the layer
// and towards the next.
#include <cstdint>
#include <vector>

#include "bound/layer_pairs.hpp"
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

struct Layer {
  std::size_t size = 0;
  std::vector<std::int64_t> inside;  ///< [x]: least weight that x of its vertices cut; in quarters
  LayerLink link;                    ///< in quarters
  LayerPairs pairs;  ///< in quarters; where they are not empty, in place of the link
};

/// The grids of a problem one after the other, those with a pipeline stage by stage, and the
/// vertices of no grid as a layer without weights. Weights are in these units. `most`: vertices of
/// a layer that one zone can take. `most_tie_sums`: of pair_layers.
[[nodiscard]] std::vector<Layer> layers_of(const PartitionProblem& problem, WeightUnit unit,
                                           std::size_t most,
                                           std::size_t most_tie_sums = kMostTieSums);

}  // namespace zonecut
