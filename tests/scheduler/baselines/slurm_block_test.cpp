#include "baselines/slurm_block.hpp"

#include <rapidcheck.h>

#include <numeric>

#include "support/catch.hpp"

using namespace zonecut;

namespace {

using Shares = std::vector<std::size_t>;

Shares shares_of(const Shares& free, std::size_t block_size, std::size_t nodes) {
  return slurm_block_shares(free, block_size, nodes).value_or(Shares{});
}

}  // namespace

TEST_CASE("a job that fits a base block gets the tightest, of equals the last", "[scheduler]") {
  CHECK(shares_of({4, 3, 4, 3}, 4, 3) == Shares{0, 0, 0, 3});
  CHECK(shares_of({4, 2, 4, 1}, 4, 3) == Shares{0, 0, 3, 0});
}

TEST_CASE("a job of a base block's size is never split over two", "[scheduler]") {
  CHECK_FALSE(slurm_block_shares(Shares{3, 3, 3, 3}, 4, 4));
}

TEST_CASE("blocks are joined as they stand in the file, in powers of two", "[scheduler]") {
  // Five nodes need two base blocks: (0 1), which is the tighter, or (2 3), not (1 2).
  CHECK(shares_of({1, 4, 4, 2}, 4, 5) == Shares{1, 4, 0, 0});
  CHECK_FALSE(slurm_block_shares(Shares{0, 4, 4, 0}, 4, 5));
  // Nine need four: the first four, for the last two have no others beside them in the file.
  CHECK(shares_of({4, 4, 1, 4, 4, 4}, 4, 9) == Shares{0, 4, 1, 4, 0, 0});
}

TEST_CASE("in a block, base blocks go fullest first, and the last is the tightest that suffices",
          "[scheduler]") {
  // 9 of {4, 2, 3, 4}: of the two fullest the last, then the other, then one is left, for which the
  // block of two is the tightest.
  CHECK(shares_of({4, 2, 3, 4}, 4, 9) == Shares{4, 1, 0, 4});
}

TEST_CASE("beyond sixteen base blocks a job takes few blocks of sixteen", "[scheduler]") {
  // 20 nodes, base blocks of one: all 48 are one block, of which at most two of sixteen may serve.
  Shares free(48, 1);
  for (std::size_t i = 16; i < 24; ++i) free[i] = 0;
  const Shares shares = shares_of(free, 1, 20);
  REQUIRE(shares.size() == 48);
  // None holds 20. The first and the third have 16 free and the second 8; of equals, the last.
  CHECK(std::accumulate(shares.begin() + 32, shares.end(), std::size_t{0}) == 16);
  // Four are left: the second block of sixteen is the tightest that holds them.
  CHECK(std::accumulate(shares.begin() + 24, shares.begin() + 32, std::size_t{0}) == 4);
  // No two blocks of sixteen have 20: the job waits, though 30 nodes are free.
  CHECK_FALSE(slurm_block_shares(Shares{[] {
                                   Shares few(48, 0);
                                   for (std::size_t i = 0; i < 48; ++i) few[i] = i % 16 < 9 ? 1 : 0;
                                   return few;
                                 }()},
                                 1, 20));
}

TEST_CASE("shares stay within what is free, and add up", "[scheduler]") {
  CHECK(rc::check([] {
    const auto block_size = *rc::gen::inRange<std::size_t>(1, 5);
    const auto blocks = *rc::gen::inRange<std::size_t>(1, 50);
    const auto free =
        *rc::gen::container<Shares>(blocks, rc::gen::inRange<std::size_t>(0, block_size + 2));
    const std::size_t all = std::accumulate(free.begin(), free.end(), std::size_t{0});
    const auto nodes = *rc::gen::inRange<std::size_t>(1, all + 3);
    const auto shares = slurm_block_shares(free, block_size, nodes);
    RC_ASSERT(!shares || nodes <= all);
    if (!shares) return;
    RC_ASSERT(std::accumulate(shares->begin(), shares->end(), std::size_t{0}) == nodes);
    std::size_t least = blocks;
    std::size_t most = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      RC_ASSERT((*shares)[i] <= free[i]);
      if ((*shares)[i] > 0) {
        least = std::min(least, i);
        most = i;
      }
    }
    // In one block of the least power of two of base blocks that has the size.
    std::size_t joined = 1;
    while (joined * block_size < nodes) joined *= 2;
    if (joined <= 16) RC_ASSERT(least / joined == most / joined);
  }));
}
