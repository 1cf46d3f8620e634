#include "bound/shared_sizes.hpp"

#include <algorithm>
#include <numeric>

#include "grid/min_plus.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

struct Task {
  std::vector<std::uint32_t> capacity;
  std::vector<SizeRange> ranges;          ///< by zone; none: up to its capacity
  std::vector<std::vector<double>> cost;  ///< by size; one for all, or one by capacity
  std::size_t vertices = 0;
};

std::vector<double> draw_costs(Random& random, std::size_t largest) {
  std::vector<double> costs{0};
  for (std::size_t size = 1; size <= largest; ++size) {
    const double cost = static_cast<double>(random.below(200)) - 60;
    costs.push_back(size > 1 && random.below(6) == 0 ? kNotReached : cost);
  }
  return costs;
}

Task draw_task(Random& random) {
  Task task;
  std::uint32_t room = 0;
  for (std::size_t zones = 1 + random.below(5); zones > 0; --zones) {
    task.capacity.push_back(static_cast<std::uint32_t>(random.below(9)));
    room += task.capacity.back();
  }
  if (room == 0) task.capacity.front() = room = 1;
  // No zone has room for more than all.
  const std::uint32_t least = std::ranges::max(task.capacity);
  task.vertices = least + random.below(room - least + 1);
  const std::uint32_t largest = std::ranges::max(task.capacity);
  const bool apart = random.below(2) == 0;
  for (std::size_t i = 0; i <= (apart ? largest : 0); ++i) {
    task.cost.push_back(draw_costs(random, largest));
  }
  return task;
}

const std::vector<double>& costs_of(const Task& task, std::size_t zone) {
  return task.cost[task.cost.size() == 1 ? 0 : task.capacity[zone]];
}

/// As the search wants them: for every capacity there is but 0, the largest first.
std::vector<std::span<const double>> costs_by_kind(const Task& task) {
  if (task.cost.size() == 1) return {task.cost.front()};
  std::vector<std::span<const double>> costs;
  for (std::uint32_t c = std::ranges::max(task.capacity); c > 0; --c) {
    if (std::ranges::count(task.capacity, c) > 0) costs.emplace_back(task.cost[c]);
  }
  return costs;
}

/// Of most zones all sizes.
std::vector<SizeRange> draw_ranges(Random& random, const Task& task) {
  std::vector<SizeRange> ranges;
  for (const std::uint32_t most : task.capacity) {
    ranges.push_back({0, most});
    if (random.below(3) > 0) continue;
    ranges.back().most = random.below(most + 1);
    ranges.back().least = random.below(ranges.back().most + 1);
  }
  return ranges;
}

/// Over all sizes from this zone on.
double enumerated(const Task& task, std::size_t zone, std::size_t vertices) {
  if (zone == task.capacity.size()) return vertices == 0 ? 0 : kNotReached;
  double least = kNotReached;
  const SizeRange range =
      task.ranges.empty() ? SizeRange{0, task.capacity[zone]} : task.ranges[zone];
  for (std::size_t size = range.least; size <= std::min(range.most, vertices); ++size) {
    const double cost = costs_of(task, zone)[size];
    if (cost == kNotReached) continue;
    least = std::min(least, cost + enumerated(task, zone + 1, vertices - size));
  }
  return least;
}

}  // namespace

TEST_CASE("the cheapest sizes that add up are those of enumeration", "[partition]") {
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    const Task task = draw_task(random);
    SharedSizes sizes(task.capacity, task.vertices);
    const double least = enumerated(task, 0, task.vertices);
    if (least == kNotReached) continue;
    INFO("task " << i);
    // What an earlier search needed must not show in a later one.
    for (const std::size_t work : {1'000'000UL, 1UL, 20UL, 1'000'000UL}) {
      const SharedSizes::Choice& choice = sizes.choose(costs_by_kind(task), work);
      REQUIRE(choice.least <= least);
      if (work < 1'000'000) continue;
      REQUIRE(choice.least >= least - 1e-6);
      const std::optional<Shares> shares = sizes.shares();
      REQUIRE(shares);
      double cost = 0;
      std::size_t sum = 0;
      for (std::size_t z = 0; z < shares->size(); ++z) {
        REQUIRE((*shares)[z] <= task.capacity[z]);
        cost += costs_of(task, z)[(*shares)[z]];
        sum += (*shares)[z];
      }
      CHECK(sum == task.vertices);
      CHECK(cost == least);
    }
  }
}

TEST_CASE("the cheapest of the sizes that are allowed are those of enumeration", "[partition]") {
  Random random(6);
  int possible = 0;
  for (int i = 0; i < 3000; ++i) {
    Task task = draw_task(random);
    SharedSizes sizes(task.capacity, task.vertices);
    INFO("task " << i);
    // One after the other, and all again in the end.
    for (int draw = 0; draw < 3; ++draw) {
      task.ranges = draw_ranges(random, task);
      if (draw == 2) task.ranges.clear();
      std::vector<SizeRange> all;
      for (const std::size_t most : sizes.capacity()) all.push_back({0, most});
      sizes.allow(draw == 2 ? all : task.ranges);
      const double least = enumerated(task, 0, task.vertices);
      const SharedSizes::Choice& few = sizes.choose(costs_by_kind(task), 5);
      CHECK(few.least <= least);
      const SharedSizes::Choice& choice = sizes.choose(costs_by_kind(task), 1'000'000);
      CHECK(choice.least <= least);
      if (!sizes.adds_up()) CHECK(least == kNotReached);
      if (least == kNotReached) continue;
      ++possible;
      REQUIRE(choice.least >= least - 1e-6);
      const std::optional<Shares> shares = sizes.shares();
      REQUIRE(shares);
      double cost = 0;
      for (std::size_t z = 0; z < shares->size(); ++z) {
        if (draw < 2) CHECK((*shares)[z] >= task.ranges[z].least);
        if (draw < 2) CHECK((*shares)[z] <= task.ranges[z].most);
        cost += costs_of(task, z)[(*shares)[z]];
      }
      CHECK(cost == least);
    }
  }
  CHECK(possible > 4000);
}
