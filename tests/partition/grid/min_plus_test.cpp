#include "grid/min_plus.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "partition/grid/drawn_lines.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using fixture::below;

namespace {

constexpr std::int64_t kUnknown = 1000;

template <class Sum>
std::vector<Sum> draw_sums(Random& random, std::size_t count) {
  std::vector<Sum> sums(count);
  for (Sum& sum : sums) sum = static_cast<Sum>(below(random, 300) - 100);
  for (std::size_t k = random.below(4); k > 0; --k) {
    sums[random.below(count)] = static_cast<Sum>(kUnknown);
  }
  return sums;
}

template <std::size_t kBlock, class Sum>
void check_pairs(Random& random) {
  const std::vector<Sum> x = draw_sums<Sum>(random, 1 + random.below(40));
  const std::size_t counts = 1 + random.below(70);
  const std::size_t blocks = (counts + kBlock - 1) / kBlock * kBlock;
  std::vector<Sum> y(blocks + 2 * kBlock, static_cast<Sum>(kUnknown));
  std::ranges::copy(draw_sums<Sum>(random, counts), y.begin() + kBlock);
  std::vector<Sum> to((x.size() + counts - 1 + kBlock - 1) / kBlock * kBlock,
                      static_cast<Sum>(kUnknown));
  const auto more = static_cast<Sum>(random.below(50));
  const std::span<const Sum> behind_a_block(y.data() + kBlock, counts);
  lower_by_pairs<kBlock, Sum>(to, x, behind_a_block, more, static_cast<Sum>(kUnknown));
  for (std::size_t k = 0; k < x.size() + counts - 1; ++k) {
    std::int64_t least = kUnknown;
    for (std::size_t i = 0; i < x.size() && i <= k; ++i) {
      if (x[i] == kUnknown || k - i >= counts) continue;
      least = std::min<std::int64_t>(least, std::int64_t{x[i]} + behind_a_block[k - i] + more);
    }
    // What is not known may have been lowered by what x gains.
    CHECK((to[k] == least || (least >= kUnknown - 100 && to[k] >= kUnknown - 100)));
  }
}

}  // namespace

TEST_CASE("sums in their places, as many as there is room for", "[partition]") {
  Random random(7);
  for (std::size_t count = 1; count < 12; ++count) {
    const std::vector<double> x = draw_sums<double>(random, count);
    const std::vector<double> y = draw_sums<double>(random, count);
    std::vector<double> to(count, 0);
    const std::size_t set = random.below(count + 1);
    set_sums(std::span(to).first(set), x, y);
    for (std::size_t i = 0; i < count; ++i) CHECK(to[i] == (i < set ? x[i] + y[i] : 0));
  }
}

TEST_CASE("sums of two are the least of all pairs, in blocks of any size", "[partition]") {
  Random random(6);
  for (int i = 0; i < 300; ++i) {
    check_pairs<32, std::int16_t>(random);
    check_pairs<32, std::int64_t>(random);
    check_pairs<8, std::int16_t>(random);
    check_pairs<8, std::int32_t>(random);
    // Less than a register holds, as 8 are where it has 256 bits.
    check_pairs<4, std::int16_t>(random);
    check_pairs<2, std::int32_t>(random);
    check_pairs<1, std::int64_t>(random);
  }
}
