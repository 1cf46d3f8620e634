#include "bound/layers.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "bound/bound_separable.hpp"
#include "bound/priced_sets.hpp"
#include "grid/grid_traffic.hpp"
#include "grid/relaxation_sums.hpp"
#include "grid/row_model.hpp"

namespace zonecut {
namespace {

/// A layer and its vertices.
struct Slice {
  Layer layer;
  std::vector<std::uint32_t> vertices;
};

/// What x vertices of the whole grid cut at least, from all ways to see it.
std::vector<std::int64_t> least_cuts_of(const GridTraffic& grid, std::size_t most) {
  most = std::min(most, grid.vertices());
  std::vector<std::int64_t> cuts(most + 1, 0);
  for (const Rows rows : {Rows::Stages, Rows::Replicas}) {
    const std::optional<RowModel> raw = row_model(grid, rows, {}, 0);
    if (!raw) continue;
    const RowModel model = with_closing(*raw, 0);
    // What is taken off once for the whole cut cannot be shared out among zones.
    if (model.deduction != 0 || model.per_divided_row != 0) continue;
    const std::vector<std::int64_t> halves = zone_half_borders(model, most);
    for (std::size_t x = 0; x <= most; ++x) cuts[x] = std::max(cuts[x], 2 * halves[x]);
  }
  return cuts;
}

Slice whole(const GridTraffic& grid, std::size_t most) {
  return {{grid.vertices(), least_cuts_of(grid, most), {}, {}}, grid.at};
}

std::vector<Slice> stages(const GridTraffic& grid, std::size_t most) {
  const std::optional<RowModel> model = row_model(grid, Rows::Stages);
  const std::size_t length = std::size_t{grid.size[0]} * grid.size[1];
  if (grid.size[2] < 2 || !model || model->rows != grid.size[2] || model->length != length ||
      model->per_divided_row != 0) {
    return {whole(grid, most)};
  }
  std::vector<Slice> slices;
  const std::int64_t step = 4 * grid.step[2];
  for (std::size_t stage = 0; stage < model->rows; ++stage) {
    const auto first = grid.at.begin() + static_cast<std::ptrdiff_t>(stage * length);
    Slice slice{{length, model->inside, {}, {}},
                {first, first + static_cast<std::ptrdiff_t>(length)}};
    if (stage > 0) slice.layer.link = {step, step, step, step};
    slices.push_back(std::move(slice));
  }
  return slices;
}

struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
};

/// Of the weights between a vertex and the other slice.
Range weights_to(const CommunicationGraph& graph, const Slice& from, const Slice& to,
                 WeightUnit unit) {
  std::vector<bool> there(graph.vertices(), false);
  for (const std::uint32_t v : to.vertices) there[v] = true;
  Range range;
  for (const std::uint32_t v : from.vertices) {
    std::int64_t sum = 0;
    for (const auto& [u, weight] : graph.neighbours(v)) {
      if (there[u]) sum += weight;
    }
    range.least = std::min(range.least, sum);
    range.most = std::max(range.most, sum);
  }
  // Rounded towards what lowers the bound.
  range.least = 4 * unit.down(range.least);
  range.most = 4 * unit.up(range.most);
  return range;
}

/// Ties of equal weight between two slices.
struct Ties {
  std::int64_t weight = 0;         ///< of one; 0 where they differ
  std::vector<std::size_t> count;  ///< by vertex of the slice
  [[nodiscard]] bool are_even() const { return std::ranges::min(count) == std::ranges::max(count); }
};

Ties ties_to(const CommunicationGraph& graph, const Slice& from, const Slice& to) {
  std::vector<bool> there(graph.vertices(), false);
  for (const std::uint32_t v : to.vertices) there[v] = true;
  Ties ties;
  bool alike = true;
  for (const std::uint32_t v : from.vertices) {
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

/// What pieces of a slice cut inside it by their ties.
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
    auto sets = PricedSets::make(std::move(widths), edges, largest, kMostEntries);
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
  TiedPieces(std::span<const std::int64_t> inside, const PricedSets& sets, std::size_t fewest,
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

/// Where one of the slices has uneven ties of one weight; empty where neither has, both have, or it
/// takes too much memory.
LayerPairs pairs_of(const CommunicationGraph& graph, const Slice& before, const Slice& here,
                    WeightUnit unit) {
  constexpr std::size_t kMostPairs = std::size_t{1} << 21;
  const Ties forth = ties_to(graph, before, here);
  const Ties back = ties_to(graph, here, before);
  const std::size_t most_before = before.layer.inside.size() - 1;
  const std::size_t options = here.layer.inside.size();
  if (forth.weight == 0 || forth.are_even() == back.are_even()) return {};
  if ((most_before + 1) * options > kMostPairs) return {};
  const bool uneven_here = forth.are_even();
  const Slice& uneven = uneven_here ? here : before;
  const auto pieces = TiedPieces::make(
      uneven.layer.inside, edges_among(graph, uneven.vertices, unit), uneven_here ? back : forth);
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

LayerLink link_between(const CommunicationGraph& graph, const Slice& before, const Slice& here,
                       WeightUnit unit) {
  const Range forth = weights_to(graph, before, here, unit);
  const Range back = weights_to(graph, here, before, unit);
  return {forth.least, forth.most, back.least, back.most};
}

}  // namespace

LayerPairs LayerPairs::coarser(std::size_t width) const {
  if (empty()) return {};
  std::vector<std::int64_t> cuts;
  for (std::size_t x = 0; x < cuts_.size() / here_; x += width) {
    for (std::size_t y = 0; y < here_; y += width) cuts.push_back(cut(x, y));
  }
  return {(here_ - 1) / width, std::move(cuts)};
}

std::vector<Layer> layers_of(const PartitionProblem& problem, WeightUnit unit, std::size_t most) {
  std::vector<GridTraffic> grids = recover_grids(problem.graph, problem.coordinates);
  // Encoders stand before the pipeline they feed.
  std::ranges::stable_sort(grids, {}, [](const GridTraffic& grid) { return grid.size[2]; });
  std::vector<Slice> slices;
  std::vector<bool> placed(problem.graph.vertices(), false);
  for (const GridTraffic& grid : grids) {
    std::vector<Slice> parts = stages(in_units(grid, unit), most);
    if (!slices.empty()) {
      Layer& first = parts.front().layer;
      first.link = link_between(problem.graph, slices.back(), parts.front(), unit);
      if (slices.size() == 1) {
        first.pairs = pairs_of(problem.graph, slices.back(), parts.front(), unit);
      }
    }
    for (Slice& part : parts) slices.push_back(std::move(part));
    for (const std::uint32_t v : grid.at) placed[v] = true;
  }
  std::vector<Layer> layers;
  for (Slice& slice : slices) layers.push_back(std::move(slice.layer));
  const auto rest = static_cast<std::size_t>(std::ranges::count(placed, false));
  if (rest > 0) layers.push_back({rest, std::vector<std::int64_t>(rest + 1, 0), {}, {}});
  return layers;
}

}  // namespace zonecut
