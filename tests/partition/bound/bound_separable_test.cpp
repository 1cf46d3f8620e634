#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "bound/bound.hpp"
#include "bound/bound_separable.hpp"
#include "grid/line_cut.hpp"
#include "partition/bound/tree_job.hpp"
#include "partition/grid/drawn_lines.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

struct Zones {
  std::vector<std::int64_t> half_border;  ///< by size
  std::vector<std::uint32_t> capacity;
  std::size_t vertices = 0;
};

/// Borders rise and fall with the size. `room`: about how many times the vertices.
Zones draw(Random& random, std::size_t zones, std::size_t largest, std::size_t room,
           std::int64_t least) {
  Zones drawn;
  for (std::size_t z = 0; z < zones; ++z)
    drawn.capacity.push_back(static_cast<std::uint32_t>(random.below(largest + 1)));
  drawn.capacity.front() = static_cast<std::uint32_t>(largest);
  const std::size_t slots =
      std::accumulate(drawn.capacity.begin(), drawn.capacity.end(), std::size_t{0});
  drawn.vertices = std::max<std::size_t>(1, slots / room);
  drawn.half_border = {0};
  for (std::size_t s = 1; s <= largest; ++s)
    drawn.half_border.push_back(least + static_cast<std::int64_t>(random.below(40 + 3 * s)));
  return drawn;
}

/// Over all ways, zone after zone.
std::int64_t least_sum(const Zones& zones) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 2;
  std::vector<std::int64_t> least{0};
  least.resize(zones.vertices + 1, kNone);
  for (const std::uint32_t capacity : zones.capacity) {
    std::vector<std::int64_t> next(zones.vertices + 1, kNone);
    for (std::size_t sum = 0; sum <= zones.vertices; ++sum) {
      for (std::size_t s = 0; s <= std::min<std::size_t>(capacity, sum); ++s) {
        if (least[sum - s] == kNone) continue;
        next[sum] = std::min(next[sum], least[sum - s] + zones.half_border[s]);
      }
    }
    least = std::move(next);
  }
  return least.back();
}

std::int64_t sum_of(const Zones& zones, const Shares& shares) {
  std::int64_t sum = 0;
  for (const std::uint32_t share : shares) sum += zones.half_border[share];
  return sum;
}

bool fits(const Zones& zones, const Shares& shares) {
  return std::ranges::equal(shares, zones.capacity, std::ranges::less_equal{}) &&
         std::accumulate(shares.begin(), shares.end(), std::size_t{0}) == zones.vertices;
}

/// Any rows; what the longest piece costs across them rises, and so does what is spared.
RowModel draw_rows(Random& random, std::size_t rows, std::size_t length) {
  const auto below = [&](std::uint64_t most) {
    return static_cast<std::int64_t>(random.below(most));
  };
  RowModel model;
  model.rows = rows;
  model.length = length;
  model.inside.assign(length + 1, 0);
  for (std::size_t x = 1; x < length; ++x) model.inside[x] = 2 * below(30);
  const std::int64_t step = below(12);
  const std::int64_t spared = below(static_cast<std::uint64_t>(step) + 1);
  for (std::size_t m = 0; m <= length; ++m) {
    model.across.push_back(step * static_cast<std::int64_t>(m));
    model.around.push_back(spared * static_cast<std::int64_t>(m));
  }
  return model;
}

/// Of a zone that holds so much of each row.
std::int64_t half_border(const RowModel& model, std::span<const std::size_t> taken) {
  std::int64_t border = 0;
  for (const std::size_t x : taken) border += model.inside[x] / 2;
  const auto [least, most] = std::ranges::minmax(taken);
  border += model.across[most];
  if (least == model.length) return 0;
  return least == 0 ? border : border - model.around[least];
}

/// By size, of all a zone may hold.
std::vector<std::int64_t> least_half_borders(const RowModel& model) {
  std::vector<std::int64_t> least(model.rows * model.length + 1,
                                  std::numeric_limits<std::int64_t>::max());
  std::vector<std::size_t> taken(model.rows, 0);
  const auto look = [&](const auto& self, std::size_t row, std::size_t sum) -> void {
    if (row == model.rows) {
      least[sum] = std::min(least[sum], half_border(model, taken));
      return;
    }
    for (std::size_t x = 0; x <= model.length; ++x) {
      taken[row] = x;
      self(self, row + 1, sum + x);
    }
  };
  look(look, 0, 0);
  return least;
}

}  // namespace

TEST_CASE("half borders of zones are those of the cheapest shapes, or less", "[partition]") {
  Random random(13);
  int exact = 0;
  int sizes = 0;
  for (int i = 0; i < 400; ++i) {
    const RowModel model = draw_rows(random, 1 + random.below(4), 2 + random.below(5));
    const std::vector<std::int64_t> least = least_half_borders(model);
    const std::size_t most = 1 + random.below(least.size() - 1);
    const std::vector<std::int64_t> found = zone_half_borders(model, most);
    REQUIRE(found.size() == most + 1);
    for (std::size_t s = 0; s <= most; ++s) {
      CAPTURE(i, model.rows, model.length, s);
      // Of more than two rows the mean of all but the longest stands for the shortest.
      if (model.rows == 2) CHECK(found[s] == least[s]);
      CHECK(found[s] <= least[s]);
      exact += found[s] == least[s] ? 1 : 0;
      ++sizes;
    }
  }
  CHECK(exact > sizes * 9 / 10);
}

TEST_CASE("half borders of long rows are bounded without counting pieces", "[partition]") {
  constexpr std::size_t kLong = 4600;
  for (const std::size_t rows : {1u, 2u, 3u}) {
    CAPTURE(rows);
    RowModel model;
    model.rows = rows;
    model.length = kLong;
    model.inside.assign(kLong + 1, 8);
    model.inside.front() = model.inside.back() = 0;
    model.across.assign(kLong + 1, 0);
    model.around = model.across;
    const std::vector<std::int64_t> found = zone_half_borders(model, kLong);
    CHECK(found[0] == 0);
    CHECK(found[1] == 4);
    CHECK(found[kLong - 1] == 4);
    CHECK(found[kLong] == 0);
  }
}

TEST_CASE("the cheapest shares cost what the best of all ways does", "[partition]") {
  Random random(11);
  for (int i = 0; i < 600; ++i) {
    const std::int64_t least = random.below(3) == 0 ? -15 : 1;
    const Zones zones =
        draw(random, 1 + random.below(20), 1 + random.below(12), 1 + random.below(9), least);
    const SharedBound found = cheapest_shares(zones.half_border, zones.capacity, zones.vertices);
    CHECK(fits(zones, found.shares));
    CHECK(found.quarters == least_sum(zones));
    CHECK(found.quarters == sum_of(zones, found.shares));
  }
}

TEST_CASE("shares counted in steps of several vertices cost no more than the best", "[partition]") {
  Random random(12);
  for (const std::int64_t least : {-15, 1}) {
    for (const std::size_t room : {2u, 5u, 30u}) {
      const Zones zones = draw(random, 120, 150, room, least);
      const SharedBound found = cheapest_shares(zones.half_border, zones.capacity, zones.vertices);
      CHECK(fits(zones, found.shares));
      CHECK(found.quarters <= least_sum(zones));
    }
  }
}

namespace {

std::int64_t bound_before_any_step(const fixture::TreeJob& job, const Shares& capacity) {
  const auto bound = bound_of({job.instance.graph, capacity, job.instance.coordinates}, 0);
  return bound ? bound->cut.value : 0;
}

}  // namespace

TEST_CASE("trees on zones that their stages fill are bounded before any step", "[partition]") {
  for (const std::uint32_t ranks : {64u, 256u, 512u}) {
    CAPTURE(ranks);
    const Shares halves{2 * ranks, 2 * ranks};
    const fixture::TreeJob job =
        fixture::tree_job(ranks, 4, 1, 0, fixture::double_tree(ranks, 900), halves);
    CHECK(bound_before_any_step(job, halves) == ranks);
  }
}

TEST_CASE("trees on zones that are in all their stages are bounded before any step",
          "[partition]") {
  constexpr std::int64_t kStages = 4;
  for (const std::uint32_t ranks : {64u, 256u}) {
    CAPTURE(ranks);
    const std::vector<LineEdge> trees = fixture::double_tree(ranks, 1);
    const std::vector<std::int64_t> cuts = least_cuts(ranks, trees);
    const Shares halves{2 * ranks, 2 * ranks};
    const fixture::TreeJob job = fixture::tree_job(ranks, kStages, 900, 0, trees, halves);
    CHECK(bound_before_any_step(job, halves) == kStages * cuts[ranks / 2]);
    const std::int64_t least =
        std::min({cuts[ranks / 2 - 1], cuts[ranks / 2], cuts[ranks / 2 + 1]});
    CHECK(bound_before_any_step(job, {2 * ranks + 4, 2 * ranks + 4}) == kStages * least);
  }
}
