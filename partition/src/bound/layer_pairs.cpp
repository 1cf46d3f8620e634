#include "bound/layer_pairs.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

#include "bound/swept_sets.hpp"
#include "grid/grid_traffic.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

/// Ties of equal weight between two layers.
struct Ties {
  std::int64_t weight = 0;         ///< of one; 0 where they differ
  std::vector<std::size_t> count;  ///< by vertex of the layer
  [[nodiscard]] bool are_even() const { return std::ranges::min(count) == std::ranges::max(count); }
};

Ties ties_to(const CommunicationGraph& graph, std::span<const std::uint32_t> from,
             std::span<const std::uint32_t> to) {
  std::vector<bool> there(graph.vertices(), false);
  for (const std::uint32_t v : to) there[v] = true;
  Ties ties;
  bool alike = true;
  for (const std::uint32_t v : from) {
    std::size_t& count = ties.count.emplace_back(0);
    for (const auto& [u, weight] : graph.neighbours(v)) {
      if (!there[u] || weight == 0) continue;
      ++count;
      alike = alike && (ties.weight == 0 || ties.weight == weight);
      ties.weight = weight;
    }
  }
  if (!alike) ties.weight = 0;
  return ties;
}

/// What pieces of a layer cut inside it by their ties.
class TiedPieces {
 public:
  /// None where that takes too much memory.
  static std::optional<TiedPieces> make(std::span<const std::int64_t> inside,
                                        std::span<const LineEdge> edges, const Ties& ties) {
    constexpr std::size_t kMostEntries = std::size_t{1} << 23;
    const std::size_t fewest = std::ranges::min(ties.count);
    // Vertices and ties are counted in one number.
    std::size_t more = 0;
    for (const std::size_t count : ties.count) more += count - fewest;
    const std::size_t base = more + 1;
    std::vector<std::uint32_t> widths;
    for (const std::size_t count : ties.count) {
      widths.push_back(static_cast<std::uint32_t>(base + count - fewest));
    }
    const std::size_t largest = (inside.size() - 1) * base + more;
    auto sets = SweptSets::make(std::move(widths), edges, largest, kMostEntries);
    if (!sets) return std::nullopt;
    sets->solve(std::vector<double>(ties.count.size(), 0));
    return TiedPieces(inside, *sets, fewest, base);
  }

  /// What x vertices cut more than any x do, and of ties to so many at the other end, at least.
  [[nodiscard]] std::int64_t cut(std::size_t x, std::size_t others, std::int64_t tie) const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t more = 0; more < base_; ++more) {
      const auto ties = static_cast<std::int64_t>(fewest_ * x + more);
      const std::int64_t apart = std::abs(ties - static_cast<std::int64_t>(others));
      const std::int64_t beyond = beyond_[x * base_ + more];
      if (beyond < least - apart * tie) least = beyond + apart * tie;
    }
    return least;
  }

 private:
  TiedPieces(std::span<const std::int64_t> inside, const SweptSets& sets, std::size_t fewest,
             std::size_t base)
      : fewest_(fewest), base_(base) {
    for (std::size_t x = 0; x < inside.size(); ++x) {
      for (std::size_t more = 0; more < base; ++more) {
        const std::size_t size = x * base + more;
        const double half = sets.knows(size) ? sets.costs()[size] : sets.least_unknown();
        beyond_.push_back(std::max<std::int64_t>(0, rounded_down(2 * half) - inside[x]));
      }
    }
  }

  std::size_t fewest_;
  std::size_t base_;
  std::vector<std::int64_t> beyond_;  // by vertices, then ties beyond the fewest
};

}  // namespace

LayerPairs LayerPairs::coarser(std::size_t width, std::size_t most_before,
                               std::size_t most_here) const {
  if (empty()) return {};
  const std::int64_t dear = 2 * most();
  const std::size_t last_before = cuts_.size() / here_ - 1;
  std::vector<std::int64_t> cuts;
  for (std::size_t before = 0; before <= most_before; ++before) {
    for (std::size_t here = 0; here <= most_here; ++here) {
      const std::size_t x = std::min(before * width, last_before);
      const std::size_t y = std::min(here * width, here_ - 1);
      cuts.push_back(width == 1 || may_be(x, y) ? cut(x, y) : dear);
    }
  }
  return {most_here, std::move(cuts)};
}

LayerPairs pair_layers(const CommunicationGraph& graph, const LayerSide& before,
                       const LayerSide& here, WeightUnit unit) {
  constexpr std::size_t kMostPairs = std::size_t{1} << 21;
  const Ties forth = ties_to(graph, before.vertices, here.vertices);
  const Ties back = ties_to(graph, here.vertices, before.vertices);
  const std::size_t most_before = before.inside.size() - 1;
  const std::size_t options = here.inside.size();
  if (forth.weight == 0 || forth.are_even() == back.are_even()) return {};
  if ((most_before + 1) * options > kMostPairs) return {};
  const bool uneven_here = forth.are_even();
  const LayerSide& uneven = uneven_here ? here : before;
  const auto pieces = TiedPieces::make(uneven.inside, edges_among(graph, uneven.vertices, unit),
                                       uneven_here ? back : forth);
  if (!pieces) return {};
  const std::int64_t tie = 4 * unit.down(forth.weight);
  const std::size_t each = (uneven_here ? forth : back).count.front();
  std::vector<std::int64_t> cuts;
  cuts.reserve((most_before + 1) * options);
  for (std::size_t x = 0; x <= most_before; ++x) {
    for (std::size_t y = 0; y < options; ++y) {
      cuts.push_back(uneven_here ? pieces->cut(y, each * x, tie) : pieces->cut(x, each * y, tie));
    }
  }
  return {options - 1, std::move(cuts)};
}

}  // namespace zonecut
