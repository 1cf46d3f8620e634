#include "shares.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut {

std::vector<std::uint32_t> room_of_zones(const SlotTree& tree, std::size_t vertices) {
  std::vector<std::uint32_t> rooms;
  for (const std::uint64_t room : tree.capacity(tree.cut_level)) {
    rooms.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(room, vertices)));
  }
  return rooms;
}

Shares fewest_parts(std::span<const std::uint32_t> capacity, std::size_t vertices) {
  std::vector<std::uint32_t> order(capacity.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](auto p) { return capacity[p]; });
  Shares shares(capacity.size(), 0);
  std::size_t left = vertices;
  for (std::size_t i = 0; i < order.size() && left > 0; ++i) {
    std::size_t pick = i;
    if (capacity[order[i]] >= left) {
      // The rest fits into one part: the tightest one leaves larger ones whole.
      while (pick + 1 < order.size() && capacity[order[pick + 1]] >= left) ++pick;
    }
    const std::size_t share = std::min<std::size_t>(left, capacity[order[pick]]);
    shares[order[pick]] = static_cast<std::uint32_t>(share);
    left -= share;
  }
  ZONECUT_ENSURES(left == 0);
  return shares;
}

Shares proportional_shares(std::span<const std::uint32_t> capacity, std::size_t vertices) {
  const std::size_t room = std::accumulate(capacity.begin(), capacity.end(), std::size_t{0});
  ZONECUT_ENSURES(vertices <= room);
  Shares shares(capacity.size(), 0);
  // Cumulative rounding: the k-th border is the rounded-down share of all parts up to k.
  std::size_t seen = 0;
  std::size_t given = 0;
  for (std::size_t p = 0; p < capacity.size(); ++p) {
    seen += capacity[p];
    const std::size_t border = room == 0 ? 0 : seen * vertices / room;
    shares[p] = static_cast<std::uint32_t>(border - given);
    given = border;
  }
  return shares;
}

std::vector<Shares> share_choices(const PartitionProblem& problem,
                                  const std::optional<PartitionBound>& bound,
                                  const std::optional<Shares>& plainer) {
  std::vector<Shares> choices;
  const auto add = [&](Shares shares) {
    if (std::ranges::find(choices, shares) == choices.end()) choices.push_back(std::move(shares));
  };
  if (bound && bound->shares) add(*bound->shares);
  if (plainer) add(*plainer);
  if (bound) {
    for (const Shares& whole : bound->whole) add(whole);
  }
  add(fewest_parts(problem.capacity, problem.graph.vertices()));
  if (!bound || bound->whole.empty())
    add(proportional_shares(problem.capacity, problem.graph.vertices()));
  return choices;
}

Partition filled_in_order(const PartitionProblem& problem, const Shares& shares) {
  Partition partition{{}, 0, "given order"};
  for (std::uint32_t p = 0; p < shares.size(); ++p)
    partition.part.insert(partition.part.end(), shares[p], p);
  partition.cut = cut_weight(problem.graph, partition.part);
  return partition;
}

bool have_few_parts(std::span<const Shares> choices, std::size_t most) {
  return std::ranges::all_of(choices, [&](const Shares& shares) {
    const auto filled =
        std::ranges::count_if(shares, [](std::uint32_t share) { return share > 0; });
    return filled > 1 && static_cast<std::size_t>(filled) <= most;
  });
}

}  // namespace zonecut
