#include "bound/layer_shapes.hpp"

#include <algorithm>
#include <vector>

#include "grid/min_plus.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

/// Sizes, weights and links that are uneven, in quarters.
std::vector<Layer> drawn_layers(Random& random) {
  const auto up_to = [&](std::size_t most) {
    return static_cast<std::int64_t>(random.below(most + 1));
  };
  std::vector<Layer> layers;
  for (const std::size_t size : {90u, 160u, 120u, 160u}) {
    Layer layer{size, {0}, {}, {}};
    for (std::size_t x = 1; x <= size; ++x) layer.inside.push_back(4 * up_to(50));
    if (!layers.empty()) {
      layer.link.least_before = 4 * up_to(3);
      layer.link.most_before = layer.link.least_before + 4 * up_to(2);
      layer.link.least_here = 4 * up_to(3);
      layer.link.most_here = layer.link.least_here + 4 * up_to(2);
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

double link_cost(const LayerLink& link, std::int64_t x, std::int64_t y) {
  return static_cast<double>(std::max({std::int64_t{0}, link.least_before * x - link.most_here * y,
                                       link.least_here * y - link.most_before * x})) /
         2;
}

/// Layer by layer, every pair of numbers and every sum.
std::vector<double> least_costs(const std::vector<Layer>& layers, const PieceMultipliers& prices,
                                const LayerShapes& shapes, std::size_t largest) {
  std::vector<std::vector<double>> before;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    std::vector<std::vector<double>> here(shapes.options(layer),
                                          std::vector<double>(largest + 1, kNotReached));
    for (std::size_t y = 0; y < here.size(); ++y) {
      const double cost = y == 0 ? 0
                                 : static_cast<double>(layers[layer].inside[y]) / 2 -
                                       prices.piece[shapes.first(layer) + y] - prices.touch;
      if (layer == 0) here[y][y] = cost;
      for (std::size_t x = 0; x < before.size(); ++x) {
        const double more = cost + link_cost(layers[layer].link, static_cast<std::int64_t>(x),
                                             static_cast<std::int64_t>(y));
        for (std::size_t sum = y; sum <= largest; ++sum) {
          here[y][sum] = std::min(here[y][sum], before[x][sum - y] + more);
        }
      }
    }
    before = std::move(here);
  }
  std::vector<double> least(largest + 1, kNotReached);
  for (const std::vector<double>& row : before) {
    for (std::size_t sum = 0; sum <= largest; ++sum) least[sum] = std::min(least[sum], row[sum]);
  }
  return least;
}

}  // namespace

TEST_CASE("what zones pay for layers is the least over all that they may take of each",
          "[partition]") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    const std::vector<Layer> layers = drawn_layers(random);
    // Sums of several strips; with fewer of a layer than it has, too.
    const std::uint32_t largest = seed % 2 == 0 ? 530 : 270;
    const std::size_t most = seed <= 2 ? 1000 : 100;
    LayerShapes shapes(layers, {largest, 100}, most, 1, 0);
    PieceMultipliers prices{std::vector<double>(shapes.end(), 0), 3, 0};
    for (double& price : prices.piece) price = static_cast<double>(random.below(60));
    const std::vector<double> expected = least_costs(layers, prices, shapes, largest);
    LayerShapes::Room room;
    CAPTURE(seed);
    shapes.price(prices, room);
    CHECK(std::ranges::equal(shapes.cost(), expected));
    CHECK(shapes.ways(largest, 1).front().value == expected[largest]);
    shapes.price_costs(prices, room);
    CHECK(std::ranges::equal(shapes.cost(), expected));
    shapes.price(prices, room);
    CHECK(std::ranges::equal(shapes.cost(), expected));
  }
}
