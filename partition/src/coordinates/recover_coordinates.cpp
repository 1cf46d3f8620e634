#include "coordinates/recover_coordinates.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "coordinates/align_grids.hpp"
#include "coordinates/axis_order.hpp"
#include "coordinates/colours.hpp"
#include "coordinates/linear_order.hpp"
#include "coordinates/product_factors.hpp"
#include "coordinates/split_weights.hpp"
#include "coordinates/tree_order.hpp"
#include "grid/full_mesh.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostWeights = 24;
constexpr std::size_t kMostGrids = 4;
constexpr std::size_t kFewRare = 200;  // one edge in so many

struct Grid {
  std::vector<std::uint32_t> vertices;
  std::vector<Factor> factors;
};

class Recovery {
 public:
  /// `kinds`: the edges of the traffic, each weighing what tells its kind.
  Recovery(const CommunicationGraph& kinds, const CommunicationGraph& traffic)
      : graph_(kinds), traffic_(traffic), classes_(kinds) {}

  std::vector<Coordinates> run() {
    if (classes_.count() == 0 || classes_.count() > kMostWeights) return {};
    std::vector<Grid> grids = products(all_weights());
    const WeightSet common = common_weights();
    if (in_products(grids) == 0 && common != all_weights()) grids = products(common);
    // Where encoder and decoder hang together no product is found, but one without the weight of
    // the edges between them.
    for (std::size_t c = 0; in_products(grids) == 0 && c < classes_.count(); ++c) {
      grids = grids_without(c);
    }
    if (in_products(grids) == 0) return {};
    return coordinates_of(grids);
  }

  /// Where edges of this weight lead from grid to grid: vertices in those of two axes or more.
  [[nodiscard]] std::size_t in_products_between(std::int64_t weight) const {
    return in_products(grids_without(classes_.of(weight)));
  }
  [[nodiscard]] std::vector<Coordinates> run_between(std::int64_t weight) const {
    std::vector<Grid> grids = grids_without(classes_.of(weight));
    if (in_products(grids) == 0) return {};
    return coordinates_of(grids);
  }

 private:
  /// Vertices in grids of two axes or more.
  static std::size_t in_products(std::span<const Grid> grids) {
    std::size_t sum = 0;
    for (const Grid& grid : grids) sum += grid.factors.size() > 1 ? grid.vertices.size() : 0;
    return sum;
  }

  [[nodiscard]] WeightSet all_weights() const { return (WeightSet{1} << classes_.count()) - 1; }

  /// But for those that an edge here or there has by itself.
  [[nodiscard]] WeightSet common_weights() const {
    WeightSet common = 0;
    for (std::size_t c = 0; c < classes_.count(); ++c) {
      const bool is_rare = kFewRare * classes_.edges(c) < graph_.edges();
      if (!is_rare) common |= WeightSet{1} << c;
    }
    return common;
  }

  /// That edges of this class lead between. None where they are fewer than two.
  [[nodiscard]] std::vector<Grid> grids_without(std::size_t weight_class) const {
    if (classes_.count() > kMostWeights) return {};
    return products(all_weights() & ~(WeightSet{1} << weight_class), 2);
  }

  /// One grid per component; none where a component is no product, or they are too few.
  [[nodiscard]] std::vector<Grid> products(WeightSet set, std::uint32_t fewest = 1) const {
    std::vector<std::uint32_t> everything(graph_.vertices());
    std::iota(everything.begin(), everything.end(), 0u);
    const auto number = components(graph_, classes_, set, everything);
    const std::uint32_t count = *std::ranges::max_element(number) + 1;
    if (count < fewest || count > kMostGrids) return {};
    std::vector<Grid> grids(count);
    for (const std::uint32_t v : everything) grids[number[v]].vertices.push_back(v);
    for (Grid& grid : grids) {
      auto factors = product_factors(graph_, classes_, set, grid.vertices);
      if (!factors || factors->size() > 3) return {};
      grid.factors = *std::move(factors);
    }
    // The first has room for three axes.
    std::ranges::stable_sort(grids, std::ranges::greater{}, [](const Grid& g) {
      return std::pair(g.vertices.size(), g.factors.size());
    });
    return grids;
  }

  [[nodiscard]] std::vector<Coordinates> coordinates_of(std::span<Grid> grids) const {
    // Grids are told apart by the axes that do not apply.
    constexpr std::array<Coordinates, kMostGrids> kAbsent{
        Coordinates{0, 0, 0}, Coordinates{0, 0, -1}, Coordinates{-1, 0, 0}, Coordinates{-1, 0, -1}};
    std::vector<Coordinates> result(graph_.vertices(), {0, 0, 0});
    for (std::size_t g = 0; g < grids.size(); ++g) {
      const Coordinates& absent = kAbsent[g];
      const auto axes = static_cast<std::size_t>(std::ranges::count(absent, 0));
      if (grids[g].factors.size() > axes) return {};
      place(grids[g], absent, result);
      // Those before it lie along the first one already.
      const bool turns_first = g == 1;
      if (g > 0) {
        align_grids(traffic_, grids[0].vertices, grids[g].vertices, turns_first, result);
      }
    }
    return result;
  }

  /// Ends of edges along a factor.
  [[nodiscard]] std::size_t ends(const Grid& grid, const Factor& factor) const {
    std::size_t sum = 0;
    for (const std::uint32_t u : grid.vertices) {
      for (const auto& [v, weight] : graph_.neighbours(u)) {
        sum += factor.index[v] < factor.size && factor.index[v] != factor.index[u];
      }
    }
    return sum;
  }

  /// The largest factor runs along axis 1; of two as large the one with more edges, since stages
  /// make no more than a ring.
  void place(Grid& grid, const Coordinates& absent, std::vector<Coordinates>& result) const {
    std::ranges::stable_sort(grid.factors, std::ranges::greater{}, [&](const Factor& factor) {
      return std::pair(factor.size, ends(grid, factor));
    });
    std::vector<std::size_t> axes{1};
    if (absent[2] == 0) axes.push_back(2);
    if (absent[0] == 0) axes.push_back(0);
    for (const std::uint32_t v : grid.vertices) result[v] = absent;
    const bool group_axis_is_free = absent[0] == 0 && grid.factors.size() < axes.size();
    for (std::size_t f = 0; f < grid.factors.size(); ++f) {
      const FactorOrder order = axis_order(traffic_, grid.factors[f], grid.vertices);
      const bool in_groups = order.group > 1 && group_axis_is_free && f == 0;
      for (const std::uint32_t v : grid.vertices) {
        const std::uint32_t at = order.place[grid.factors[f].index[v]];
        result[v][axes[f]] = static_cast<int>(in_groups ? at / order.group : at);
        if (in_groups) result[v][0] = static_cast<int>(at % order.group);
      }
    }
  }

  const CommunicationGraph& graph_;
  const CommunicationGraph& traffic_;
  WeightClasses classes_;
};

/// Where edges of one weight lie in grids and also between them. What parts the graph elsewhere
/// leaves less of it in products.
std::vector<Coordinates> recover_parted(const CommunicationGraph& graph,
                                        std::span<const std::uint64_t> colour) {
  std::optional<PartedGraph> best;
  std::size_t most = 0;
  split_where_it_parts(graph, colour, [&](PartedGraph parted) {
    const std::size_t in_products =
        Recovery(parted.graph, graph).in_products_between(parted.between);
    if (in_products <= most) return;
    most = in_products;
    best = std::move(parted);
  });
  if (!best) return {};
  return Recovery(best->graph, graph).run_between(best->between);
}

/// Where edges of two kinds may weigh the same.
std::vector<Coordinates> recover_split(const CommunicationGraph& graph,
                                       const std::optional<CommunicationGraph>& kinds) {
  if (!kinds) return {};
  return Recovery(*kinds, graph).run();
}

/// A ring, a path or a double binary tree by itself, which is a product of nothing.
std::vector<Coordinates> recover_one_axis(const CommunicationGraph& graph) {
  std::vector<std::uint32_t> everything(graph.vertices());
  std::iota(everything.begin(), everything.end(), 0u);
  const WeightClasses classes(graph);
  if (classes.count() == 0 || classes.count() > kMostWeights) return {};
  const auto number = components(graph, classes, (WeightSet{1} << classes.count()) - 1, everything);
  if (*std::ranges::max_element(number) > 0) return {};
  const bool is_line = std::ranges::all_of(
      everything, [&](std::uint32_t v) { return graph.neighbours(v).size() <= 2; });
  const auto order = is_line ? std::optional(linear_order(graph)) : tree_order(graph);
  if (!order) return {};
  std::vector<Coordinates> coordinates(graph.vertices());
  for (std::size_t i = 0; i < order->size(); ++i)
    coordinates[(*order)[i]] = {0, static_cast<int>(i), 0};
  return coordinates;
}

}  // namespace

std::vector<Coordinates> recover_coordinates(const CommunicationGraph& traffic) {
  if (traffic.vertices() < 4) return {};
  std::optional<FullMesh> mesh = full_mesh(traffic);
  // Edges of no weight say nothing either.
  const CommunicationGraph graph = mesh ? std::move(mesh->rest) : weights_above(traffic, 0);
  std::vector<Coordinates> coordinates = Recovery(graph, graph).run();
  if (coordinates.empty()) coordinates = recover_split(graph, split_by_squares(graph));
  if (!coordinates.empty()) return coordinates;
  const std::vector<std::uint64_t> colour = refined_colours(graph);
  coordinates = recover_split(graph, split_by_colours(graph, colour));
  if (!coordinates.empty()) return coordinates;
  coordinates = recover_parted(graph, colour);
  return coordinates.empty() ? recover_one_axis(graph) : coordinates;
}

}  // namespace zonecut
