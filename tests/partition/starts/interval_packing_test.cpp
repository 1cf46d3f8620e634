// Parts as intervals of rows that are rings or paths: numbers first, then places.
#include "starts/interval_packing.hpp"

#include <algorithm>
#include <numeric>

#include "partition/bound/drawn_grid.hpp"
#include "starts/interval_layout.hpp"
#include "starts/interval_starts.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

struct Drawn {
  IntervalRows rows;
  Shares shares;
};

/// Rings, paths, and rings with a lighter edge, either way.
Drawn draw(Random& random) {
  const auto weight = [&] { return static_cast<std::int64_t>(1 + random.below(20)); };
  const auto closing = [&](std::int64_t edge) {
    return random.below(3) == 0 ? edge : static_cast<std::int64_t>(random.below(2)) * edge / 2;
  };
  Drawn drawn;
  drawn.rows = {2 + random.below(4), 2 + random.below(6), weight(), 0, weight(), 0};
  drawn.rows.wrap = closing(drawn.rows.step);
  drawn.rows.closing = closing(drawn.rows.across);
  drawn.shares.assign(2 + random.below(5), 0);
  for (std::size_t v = 0; v < drawn.rows.rows * drawn.rows.length; ++v) {
    ++drawn.shares[random.below(drawn.shares.size())];
  }
  return drawn;
}

/// Edge by edge; `part` by row and place.
std::int64_t cut_of(const IntervalRows& rows, std::span<const std::uint32_t> part) {
  std::int64_t cut = 0;
  const auto at = [&](std::size_t row, std::size_t place) {
    return part[row * rows.length + place];
  };
  for (std::size_t row = 0; row < rows.rows; ++row) {
    for (std::size_t place = 0; place < rows.length; ++place) {
      const bool last_place = place + 1 == rows.length;
      const bool last_row = row + 1 == rows.rows;
      if (at(row, place) != at(row, last_place ? 0 : place + 1)) {
        cut += last_place ? rows.wrap : rows.step;
      }
      if (at(row, place) != at(last_row ? 0 : row + 1, place)) {
        cut += last_row ? rows.closing : rows.across;
      }
    }
  }
  return cut;
}

/// By row and place.
std::vector<std::uint32_t> places_of(const LaidRows& rows) {
  std::vector<std::uint32_t> part;
  for (const std::vector<RowPiece>& row : rows) {
    std::size_t begin = 0;
    for (const RowPiece& piece : row) {
      CHECK(piece.end > begin);
      part.insert(part.end(), piece.end - begin, piece.part);
      begin = piece.end;
    }
  }
  return part;
}

void check_filled(const Drawn& drawn, const HeldRows& held) {
  for (std::size_t row = 0; row < drawn.rows.rows; ++row) {
    std::size_t sum = 0;
    for (std::size_t part = 0; part < drawn.shares.size(); ++part) sum += held.held(part, row);
    CHECK(sum == drawn.rows.length);
  }
  for (std::size_t part = 0; part < drawn.shares.size(); ++part) {
    CHECK(std::reduce(held.of(part).begin(), held.of(part).end()) == drawn.shares[part]);
  }
}

/// Any places, with these numbers.
std::vector<std::uint32_t> draw_places(const IntervalRows& rows, const HeldRows& held,
                                       Random& random) {
  std::vector<std::uint32_t> all;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    std::vector<std::uint32_t> places;
    for (std::uint32_t part = 0; part < held.parts(); ++part) {
      places.insert(places.end(), held.held(part, row), part);
    }
    random.shuffle(std::span(places));
    all.insert(all.end(), places.begin(), places.end());
  }
  return all;
}

}  // namespace

TEST_CASE("numbers of intervals fill rows and parts, and no places with them cut less",
          "[partition]") {
  Random random(81);
  int lower = 0;
  for (int job = 0; job < 300; ++job) {
    INFO("job " << job);
    const Drawn drawn = draw(random);
    IntervalPacking packing(drawn.rows, drawn.shares, Random(random.next()));
    check_filled(drawn, packing.held());
    const std::int64_t before = packing.cost();
    WorkBudget budget(100'000);
    packing.anneal(budget);
    check_filled(drawn, packing.held());
    CHECK(packing.cost() <= before);
    if (packing.cost() < before) ++lower;
    for (int i = 0; i < 50; ++i) {
      CHECK(packing.cost() <= cut_of(drawn.rows, draw_places(drawn.rows, packing.held(), random)));
    }
  }
  CHECK(lower > 100);
}

TEST_CASE("intervals are laid where their numbers say, and cut what is said", "[partition]") {
  Random random(82);
  int without_loss = 0;
  constexpr int kJobs = 400;
  for (int job = 0; job < kJobs; ++job) {
    INFO("job " << job);
    const Drawn drawn = draw(random);
    IntervalPacking packing(drawn.rows, drawn.shares, Random(random.next()));
    WorkBudget budget(50'000);
    packing.anneal(budget);
    // Some have no budget to lay more than one way.
    WorkBudget laying(job % 4 == 0 ? 0 : 1'000'000);
    const IntervalLayout layout = lay_intervals(drawn.rows, packing.held(), laying);
    const std::vector<std::uint32_t> part = places_of(layout.rows);
    REQUIRE(part.size() == drawn.rows.rows * drawn.rows.length);
    CHECK(layout.cut == cut_of(drawn.rows, part));
    CHECK(layout.cut >= packing.cost());
    if (layout.cut == packing.cost()) ++without_loss;
    for (std::size_t row = 0; row < drawn.rows.rows; ++row) {
      const std::span<const std::uint32_t> places(&part[row * drawn.rows.length],
                                                  drawn.rows.length);
      for (std::uint32_t p = 0; p < drawn.shares.size(); ++p) {
        CHECK(std::ranges::count(places, p) == packing.held().held(p, row));
      }
    }
  }
  CHECK(without_loss > kJobs / 2);
}

TEST_CASE("starts of intervals keep shares, and are often the best there is", "[partition]") {
  int best = 0;
  int tried = 0;
  int none = 0;
  const auto draw_job = [](Random& random, int turn) {
    const auto family = fixture::kFamilies[static_cast<std::size_t>(turn) % 7];
    return fixture::draw_grid(random, family, {2, 2 + random.below(4), 1 + random.below(3), 0});
  };
  const int checked =
      fixture::for_each_drawn(83, 300, draw_job, [&](Random& random, const auto& drawn) {
        if (drawn.job.graph.vertices() > 12) return;
        const PartitionProblem problem{drawn.job.graph, drawn.sizes, drawn.job.coordinates};
        const std::vector<Shares> choices{drawn.sizes};
        const std::vector<Partition> starts =
            interval_starts(problem, choices, {400'000, 4, 2}, {.seed = random.next()});
        if (starts.empty()) {
          ++none;
          return;
        }
        ++tried;
        for (const Partition& start : starts) {
          CHECK(start.cut == cut_weight(drawn.job.graph, start.part));
          Shares held(drawn.sizes.size(), 0);
          for (const std::uint32_t part : start.part) ++held.at(part);
          CHECK(held == drawn.sizes);
        }
        const auto least = std::ranges::min(starts, {}, &Partition::cut).cut;
        if (static_cast<double>(least) == drawn.optimum()) ++best;
      });
  CHECK(checked > 150);
  CHECK(none > 20);
  CHECK(tried > 40);
  CHECK(best > tried * 9 / 10);
}

TEST_CASE("edges as heavy as a graph may have are annealed", "[partition]") {
  // Two edges within rows, two between them.
  constexpr std::int64_t kEdge = (std::int64_t{1} << 62) / 10;
  const IntervalRows rows{2, 2, kEdge, 0, kEdge, 0};
  IntervalPacking packing(rows, Shares{2, 2}, Random(85));
  WorkBudget budget(100'000);
  packing.anneal(budget);
  WorkBudget laying(1'000);
  CHECK(packing.cost() == 2 * kEdge);
  CHECK(lay_intervals(rows, packing.held(), laying).cut == 2 * kEdge);
}

TEST_CASE("zones above one another beside a third are found", "[partition]") {
  // 16 stages of a ring of 256. Columns through six stages cut 138,240.
  const IntervalRows rows{16, 256, 3328, 3328, 166, 0};
  const Shares shares{1269, 1254, 1182, 391};
  std::int64_t least = 1'000'000;
  Random random(84);
  for (int run = 0; run < 8; ++run) {
    IntervalPacking packing(rows, shares, Random(random.next()));
    WorkBudget budget(2'000'000);
    packing.anneal(budget);
    WorkBudget laying(1'000'000);
    least = std::min(least, lay_intervals(rows, packing.held(), laying).cut);
  }
  CHECK(least <= 135'000);
}
