#include "starts/block_anneal.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "starts/metropolis.hpp"

namespace zonecut {
namespace {

constexpr double kUneven = 0.2;       // of what the edges of a block weigh
constexpr double kHopeless = 12;      // heats
constexpr std::size_t kPerMove = 12;  // work
constexpr int kPartnerTries = 12;
constexpr std::size_t kSixteenths = 16;
constexpr std::size_t kSingle = 12;  // of the steps, in sixteenths
constexpr std::size_t kRuns = 2;
constexpr std::size_t kSeldom = 20;  // one in so many, unless it is rough

}  // namespace

BlockAnneal::BlockAnneal(const BlockGraph& graph, std::span<const std::uint32_t> shares,
                         std::vector<std::uint16_t> part, Random& random)
    : graph_(graph),
      shares_(shares),
      part_(std::move(part)),
      size_(shares.size(), 0),
      random_(random),
      uneven_(kUneven * graph.typical()) {
  for (std::uint32_t b = 0; b < part_.size(); ++b) size_[part_[b]] += graph.size(b);
}

std::int64_t BlockAnneal::rise(std::uint32_t block, std::uint16_t to) {
  const std::uint16_t from = part_[block];
  const std::span<const BlockGraph::Neighbour> neighbours = graph_.neighbours(block);
  work_ += kPerMove + neighbours.size();
  std::int64_t rise = 0;
  for (const BlockGraph::Neighbour& each : neighbours) {
    const std::uint16_t part = part_[each.block];
    if (part == from) rise += each.weight;
    if (part == to) rise -= each.weight;
  }
  return rise;
}

/// What a part costs that has so many vertices more than now, for what it is off.
double BlockAnneal::uneven(std::uint16_t part, std::int64_t more) const {
  const auto off = static_cast<double>(size_[part] + more - std::int64_t{shares_[part]}) /
                   static_cast<double>(graph_.width());
  return uneven_ * off * off;
}

bool BlockAnneal::accepts(double rise) {
  return rise <= 0 || (rise < kHopeless * heat_ && std::exp(-rise / heat_) > random_.unit());
}

std::int64_t BlockAnneal::move(std::uint32_t block, std::uint16_t to) {
  const std::int64_t more = rise(block, to);
  changes_.push_back({block, part_[block]});
  size_[part_[block]] -= graph_.size(block);
  size_[to] += graph_.size(block);
  part_[block] = to;
  return more;
}

void BlockAnneal::take_back() {
  for (; !changes_.empty(); changes_.pop_back()) {
    const auto [block, before] = changes_.back();
    size_[part_[block]] -= graph_.size(block);
    size_[before] += graph_.size(block);
    part_[block] = before;
  }
}

void BlockAnneal::keep_or_take_back(std::int64_t rise) {
  if (!accepts(static_cast<double>(rise))) take_back();
  changes_.clear();
}

std::uint16_t BlockAnneal::part_beside(std::uint32_t block) {
  const std::span<const BlockGraph::Neighbour> neighbours = graph_.neighbours(block);
  if (neighbours.empty()) return part_[block];
  return part_[neighbours[random_.below(neighbours.size())].block];
}

bool BlockAnneal::touches(std::uint32_t block, std::uint16_t part) const {
  return std::ranges::any_of(graph_.neighbours(block), [&](const BlockGraph::Neighbour& each) {
    return part_[each.block] == part;
  });
}

void BlockAnneal::move_one() {
  const std::uint32_t block = draw_block();
  const std::uint16_t from = part_[block];
  const std::uint16_t to = part_beside(block);
  const std::int64_t size = graph_.size(block);
  if (to == from || size_[from] == size) return;
  const double more = uneven(from, -size) - uneven(from, 0) + uneven(to, size) - uneven(to, 0);
  if (!accepts(static_cast<double>(rise(block, to)) + more)) return;
  part_[block] = to;
  size_[from] -= size;
  size_[to] += size;
}

BlockAnneal::Run BlockAnneal::grow(std::uint32_t block, std::uint32_t most, bool up_first) const {
  const std::uint16_t part = part_[block];
  const std::uint32_t row = block / graph_.columns();
  Run run{block % graph_.columns(), row, row + 1};
  const auto up = [&] {
    while (run.rows() < most && run.low > 0 && part_[at(run.low - 1, run.column)] == part) {
      --run.low;
    }
  };
  const auto down = [&] {
    while (run.rows() < most && run.high < graph_.rows() &&
           part_[at(run.high, run.column)] == part) {
      ++run.high;
    }
  };
  if (up_first) up();
  down();
  if (!up_first) up();
  return run;
}

std::uint32_t BlockAnneal::draw_partner(std::uint32_t block, std::uint16_t other) {
  work_ += 2 * kPerMove;
  for (int i = 0; i < kPartnerTries; ++i) {
    const std::uint32_t partner = draw_block();
    if (part_[partner] != other || graph_.size(partner) != graph_.size(block)) continue;
    if (touches(partner, part_[block])) return partner;
  }
  return block;
}

/// Sizes stay as they are.
void BlockAnneal::exchange_runs() {
  const std::uint32_t block = draw_block();
  const std::uint16_t one = part_[block];
  const std::uint16_t other = part_beside(block);
  if (one == other) return;
  const std::uint32_t partner = draw_partner(block, other);
  if (partner == block) return;
  const std::uint32_t most = random_.below(3) == 0 ? graph_.rows() : 1 + draw_row();
  Run first = grow(block, most, random_.below(2) == 0);
  const Run second = grow(partner, first.rows(), random_.below(2) == 0);
  const std::uint32_t row = block / graph_.columns();
  while (first.rows() > second.rows()) {
    if (first.high - 1 > row) {
      --first.high;
    } else {
      ++first.low;
    }
  }
  std::int64_t more = 0;
  for (std::uint32_t r = first.low; r < first.high; ++r) more += move(at(r, first.column), other);
  for (std::uint32_t r = second.low; r < second.high; ++r) more += move(at(r, second.column), one);
  keep_or_take_back(more);
}

/// As wide as a power of two, aligned to it: subtrees. One of them may be turned around.
void BlockAnneal::exchange_intervals() {
  const std::uint32_t columns = graph_.columns();
  std::uint32_t wide = 1;
  while (2 * wide < columns && random_.below(3) == 0) wide *= 2;
  const std::uint32_t intervals = columns / wide;
  const auto i = static_cast<std::uint32_t>(random_.below(intervals)) * wide;
  const auto j = static_cast<std::uint32_t>(random_.below(intervals)) * wide;
  if (i == j) return;
  std::uint32_t low = draw_row();
  std::uint32_t high = std::min(graph_.rows(), low + 1 + draw_row());
  if (random_.below(3) == 0) {
    low = 0;
    high = graph_.rows();
  }
  const bool turned = random_.below(4) == 0;
  std::int64_t more = 0;
  for (std::uint32_t row = low; row < high; ++row) {
    for (std::uint32_t k = 0; k < wide; ++k) {
      const std::uint32_t one = at(row, i + k);
      const std::uint32_t other = at(row, j + (turned ? wide - 1 - k : k));
      const std::uint16_t part = part_[one];
      if (part == part_[other] || graph_.size(one) != graph_.size(other)) continue;
      more += move(one, part_[other]);
      more += move(other, part);
    }
  }
  keep_or_take_back(more);
}

void BlockAnneal::step(bool rough) {
  work_ = kPerMove;
  const std::size_t kind = random_.below(kSixteenths);
  if (kind < kSingle) return move_one();
  if (kind < kSingle + kRuns) return exchange_runs();
  if (rough || random_.below(kSeldom) == 0) return exchange_intervals();
  move_one();
}

void BlockAnneal::anneal(WorkBudget& budget, double hot, double cold, bool rough) {
  Cooling cooling(budget, graph_.typical() * hot, cold / hot);
  while (!budget.spent()) {
    heat_ = cooling.next();
    step(rough);
    budget.spend(work_);
  }
}

}  // namespace zonecut
