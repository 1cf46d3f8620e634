#include "grid/row_cut.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "grid/min_plus.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::size_t kMostWork = 60'000'000;

using Row = std::vector<double>;  ///< by sum

double number(std::int64_t weight) { return static_cast<double>(weight); }

/// Of all walks that begin with the same first cell.
std::size_t steps_of_walk(std::size_t cells, std::size_t options, std::size_t sums) {
  return 6 * sums * options * cells;
}

std::int64_t whole(double cut) {
  return cut == kNotReached ? kUnreached : static_cast<std::int64_t>(cut);
}

/// The least cut of the cells so far, by how much of the last cell is taken and by the sum. Sums
/// from `reached` on there are none yet.
struct Walk {
  std::size_t sums;
  std::size_t reached;
  std::vector<double> cut;

  Walk(std::size_t options, std::size_t most)
      : sums(most), reached(0), cut(options * most, kNotReached) {}
  [[nodiscard]] std::span<double> at(std::size_t k) {
    return std::span(cut).subspan(k * sums, reached);
  }
  void begin(std::size_t k, double cost) {
    reached = std::max(reached, k + 1);
    cut[k * sums + k] = cost;
  }
};

/// Over the border to the next cell: [k'] becomes the least over k of [k] + slope·|k − k'|, and the
/// chain's weight more from empty to full and back. `from` is of no use afterwards.
void cross_border(Walk& from, Walk& to, const CellRing& ring, std::int64_t weight) {
  const std::size_t full = ring.size;
  const double slope = number(weight);
  const double chain = number(ring.chain);
  const auto times = [&](std::size_t k) { return slope * static_cast<double>(k); };
  to.reached = from.reached;
  const std::span<const double> empty = from.at(0);
  const std::span<const double> whole = from.at(full);
  // From cells of which less is taken, but not nothing.
  Row upwards(from.reached, kNotReached);
  for (std::size_t k = 1; k < full; ++k) {
    set_least(upwards, {{from.at(k)}, {upwards, slope}});
    // From empty to cells taken in part, from full to those: no chain is cut between them.
    set_least(to.at(k), {{upwards}, {empty, times(k)}, {whole, times(full - k)}});
  }
  set_least(to.at(full), {{upwards, slope}, {whole}, {empty, times(full) + chain}});
  set_least(to.at(0), {{empty}, {whole, times(full) + chain}});
  for (std::size_t k = full - 1; k-- > 0;) {
    lower(from.at(k), from.at(k + 1), slope);
    lower(to.at(k), from.at(k), 0);
  }
}

double cost_of_cell(const CellRing& ring, std::size_t taken) {
  return number(ring.cell(taken) + (ring.price.empty() ? 0 : ring.price[taken]));
}

/// Into the next cell, of which k are taken.
void enter_cell(Walk& walk, const CellRing& ring) {
  const std::size_t before = walk.reached;
  walk.reached = std::min(walk.sums, before + ring.size);
  for (std::size_t k = 0; k <= ring.size; ++k) {
    const double cost = cost_of_cell(ring, k);
    const std::span<double> row = walk.at(k);
    const std::size_t end = std::min(before + k, walk.reached);
    for (std::size_t sum = end; sum-- > k;) row[sum] = row[sum - k] + cost;
    std::ranges::fill(row.first(std::min(k, row.size())), kNotReached);
    std::ranges::fill(row.subspan(std::max(end, std::min(k, row.size()))), kNotReached);
  }
}

/// How a path of vertices is taken: whether the first is, whether the last is.
using Ends = std::array<std::array<Row, 2>, 2>;

void clear(Ends& ends, std::size_t sums) {
  for (auto& by_last : ends) {
    for (Row& row : by_last) row.assign(sums, kNotReached);
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
          const double cost = now == last ? 0 : number(chain.step);
          lower(std::span(next[first][now]).subspan(now), least[first][last], cost);
        }
      }
    }
    least = std::move(next);
  }
  for (std::size_t first = 0; first < 2; ++first) {
    for (double& cut : least[first][1 - first]) cut += number(chain.closing);
    for (Row& row : least[first]) {
      for (std::size_t k = 0; k < chain.price.size(); ++k) row[k] += number(chain.price[k]);
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
    const double between = last == next ? 0 : number(link);
    const Row& taken = cell[next][end];
    for (std::size_t k = 0; k < taken.size(); ++k) {
      if (taken[k] == kNotReached) continue;
      lower(std::span(after[first][end]).subspan(k), before[first][last], taken[k] + between);
    }
  }
  return after;
}

/// All closed walks over the cells of a ring, by what is taken of the first cell.
class RingWalks {
 public:
  /// `counted`: cells will be asked for.
  explicit RingWalks(const CellRing& ring, bool counted = false)
      : ring_(ring),
        options_(ring.size + 1),
        total_(ring.cells * ring.size),
        // What remains of a row cuts the same, but does not cost the same.
        mirrored_(!counted && ring.price.empty() && ring.end_price == 0),
        sums_(mirrored_ ? total_ / 2 + 1 : total_ + 1),
        // Of up to half of the row some cell gives no more than half: begin there, where all are
        // alike.
        firsts_(std::min(mirrored_ && ring.lacking == 0 ? ring.size / 2 : ring.size, sums_ - 1) +
                1),
        now_(options_, sums_),
        next_(options_, sums_) {}

  /// `cells`, where asked for, are those of CountedCuts.
  CutBySize run(std::vector<std::uint32_t>* cells = nullptr) {
    least_.assign(sums_, kNotReached);
    cells_ = cells;
    if (cells_ != nullptr) cells_->assign((total_ + 1) * options_, 0);
    if (closed()) {
      for (std::size_t first = 0; first < firsts_; ++first) walk_around(first);
    } else {
      walk_openly();
    }
    CutBySize cuts;
    for (const double cut : least_) cuts.push_back(whole(cut));
    if (mirrored_) mirror(cuts);
    return cuts;
  }

 private:
  /// Whether there is time to begin with each choice of the first cell.
  [[nodiscard]] bool closed() const {
    const bool closes = ring_.lacking < ring_.slope || ring_.chain > 0;
    return closes && steps_of_walk(ring_.cells, options_, sums_) <= kMostWork / firsts_;
  }

  [[nodiscard]] double at_end(std::size_t k) const {
    return number(ring_.end_price) * static_cast<double>(k);
  }

  void begin(std::size_t first) { now_.begin(first, cost_of_cell(ring_, first) + at_end(first)); }

  void walk_on() {
    if (cells_ != nullptr) steps_.resize(ring_.cells, now_);
    for (std::size_t c = 1; c < ring_.cells; ++c) {
      if (cells_ != nullptr) steps_[c - 1] = now_;
      cross_border(now_, next_, ring_, ring_.slope);
      std::swap(now_, next_);
      enter_cell(now_, ring_);
    }
    for (std::size_t k = 0; ring_.end_price != 0 && k < options_; ++k) {
      for (double& cut : now_.at(k)) cut += at_end(k);
    }
    if (cells_ != nullptr) steps_.back() = now_;
  }

  void walk_around(std::size_t first) {
    now_ = Walk(options_, sums_);
    begin(first);
    walk_on();
    const Row before = cells_ != nullptr ? least_ : Row{};
    close(first);
    for (std::size_t x = 0; x < before.size(); ++x) {
      if (least_[x] < before[x]) count_cells(x, first, ring_.cells > 2);
    }
  }

  void close(std::size_t first) {
    // Two cells have one border between them, one cell none.
    if (ring_.cells <= 2) return end_anywhere();
    cross_border(now_, next_, ring_, ring_.slope - ring_.lacking);
    lower(std::span(least_).first(next_.reached), next_.at(first), 0);
  }

  /// The walk may end anywhere: its last border is left out.
  void walk_openly() {
    now_ = Walk(options_, sums_);
    for (std::size_t first = 0; first < firsts_; ++first) begin(first);
    walk_on();
    end_anywhere();
    for (std::size_t x = 0; cells_ != nullptr && x < sums_; ++x) count_cells(x, 0, false);
  }

  void end_anywhere() {
    for (std::size_t k = 0; k < options_; ++k) {
      lower(std::span(least_).first(now_.reached), now_.at(k), 0);
    }
  }

  /// Back along a shortest walk of the last ones, over the border to the first cell or without.
  void count_cells(std::size_t sum, std::size_t first, bool around) {
    std::uint32_t* count = &(*cells_)[sum * options_];
    std::fill_n(count, options_, 0);
    std::size_t after = first;
    std::int64_t slope = around ? ring_.slope - ring_.lacking : 0;
    std::int64_t chain = around ? ring_.chain : 0;
    for (std::size_t c = ring_.cells; c-- > 0;) {
      std::size_t best = 0;
      double least = kNotReached;
      for (std::size_t k = 0; k <= std::min(ring_.size, sum); ++k) {
        const std::span<const double> cuts = steps_[c].at(k);
        if (sum >= cuts.size()) break;
        const std::size_t apart = k < after ? after - k : k - after;
        const std::int64_t border = slope * static_cast<std::int64_t>(apart) +
                                    (apart == ring_.size ? chain : std::int64_t{0});
        if (cuts[sum] + number(border) >= least) continue;
        least = cuts[sum] + number(border);
        best = k;
      }
      ++count[best];
      sum -= best;
      after = best;
      slope = ring_.slope;
      chain = ring_.chain;
    }
  }

  void mirror(CutBySize& cuts) const {
    cuts.resize(total_ + 1);
    for (std::size_t x = 0; 2 * x < total_; ++x) cuts[total_ - x] = cuts[x];
  }

  const CellRing& ring_;
  std::size_t options_;
  std::size_t total_;
  bool mirrored_;
  std::size_t sums_;
  std::size_t firsts_;
  Walk now_;
  Walk next_;
  Row least_;
  std::vector<Walk> steps_;  // after each cell of the walks from one first cell
  std::vector<std::uint32_t>* cells_ = nullptr;
};

}  // namespace

CutBySize least_cuts(const CellRing& ring) { return RingWalks(ring).run(); }

CountedCuts counted_cuts(const CellRing& ring) {
  std::vector<std::uint32_t> cells;
  CutBySize cut = RingWalks(ring, true).run(&cells);
  return {std::move(cut), std::move(cells)};
}

std::size_t counted_steps(std::size_t cells, std::size_t size, bool ring) {
  const std::size_t options = size + 1;
  const std::size_t once = steps_of_walk(cells, options, cells * size + 1);
  const bool closed = ring && once <= kMostWork / options;
  // Sums are taken two at a time.
  return (closed ? once * options : once) / 2;
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
  Row lowest(total + 1, kNotReached);
  for (std::size_t first = 0; first < 2; ++first) {
    lower(lowest, least[first][first], 0);
    lower(lowest, least[first][1 - first], chain.cells > 1 ? number(chain.chain) : 0);
  }
  CutBySize result;
  for (const double cut : lowest) result.push_back(whole(cut));
  return result;
}

}  // namespace zonecut
