#include "bound/level_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "bound/piece_table.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

constexpr std::size_t kKinds = 7;

/// Prices, and what ends cost: across any, around rising.
struct Drawn {
  RowModel model;
  std::vector<double> price{0};

  explicit Drawn(Random& random) {
    model.across.push_back(0);
    model.around.push_back(0);
    for (std::size_t x = 1; x < kKinds; ++x) {
      price.push_back(static_cast<double>(random.below(100)) - 30);
      model.across.push_back(static_cast<std::int64_t>(random.below(60)));
      model.around.push_back(model.around.back() + static_cast<std::int64_t>(random.below(12)));
    }
  }

  [[nodiscard]] double cost(const std::vector<std::size_t>& pieces, bool ends) const {
    double sum = 0;
    for (const std::size_t x : pieces) sum += price[x];
    const auto [low, high] = std::ranges::minmax(pieces);
    return sum + (ends ? static_cast<double>(model.across[high]) : 0) -
           static_cast<double>(model.around[low]);
  }
};

/// The least of all ways.
double least_of_all(const Drawn& drawn, std::size_t count, std::size_t sum, bool ends,
                    std::vector<std::size_t>& begun) {
  if (begun.size() == count) {
    return sum == 0 ? drawn.cost(begun, ends) : std::numeric_limits<double>::infinity();
  }
  double least = std::numeric_limits<double>::infinity();
  const std::size_t first = begun.empty() ? 1 : begun.back();
  for (std::size_t x = first; x < kKinds && x <= sum; ++x) {
    begun.push_back(x);
    least = std::min(least, least_of_all(drawn, count, sum - x, ends, begun));
    begun.pop_back();
  }
  return least;
}

}  // namespace

TEST_CASE("pieces of every row cost what the best of all ways does", "[partition]") {
  Random random(29);
  for (int draw = 0; draw < 400; ++draw) {
    const Drawn drawn(random);
    LevelPieces level;
    level.set_prices(drawn.model, drawn.price);
    PieceTable table(6, 6 * kKinds);
    table.set_prices(drawn.price);
    const std::size_t count = 1 + random.below(6);
    const std::size_t sum = count + random.below(count * (kKinds - 2) + 1);
    const bool ends = random.below(2) == 0;
    const double others = static_cast<double>(random.below(50));
    CAPTURE(draw, count, sum, ends);
    std::vector<std::size_t> begun;
    const double least = least_of_all(drawn, count, sum, ends, begun) + others;
    const LevelPieces::Task task{count, sum, ends, others, table.least(count, sum)};

    std::int64_t work = 1'000'000;
    const auto found = level.cheapest(task, least + 1, work);
    REQUIRE(found.has_value());
    CHECK(std::abs(found->cost - least) < 1e-9);

    std::vector<PieceCount> taken;
    level.take(task, *found, taken);
    std::vector<std::size_t> pieces;
    for (const PieceCount& each : taken) {
      pieces.insert(pieces.end(), static_cast<std::size_t>(each.count), each.piece);
    }
    REQUIRE(pieces.size() == count);
    CHECK(std::accumulate(pieces.begin(), pieces.end(), std::size_t{0}) == sum);
    CHECK(std::abs(drawn.cost(pieces, ends) + others - least) < 1e-9);

    // Nothing costs less than the least.
    const auto none = level.cheapest(task, least, work);
    REQUIRE(none.has_value());
    CHECK(none->shortest == 0);
  }
}

TEST_CASE("pieces of every row are given up where the work is done", "[partition]") {
  Random random(31);
  const Drawn drawn(random);
  LevelPieces level;
  level.set_prices(drawn.model, drawn.price);
  const LevelPieces::Task task{5, 17, true, 0, -1e9};
  std::int64_t work = 3;
  CHECK_FALSE(level.cheapest(task, 1e9, work).has_value());
  work = 1'000'000;
  CHECK(level.cheapest(task, 1e9, work).has_value());
  CHECK(work > 0);
}
