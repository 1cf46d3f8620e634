#pragma once
// Layers of which zones take few vertices each: prices are found while they take no more, with
// smaller tables, and then hold for all.
#include <cstddef>
#include <cstdint>
#include <span>

#include "bound/bound_separable.hpp"
#include "bound/layer_relaxation.hpp"
#include "bound/layers.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// How many numbers, from 0 on, zones may take of each layer for tables not to be too large.
[[nodiscard]] std::size_t options_that_fit(std::span<const Layer> layers,
                                           std::span<const std::uint32_t> capacity);

/// What prices come to that are found with `narrow`, in which zones take no more than they do about
/// at `start`. Tables of both are never there at once. The budget is for the prices alone.
[[nodiscard]] SharedBound bound_by_less(LayerRelaxation& relaxation, LayerRelaxation narrow,
                                        const PieceMultipliers& start, WorkBudget& budget,
                                        double known);

}  // namespace zonecut
