#include "job/rank_grid.hpp"

#include <algorithm>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::array<std::string_view, kAxes> kAxisNames = {"tp", "cp", "ep", "dp", "pp"};

std::optional<Axis> axis_named(std::string_view name) {
  const auto at = std::find(kAxisNames.begin(), kAxisNames.end(), name);
  if (at == kAxisNames.end()) return std::nullopt;
  return static_cast<Axis>(at - kAxisNames.begin());
}

/// Ranks reached from rank 0 by moving along `axes` (given fastest first), ascending.
std::vector<std::int64_t> offsets(const RankGrid& grid, std::span<const Axis> axes) {
  std::vector<std::int64_t> result{0};
  for (const Axis axis : axes) {
    const std::size_t inner = result.size();
    for (std::int64_t i = 1; i < grid.size(axis); ++i) {
      for (std::size_t j = 0; j < inner; ++j) result.push_back(result[j] + i * grid.stride(axis));
    }
  }
  return result;
}

}  // namespace

std::optional<AxisOrder> parse_axis_order(std::string_view text) {
  std::vector<Axis> axes;
  while (axes.size() <= kAxes) {
    const std::size_t dash = text.find('-');
    const std::optional<Axis> axis = axis_named(text.substr(0, dash));
    if (!axis || std::find(axes.begin(), axes.end(), *axis) != axes.end()) return std::nullopt;
    axes.push_back(*axis);
    if (dash == std::string_view::npos) break;
    text.remove_prefix(dash + 1);
  }
  for (std::size_t i = 0; i < kAxes; ++i) {
    const Axis axis = static_cast<Axis>(i);
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  }
  AxisOrder order{};
  std::copy_n(axes.begin(), kAxes, order.begin());
  return order;
}

bool names_axis(std::string_view order, Axis axis) {
  return order.find(kAxisNames[static_cast<std::size_t>(axis)]) != std::string_view::npos;
}

RankGrid::RankGrid(const AxisOrder& order, const AxisSizes& sizes, std::int64_t first)
    : order_(order), sizes_(sizes), first_(first) {
  for (const Axis axis : order_) {
    strides_[index(axis)] = ranks_;
    ranks_ *= sizes_[index(axis)];
  }
}

void RankGrid::for_each_group(std::span<const Axis> axes,
                              const std::function<void(std::span<const RankId>)>& visit) const {
  std::vector<Axis> inside, outside;
  for (const Axis axis : order_) {
    (std::find(axes.begin(), axes.end(), axis) == axes.end() ? outside : inside).push_back(axis);
  }
  const std::vector<std::int64_t> steps = offsets(*this, inside);
  std::vector<RankId> members(steps.size(), RankId{0});
  for (const std::int64_t first : offsets(*this, outside)) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      members[i] = RankId{static_cast<std::size_t>(first_ + first + steps[i])};
    }
    visit(members);
  }
}

std::optional<RankGrid> RankGrid::contracted(std::int64_t block, Axis whole) const {
  AxisSizes sizes = sizes_;
  std::int64_t left = block;
  for (const Axis axis : order_) {
    std::int64_t& size = sizes[index(axis)];
    if (left % size == 0) {
      left /= size;
      size = 1;
    } else if (size % left == 0) {
      size /= left;
      left = 1;
    } else {
      return std::nullopt;
    }
  }
  if (left != 1 || sizes[index(whole)] != 1) return std::nullopt;
  return RankGrid(order_, sizes);
}

RankGrid dense_grid(const Parallelism& p, std::int64_t first) {
  const auto order = parse_axis_order(p.order);
  ZONECUT_ENSURES(order.has_value());
  return RankGrid(*order, {p.tp, p.cp, 1, p.dp, p.pp}, first);
}

RankGrid expert_grid(const Parallelism& p, std::int64_t first) {
  const auto order = parse_axis_order(p.order);
  ZONECUT_ENSURES(order.has_value());
  const std::int64_t stage = std::int64_t{p.tp} * p.cp * p.dp;
  const std::int64_t experts = std::int64_t{p.etp} * p.ep;
  ZONECUT_ENSURES(experts > 0 && stage % experts == 0);
  return RankGrid(*order, {p.etp, 1, p.ep, stage / experts, p.pp}, first);
}

}  // namespace zonecut
