#include "bound/priced_sets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "bound/joined_sets.hpp"
#include "bound/swept_sets.hpp"
#include "grid/line_cut.hpp"
#include "grid/relaxation_sums.hpp"
#include "partition/bound/enumerated_cuts.hpp"
#include "partition/grid/drawn_lines.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using fixture::cut_of;
using fixture::double_tree;
using fixture::draw_lines;
using fixture::draw_prices;

namespace {

/// Some edges reach all over the line: places of any width.
std::vector<std::uint32_t> draw_widths(Random& random, std::size_t places) {
  std::vector<std::uint32_t> widths(places, 1);
  if (random.below(2) == 0) return widths;
  for (std::uint32_t& width : widths) width = static_cast<std::uint32_t>(1 + random.below(3));
  return widths;
}

/// By size, at the prices that sets were solved with.
std::vector<double> enumerated_costs(const std::vector<std::uint32_t>& widths,
                                     const std::vector<LineEdge>& edges, const PricedSets& sets,
                                     std::size_t sizes) {
  std::vector<double> least(sizes, kNotReached);
  for (std::uint32_t set = 0; set < 1U << widths.size(); ++set) {
    std::size_t size = 0;
    double cost = static_cast<double>(cut_of(set, edges)) / 2;
    for (std::size_t v = 0; v < widths.size(); ++v) {
      if ((set >> v & 1U) == 0) continue;
      size += widths[v];
      cost -= sets.price(v);
    }
    if (size < least.size()) least[size] = std::min(least[size], cost);
  }
  return least;
}

Fineness fineness_of(int turn) { return turn % 2 == 0 ? Fineness::Bits16 : Fineness::Bits32; }

/// By turns swept, in 16 bits and in 32, and joined.
std::unique_ptr<PricedSets> sets_of(int turn, const std::vector<std::uint32_t>& widths,
                                    const std::vector<LineEdge>& edges, std::size_t largest) {
  constexpr std::size_t kMostSteps = 10'000'000;
  if (turn % 3 == 2) {
    auto sets = JoinedSets::make(widths, edges, largest, kMostSteps);
    return sets ? std::make_unique<JoinedSets>(*std::move(sets)) : nullptr;
  }
  auto sets = SweptSets::make(widths, edges, largest, kMostSteps, fineness_of(turn % 3));
  return sets ? std::make_unique<SweptSets>(*std::move(sets)) : nullptr;
}

/// No unit in which sets count is larger: what all places are worth, and much more than one cuts,
/// in so many bits.
double largest_unit(int turn, const std::vector<double>& prices,
                    const std::vector<LineEdge>& edges) {
  double most = 1;
  for (const double price : prices) most += 7 * std::abs(price);
  for (const LineEdge& edge : edges) most += 150 * static_cast<double>(edge.weight);
  return most / (turn % 3 == 0 ? 3e4 : 1.9e9);
}

}  // namespace

TEST_CASE("at any prices the best sets are those of enumeration", "[partition]") {
  Random random(21);
  std::size_t known = 0;
  for (int i = 0; i < 900; ++i) {
    const std::size_t places = 2 + random.below(9);
    const std::vector<LineEdge> edges = draw_lines(random, places);
    const std::vector<std::uint32_t> widths = draw_widths(random, places);
    const auto sets = sets_of(i, widths, edges, 1 + random.below(20));
    REQUIRE(sets);
    std::vector<std::uint8_t> taken(places);
    for (int draw = 0; draw < 4; ++draw) {
      const std::vector<double> prices = draw_prices(random, places);
      sets->solve(prices);
      const std::vector<double> least =
          enumerated_costs(widths, edges, *sets, sets->costs().size());
      INFO("graph " << i << ", draw " << draw);
      const double unit = largest_unit(i, prices, edges);
      const double lost = unit * static_cast<double>(edges.size()) + 1e-9;
      for (std::size_t v = 0; v < places; ++v) CHECK(std::abs(sets->price(v) - prices[v]) < unit);
      for (std::size_t size = 0; size < least.size(); ++size) {
        if (!sets->knows(size)) continue;
        ++known;
        REQUIRE(sets->costs()[size] <= least[size] + 1e-9);
        REQUIRE(sets->costs()[size] >= least[size] - lost);
        sets->members({&size, 1}, taken);
        double cost = 0;
        std::size_t sum = 0;
        std::uint32_t set = 0;
        for (std::size_t v = 0; v < places; ++v) {
          if (taken[v] == 0) continue;
          set |= 1U << v;
          sum += widths[v];
          cost -= sets->price(v);
        }
        CHECK(sum == size);
        cost += static_cast<double>(cut_of(set, edges)) / 2;
        CHECK(cost <= sets->costs()[size] + lost);
      }
    }
  }
  CHECK(known > 10'000);
}

TEST_CASE("sets are the same where the tables of few places are kept", "[partition]") {
  Random random(31);
  std::size_t known = 0;
  for (int i = 0; i < 300; ++i) {
    const std::size_t places = 3 + random.below(22);
    const std::vector<LineEdge> edges = draw_lines(random, places);
    const std::vector<std::uint32_t> widths = draw_widths(random, places);
    const std::size_t largest = 1 + random.below(20);
    auto all = SweptSets::make(widths, edges, largest, 100'000'000, fineness_of(i));
    auto few = SweptSets::make(widths, edges, largest, 100'000'000, fineness_of(i), 0);
    REQUIRE(all);
    REQUIRE(few);
    CHECK(few->steps() == 2 * all->steps());
    for (int draw = 0; draw < 2; ++draw) {
      const std::vector<double> prices = draw_prices(random, places);
      all->solve(prices);
      few->solve(prices);
      INFO("graph " << i << ", draw " << draw);
      REQUIRE(std::ranges::equal(all->costs(), few->costs()));
      std::vector<std::size_t> sizes;
      for (std::size_t size = 0; size <= largest; ++size) {
        if (all->knows(size)) sizes.push_back(size);
      }
      known += sizes.size();
      std::vector<std::uint8_t> taken(sizes.size() * places);
      few->members(sizes, taken);
      // Any order will do, and several times.
      for (std::size_t k = sizes.size(); k-- > 0;) {
        std::vector<std::uint8_t> one(places);
        all->members({&sizes[k], 1}, one);
        CHECK(std::ranges::equal(one, std::span(taken).subspan(k * places, places)));
        few->members({&sizes[k], 1}, one);
        CHECK(std::ranges::equal(one, std::span(taken).subspan(k * places, places)));
      }
    }
  }
  CHECK(known > 3'000);
}

TEST_CASE("lines lie below what sets of any size cost, and touch it", "[partition]") {
  Random random(32);
  for (int i = 0; i < 200; ++i) {
    const std::size_t places = 3 + random.below(9);
    const std::vector<LineEdge> edges = draw_lines(random, places);
    const std::vector<std::uint32_t> widths = draw_widths(random, places);
    const auto sets = sets_of(i, widths, edges, 1 + random.below(4));
    REQUIRE(sets);
    const std::vector<double> prices = draw_prices(random, places);
    sets->solve(prices);
    sets->look_at_lines();
    const std::size_t all = std::reduce(widths.begin(), widths.end(), std::size_t{0});
    const std::vector<double> least = enumerated_costs(widths, edges, *sets, all + 1);
    const double unit = largest_unit(i, prices, edges);
    const double lost = unit * static_cast<double>(edges.size()) + 1e-9;
    double nearest = kNotReached;
    INFO("graph " << i);
    for (std::size_t size = 0; size <= all; ++size) {
      CHECK(sets->below_costs(size) <= least[size] + 1e-9);
      nearest = std::min(nearest, least[size] - sets->below_costs(size));
    }
    CHECK(nearest <= lost);
  }
}

TEST_CASE("joined sets cost what swept ones do, of lines of any length", "[partition]") {
  Random random(33);
  std::size_t known = 0;
  for (int i = 0; i < 60; ++i) {
    const std::size_t places = 20 + random.below(180);
    const std::vector<LineEdge> edges = double_tree(places, 28);
    const std::vector<std::uint32_t> widths = draw_widths(random, places);
    const std::size_t largest = 1 + random.below(places);
    auto joined = JoinedSets::make(widths, edges, largest, 100'000'000);
    auto swept = SweptSets::make(widths, edges, largest, 100'000'000, Fineness::Bits32);
    REQUIRE(joined);
    REQUIRE(swept);
    const std::vector<double> prices = draw_prices(random, places);
    joined->solve(prices);
    swept->solve(prices);
    const double lost = 300 * largest_unit(2, prices, edges);
    std::vector<std::uint8_t> taken(places);
    INFO("line " << i << " of " << places);
    for (std::size_t size = 0; size <= largest; ++size) {
      if (!joined->knows(size) || !swept->knows(size)) continue;
      ++known;
      CHECK(std::abs(joined->costs()[size] - swept->costs()[size]) <= lost);
      joined->members({&size, 1}, taken);
      double cost = 0;
      std::size_t sum = 0;
      for (std::size_t v = 0; v < places; ++v) {
        sum += taken[v] * widths[v];
        cost -= taken[v] * joined->price(v);
      }
      for (const LineEdge& edge : edges) {
        if (taken[edge.low] != taken[edge.high]) cost += static_cast<double>(edge.weight) / 2;
      }
      CHECK(sum == size);
      CHECK(std::abs(cost - joined->costs()[size]) <= lost);
    }
  }
  CHECK(known > 2'000);
}

TEST_CASE("sets that no prices make worth their while are known, too", "[partition]") {
  const std::vector<LineEdge> edges = double_tree(128, 28);
  const std::vector<std::uint32_t> widths(128, 1);
  const std::vector<std::int64_t> least = least_cuts(128, edges);
  for (int turn = 0; turn < 3; ++turn) {
    const auto sets = sets_of(turn, widths, edges, 64);
    REQUIRE(sets);
    sets->solve(std::vector<double>(128, 0.0));
    for (std::size_t size = 0; size <= 64; ++size) {
      CHECK(sets->costs()[size] == static_cast<double>(least[size]) / 2);
    }
    CHECK_FALSE(sets->knows(65));
  }
  CHECK_FALSE(SweptSets::make(widths, edges, 64, 100'000));
  CHECK_FALSE(JoinedSets::make(widths, edges, 64, 50'000));
}

TEST_CASE("of places that cost far more than any edge other sets are known", "[partition]") {
  const std::vector<LineEdge> edges = double_tree(10, 4);
  const std::vector<std::uint32_t> widths(10, 1);
  for (const double dear : {-1e3, -1e9, -1e18}) {
    for (const int turn : {1, 2}) {
      const auto sets = sets_of(turn, widths, edges, 10);
      REQUIRE(sets);
      std::vector<double> prices(10, 1);
      prices[3] = dear;
      sets->solve(prices);
      CHECK(sets->price(3) < -500);
      const std::vector<double> least = enumerated_costs(widths, edges, *sets, 11);
      for (std::size_t size = 0; size < 10; ++size) {
        INFO(size << " at " << dear << ", turn " << turn);
        if (turn == 2 || dear > -1e9) REQUIRE(sets->knows(size));
        if (sets->knows(size)) CHECK(sets->costs()[size] <= least[size] + 1e-9);
      }
      CHECK((dear == -1e3 || !sets->knows(10)));
    }
  }
}

TEST_CASE("sets are not known whose tables would take far too much memory", "[partition]") {
  std::vector<LineEdge> edges;  // ten neighbours on both sides
  for (std::size_t low = 0; low < 600; ++low) {
    for (std::size_t high = low + 1; high < std::min<std::size_t>(600, low + 11); ++high) {
      edges.push_back(fixture::between(low, high, 4));
    }
  }
  const std::vector<std::uint32_t> widths(600, 1);
  constexpr std::size_t kMostSteps = std::size_t{1} << 28;
  CHECK(JoinedSets::steps(widths, edges, 200) < kMostSteps);
  CHECK_FALSE(JoinedSets::make(widths, edges, 200, kMostSteps));
  CHECK(JoinedSets::make(widths, edges, 10, kMostSteps));
}

TEST_CASE("sets of a line whose edges weigh nothing are worth what their places are",
          "[partition]") {
  const std::vector<LineEdge> edges = double_tree(8, 0);
  for (int turn = 0; turn < 3; ++turn) {
    const auto sets = sets_of(turn, std::vector<std::uint32_t>(8, 1), edges, 8);
    REQUIRE(sets);
    sets->solve(std::vector<double>{8, 7, 6, 5, 4, 3, 2, 1});
    double worth = 0;
    for (std::size_t size = 0; size <= 8; ++size) {
      REQUIRE(sets->knows(size));
      CHECK(sets->costs()[size] == -worth);
      if (size < 8) worth += sets->price(size);
    }
  }
}
