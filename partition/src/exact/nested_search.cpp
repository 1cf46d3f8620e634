#include "exact/nested_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace zonecut {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;
/// Steps of a vertex that joins a block, apart from what is done for the later ones.
constexpr std::size_t kPerJoin = 50;

}  // namespace

NestedSearch::NestedSearch(const PartitionProblem& problem, std::vector<std::uint32_t> order)
    : order_(std::move(order)),
      weight_(vertices() * vertices(), 0),
      least_(vertices() + 1, 0),
      unknown_(vertices()),
      block_(vertices(), 0),
      size_(vertices(), 0),
      spare_(vertices(), 0),
      regrets_(vertices()),
      choices_(vertices()) {
  std::vector<std::size_t> place(vertices());
  for (std::size_t i = 0; i < vertices(); ++i) place[order_[i]] = i;
  for (std::size_t i = 0; i < vertices(); ++i) {
    for (const CommunicationGraph::Neighbour& next : problem.graph.neighbours(order_[i])) {
      weight_[i * vertices() + place[next.vertex]] = next.weight;
    }
  }
  for (std::uint32_t p = 0; p < problem.parts(); ++p) {
    if (problem.capacity[p] > 0) by_room_.push_back(p);
  }
  std::ranges::stable_sort(by_room_, std::ranges::greater{},
                           [&](std::uint32_t p) { return problem.capacity[p]; });
  for (const std::uint32_t p : by_room_) room_.push_back(problem.capacity[p]);
  most_blocks_ = std::min(vertices(), room_.size());
  ties_.assign(vertices() * vertices() * most_blocks_, 0);
}

void NestedSearch::go_on(Partition& best, std::int64_t enough, WorkBudget& budget) {
  while (unknown_ > 0 && !budget.spent() && best.cut > std::max(enough, bound())) {
    search(unknown_ - 1, best, unknown_ == 1 ? enough : 0, budget);
  }
}

/// Of the vertices from `first` on; of those after it the least cut is known.
void NestedSearch::search(std::size_t first, Partition& best, std::int64_t enough,
                          WorkBudget& budget) {
  best_ = cut_after(first, best.part);
  enough_ = std::max(enough, least_[first + 1]);
  steps_left_ = budget.left();
  found_ = false;
  std::ranges::fill(size_, 0U);
  if (best_ > enough_) extend(first, 0, 0);
  budget.spend(static_cast<std::size_t>(budget.left() - steps_left_));
  if (first == 0 && found_) {
    best.part = parts_of_blocks();
    best.cut = best_;
    best.method = "branch and bound";
  }
  if (steps_left_ < 0) return;
  // A search of all vertices may have stopped at what is enough. Then nothing is left to do.
  least_[first] = best_;
  unknown_ = first;
}

/// What a partition of all vertices cuts between those from `first` on.
std::int64_t NestedSearch::cut_after(std::size_t first, std::span<const std::uint32_t> part) const {
  std::int64_t cut = 0;
  for (std::size_t u = first; u < vertices(); ++u) {
    for (std::size_t v = u + 1; v < vertices(); ++v) {
      if (part[order_[u]] != part[order_[v]]) cut += weight(u, v);
    }
  }
  return cut;
}

/// The best blocks as parts: the largest becomes the roomiest.
std::vector<std::uint32_t> NestedSearch::parts_of_blocks() const {
  std::vector<std::uint32_t> order(vertices());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t b) { return best_size_[b]; });
  std::vector<std::uint32_t> part_of_block(vertices(), 0);
  for (std::size_t i = 0; i < std::min(order.size(), by_room_.size()); ++i) {
    part_of_block[order[i]] = by_room_[i];
  }
  std::vector<std::uint32_t> part(vertices());
  for (std::size_t i = 0; i < vertices(); ++i) part[order_[i]] = part_of_block[best_block_[i]];
  return part;
}

/// How many more vertices each block may get while all others still fit. The largest block goes to
/// the roomiest part; one may take the place of larger ones where each of these fits one further
/// on.
void NestedSearch::find_room(std::size_t blocks) {
  by_size_.resize(blocks);
  std::iota(by_size_.begin(), by_size_.end(), 0U);
  std::ranges::sort(by_size_, std::ranges::greater{}, [&](std::uint32_t b) { return size_[b]; });
  for (std::size_t i = 0; i < blocks; ++i) {
    std::size_t at = i;
    while (at > 0 && size_[by_size_[at - 1]] <= room_[at]) --at;
    spare_[by_size_[i]] = room_[at] - size_[by_size_[i]];
  }
}

/// What the vertices from `at` on cut of the blocks, at least.
std::int64_t NestedSearch::cut_of_later(std::size_t at, std::size_t blocks) {
  const bool may_open = blocks < most_blocks_;
  for (std::size_t b = 0; b < blocks; ++b) regrets_[b].clear();
  std::int64_t cut = 0;
  for (std::size_t v = at; v < vertices(); ++v) {
    const std::span<const std::int64_t> tied = ties(at, v).first(blocks);
    std::int64_t all = 0;
    std::int64_t most = may_open ? 0 : -kNever;  // a block of its own keeps no ties
    std::int64_t second = -kNever;
    std::size_t wanted = blocks;
    for (std::size_t b = 0; b < blocks; ++b) {
      all += tied[b];
      if (spare_[b] == 0) continue;
      if (tied[b] > most) {
        second = std::exchange(most, tied[b]);
        wanted = b;
      } else {
        second = std::max(second, tied[b]);
      }
    }
    if (most < 0) return kNever;
    cut += all - most;
    if (wanted < blocks) regrets_[wanted].push_back(second < 0 ? kNever : most - second);
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    std::vector<std::int64_t>& regrets = regrets_[b];
    if (regrets.size() <= spare_[b]) continue;
    const auto over = static_cast<std::ptrdiff_t>(regrets.size() - spare_[b]);
    std::nth_element(regrets.begin(), regrets.begin() + over - 1, regrets.end());
    for (std::ptrdiff_t i = 0; i < over; ++i) {
      if (regrets[static_cast<std::size_t>(i)] == kNever) return kNever;
      cut += regrets[static_cast<std::size_t>(i)];
    }
  }
  return cut;
}

/// Vertex `at` joins a block, and the later ones have ties to it.
void NestedSearch::join(std::size_t at, std::uint32_t block, std::size_t blocks) {
  block_[at] = block;
  ++size_[block];
  if (at + 1 == vertices()) return;
  const bool opened = block + 1 == blocks && size_[block] == 1;
  for (std::size_t v = at + 1; v < vertices(); ++v) {
    const std::span<std::int64_t> next = ties(at + 1, v);
    std::ranges::copy(ties(at, v).first(blocks), next.begin());
    next[block] = (opened ? 0 : next[block]) + weight(at, v);
  }
}

/// Vertices before `at` lie in blocks that cut so much among each other.
void NestedSearch::extend(std::size_t at, std::size_t blocks, std::int64_t cut) {
  if (at == vertices()) {
    best_ = cut;
    best_block_ = block_;
    best_size_ = size_;
    found_ = true;
    return;
  }
  steps_left_ -=
      static_cast<std::int64_t>(kPerJoin + blocks * blocks + 3 * (vertices() - at) * (blocks + 1));
  if (steps_left_ < 0) return;
  find_room(blocks);
  const std::int64_t later = cut_of_later(at, blocks);
  if (later >= best_ - cut - least_[at]) return;

  std::vector<Choice>& choices = choices_[at];
  choices.clear();
  const std::span<const std::int64_t> tied = ties(at, at).first(blocks);
  const std::int64_t all = std::reduce(tied.begin(), tied.end(), std::int64_t{0});
  for (std::uint32_t b = 0; b < blocks; ++b) {
    if (spare_[b] > 0) choices.push_back({all - tied[b], b});
  }
  if (blocks < most_blocks_) choices.push_back({all, static_cast<std::uint32_t>(blocks)});
  std::ranges::sort(choices, {}, [](const Choice& c) { return std::pair(c.cut, c.block); });
  for (const Choice& choice : choices) {
    if (cut + choice.cut + least_[at + 1] >= best_) break;
    const std::size_t now = std::max<std::size_t>(blocks, choice.block + 1);
    join(at, choice.block, now);
    extend(at + 1, now, cut + choice.cut);
    --size_[choice.block];
    if (steps_left_ < 0 || best_ <= enough_) return;
  }
}

}  // namespace zonecut
