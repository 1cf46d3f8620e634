#include "bound/stage_relaxation.hpp"

#include <cstdlib>
#include <limits>
#include <numeric>

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

/// Half of what the zone cuts inside its rows and between them.
std::int64_t half_cut(const StageRows& rows, const Takes& takes) {
  const auto apart = [&](std::size_t a, std::size_t b) {
    return std::abs(static_cast<std::int64_t>(takes[a]) - static_cast<std::int64_t>(takes[b]));
  };
  std::int64_t twice = rows.wrap * apart(0, rows.rows - 1);
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

/// Least half cut of one zone, whatever the others do.
std::int64_t cheapest_shape(const StageRows& rows, std::size_t size) {
  Takes takes(rows.rows, 0);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (;;) {
    if (std::accumulate(takes.begin(), takes.end(), std::size_t{0}) == size) {
      least = std::min(least, half_cut(rows, takes));
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
    const double bound = relaxation.solve(none, violation);
    CHECK(bound <= static_cast<double>(sum));
    // With a closing edge a zone at both ends is known to within a part of a row.
    if (rows.wrap == 0) CHECK(bound == Approx(static_cast<double>(sum)).margin(1e-6));
  }
}
