#pragma once
// For every size the set of a line's vertices that costs least: what it cuts and what its vertices
// cost. By dynamic programming over the parts of the line (line_parts.hpp) from single vertices up:
// sums by state of the open vertices and by how many are taken, those of two halves added up in
// every way. Costs are whole numbers of 16, 32 or 64 bits.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "grid/line_joins.hpp"
#include "grid/line_parts.hpp"
#include "grid/min_plus.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {

/// Sums by state and by count. Those of a state fill whole blocks, between two more blocks of sums
/// that are not known (lower_by_pairs).
template <class Sum>
class SumTable {
 public:
  static constexpr std::size_t kBlock = 32;
  static constexpr std::size_t kSmallBlock = 8;

  /// With the blocks around them.
  [[nodiscard]] static std::size_t size(std::size_t states, std::size_t counts) {
    const std::size_t block = block_for(counts);
    return states * (in_blocks(counts, block) + 2 * block);
  }
  /// The sums may be any.
  void allot(std::size_t states, std::size_t counts) {
    counts_ = counts;
    block_ = block_for(counts);
    blocks_ = in_blocks(counts, block_);
    sums_.resize(size(states, counts));
  }

  [[nodiscard]] std::size_t counts() const { return counts_; }
  [[nodiscard]] bool has_small_blocks() const { return block_ == kSmallBlock; }
  /// Nothing is known.
  void clear(Sum unknown) { std::ranges::fill(sums_, unknown); }
  /// What stands behind the counts of every state is not known.
  void clear_behind(Sum unknown) {
    for (std::size_t at = block_ + counts_; at < sums_.size(); at += stride()) {
      std::fill_n(&sums_[at], blocks_ - counts_, unknown);
    }
  }
  [[nodiscard]] std::span<Sum> sums(std::size_t state) { return {begin(state), counts_}; }
  [[nodiscard]] std::span<const Sum> sums(std::size_t state) const {
    return {sums_.data() + state * stride() + block_, counts_};
  }
  /// With as many more as fill the last block.
  [[nodiscard]] std::span<Sum> blocks(std::size_t state) { return {begin(state), blocks_}; }

 private:
  [[nodiscard]] static std::size_t block_for(std::size_t counts) {
    return counts <= 2 * kSmallBlock ? kSmallBlock : kBlock;
  }
  [[nodiscard]] static std::size_t in_blocks(std::size_t counts, std::size_t block) {
    return (counts + block - 1) / block * block;
  }
  [[nodiscard]] std::size_t stride() const { return blocks_ + 2 * block_; }
  [[nodiscard]] Sum* begin(std::size_t state) { return sums_.data() + state * stride() + block_; }

  std::size_t counts_ = 0;
  std::size_t block_ = kSmallBlock;
  std::size_t blocks_ = 0;
  std::vector<Sum> sums_;
};

/// Those of all parts, for `members`, or those only that are still to be joined.
enum class KeptTables { All, Needed };

template <class Sum>
class JoinedSums {
 public:
  /// Borrows both. Vertices that count as so many, sets of at most `most`.
  JoinedSums(std::span<const LinePart> parts, std::span<const LineJoin> joins,
             std::span<const std::uint32_t> widths, std::size_t most, KeptTables kept)
      : parts_(parts),
        joins_(joins),
        widths_(widths),
        most_(most),
        kept_(kept),
        width_(parts.size(), 0),
        tables_(parts.size()),
        cuts_(parts.size()) {
    for (std::size_t i = parts.size(); i-- > 0;) {
      const LinePart& part = parts[i];
      width_[i] = part.size() == 1 ? widths[part.low]
                                   : width_[part.halves[0].index] + width_[part.halves[1].index];
    }
  }

  /// Sums of all tables. Space for them is taken by the first solve.
  [[nodiscard]] std::size_t size() const {
    std::size_t size = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      size += SumTable<Sum>::size(parts_[i].states(), counts(i));
    }
    return size;
  }

  /// What edges cut. Sums of some that always come together are rounded as one: `in_units` makes a
  /// Sum of a weight, rounded down.
  template <class Units>
  void count_cuts(Units in_units) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (std::size_t half = 0; half < 2; ++half) {
        cuts_[i].ways[half].clear();
        for (const auto& way : joins_[i].ways[half]) {
          cuts_[i].ways[half].push_back(in_units(way.cut));
        }
      }
      cuts_[i].pairs.clear();
      for (const auto& pair : joins_[i].pairs) cuts_[i].pairs.push_back(in_units(pair.cut));
    }
  }

  /// With what vertices cost when they are taken. Sets that cost less than `known` are known. A Sum
  /// holds twice `known`, twice what vertices together cost below 0 and what a join cuts at most,
  /// all added up; above 0 a vertex may cost any Sum.
  void solve(std::span<const Sum> cost, Sum known) {
    known_ = known;
    gain_.assign(parts_.size(), 0);
    for (std::size_t i = parts_.size(); i-- > 0;) {
      const LinePart& part = parts_[i];
      gain_[i] = part.size() == 1
                     ? static_cast<Sum>(-std::min<Sum>(0, cost[part.low]))
                     : static_cast<Sum>(gain_[part.halves[0].index] + gain_[part.halves[1].index]);
    }
    for (std::size_t i = parts_.size(); i-- > 0;) {
      if (parts_[i].size() == 1) {
        take_or_not(i, cost);
      } else {
        join(i);
      }
    }
  }

  /// By size; what is not below `known` is not known.
  [[nodiscard]] std::span<const Sum> sums() const { return tables_.front().sums(0); }

  /// Whether the best set of a known size has the vertices, by vertex.
  void members(std::size_t size, std::span<std::uint8_t> taken) const {
    struct Visit {
      std::size_t part;
      std::size_t state;
      std::size_t count;
    };
    std::vector<Visit> open{{0, 0, size}};
    while (!open.empty()) {
      const auto [i, state, count] = open.back();
      open.pop_back();
      const LinePart& part = parts_[i];
      if (count == 0 || count == width_[i]) {
        std::ranges::fill(taken.subspan(part.low, part.size()), count == 0 ? 0 : 1);
        continue;
      }
      const Origin origin = origin_of(i, state, count);
      for (std::size_t half = 0; half < 2; ++half) {
        open.push_back({part.halves[half].index, state_of(i, half, origin), origin.count[half]});
      }
    }
  }

 private:
  struct Cuts {
    std::array<std::vector<Sum>, 2> ways;
    std::vector<Sum> pairs;
  };

  /// What costs so much in a part is too much in the whole line, whatever the rest gains.
  [[nodiscard]] Sum unknown(std::size_t part) const {
    return static_cast<Sum>(known_ + gain_.front() - gain_[part]);
  }

  [[nodiscard]] std::size_t counts(std::size_t part) const {
    return std::min(width_[part], most_) + 1;
  }

  void take_or_not(std::size_t i, std::span<const Sum> cost) {
    const std::uint32_t v = parts_[i].low;
    SumTable<Sum>& table = tables_[i];
    table.allot(parts_[i].states(), counts(i));
    table.clear(unknown(i));
    table.sums(0)[0] = 0;
    if (widths_[v] < table.counts()) {
      Sum& taken = table.sums(parts_[i].open.size())[widths_[v]];
      taken = std::min(unknown(i), cost[v]);
    }
  }

  void join(std::size_t i) {
    const LinePart& part = parts_[i];
    std::array<Sum, 2> unknown_half{};
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t index = part.halves[half].index;
      unknown_half[half] = unknown(index);
      seen_[half].allot(std::size_t{1} << part.halves[half].seen.size(), counts(index));
      seen_[half].clear(unknown_half[half]);
      const std::vector<LineJoin::Way>& ways = joins_[i].ways[half];
      for (std::size_t w = 0; w < ways.size(); ++w) {
        lower_sums<Sum>(seen_[half].sums(ways[w].to), sums_of(index, ways[w].from),
                        cuts_[i].ways[half][w]);
      }
      if (kept_ == KeptTables::Needed) tables_[index] = {};
    }
    SumTable<Sum>& own = tables_[i];
    own.allot(part.states(), counts(i));
    own.clear(unknown(i));
    // Sums of the larger half go many at a time.
    const auto& seen = std::as_const(seen_);
    const std::size_t large = seen[0].counts() > seen[1].counts() ? 0 : 1;
    const std::size_t small = 1 - large;
    const std::vector<LineJoin::Pair>& pairs = joins_[i].pairs;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const std::span<Sum> to = own.blocks(pairs[p].to);
      const std::span<const Sum> x = seen[small].sums(pairs[p].from[small]);
      const std::span<const Sum> y = seen[large].sums(pairs[p].from[large]);
      if (seen[large].has_small_blocks()) {
        lower_by_pairs<SumTable<Sum>::kSmallBlock>(to, x, y, cuts_[i].pairs[p],
                                                   unknown_half[small]);
      } else {
        lower_by_pairs<SumTable<Sum>::kBlock>(to, x, y, cuts_[i].pairs[p], unknown_half[small]);
      }
    }
    own.clear_behind(unknown(i));
  }

  [[nodiscard]] std::span<const Sum> sums_of(std::size_t part, std::size_t state) const {
    return tables_[part].sums(state);
  }

  /// What a least sum of a part is the sum of, by half: the state of what is seen, how many are
  /// taken, and what they cost.
  struct Origin {
    std::array<std::uint32_t, 2> seen{};
    std::array<std::size_t, 2> count{};
    std::array<Sum, 2> least{};
  };
  [[nodiscard]] Origin origin_of(std::size_t i, std::size_t state, std::size_t count) const {
    const Sum least = sums_of(i, state)[count];
    const std::vector<LineJoin::Pair>& pairs = joins_[i].pairs;
    const auto first = std::ranges::lower_bound(pairs, state, {}, &LineJoin::Pair::to);
    for (auto p = static_cast<std::size_t>(first - pairs.begin());
         p < pairs.size() && pairs[p].to == state; ++p) {
      const std::vector<Sum> x = seen_sums(i, 0, pairs[p].from[0]);
      const std::vector<Sum> y = seen_sums(i, 1, pairs[p].from[1]);
      const std::size_t begin = count < y.size() ? 0 : count - y.size() + 1;
      for (std::size_t k = begin; k < x.size() && k <= count; ++k) {
        if (x[k] + cuts_[i].pairs[p] + y[count - k] != least) continue;
        return {pairs[p].from, {k, count - k}, {x[k], y[count - k]}};
      }
    }
    throw InternalError("a least sum of a line is no sum of two parts");
  }

  /// By count, of a state of what is seen of a half.
  [[nodiscard]] std::vector<Sum> seen_sums(std::size_t i, std::size_t half,
                                           std::uint32_t seen) const {
    const std::size_t index = parts_[i].halves[half].index;
    std::vector<Sum> sums(counts(index), unknown(index));
    const std::vector<LineJoin::Way>& ways = joins_[i].ways[half];
    const auto first = std::ranges::lower_bound(ways, seen, {}, &LineJoin::Way::to);
    for (auto w = static_cast<std::size_t>(first - ways.begin());
         w < ways.size() && ways[w].to == seen; ++w) {
      lower_sums<Sum>(sums, sums_of(index, ways[w].from), cuts_[i].ways[half][w]);
    }
    return sums;
  }

  /// From which state of a half's open vertices it comes.
  [[nodiscard]] std::size_t state_of(std::size_t i, std::size_t half, const Origin& origin) const {
    const std::size_t index = parts_[i].halves[half].index;
    const std::vector<LineJoin::Way>& ways = joins_[i].ways[half];
    const auto first = std::ranges::lower_bound(ways, origin.seen[half], {}, &LineJoin::Way::to);
    for (auto w = static_cast<std::size_t>(first - ways.begin());
         w < ways.size() && ways[w].to == origin.seen[half]; ++w) {
      const Sum from = sums_of(index, ways[w].from)[origin.count[half]];
      if (from + cuts_[i].ways[half][w] == origin.least[half]) return ways[w].from;
    }
    throw InternalError("a least sum of a part is that of none of its states");
  }

  std::span<const LinePart> parts_;
  std::span<const LineJoin> joins_;
  std::span<const std::uint32_t> widths_;  // of places
  std::size_t most_;
  KeptTables kept_;
  std::vector<std::size_t> width_;     // of parts
  std::vector<SumTable<Sum>> tables_;  // of parts
  std::array<SumTable<Sum>, 2> seen_;  // of the halves that are being joined
  std::vector<Cuts> cuts_;
  Sum known_ = 0;
  std::vector<Sum> gain_;  // by part, what its vertices cost below 0
};

}  // namespace zonecut
