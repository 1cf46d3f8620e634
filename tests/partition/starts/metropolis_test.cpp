// How much a cost may rise.
#include "starts/metropolis.hpp"

#include <cmath>
#include <cstdint>
#include <map>

#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("a rise is allowed by the rule of Metropolis", "[partition]") {
  constexpr double kHeat = 1000;
  constexpr int kDraws = 20'000;
  Random random(86);
  std::map<std::int64_t, int> allowed;
  for (int i = 0; i < kDraws; ++i) {
    Rise rise(random, kHeat);
    bool smaller = true;
    for (const std::int64_t change : {-5, 0, 10, 500, 1000, 3000, 27'000, 1'000'000}) {
      const bool is = rise.allows(change);
      CHECK((!is || smaller));
      smaller = is;
      allowed[change] += is ? 1 : 0;
      // It does not matter what was asked before.
      CHECK(rise.allows(change) == is);
    }
  }
  for (const auto& [change, times] : allowed) {
    const double expected = change <= 0 ? 1 : std::exp(-static_cast<double>(change) / kHeat);
    CHECK(std::abs(times - expected * kDraws) <= 4 * std::sqrt(expected * kDraws) + 1);
  }
}

TEST_CASE("a heat beyond all weights allows nearly any rise", "[partition]") {
  constexpr std::int64_t kAllWeights = std::int64_t{1} << 61;
  Random random(85);
  int allowed = 0;
  for (int i = 0; i < 1000; ++i) allowed += Rise(random, 1e20).allows(kAllWeights) ? 1 : 0;
  CHECK(allowed > 950);
}
