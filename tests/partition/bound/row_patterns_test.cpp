#include "bound/row_patterns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "bound/zone_patterns.hpp"
#include "grid/min_plus.hpp"
#include "grid/row_divisions.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

double draw_price(Random& random) { return static_cast<double>(random.below(1001)) - 400; }

std::vector<double> draw_prices(Random& random, std::size_t kinds) {
  std::vector<double> prices{0};
  for (std::size_t x = 1; x < kinds; ++x) prices.push_back(draw_price(random));
  return prices;
}

std::vector<RowExcess> draw_excess(Random& random, std::size_t length) {
  std::vector<RowExcess> all(random.below(4));
  for (RowExcess& excess : all) {
    excess.piece = draw_prices(random, length);
    excess.row = draw_price(random);
  }
  return all;
}

/// Some more for which groups count, where they divide a row.
void add_with_groups(Random& random, std::size_t length, std::vector<RowExcess>& all) {
  const std::size_t group = 2 + random.below(3);
  if (length % group != 0) return;
  for (std::size_t i = random.below(3); i > 0; --i) {
    RowExcess& excess = all.emplace_back();
    excess.piece = draw_prices(random, length);
    excess.row = draw_price(random);
    excess.group = group;
    excess.whole = static_cast<double>(random.below(300));
  }
}

/// Of a row of three cells, where it is one.
std::optional<RowDivisions> draw_divisions(Random& random, std::size_t length) {
  if (length % 3 != 0 || random.below(2) == 0) return std::nullopt;
  CellRing ring;
  ring.cells = 3;
  ring.size = length / 3;
  ring.slope = static_cast<std::int64_t>(random.below(100));
  ring.cell = [inside = static_cast<std::int64_t>(random.below(300)),
               size = ring.size](std::size_t k) { return k == 0 || k == size ? 0 : inside; };
  return std::optional<RowDivisions>(ring);
}

/// The most parts of the pieces that hold whole groups.
std::size_t most_parts(std::vector<std::uint32_t> pieces, std::size_t group) {
  if (pieces.empty()) return 0;
  std::size_t most = 1;
  for (std::size_t set = 1; set + 1 < std::size_t{1} << pieces.size(); ++set) {
    std::vector<std::uint32_t> rest;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if ((set >> i & 1) == 1) {
        sum += pieces[i];
      } else {
        rest.push_back(pieces[i]);
      }
    }
    if (sum % group == 0) most = std::max(most, 1 + most_parts(std::move(rest), group));
  }
  return most;
}

bool has_all_pieces(std::span<const RowExcess> all) {
  return !all.empty() && all.back().is_of_all_pieces();
}

double excess_of(std::span<const RowExcess> all, std::span<const std::uint32_t> pieces) {
  if (pieces.size() > 3 && !has_all_pieces(all)) return 0;
  double most = 0;
  for (const RowExcess& excess : all) {
    double sum = excess.row;
    for (const std::uint32_t x : pieces) sum += excess.piece[x];
    if (excess.group > 0) {
      const std::size_t parts = most_parts({pieces.begin(), pieces.end()}, excess.group);
      sum -= excess.whole * static_cast<double>(parts);
    }
    for (const auto& [divisions, share] : excess.divisions) {
      sum += share * static_cast<double>(divisions->least(pieces)) / 2;
    }
    most = std::max(most, sum);
  }
  return most;
}

double sum_of(std::span<const double> price, std::span<const std::uint32_t> pieces) {
  double sum = 0;
  for (const std::uint32_t x : pieces) sum += price[x];
  return sum;
}

/// Calls visit(pieces) for all pieces below `kinds`, the larger ones first, that add up to `left`.
template <class Visit>
void for_each_row(std::vector<std::uint32_t>& pieces, std::uint32_t left, std::uint32_t most,
                  const Visit& visit) {
  if (left == 0) return visit(pieces);
  for (std::uint32_t x = std::min(left, most); x > 0; --x) {
    pieces.push_back(x);
    for_each_row(pieces, left - x, x, visit);
    pieces.pop_back();
  }
}

/// Calls visit(price, sizes) for all ways in which zones from this one on fill the rest of a row.
template <class Visit>
void for_each_sharing(std::span<const std::span<const double>> price, std::size_t zone,
                      std::uint32_t left, double cost, std::vector<std::uint32_t>& sizes,
                      const Visit& visit) {
  if (left == 0) return visit(cost, sizes);
  if (zone == price.size()) return;
  for_each_sharing(price, zone + 1, left, cost, sizes, visit);
  for (std::uint32_t x = 1; x < price[zone].size() && x <= left; ++x) {
    sizes.push_back(x);
    for_each_sharing(price, zone + 1, left - x, cost + price[zone][x], sizes, visit);
    sizes.pop_back();
  }
}

bool is_near(double a, double b) { return a == b || std::abs(a - b) < 1e-6; }

}  // namespace

TEST_CASE("the cheapest pieces of a row are those of all there are", "[partition]") {
  Random random(41);
  int few = 0;
  int others = 0;
  for (int draw = 0; draw < 2000; ++draw) {
    const std::size_t length = 2 + random.below(9);
    const std::size_t kinds = 2 + random.below(length - 1);
    const std::vector<double> price = draw_prices(random, kinds);
    const std::vector<RowExcess> excess = draw_excess(random, length);
    double least = kNotReached;
    std::vector<std::uint32_t> pieces;
    for_each_row(pieces, static_cast<std::uint32_t>(length), static_cast<std::uint32_t>(kinds - 1),
                 [&](std::span<const std::uint32_t> row) {
                   least = std::min(least, sum_of(price, row) + excess_of(excess, row));
                 });
    RowPatterns patterns(length, kinds);
    CAPTURE(draw, length, kinds, excess.size());
    CHECK(is_near(patterns.choose(price, excess), least));
    const std::span<const std::uint32_t> chosen = patterns.pieces();
    CHECK(std::reduce(chosen.begin(), chosen.end()) == length);
    CHECK(is_near(sum_of(price, chosen) + excess_of(excess, chosen), least));
    CHECK(patterns.excess().has_value() == (excess_of(excess, chosen) > 0));
    few += patterns.excess() ? 1 : 0;
    for (const RowPatterns::Row& other : patterns.others(price, excess, 4)) {
      CHECK(std::reduce(other.pieces.begin(), other.pieces.end()) == length);
      CHECK(is_near(sum_of(price, other.pieces) + excess_of(excess, other.pieces), other.cost));
      CHECK(other.cost >= least - 1e-6);
      ++others;
    }
  }
  CHECK(few > 100);
  CHECK(others > 2000);
}

TEST_CASE("the cheapest pieces of a row, of a zone each, are those of all there are",
          "[partition]") {
  Random random(42);
  int few = 0;
  int others = 0;
  int filled = 0;
  int grouped = 0;
  for (int draw = 0; draw < 2000; ++draw) {
    const std::size_t length = 2 + random.below(7);
    std::vector<std::vector<double>> prices(1 + random.below(6));
    for (auto& each : prices) each = draw_prices(random, 2 + random.below(length - 1));
    const std::vector<std::span<const double>> price(prices.begin(), prices.end());
    std::vector<RowExcess> excess = draw_excess(random, length);
    add_with_groups(random, length, excess);
    std::optional<RowDivisions> divisions = draw_divisions(random, length);
    if (divisions) {
      RowExcess& with = excess.emplace_back();
      with.piece = draw_prices(random, length);
      with.row = draw_price(random);
      with.divisions.push_back({&*divisions, random.below(2) == 0 ? 1.0 : 0.25});
    }
    double least = kNotReached;
    std::vector<std::uint32_t> sizes;
    for_each_sharing(price, 0, static_cast<std::uint32_t>(length), 0, sizes,
                     [&](double cost, std::span<const std::uint32_t> row) {
                       least = std::min(least, cost + excess_of(excess, row));
                     });
    ZonePatterns patterns(length, price.size());
    CAPTURE(draw, length, price.size(), excess.size());
    const auto check_row = [&](double said, std::span<const ZonePatterns::Piece> pieces) {
      double cost = 0;
      std::vector<std::uint32_t> row;
      std::vector<bool> taken(price.size(), false);
      for (const auto& [zone, size] : pieces) {
        CHECK(!taken[zone]);
        taken[zone] = true;
        cost += price[zone][size];
        row.push_back(size);
      }
      CHECK(std::reduce(row.begin(), row.end()) == length);
      CHECK(is_near(cost + excess_of(excess, row), said));
      CHECK(said >= least - 1e-6);
    };
    // Others begin with another zone each time.
    for (std::size_t turn = 0; turn < price.size(); ++turn) {
      CHECK(is_near(patterns.choose(price, excess), least));
      if (least == kNotReached) {
        CHECK(patterns.pieces().empty());
        CHECK(patterns.others(price, excess, 4).empty());
        continue;
      }
      check_row(least, patterns.pieces());
      for (const ZonePatterns::Row& other : patterns.others(price, excess, 4)) {
        check_row(other.cost, other.pieces);
        ++others;
      }
    }
    if (least == kNotReached) continue;
    ++filled;
    few += patterns.excess() ? 1 : 0;
    grouped += has_all_pieces(excess) && patterns.pieces().size() > 3 ? 1 : 0;
  }
  CHECK(others > 2000);
  CHECK(filled > 1000);
  CHECK(few > 100);
  CHECK(grouped > 20);
}

TEST_CASE("where too many rows cost the same, none costs less than is said", "[partition]") {
  // A row of 60 in cells of 5, and zones that all like to divide these.
  constexpr std::size_t kLength = 60;
  constexpr std::size_t kZones = 14;
  constexpr std::size_t kKinds = 15;
  CellRing ring;
  ring.cells = 12;
  ring.size = 5;
  ring.slope = 40;
  ring.lacking = 40;
  ring.cell = [](std::size_t k) { return std::int64_t{k > 0 && k < 5 ? 300 : 0}; };
  RowDivisions divisions(ring);
  CellWalks walks(ring, 0);
  Random random(45);
  int limited = 0;
  int exact = 0;
  for (int draw = 0; draw < 12; ++draw) {
    std::vector<RowExcess> excess(1);
    RowExcess& with = excess.front();
    with.piece.assign(kLength, 0);
    for (std::size_t x = 1; x < kLength; ++x) {
      with.piece[x] = -static_cast<double>(walks.whole(x)) / 2;
    }
    with.divisions.push_back({&divisions, 1});
    const std::uint64_t spread =
        std::array<std::uint64_t, 3>{1, 50, 5000}[static_cast<std::size_t>(draw) % 3];
    std::vector<std::vector<double>> prices(kZones, std::vector<double>(kKinds, 0));
    for (auto& each : prices) {
      for (std::size_t x = 1; x < kKinds; ++x) {
        each[x] = (x % 5 == 0 ? 900 : 100) + static_cast<double>(random.below(spread));
      }
    }
    const std::vector<std::span<const double>> price(prices.begin(), prices.end());
    ZonePatterns patterns(kLength, kZones);
    double said = 0;
    for (int again = 0; again < 4; ++again) said = patterns.choose(price, excess);
    CAPTURE(draw, spread);
    CHECK(said >= ZonePatterns(kLength, kZones).choose(price, {}));
    double least = kNotReached;
    for (int i = 0; i < 3000; ++i) {
      std::vector<std::uint32_t> row;
      double cost = 0;
      std::size_t left = kLength;
      for (std::size_t zone = random.below(kZones); left > 0; zone = (zone + 1) % kZones) {
        if (row.size() == kZones) break;
        const std::size_t most = std::min(left, kKinds - 1);
        const std::size_t x = 1 + random.below(most);
        cost += price[zone][x];
        row.push_back(static_cast<std::uint32_t>(x));
        left -= x;
      }
      if (left == 0) least = std::min(least, cost + excess_of(excess, row));
    }
    CHECK(said <= least);
    double chosen = 0;
    std::vector<std::uint32_t> row;
    for (const auto& [zone, size] : patterns.pieces()) {
      chosen += price[zone][size];
      row.push_back(size);
    }
    chosen += excess_of(excess, row);
    CHECK(said <= chosen);
    limited += said < chosen ? 1 : 0;
    exact += said == chosen ? 1 : 0;
  }
  CHECK(limited > 0);
  CHECK(exact > 0);
}

TEST_CASE("searches of how pieces divide a row count as work of ranking rows", "[partition]") {
  // Rings of 116 that nothing joins: pieces divide a row in very many ways for the same cost.
  constexpr std::size_t kZones = 6;
  CellRing ring;
  ring.cells = 5;
  ring.size = 116;
  ring.cell = [](std::size_t k) { return std::int64_t{k > 0 && k < 116 ? 3000 : 0}; };
  const std::size_t length = ring.cells * ring.size;
  RowDivisions divisions(ring);
  std::vector<RowExcess> excess(1);
  excess[0].piece.assign(length, -1500);
  excess[0].divisions.push_back({&divisions, 1});
  Random random(47);
  std::vector<std::vector<double>> prices(kZones, std::vector<double>(length, 0));
  for (auto& each : prices) {
    for (std::size_t x = 1; x < length; ++x)
      each[x] = x > 200 ? 9000 : static_cast<double>(random.below(100));
  }
  const std::vector<std::span<const double>> price(prices.begin(), prices.end());
  ZonePatterns patterns(length, kZones);
  constexpr std::int64_t kAllowed = 200'000;
  patterns.allow_ranking(kAllowed);
  const std::size_t layer = kZones * length * length / 4;
  for (int again = 0; again < 3; ++again) {
    CHECK(patterns.choose(price, excess) < kNotReached);
    // A search may begin with the last step that is allowed; tables are few.
    CHECK(patterns.steps(true) < 10 * layer + 5 * (kAllowed + 100'000) + 3'000'000);
  }
}
