#pragma once
// Ranks numbered as a grid of parallel axes, fastest axis first, as Megatron-Core's
// parallel_state.py numbers them: with order tp-cp-dp-pp, rank = tp + TP·(cp + CP·(dp + DP·pp)). A
// group is the set of ranks that differ only in the axes named.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "zonecut/base/id.hpp"
#include "zonecut/partition/job.hpp"

namespace zonecut {

enum class Axis : std::uint8_t { Tp, Cp, Ep, Dp, Pp };
inline constexpr std::size_t kAxes = 5;
using AxisSizes = std::array<std::int64_t, kAxes>;  ///< by Axis
using AxisOrder = std::array<Axis, kAxes>;          ///< fastest first

/// Reads "tp-cp-ep-dp-pp". Axes that are not named come last, as in Megatron-Core. None when an
/// axis is unknown or named twice.
[[nodiscard]] std::optional<AxisOrder> parse_axis_order(std::string_view text);
[[nodiscard]] bool names_axis(std::string_view order, Axis axis);

class RankGrid {
 public:
  /// `first`: the rank at the origin.
  RankGrid(const AxisOrder& order, const AxisSizes& sizes, std::int64_t first = 0);

  [[nodiscard]] const AxisOrder& order() const noexcept { return order_; }
  [[nodiscard]] std::int64_t size(Axis axis) const { return sizes_[index(axis)]; }
  [[nodiscard]] std::int64_t stride(Axis axis) const { return strides_[index(axis)]; }
  [[nodiscard]] std::int64_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] std::int64_t position(std::int64_t rank, Axis axis) const {
    return (rank - first_) / stride(axis) % size(axis);
  }

  /// Every group along `axes`, by its first rank; members ascend. O(ranks) in all.
  void for_each_group(std::span<const Axis> axes,
                      const std::function<void(std::span<const RankId>)>& visit) const;

  /// The grid of blocks of `block` consecutive ranks; none when a block is no box of this grid, or
  /// does not hold the axis `whole` from end to end. It begins at 0.
  [[nodiscard]] std::optional<RankGrid> contracted(std::int64_t block, Axis whole) const;

 private:
  static constexpr std::size_t index(Axis axis) { return static_cast<std::size_t>(axis); }

  AxisOrder order_;
  AxisSizes sizes_;
  AxisSizes strides_{};
  std::int64_t first_;
  std::int64_t ranks_ = 1;
};

/// The grid of all ranks, from `first` on: "ep" has size 1 there.
[[nodiscard]] RankGrid dense_grid(const Parallelism& parallelism, std::int64_t first = 0);
/// The grid of the experts, etp + ETP·(ep + EP·(edp + EDP·pp)) in default order: EDP is what is
/// left of tp·cp·dp. The sizes must divide.
[[nodiscard]] RankGrid expert_grid(const Parallelism& parallelism, std::int64_t first = 0);

}  // namespace zonecut
