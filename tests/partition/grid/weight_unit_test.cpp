#include "grid/weight_unit.hpp"

#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

TEST_CASE("a finer unit changes no bound, a coarser one only lowers it", "[partition]") {
  Random random(91);
  for (int i = 0; i < 20'000; ++i) {
    const int bits = 1 + static_cast<int>(random.below(61));
    const auto total = static_cast<std::int64_t>(1 + random.below(std::uint64_t{1} << bits));
    const auto weight =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(total) + 1));
    INFO("total " << total << ", weight " << weight);
    const WeightUnit unit = WeightUnit::finest(total);
    CHECK(unit.down(total) < std::int64_t{1} << 48);
    CHECK(unit.whole_cut(4 * unit.down(weight)) <= weight);
    CHECK(unit.down(weight) <= unit.up(weight));
    if (total < std::int64_t{1} << 48) {
      CHECK(unit.whole_cut(4 * unit.down(weight)) == weight);
      CHECK(unit.up(weight) == unit.down(weight));
      // A fraction of the weight rounds up.
      CHECK(unit.whole_cut(4 * unit.down(weight) + 1) == weight + 1);
    }
    if (weight == 0) continue;
    const std::int64_t least = unit.least_quarters(weight);
    CHECK(unit.whole_cut(least) >= weight);
    CHECK(unit.whole_cut(least - 1) < weight);
  }
  CHECK(WeightUnit::finest(1000).least_quarters(std::numeric_limits<std::int64_t>::max()) ==
        std::numeric_limits<std::int64_t>::max());
  CHECK(WeightUnit{}.whole_cut(5) == 2);
  CHECK(WeightUnit{}.least_quarters(2) == 5);
}
