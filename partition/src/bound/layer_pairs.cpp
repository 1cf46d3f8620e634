#include "bound/layer_pairs.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <ranges>

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
                                        std::span<const LineEdge> edges, const Ties& ties,
                                        std::size_t most_sums) {
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
    auto sets = SweptSets::make(std::move(widths), edges, largest, most_sums);
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

/// The same from rows, at a few prices of a tie: a piece with t ties to a layer of which the zone
/// has as many as o need cuts `price`·(t - o) of these at least, whatever the price from minus to
/// plus what a tie weighs.
class PricedTies {
 public:
  /// None where it takes too long.
  static std::optional<PricedTies> make(std::span<const std::int64_t> inside, const LayerRows& rows,
                                        const Ties& ties, std::int64_t tie) {
    constexpr std::size_t kMostSums = std::size_t{1} << 26;
    const std::size_t length = rows.length();
    // Of two prices: what the first row has, the rows, what each of them has, and all.
    const std::size_t sums = 2 * ties.count.size() * (length + 1) * inside.size();
    if (length == 0 || sums > kMostSums) return std::nullopt;
    std::vector<std::int64_t> prices{tie, -tie};
    if (4 * sums <= kMostSums) prices.insert(prices.end(), {tie / 2, -(tie / 2)});
    PricedTies priced;
    for (const std::int64_t price : prices) {
      priced.priced_.push_back({price, least_by_size(inside, rows, ties, price)});
    }
    return priced;
  }

  [[nodiscard]] std::int64_t cut(std::size_t x, std::size_t others) const {
    std::int64_t most = 0;
    for (const Priced& one : priced_) {
      most = std::max(most, one.beyond[x] - one.price * static_cast<std::int64_t>(others));
    }
    return most;
  }

 private:
  struct Priced {
    std::int64_t price = 0;
    std::vector<std::int64_t> beyond;  // by vertices, with the price of their ties
  };

  /// [k]: what k vertices of a row cut and pay, at least: its cheapest ones, wherever they are.
  static std::vector<std::int64_t> row_costs(const LayerRows& rows,
                                             std::span<const std::size_t> ties,
                                             std::int64_t price) {
    std::vector<std::int64_t> paid;
    for (const std::size_t count : ties) paid.push_back(price * static_cast<std::int64_t>(count));
    std::ranges::sort(paid);
    std::vector<std::int64_t> costs = rows.inside;
    std::int64_t sum = 0;
    for (std::size_t k = 1; k < costs.size(); ++k) {
      sum += paid[k - 1];
      costs[k] += sum;
    }
    return costs;
  }

  /// What x vertices cut more than any x do and pay for their ties, by x.
  static std::vector<std::int64_t> least_by_size(std::span<const std::int64_t> inside,
                                                 const LayerRows& rows, const Ties& ties,
                                                 std::int64_t price) {
    const std::size_t length = rows.length();
    const std::size_t sums = inside.size();
    std::vector<std::vector<std::int64_t>> costs;
    for (std::size_t v = 0; v < ties.count.size(); v += length) {
      costs.push_back(row_costs(rows, std::span(ties.count).subspan(v, length), price));
    }
    std::vector<std::int64_t> least(sums, kNone);
    for (std::size_t first = 0; first <= std::min(length, sums - 1); ++first) {
      Reached reached(length + 1, std::vector<std::int64_t>(sums, kNone));
      reached[first][first] = costs.front()[first];
      for (const std::vector<std::int64_t>& row : costs | std::views::drop(1)) {
        add_row(reached, row, rows.step);
      }
      for (std::size_t k = 0; k <= length; ++k) {
        const auto apart = static_cast<std::int64_t>(k > first ? k - first : first - k);
        lower(least, reached[k], rows.wrap * apart);
      }
    }
    for (std::size_t x = 0; x < sums; ++x) least[x] -= inside[x];
    return least;
  }

  /// Least of the rows so far, by vertices of the last one and of all.
  using Reached = std::vector<std::vector<std::int64_t>>;
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 4;

  static void add_row(Reached& reached, std::span<const std::int64_t> row, std::int64_t step) {
    // What is taken changes by a vertex at a time, upwards and then downwards.
    for (std::size_t k = 1; k < reached.size(); ++k) lower(reached[k], reached[k - 1], step);
    for (std::size_t k = reached.size(); k-- > 1;) lower(reached[k - 1], reached[k], step);
    for (std::size_t k = 0; k < reached.size(); ++k) {
      const std::span<std::int64_t> here = reached[k];
      const std::size_t taken = std::min(k, here.size());
      std::ranges::copy_backward(here.first(here.size() - taken), here.end());
      std::ranges::fill(here.first(taken), kNone);
      for (std::int64_t& cost : here) cost += row[k];
    }
  }

  static void lower(std::span<std::int64_t> here, std::span<const std::int64_t> from,
                    std::int64_t more) {
    for (std::size_t x = 0; x < here.size(); ++x) here[x] = std::min(here[x], from[x] + more);
  }

  std::vector<Priced> priced_;
};

}  // namespace

std::int64_t LayerPairs::least_near(std::size_t x, std::size_t y, std::size_t apart) const {
  const auto near = [&](std::size_t at, std::size_t last) {
    const std::size_t least = at == 0 ? 0 : std::max<std::size_t>(1, at - std::min(at, apart));
    return std::views::iota(least, std::min(at == 0 ? 0 : at + apart, last) + 1);
  };
  std::int64_t least = kNever;
  for (const std::size_t before : near(x, cuts_.size() / here_ - 1)) {
    for (const std::size_t here : near(y, here_ - 1)) {
      const std::int64_t one = cut(before, here);
      if (one != kNever && (least == kNever || one < least)) least = one;
    }
  }
  return least;
}

LayerPairs LayerPairs::coarser(std::size_t width, std::size_t most_before,
                               std::size_t most_here) const {
  if (empty()) return {};
  const std::int64_t dear = 2 * most();
  const std::size_t last_before = cuts_.size() / here_ - 1;
  std::vector<std::int64_t> cuts;
  for (std::size_t before = 0; before <= most_before; ++before) {
    for (std::size_t here = 0; here <= most_here; ++here) {
      const std::int64_t least = least_near(std::min(before * width, last_before),
                                            std::min(here * width, here_ - 1), width / 2);
      cuts.push_back(width > 1 && least == kNever ? dear : least);
    }
  }
  return {most_here, std::move(cuts)};
}

LayerPairs pair_layers(const CommunicationGraph& graph, const LayerSide& before,
                       const LayerSide& here, WeightUnit unit, std::size_t most_sums) {
  constexpr std::size_t kMostPairs = std::size_t{1} << 21;
  const Ties forth = ties_to(graph, before.vertices, here.vertices);
  const Ties back = ties_to(graph, here.vertices, before.vertices);
  const std::size_t most_before = before.inside.size() - 1;
  const std::size_t options = here.inside.size();
  if (forth.weight == 0 || forth.are_even() == back.are_even()) return {};
  if ((most_before + 1) * options > kMostPairs) return {};
  const bool uneven_here = forth.are_even();
  const LayerSide& uneven = uneven_here ? here : before;
  const Ties& ties = uneven_here ? back : forth;
  const std::int64_t tie = 4 * unit.down(forth.weight);
  const auto pieces =
      TiedPieces::make(uneven.inside, edges_among(graph, uneven.vertices, unit), ties, most_sums);
  std::optional<PricedTies> priced;
  if (!pieces && uneven.rows != nullptr) {
    priced = PricedTies::make(uneven.inside, *uneven.rows, ties, tie);
  }
  if (!pieces && !priced) return {};
  const std::size_t each = (uneven_here ? forth : back).count.front();
  std::vector<std::int64_t> cuts;
  cuts.reserve((most_before + 1) * options);
  for (std::size_t x = 0; x <= most_before; ++x) {
    for (std::size_t y = 0; y < options; ++y) {
      const std::size_t of_uneven = uneven_here ? y : x;
      const std::size_t others = each * (uneven_here ? x : y);
      cuts.push_back(pieces ? pieces->cut(of_uneven, others, tie) : priced->cut(of_uneven, others));
    }
  }
  return {options - 1, std::move(cuts)};
}

}  // namespace zonecut
