#include "metis_bisections.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "refine/repair.hpp"
#include "traffic/subgraph.hpp"

namespace zonecut {
namespace {

/// METIS coarsens to about a hundred vertices, of up to 1.5 hundredths of all.
constexpr std::uint32_t kSmall = 16;
constexpr std::uint32_t kOfAll = 50;

class Bisections {
 public:
  Bisections(const CommunicationGraph& graph, const Shares& shares, int seed)
      : graph_(graph),
        shares_(shares),
        seed_(seed),
        part_(graph.vertices(), 0),
        place_(graph.vertices()) {}

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> parts;
    for (std::uint32_t p = 0; p < shares_.size(); ++p) {
      if (shares_[p] > 0) parts.push_back(p);
    }
    std::vector<std::uint32_t> vertices(graph_.vertices());
    std::iota(vertices.begin(), vertices.end(), 0U);
    divide(vertices, parts);
    return std::move(part_);
  }

 private:
  /// As many vertices as the parts' shares come to.
  void divide(std::span<const std::uint32_t> vertices, std::span<const std::uint32_t> parts) {
    if (parts.size() < 2) {
      for (const std::uint32_t v : vertices) part_[v] = parts.front();
      return;
    }
    const std::size_t half = parts.size() / 2;
    std::uint32_t left = 0;
    for (const std::uint32_t p : parts.first(half)) left += shares_[p];
    const Subgraph sub = induced(graph_, {}, vertices, place_);
    const Shares sides{left, static_cast<std::uint32_t>(vertices.size()) - left};
    const PartitionProblem problem{sub.graph, sides, {}};
    WorkingPartition bisection(problem, bisected(sub.graph, sides));
    repair(bisection);
    std::array<std::vector<std::uint32_t>, 2> side;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      side[bisection.part(i)].push_back(vertices[i]);
    }
    divide(side[0], parts.first(half));
    divide(side[1], parts.subspan(half));
  }

  [[nodiscard]] std::vector<std::uint32_t> bisected(const CommunicationGraph& graph,
                                                    const Shares& sides) const {
    if (auto part = metis_partition(graph, sides, MetisMethod::Recursive, seed_)) {
      return *std::move(part);
    }
    std::vector<std::uint32_t> in_order(graph.vertices(), 1);
    std::fill_n(in_order.begin(), sides[0], 0U);
    return in_order;
  }

  const CommunicationGraph& graph_;
  const Shares& shares_;
  int seed_;
  std::vector<std::uint32_t> part_;
  std::vector<std::uint32_t> place_;  // scratch of induced()
};

}  // namespace

bool has_small_part(const Shares& shares) {
  const std::uint32_t all = std::reduce(shares.begin(), shares.end(), 0U);
  const std::uint32_t small = std::max(kSmall, all / kOfAll);
  return std::ranges::any_of(shares, [&](std::uint32_t s) { return s > 0 && s < small; });
}

std::vector<std::uint32_t> metis_bisections(const CommunicationGraph& graph, const Shares& shares,
                                            int seed) {
  return Bisections(graph, shares, seed).run();
}

}  // namespace zonecut
