#include "zonecut/base/disjoint_sets.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

TEST_CASE("what was joined is one set, named by what stood for the second", "[base]") {
  constexpr std::size_t kSize = 40;
  Random random(1);
  DisjointSets sets(kSize);
  std::vector<std::size_t> name(kSize);  // the same, kept the long way
  for (std::size_t i = 0; i < kSize; ++i) name[i] = i;
  for (int step = 0; step < 60; ++step) {
    const std::size_t a = random.below(kSize);
    const std::size_t b = random.below(kSize);
    sets.join(a, b);
    std::replace(name.begin(), name.end(), std::size_t{name[a]}, std::size_t{name[b]});
    for (std::size_t i = 0; i < kSize; ++i) REQUIRE(sets.find(i) == name[i]);
  }
}
