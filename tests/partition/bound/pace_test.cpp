#include "bound/pace.hpp"

#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("a bound is expected to rise on as it did in the last quarter of the work",
          "[partition]") {
  Pace pace(100, 1000);
  CHECK_FALSE(pace.expected(110, 760));
  // By 12 with 250, so by 36 with 750.
  CHECK(pace.expected(112, 750) == 148);
  CHECK_FALSE(pace.expected(113, 600));
  // By 4 with 400, so by 3.5 with 350.
  CHECK(pace.expected(116, 350) == 119.5);
  CHECK(pace.expected(116, 100) == 116);
}

TEST_CASE("where no work was spent nothing is expected", "[partition]") {
  Pace none(100, 0);
  CHECK_FALSE(none.expected(100, 0));
  Pace little(100, 3);
  CHECK_FALSE(little.expected(100, 3));
  CHECK(little.expected(102, 2) == 106);
}
