#include "starts/packed_excess.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "grid/whole_groups.hpp"

namespace zonecut {
PackedExcess::PackedExcess(const GridTraffic& grid, const RowModel& model, std::int64_t steps)
    : model_(model), group_(grid.size[0]) {
  // What chains through the groups cut counts for every group that a piece touches.
  const std::int64_t chain =
      model.around[group_] - static_cast<std::int64_t>(group_) * model.around[1];
  std::vector<std::int64_t> refund(group_ + 1, -chain);
  refund.front() = 0;
  const std::optional<CellRing> cells = cells_of_rows(grid, Rows::Replicas, refund);
  if (!cells) return;
  dearest_touch_ = cells->cell(1) + cells->price[1];
  touch_ = dearest_touch_;
  if (!RowDivisions::can_search(*cells)) return;
  divisions_.emplace(*cells);
  divisions_->allow(steps);
}

/// Groups that pieces touch together beyond those that each would touch by itself, of what they
/// leave over whole groups.
std::size_t PackedExcess::touched_again(std::span<const std::uint32_t> over) const {
  std::size_t sum = 0;
  for (const std::uint32_t piece : over) sum += piece;
  constexpr std::size_t kExactly = 6;  // in a few hundred steps
  return sum / group_ - most_whole_groups(over, group_, kExactly);
}

std::int64_t PackedExcess::about(std::span<const std::uint32_t> pieces) {
  if (pieces.size() == 2) return of_two(pieces);
  if (pieces.size() > kMostPieces) return 0;
  std::array<std::uint32_t, kMostPieces> rests{};
  std::size_t count = 0;
  for (const std::uint32_t piece : pieces) {
    const auto rest = static_cast<std::uint32_t>(piece % group_);
    if (rest == 0) continue;
    rests[count++] = rest;
  }
  if (count < 3) return 0;
  const std::span<std::uint32_t> over(rests.data(), count);
  std::ranges::sort(over);
  std::uint64_t kind = 0;
  for (const std::uint32_t rest : over) kind = mixed(kind, rest);
  constexpr std::size_t kMostKnown = 100'000;
  if (known_.size() >= kMostKnown) known_.clear();
  const auto [known, fresh] = known_.try_emplace(kind, 0);
  if (fresh) known->second = static_cast<std::uint32_t>(touched_again(over));
  return touch_ * known->second;
}

void PackedExcess::count_touches(double share) {
  touch_ = static_cast<std::int64_t>(share * static_cast<double>(dearest_touch_));
}

/// Searched for once.
std::int64_t PackedExcess::of_two(std::span<const std::uint32_t> pieces) {
  constexpr std::int64_t kUnknown = -1;
  if (!divisions_) return 0;
  if (of_two_.empty()) of_two_.assign(model_.length, kUnknown);
  std::int64_t& known = of_two_[pieces.front()];
  if (known == kUnknown) known = of(pieces);
  return known;
}

std::int64_t PackedExcess::of(std::span<const std::uint32_t> pieces) {
  if (!divisions_) return about(pieces);
  std::int64_t alone = -2 * model_.per_divided_row;
  for (const std::uint32_t piece : pieces) {
    const std::int64_t chains = model_.across[piece] - std::int64_t{piece} * model_.around[1];
    alone += model_.inside[piece] + 2 * chains;
  }
  return std::max<std::int64_t>(0, divisions_->least(pieces) - alone);
}

}  // namespace zonecut
