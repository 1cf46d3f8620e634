#include "row_cut.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace zonecut {
namespace {

constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::size_t kMostWork = 60'000'000;

using Row = std::vector<std::int64_t>;  ///< by sum

void lower(Row& row, const Row& other, std::int64_t more) {
  for (std::size_t sum = 0; sum < row.size(); ++sum) {
    row[sum] = std::min(row[sum], other[sum] + more);
  }
}

/// Over the border to the next cell: [k'] becomes the least over k of [k] + slope·|k − k'|, and the
/// chain's weight more from empty to full and back.
std::vector<Row> cross_border(const std::vector<Row>& from, const CellRing& ring,
                              std::int64_t slope) {
  const std::size_t full = ring.size;
  const std::int64_t straight = slope * static_cast<std::int64_t>(full) + ring.chain;
  std::vector<Row> to = from;
  for (std::size_t k = 2; k <= full; ++k) lower(to[k], to[k - 1], slope);
  std::vector<Row> down = from;
  for (std::size_t k = full - 1; k-- > 0;) lower(down[k], down[k + 1], slope);
  for (std::size_t k = 0; k < full; ++k) lower(to[k], down[k], 0);
  // From empty to cells taken in part, from full to those: no chain is cut between them.
  for (std::size_t k = 1; k < full; ++k) {
    lower(to[k], from[0], slope * static_cast<std::int64_t>(k));
    lower(to[k], from[full], slope * static_cast<std::int64_t>(full - k));
  }
  lower(to[full], from[0], straight);
  lower(to[0], from[full], straight);
  return to;
}

std::int64_t cost_of_cell(const CellRing& ring, std::size_t taken) {
  return ring.cell(taken) + (ring.price.empty() ? 0 : ring.price[taken]);
}

/// Into the next cell, of which k are taken.
std::vector<Row> enter_cell(const std::vector<Row>& before, const CellRing& ring) {
  std::vector<Row> after = before;
  for (std::size_t k = 0; k <= ring.size; ++k) {
    const std::int64_t cost = cost_of_cell(ring, k);
    std::ranges::fill(after[k], kUnreached);
    for (std::size_t sum = 0; sum + k < after[k].size(); ++sum) {
      after[k][sum + k] = before[k][sum] + cost;
    }
  }
  return after;
}

/// How a path of vertices is taken: whether the first is, whether the last is.
using Ends = std::array<std::array<Row, 2>, 2>;

void clear(Ends& ends, std::size_t sums) {
  for (auto& by_last : ends) {
    for (Row& row : by_last) row.assign(sums, kUnreached);
  }
}

/// Least cuts inside one cell of a chain.
Ends cell_of_chain(const ChainOfRings& chain) {
  Ends least;
  clear(least, chain.size + 1);
  least[0][0][0] = 0;
  least[1][1][1] = 0;
  for (std::size_t v = 1; v < chain.size; ++v) {
    Ends next;
    clear(next, chain.size + 1);
    for (std::size_t first = 0; first < 2; ++first) {
      for (std::size_t last = 0; last < 2; ++last) {
        for (std::size_t now = 0; now < 2; ++now) {
          const std::int64_t cost = now == last ? 0 : chain.step;
          for (std::size_t sum = 0; sum + now <= chain.size; ++sum) {
            std::int64_t& entry = next[first][now][sum + now];
            entry = std::min(entry, least[first][last][sum] + cost);
          }
        }
      }
    }
    least = std::move(next);
  }
  for (std::size_t first = 0; first < 2; ++first) {
    for (std::int64_t& cut : least[first][1 - first]) cut += chain.closing;
    for (Row& row : least[first]) {
      for (std::size_t k = 0; k < chain.price.size(); ++k) row[k] += chain.price[k];
    }
  }
  return least;
}

/// All ways to take the next cell too.
Ends join(const Ends& before, const Ends& cell, std::int64_t link) {
  const std::size_t sums = before[0][0].size();
  Ends after;
  clear(after, sums);
  for (unsigned ways = 0; ways < 16; ++ways) {
    const unsigned first = ways & 1;
    const unsigned last = ways >> 1 & 1;
    const unsigned next = ways >> 2 & 1;
    const unsigned end = ways >> 3 & 1;
    const std::int64_t between = last == next ? 0 : link;
    const Row& taken = cell[next][end];
    Row& row = after[first][end];
    for (std::size_t k = 0; k < taken.size(); ++k) {
      if (taken[k] >= kUnreached) continue;
      for (std::size_t sum = 0; sum + k < sums; ++sum) {
        row[sum + k] = std::min(row[sum + k], before[first][last][sum] + taken[k] + between);
      }
    }
  }
  for (auto& by_last : after) {
    for (Row& row : by_last) lower(row, Row(sums, kUnreached), 0);
  }
  return after;
}

}  // namespace

CutBySize least_cuts(const CellRing& ring) {
  const std::size_t options = ring.size + 1;
  const std::size_t total = ring.cells * ring.size;
  // What remains of a row cuts the same, but does not cost the same.
  const bool mirrored = ring.price.empty();
  const std::size_t sums = mirrored ? total / 2 + 1 : total + 1;
  CutBySize least(sums, kUnreached);
  const auto walk = [&](std::vector<Row> now) {
    for (std::size_t c = 1; c < ring.cells; ++c) {
      now = enter_cell(cross_border(now, ring, ring.slope), ring);
    }
    return now;
  };
  // Of up to half of the row some cell gives no more than half: begin there, where all are alike.
  const std::size_t most = mirrored && ring.lacking == 0 ? ring.size / 2 : ring.size;
  const std::size_t firsts = std::min(most, sums - 1) + 1;
  const bool closes = ring.lacking < ring.slope || ring.chain > 0;
  const bool closed = closes && 6 * sums * options * ring.cells <= kMostWork / firsts;
  std::vector<Row> any(options, Row(sums, kUnreached));
  for (std::size_t first = 0; first < firsts; ++first) {
    any[first][first] = cost_of_cell(ring, first);
    if (!closed) continue;
    std::vector<Row> now(options, Row(sums, kUnreached));
    now[first][first] = cost_of_cell(ring, first);
    now = walk(std::move(now));
    // Two cells have one border between them, one cell none.
    if (ring.cells > 2) now = {cross_border(now, ring, ring.slope - ring.lacking)[first]};
    for (const Row& row : now) lower(least, row, 0);
  }
  if (!closed) {
    // The walk may end anywhere: its last border is left out.
    for (const Row& row : walk(std::move(any))) lower(least, row, 0);
  }
  if (!mirrored) return least;
  least.resize(total + 1);
  for (std::size_t x = 0; 2 * x < total; ++x) least[total - x] = least[x];
  return least;
}

CutBySize least_cuts(const ChainOfRings& chain) {
  const std::size_t total = chain.cells * chain.size;
  const Ends cell = cell_of_chain(chain);
  Ends least;
  clear(least, total + 1);
  for (std::size_t first = 0; first < 2; ++first) {
    for (std::size_t last = 0; last < 2; ++last) {
      std::ranges::copy(cell[first][last], least[first][last].begin());
    }
  }
  for (std::size_t c = 1; c < chain.cells; ++c) least = join(least, cell, chain.chain);
  CutBySize result(total + 1, kUnreached);
  for (std::size_t first = 0; first < 2; ++first) {
    lower(result, least[first][first], 0);
    lower(result, least[first][1 - first], chain.cells > 1 ? chain.chain : 0);
  }
  return result;
}

}  // namespace zonecut
