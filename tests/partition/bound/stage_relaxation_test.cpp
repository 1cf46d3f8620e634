#include "bound/stage_relaxation.hpp"

#include <cstdlib>
#include <limits>
#include <numeric>

#include "bound/bound_stages.hpp"
#include "bound/incidence.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

using Takes = std::vector<std::size_t>;  ///< of a zone, by row

std::int64_t below(Random& random, std::uint64_t most) {
  return static_cast<std::int64_t>(random.below(most));
}

StageRows draw_rows(Random& random) {
  StageRows rows;
  rows.rows = 2 + random.below(3);
  rows.length = 1 + random.below(4);
  rows.inside.assign(rows.length + 1, 0);
  for (std::size_t x = 1; x < rows.length; ++x) rows.inside[x] = 2 * below(random, 30);
  rows.step = 2 * (1 + below(random, 20));
  rows.wrap =
      random.below(2) == 0 ? 0 : 2 * below(random, static_cast<std::uint64_t>(rows.step / 2));
  return rows;
}

std::vector<std::uint32_t> draw_sizes(Random& random, std::size_t vertices) {
  std::vector<std::uint32_t> sizes(3, 0);
  for (std::size_t v = 0; v < vertices; ++v) ++sizes[random.below(3)];
  return sizes;
}

/// Half of what the zone cuts inside its rows and between them; over the closing edge all of it, or
/// what the relaxation knows of it: nothing where both ends have more than one vertex.
enum class Closing { Cut, Known };
std::int64_t half_cut(const StageRows& rows, const Takes& takes, Closing closing = Closing::Cut) {
  const auto apart = [&](std::size_t a, std::size_t b) {
    return std::abs(static_cast<std::int64_t>(takes[a]) - static_cast<std::int64_t>(takes[b]));
  };
  const bool free = closing == Closing::Known && takes.front() > 1 && takes.back() > 1;
  std::int64_t twice = free ? 0 : rows.wrap * apart(0, rows.rows - 1);
  for (std::size_t row = 0; row < rows.rows; ++row) {
    twice += rows.inside[takes[row]];
    if (row > 0) twice += rows.step * apart(row - 1, row);
  }
  return twice / 2;
}

/// Least over all ways for three zones to divide the rows, by enumeration.
class Enumeration {
 public:
  Enumeration(const StageRows& rows, std::span<const std::uint32_t> sizes)
      : rows_(rows), left_(sizes.begin(), sizes.end()), takes_(3, Takes(rows.rows, 0)) {}

  std::int64_t run() {
    visit(0);
    return least_;
  }

 private:
  void visit(std::size_t row) {
    if (row == rows_.rows) {
      std::int64_t sum = 0;
      for (const Takes& takes : takes_) sum += half_cut(rows_, takes);
      least_ = std::min(least_, sum);
      return;
    }
    for (std::size_t a = 0; a <= rows_.length; ++a) {
      for (std::size_t b = 0; a + b <= rows_.length; ++b) {
        const std::size_t take[] = {a, b, rows_.length - a - b};
        if (a > left_[0] || b > left_[1] || take[2] > left_[2]) continue;
        for (std::size_t z = 0; z < 3; ++z) left_[z] -= takes_[z][row] = take[z];
        visit(row + 1);
        for (std::size_t z = 0; z < 3; ++z) left_[z] += take[z];
      }
    }
  }

  const StageRows& rows_;
  std::vector<std::size_t> left_;
  std::vector<Takes> takes_;
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
};

/// Least half cut of one zone, as far as it is known, whatever the others do.
std::int64_t cheapest_shape(const StageRows& rows, std::size_t size) {
  Takes takes(rows.rows, 0);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (;;) {
    if (std::accumulate(takes.begin(), takes.end(), std::size_t{0}) == size) {
      least = std::min(least, half_cut(rows, takes, Closing::Known));
    }
    std::size_t row = 0;
    while (row < rows.rows && takes[row] == rows.length) takes[row++] = 0;
    if (row == rows.rows) return least;
    ++takes[row];
  }
}

}  // namespace

TEST_CASE("no prices of stages lift the bound above the optimum", "[partition]") {
  Random random(11);
  for (int i = 0; i < 1500; ++i) {
    const StageRows rows = draw_rows(random);
    const std::vector<std::uint32_t> sizes = draw_sizes(random, rows.rows * rows.length);
    const std::int64_t optimum = Enumeration(rows, sizes).run();
    StageRelaxation relaxation(rows, sizes, incidence_of(sizes, rows.length, rows.rows).touches);
    PieceMultipliers multipliers;
    PieceViolation violation;
    for (int draw = 0; draw < 5; ++draw) {
      multipliers.touch = draw == 0 ? 0 : static_cast<double>(random.below(20)) / 2;
      multipliers.piece.assign(relaxation.pieces(), 0);
      for (double& price : multipliers.piece) {
        price = draw == 0 ? 0 : static_cast<double>(random.below(40)) / 2 - 5;
      }
      INFO("instance " << i << ", draw " << draw);
      REQUIRE(relaxation.solve(multipliers, violation) <= static_cast<double>(optimum));
    }
  }
}

TEST_CASE("without prices every zone takes the shape it likes best along the stages",
          "[partition]") {
  Random random(12);
  for (int i = 0; i < 500; ++i) {
    const StageRows rows = draw_rows(random);
    const std::vector<std::uint32_t> sizes = draw_sizes(random, rows.rows * rows.length);
    std::int64_t sum = 0;
    for (const std::uint32_t size : sizes) sum += size > 0 ? cheapest_shape(rows, size) : 0;
    StageRelaxation relaxation(rows, sizes, 0);
    PieceMultipliers none;
    none.piece.assign(relaxation.pieces(), 0);
    PieceViolation violation;
    CHECK(relaxation.solve(none, violation) == Approx(static_cast<double>(sum)).margin(1e-6));
  }
}

TEST_CASE("parts of a solution of stages add up to it", "[partition]") {
  Random random(13);
  for (int i = 0; i < 300; ++i) {
    const StageRows rows = draw_rows(random);
    const std::vector<std::uint32_t> sizes = draw_sizes(random, rows.rows * rows.length);
    StageRelaxation relaxation(rows, sizes, incidence_of(sizes, rows.length, rows.rows).touches);
    const MultiplierIndex index{relaxation.pieces()};
    PieceMultipliers multipliers;
    multipliers.touch = static_cast<double>(random.below(20));
    for (std::size_t k = 0; k < index.pieces; ++k) {
      multipliers.piece.push_back(static_cast<double>(random.below(40)) - 10);
    }
    PieceViolation violation;
    const double bound = relaxation.solve(multipliers, violation);
    double sum = multipliers.touch * static_cast<double>(relaxation.incidence().touches);
    std::vector<double> slope(index.size(), 0);
    slope[index.touch()] = static_cast<double>(relaxation.incidence().touches);
    for (const Part& part : relaxation.parts()) {
      REQUIRE(part.columns.size() == 1);
      sum += part.count * part.columns.front().value;
      for (const auto& [k, each] : part.columns.front().slope) slope[k] += part.count * each;
    }
    CHECK(bound == Approx(sum).margin(1e-6));
    CHECK(std::vector(slope.begin(), slope.begin() + static_cast<std::ptrdiff_t>(index.pieces)) ==
          violation.piece);
    CHECK(slope[index.touch()] == violation.touch);
  }
}

TEST_CASE("bounds along stages stay below the optimum, at any share of prices", "[partition]") {
  Random random(14);
  for (int i = 0; i < 300; ++i) {
    const StageRows rows = draw_rows(random);
    const std::vector<std::uint32_t> sizes = draw_sizes(random, rows.rows * rows.length);
    const std::int64_t optimum = Enumeration(rows, sizes).run();
    PricedStages cheaper{rows, 0};
    for (std::size_t x = 1; x < rows.length; ++x) cheaper.rows.inside[x] -= 2;
    StageBound bound({cheaper, {rows, 0}}, sizes, optimum);
    WorkBudget first(static_cast<std::int64_t>(random.below(20'000)));
    bound.begin(first);
    INFO("instance " << i);
    REQUIRE(bound.best() <= optimum);
    const std::int64_t begun = bound.best();
    WorkBudget more(50'000);
    bound.climb(more);
    REQUIRE(bound.best() <= optimum);
    CHECK(bound.best() >= begun);
  }
}

TEST_CASE("prices found with many vertices as one lift the bound along stages", "[partition]") {
  StageRows rows{{8, 96, 20, 10}, {}};
  for (std::int64_t x = 0; x <= 96; ++x)
    rows.inside.push_back(4 * (x % 16) * (16 - x % 16) + (x == 0 || x == 96 ? 0 : 300));
  const std::vector<std::uint32_t> sizes{260, 205, 130, 101, 72};
  StageRelaxation relaxation(rows, sizes, 0);
  PieceMultipliers none;
  none.piece.assign(relaxation.pieces(), 0);
  PieceViolation violation;
  const double without = relaxation.solve(none, violation);
  StageBound bound({{rows, 0}}, sizes, std::numeric_limits<std::int64_t>::max());
  WorkBudget few(6 * static_cast<std::int64_t>(relaxation.steps_per_solve()));
  bound.begin(few);
  CHECK(static_cast<double>(bound.best()) > without);
  WorkBudget more(40 * static_cast<std::int64_t>(relaxation.steps_per_solve()));
  const std::int64_t begun = bound.best();
  bound.climb(more);
  CHECK(bound.best() > begun);
}
