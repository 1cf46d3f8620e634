#include "exact_small.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// Vertices join blocks one after the other; a block becomes a part only at the end, the largest
/// block the part with most room. So no two partitions are met that differ in names only.
class SetPartitions {
 public:
  SetPartitions(const PartitionProblem& problem, std::int64_t below)
      : vertices_(problem.graph.vertices()), best_(below) {
    order_by_traffic(problem.graph);
    for (std::uint32_t i = 0; i < vertices_; ++i) place_[order_[i]] = i;
    for (std::uint32_t i = 0; i < vertices_; ++i) {
      for (const auto& [v, weight] : problem.graph.neighbours(order_[i])) {
        weight_[i][place_[v]] = weight;
      }
    }
    by_room_.resize(problem.parts());
    std::iota(by_room_.begin(), by_room_.end(), 0u);
    std::ranges::stable_sort(by_room_, std::ranges::greater{},
                             [&](auto p) { return problem.capacity[p]; });
    for (const std::uint32_t p : by_room_) {
      if (problem.capacity[p] > 0) room_.push_back(problem.capacity[p]);
    }
  }

  std::optional<Partition> solve() {
    extend(0, 0, 0);
    if (!found_) return std::nullopt;
    Partition result{std::vector<std::uint32_t>(vertices_), best_, "exhaustive search"};
    const std::vector<std::uint32_t> order = blocks_by_size(best_size_);
    std::array<std::uint32_t, kMostExactVertices> part{};
    for (std::size_t i = 0; i < order.size(); ++i) part[order[i]] = by_room_[i];
    for (std::size_t i = 0; i < vertices_; ++i) result.part[order_[i]] = part[best_block_[i]];
    return result;
  }

 private:
  using Blocks = std::array<std::uint32_t, kMostExactVertices>;

  void order_by_traffic(const CommunicationGraph& graph) {
    std::array<std::int64_t, kMostExactVertices> traffic{};
    for (std::uint32_t v = 0; v < vertices_; ++v) {
      order_.push_back(v);
      for (const auto& neighbour : graph.neighbours(v)) traffic[v] += neighbour.weight;
    }
    std::ranges::stable_sort(order_, std::ranges::greater{}, [&](auto v) { return traffic[v]; });
  }

  static std::vector<std::uint32_t> blocks_by_size(const Blocks& size) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t b = 0; b < size.size(); ++b) {
      if (size[b] > 0) order.push_back(b);
    }
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](auto b) { return size[b]; });
    return order;
  }

  /// Blocks only grow: once they do not fit, largest into roomiest, they never will.
  [[nodiscard]] bool fits(std::size_t blocks) const {
    Blocks size = size_;
    std::sort(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(blocks),
              std::ranges::greater{});
    for (std::size_t b = 0; b < blocks; ++b) {
      if (b >= room_.size() || size[b] > room_[b]) return false;
    }
    return true;
  }

  void extend(std::size_t vertex, std::size_t blocks, std::int64_t cut) {
    if (cut >= best_) return;
    if (vertex == vertices_) {
      best_ = cut;
      best_block_ = block_;
      best_size_ = size_;
      found_ = true;
      return;
    }
    const std::size_t choices = std::min(blocks + 1, room_.size());
    for (std::uint32_t b = 0; b < choices; ++b) {
      std::int64_t added = 0;
      for (std::size_t u = 0; u < vertex; ++u) {
        if (block_[u] != b) added += weight_[vertex][u];
      }
      block_[vertex] = b;
      ++size_[b];
      const std::size_t now = std::max<std::size_t>(blocks, b + 1);
      if (fits(now)) extend(vertex + 1, now, cut + added);
      --size_[b];
    }
  }

  std::size_t vertices_;
  std::int64_t best_;
  bool found_ = false;
  std::vector<std::uint32_t> order_;
  std::array<std::uint32_t, kMostExactVertices> place_{};
  std::array<std::array<std::int64_t, kMostExactVertices>, kMostExactVertices> weight_{};
  std::vector<std::uint32_t> by_room_;
  std::vector<std::uint32_t> room_;  // falling
  Blocks block_{}, size_{}, best_block_{}, best_size_{};
};

}  // namespace

std::optional<Partition> exact_partition(const PartitionProblem& problem, std::int64_t below) {
  ZONECUT_ENSURES(problem.graph.vertices() <= kMostExactVertices);
  return SetPartitions(problem, below).solve();
}

}  // namespace zonecut
