#include "baselines/slurm_block.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace zonecut {
namespace {

// Slurm, src/plugins/topology/block: eval_nodes_block.c for nodes of one weight, without segments
// and required nodes, and block_record.c.
constexpr unsigned kHighestLevel = 4;  // of 2^4 base blocks

std::size_t divided_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// What the size of the job says: in blocks of how many base blocks it is looked for, and how many
/// of the next smaller blocks it may lie in.
struct Shape {
  std::size_t block = 1;       ///< base blocks of one
  unsigned inner_level = 0;    ///< of the next smaller blocks, of 2^level base blocks
  std::size_t most_inner = 1;  ///< it may lie in
  bool counts_inner = false;   ///< whether that is less than all of a block
};

Shape shape_of(std::size_t base_blocks, std::size_t block_size, std::size_t nodes) {
  Shape shape;
  const std::size_t needed = divided_up(nodes, block_size);
  const auto level = static_cast<unsigned>(std::bit_width(needed - 1));  // ceil(log2(needed))
  shape.inner_level = level > 0 ? std::min(level - 1, kHighestLevel) : 0;
  shape.block = level > kHighestLevel ? base_blocks : std::size_t{1} << level;
  const std::size_t inner = std::size_t{1} << shape.inner_level;
  shape.most_inner = divided_up(nodes, inner * block_size);
  shape.counts_inner = shape.block != inner * shape.most_inner;
  return shape;
}

std::vector<std::size_t> sums_of(std::span<const std::size_t> free, std::size_t blocks_each) {
  std::vector<std::size_t> sums(divided_up(free.size(), blocks_each), 0);
  for (std::size_t i = 0; i < free.size(); ++i) sums[i / blocks_each] += free[i];
  return sums;
}

/// What the fullest inner blocks of base blocks [first, last) have together.
std::size_t within_reach(const Shape& shape, std::span<const std::size_t> inner_free,
                         std::size_t first, std::size_t last) {
  const std::size_t begin = first >> shape.inner_level;
  const std::size_t end = divided_up(last, std::size_t{1} << shape.inner_level);
  std::vector<std::size_t> inner(inner_free.begin() + static_cast<std::ptrdiff_t>(begin),
                                 inner_free.begin() + static_cast<std::ptrdiff_t>(end));
  std::sort(inner.begin(), inner.end(), std::greater<>());
  inner.resize(std::min(inner.size(), shape.most_inner));
  return std::accumulate(inner.begin(), inner.end(), std::size_t{0});
}

/// The block with the fewest free nodes that suffice, the last of those that are alike: its first
/// base block.
std::optional<std::size_t> tightest_block(const Shape& shape, std::span<const std::size_t> free,
                                          std::span<const std::size_t> inner_free,
                                          std::size_t nodes) {
  const std::vector<std::size_t> sums = sums_of(free, shape.block);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t first = i * shape.block;
    const std::size_t last = std::min(first + shape.block, free.size());
    const std::size_t usable =
        shape.counts_inner ? within_reach(shape, inner_free, first, last) : sums[i];
    if (usable < nodes || (best && sums[i] > sums[*best])) continue;
    best = i;
  }
  if (!best) return std::nullopt;
  return *best * shape.block;
}

/// Takes base blocks of one block, one after the other.
class Taker {
 public:
  Taker(const Shape& shape, std::span<const std::size_t> free,
        std::span<const std::size_t> inner_free, std::size_t first, std::size_t nodes)
      : shape_(shape),
        free_(free),
        inner_free_(inner_free),
        first_(first),
        last_(std::min(first + shape.block, free.size())),
        rest_(nodes),
        taken_(free.size(), false),
        shares_(free.size(), 0) {}

  std::optional<std::vector<std::size_t>> run() && {
    std::size_t inner_left = shape_.most_inner;
    while (rest_ > 0) {
      const std::optional<std::size_t> next = best();
      if (!next) return std::nullopt;
      if (shape_.counts_inner && !inner_is_used(*next)) {
        if (inner_left == 0) return std::nullopt;
        --inner_left;
      }
      taken_[*next] = true;
      shares_[*next] = std::min(rest_, free_[*next]);
      rest_ -= shares_[*next];
      if (shares_[*next] == 0) return std::nullopt;  // Slurm gives up: stalled
    }
    return std::move(shares_);
  }

 private:
  [[nodiscard]] std::size_t inner_of(std::size_t base) const { return base >> shape_.inner_level; }

  [[nodiscard]] bool inner_is_used(std::size_t base) const {
    const std::size_t begin = inner_of(base) << shape_.inner_level;
    const std::size_t end = std::min(begin + (std::size_t{1} << shape_.inner_level), free_.size());
    for (std::size_t i = begin; i < end; ++i) {
      if (taken_[i]) return true;
    }
    return false;
  }

  /// First the inner block: one in use before a new one, one that holds the rest before one that
  /// does not, of the former the emptiest and of the latter the fullest. Then the base block: the
  /// tightest that holds the rest, else the fullest. Of equals the last.
  [[nodiscard]] bool better(std::size_t base, std::size_t than) const {
    if (shape_.counts_inner && inner_of(base) != inner_of(than)) {
      const bool used = inner_is_used(base);
      if (used != inner_is_used(than)) return used;
      const std::size_t a = inner_free_[inner_of(base)];
      const std::size_t b = inner_free_[inner_of(than)];
      if ((a >= rest_) != (b >= rest_)) return a >= rest_;
      if (a != b) return a >= rest_ ? a < b : a > b;
    }
    const bool fits = free_[base] >= rest_;
    if (fits != (free_[than] >= rest_)) return fits;
    return fits ? free_[base] <= free_[than] : free_[base] >= free_[than];
  }

  [[nodiscard]] std::optional<std::size_t> best() const {
    std::optional<std::size_t> best;
    for (std::size_t i = first_; i < last_; ++i) {
      if (!taken_[i] && (!best || better(i, *best))) best = i;
    }
    return best;
  }

  const Shape& shape_;
  std::span<const std::size_t> free_;
  std::span<const std::size_t> inner_free_;
  std::size_t first_;
  std::size_t last_;
  std::size_t rest_;
  std::vector<bool> taken_;
  std::vector<std::size_t> shares_;
};

}  // namespace

std::optional<std::vector<std::size_t>> slurm_block_shares(std::span<const std::size_t> free,
                                                           std::size_t block_size,
                                                           std::size_t nodes) {
  const Shape shape = shape_of(free.size(), block_size, nodes);
  const std::vector<std::size_t> inner_free = sums_of(free, std::size_t{1} << shape.inner_level);
  const std::optional<std::size_t> first = tightest_block(shape, free, inner_free, nodes);
  if (!first) return std::nullopt;
  return Taker(shape, free, inner_free, *first, nodes).run();
}

std::optional<std::vector<RackShare>> slurm_block_racks(const Cluster& cluster, const Room& room,
                                                        std::size_t ranks_per_server,
                                                        std::size_t vertices) {
  std::vector<DomainId> racks;
  std::vector<std::size_t> free;
  std::size_t smallest = 0;
  for (const DomainId rack : cluster.domains_at(cluster.rack_level())) {
    std::size_t holds = 0;
    for (const ServerId server : cluster.domain(rack).servers())
      holds += static_cast<std::size_t>(cluster.server(server).gpus) / ranks_per_server;
    if (holds == 0) continue;
    smallest = smallest == 0 ? holds : std::min(smallest, holds);
    racks.push_back(rack);
    free.push_back(room_in(cluster, room, rack));
  }
  if (racks.empty()) return std::nullopt;
  const auto shares = slurm_block_shares(free, smallest, vertices);
  if (!shares) return std::nullopt;
  std::vector<RackShare> taken;
  for (std::size_t i = 0; i < racks.size(); ++i) {
    if ((*shares)[i] > 0) taken.push_back({racks[i], (*shares)[i]});
  }
  return taken;
}

}  // namespace zonecut
