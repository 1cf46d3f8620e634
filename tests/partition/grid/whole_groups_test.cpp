// How sizes fall into parts that hold whole groups each.
#include "grid/whole_groups.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

/// By trying every set that the first size left may be in.
std::size_t most_groups_of(std::uint32_t left, const std::vector<std::uint32_t>& sizes,
                           std::size_t length) {
  if (left == 0) return 0;
  const std::uint32_t first = left & (~left + 1);
  std::size_t most = most_groups_of(left ^ first, sizes, length);  // in no group
  for (std::uint32_t others = left ^ first;; others = (others - 1) & (left ^ first)) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (((others | first) >> i & 1) != 0) sum += sizes[i];
    }
    if (sum % length == 0)
      most = std::max(most, 1 + most_groups_of(left & ~(others | first), sizes, length));
    if (others == 0) return most;
  }
}

}  // namespace

TEST_CASE("zones fall into groups of whole rows", "[partition]") {
  const std::vector<std::uint32_t> sizes{3, 5, 8, 2, 6, 4, 0};
  CHECK(most_whole_groups(sizes, 8) == 3);  // 8; 3 + 5; 2 + 6 (4 joins either)
  CHECK(most_whole_groups(std::vector<std::uint32_t>{8, 16}, 8) == 2);
  // Of pieces too many for it, no fewer than there can be: three by three in the end.
  const std::vector<std::uint32_t> thirds{1, 1, 1, 1, 4};
  CHECK(most_whole_groups(thirds, 8) == 1);
  CHECK(most_whole_groups(thirds, 8, 2) == 1);
  const std::vector<std::uint32_t> sixths{1, 1, 1, 1, 1, 3};
  CHECK(most_whole_groups(sixths, 8) == 1);
  CHECK(most_whole_groups(sixths, 8, 2) == 2);
}

TEST_CASE("as many groups as trying everything finds", "[partition]") {
  Random random(58);
  for (int i = 0; i < 400; ++i) {
    const std::size_t length = 2 + random.below(14);
    std::vector<std::uint32_t> sizes(1 + random.below(8));
    for (std::uint32_t& size : sizes)
      size = 1 + static_cast<std::uint32_t>(random.below(2 * length));
    const std::uint32_t all = (1U << sizes.size()) - 1;
    const std::size_t most = most_groups_of(all, sizes, length);
    CHECK(most_whole_groups(sizes, length) == most);
    CHECK(most_whole_groups(sizes, length, 1) >= most);
  }
}

TEST_CASE("alike sizes are counted exactly, however many there are", "[partition]") {
  // Five by five, where three by three would do for 20 groups of any sizes.
  CHECK(most_whole_groups(std::vector<std::uint32_t>(60, 3), 15) == 12);
  CHECK(most_whole_groups(std::vector<std::uint32_t>(300, 2), 8) == 75);
}
