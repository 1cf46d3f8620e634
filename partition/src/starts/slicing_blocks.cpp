#include "starts/slicing_blocks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <unordered_map>

#include "starts/row_places.hpp"

namespace zonecut {
namespace {

using Parts = std::uint32_t;  ///< a set, one bit each

/// Of fewer parts there are few trees, which annealing goes through.
constexpr int kLeastParts = 6;
constexpr std::size_t kMostParts = 32;
constexpr std::uint32_t kLongestRow = 1024;
/// Sets so small are divided in every way.
constexpr int kAllDivisions = 4;
/// Of larger ones, up to this, every division is looked at and so many of the cheapest along the
/// row are followed, half as many across; of even larger ones so many orders of parts are drawn.
constexpr int kListed = 12;
constexpr std::size_t kFollowed = 12;
constexpr std::size_t kFollowedWhenSpent = 2;  // of both kinds together
constexpr std::size_t kDraws = 400;
constexpr std::size_t kDrawsWhenSpent = 40;
/// The same of the whole grid.
constexpr std::size_t kWholeAlong = 1000;
constexpr std::size_t kWholeAcross = 200;
/// Positions from a cheap place at which a block is still taken to begin there.
constexpr double kNear = 1.5;
/// Offsets are told apart by this share of the width.
constexpr std::uint32_t kOffsets = 16;
/// Steps of work: to look at one division among many, to look a block up.
constexpr std::size_t kPerListed = 3;
constexpr std::size_t kPerBlock = 8;

/// Parts that fill the row from place to place, line after line, beginning somewhere in a line.
struct Block {
  Parts parts;
  std::size_t begin, end;
  std::uint32_t offset = 0;  ///< positions of its first line that lie before it, rounded
};

/// A block in two; the costs of both halves are not counted.
struct Division {
  double cost = std::numeric_limits<double>::infinity();
  Parts first = 0;
  std::size_t place = 0;  ///< where the halves meet; 0: across the row
  std::uint32_t first_offset = 0, rest_offset = 0;
};

/// The cheapest of many divisions, each once.
class Cheapest {
 public:
  explicit Cheapest(std::size_t most) : most_(most) {}

  void add(const Division& division) {
    if (division.cost > limit_) return;
    divisions_.push_back(division);
    if (divisions_.size() > 4 * most_ + kLeastPruned) prune();
  }

  /// Cheapest first.
  [[nodiscard]] std::span<const Division> sorted() {
    prune();
    return divisions_;
  }

 private:
  static constexpr std::size_t kLeastPruned = 32;

  void prune() {
    const auto key = [](const Division& d) { return std::tuple(d.cost, d.first, d.place); };
    std::ranges::sort(divisions_, {}, key);
    const auto same = [](const Division& a, const Division& b) {
      return a.first == b.first && a.place == b.place;
    };
    divisions_.erase(std::unique(divisions_.begin(), divisions_.end(), same), divisions_.end());
    if (divisions_.size() < most_) return;
    divisions_.resize(most_);
    limit_ = divisions_.empty() ? 0 : divisions_.back().cost;
  }

  std::size_t most_;
  double limit_ = std::numeric_limits<double>::max();  // an infinite cost stands for no division
  std::vector<Division> divisions_;
};

std::uint32_t rounded(std::uint32_t offset, std::uint32_t width) {
  const std::uint32_t unit = std::max(1u, width / kOffsets);
  return (offset + unit / 2) / unit * unit % width;
}

/// Where a position must lie so that `size` of a block's `whole` vertices stand before it, and how
/// many lines reach from one side of it to the other.
struct Border {
  double position, lines;
};
Border border_within(std::uint32_t width, std::uint32_t offset, std::uint32_t whole,
                     std::uint32_t size) {
  const std::uint32_t lines = (offset + whole + width - 1) / width;
  const double begin = offset;                              // in the first line
  const double end = offset + whole - (lines - 1) * width;  // in the last line
  const auto before = [&](double x) {
    return lines * x - std::min(x, begin) - std::max(0.0, x - end);
  };
  // Linear between these two.
  double low = 0;
  double high = width;
  for (const double knee : {begin, end}) {
    if (knee > low && knee < high) (before(knee) <= size ? low : high) = knee;
  }
  const double slope = (before(high) - before(low)) / (high - low);
  const double x = slope > 0 ? low + (size - before(low)) / slope : low;
  const double ends = (begin > 0 && x <= begin ? 1 : 0) + (end < width && x >= end ? 1 : 0);
  return {x, std::max(0.0, lines - ends)};
}

/// Which sets of parts fill which block at the least cost, by dynamic programming with a memory.
class BlockPlanner {
 public:
  BlockPlanner(const RowPlaces& places, const Shares& shares, Random& random, WorkBudget& budget)
      : places_(places), shares_(shares), random_(random), budget_(budget) {
    for (std::size_t p = 0; p < shares.size(); ++p) {
      std::array<std::uint32_t, 256>& sums = sums_[p / 8];
      for (std::size_t set = 0; set < sums.size(); ++set) {
        if ((set >> p % 8 & 1) != 0) sums[set] += shares[p];
      }
    }
  }

  /// Best first.
  std::vector<SlicingPlan> plans(Parts all, std::size_t wanted) {
    struct Whole {
      double cost;
      Division division;
    };
    const Block block{all, 0, places_.last()};
    std::vector<Whole> found;
    for (const Division& division : divisions(block, kWholeAlong, kWholeAcross)) {
      if (budget_.spent()) break;
      found.push_back({division.cost + below(block, division), division});
    }
    std::ranges::stable_sort(found, {}, &Whole::cost);
    std::vector<SlicingPlan> plans;
    for (const Whole& whole : found) {
      if (plans.size() == wanted) break;
      SlicingPlan& plan = plans.emplace_back();
      plan.cost = whole.cost;
      write(plan, block, &whole.division);
    }
    return plans;
  }

 private:
  struct Best {
    double cost = 0;
    Division division;
  };

  [[nodiscard]] std::uint32_t width(const Block& block) const {
    return places_.at(block.end) - places_.at(block.begin);
  }
  [[nodiscard]] std::uint32_t sum(Parts parts) const {
    return sums_[0][parts & 255] + sums_[1][parts >> 8 & 255] + sums_[2][parts >> 16 & 255] +
           sums_[3][parts >> 24];
  }

  /// The first part of the block ends somewhere in a line, where the rest begins.
  [[nodiscard]] Division across(const Block& block, Parts first, std::uint32_t size,
                                std::uint32_t whole) const {
    const std::uint32_t wide = width(block);
    const bool closes = whole + wide > wide * places_.lines();
    const double step = places_.step() + (closes ? places_.closing() : 0);
    const std::uint32_t bend = (block.offset + size) % wide;
    return {step * wide + places_.cut(block.begin, block.end, bend), first, 0, block.offset,
            rounded(bend, wide)};
  }

  /// None, at infinite cost, where the border lies near no cheap place.
  [[nodiscard]] Division along(const Block& block, Parts first, std::uint32_t size,
                               std::uint32_t whole) const {
    const std::uint32_t wide = width(block);
    const auto [x, lines] = border_within(wide, block.offset, whole, size);
    const double position = places_.at(block.begin) + x;
    const std::size_t place = places_.nearest(position);
    if (place <= block.begin || place >= block.end) return {};
    if (std::abs(position - places_.at(place)) > kNear) return {};
    const double bend = x > std::floor(x) ? places_.step() : 0;
    const std::uint32_t left = places_.at(place) - places_.at(block.begin);
    const bool begins_right = block.offset >= left;
    return {lines * places_.cut(block.begin, block.end, x) + bend, first, place,
            begins_right ? 0 : rounded(block.offset, left),
            begins_right ? rounded(block.offset - left, wide - left) : 0};
  }

  static void for_subsets(Parts parts, const auto& visit) {
    for (Parts first = (parts - 1) & parts; first != 0; first = (first - 1) & parts) visit(first);
  }

  std::vector<Division> divisions(const Block& block, std::size_t most_along,
                                  std::size_t most_across) {
    Cheapest lengthwise(most_along);
    Cheapest crosswise(most_across);
    const std::uint32_t whole = sum(block.parts);
    const auto consider = [&](Parts first, std::uint32_t size) {
      crosswise.add(across(block, first, size, whole));
      lengthwise.add(along(block, first, size, whole));
    };
    const int count = std::popcount(block.parts);
    if (count <= kListed) {
      for_subsets(block.parts, [&](Parts first) { consider(first, sum(first)); });
      budget_.spend(kPerListed << count);
    } else {
      draw(block.parts, consider);
    }
    std::vector<Division> all(lengthwise.sorted().begin(), lengthwise.sorted().end());
    all.insert(all.end(), crosswise.sorted().begin(), crosswise.sorted().end());
    std::ranges::stable_sort(all, {}, &Division::cost);
    return all;
  }

  /// Parts in orders drawn at random; every beginning of them.
  void draw(Parts parts, const auto& visit) {
    std::vector<std::uint32_t> order;
    for (; parts != 0; parts &= parts - 1) {
      order.push_back(static_cast<std::uint32_t>(std::countr_zero(parts)));
    }
    const std::size_t draws = budget_.spent() ? kDrawsWhenSpent : kDraws;
    for (std::size_t i = 0; i < draws; ++i) {
      random_.shuffle(std::span(order));
      Parts first = 0;
      for (const std::uint32_t part : std::span(order).first(order.size() - 1)) {
        first |= Parts{1} << part;
        visit(first, sum(first));
      }
    }
    budget_.spend(kPerListed * draws * order.size());
  }

  static Block first_of(const Block& block, const Division& d) {
    return {d.first, block.begin, d.place == 0 ? block.end : d.place, d.first_offset};
  }
  static Block rest_of(const Block& block, const Division& d) {
    return {block.parts & ~d.first, d.place == 0 ? block.begin : d.place, block.end, d.rest_offset};
  }
  double below(const Block& block, const Division& d) {
    return best(first_of(block, d)).cost + best(rest_of(block, d)).cost;
  }

  Best best(const Block& block) {
    if (std::has_single_bit(block.parts)) return {};
    const std::uint64_t key =
        (std::uint64_t{block.parts} << 32) | (block.begin << 24) | (block.end << 16) | block.offset;
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    budget_.spend(kPerBlock);
    Best best{std::numeric_limits<double>::infinity(), {}};
    const auto consider = [&](const Division& division) {
      if (division.cost >= best.cost) return;
      const double cost = division.cost + below(block, division);
      if (cost < best.cost) best = {cost, division};
    };
    if (std::popcount(block.parts) <= kAllDivisions) {
      const std::uint32_t whole = sum(block.parts);
      for_subsets(block.parts, [&](Parts first) {
        const std::uint32_t size = sum(first);
        consider(along(block, first, size, whole));
        consider(across(block, first, size, whole));
      });
      budget_.spend(std::size_t{1} << kAllDivisions);
    } else {
      const std::size_t most = budget_.spent() ? kFollowedWhenSpent : kFollowed;
      const std::vector<Division> cheapest = divisions(block, most, most / 2);
      const std::size_t followed = budget_.spent() ? most : cheapest.size();
      for (const Division& division :
           std::span(cheapest).first(std::min(followed, cheapest.size())))
        consider(division);
    }
    known_.emplace(key, best);
    return best;
  }

  std::int32_t write(SlicingPlan& plan, const Block& block, const Division* given) {
    const auto index = static_cast<std::int32_t>(plan.nodes.size());
    plan.nodes.push_back({});
    if (std::has_single_bit(block.parts)) {
      plan.nodes.back().part = static_cast<std::uint32_t>(std::countr_zero(block.parts));
      return index;
    }
    const Division d = given != nullptr ? *given : best(block).division;
    const std::int32_t left = write(plan, first_of(block, d), nullptr);
    const std::int32_t right = write(plan, rest_of(block, d), nullptr);
    plan.nodes[static_cast<std::size_t>(index)] = {left, right, 0, d.place != 0};
    return index;
  }

  const RowPlaces& places_;
  const Shares& shares_;
  std::array<std::array<std::uint32_t, 256>, 4> sums_{};  ///< of eight parts at a time
  Random& random_;
  WorkBudget& budget_;
  std::unordered_map<std::uint64_t, Best> known_;
};

/// Trees in the only grid, along lines of equal length.
bool has_like_rows(const LineModel& model) {
  if (model.grids().size() != 1 || !model.has_trees()) return false;
  const auto& lines = model.layout().lines;
  return lines.size() > 1 && lines.front().length() <= kLongestRow &&
         std::ranges::all_of(lines, [&](const LineLayout::Line& line) {
           return line.begin == 0 && line.end == lines.front().end;
         });
}

}  // namespace

std::vector<SlicingPlan> block_plans(const LineModel& model, const Shares& shares,
                                     std::size_t wanted, Random random, WorkBudget budget) {
  if (!has_like_rows(model) || shares.size() > kMostParts) return {};
  Parts all = 0;
  for (std::size_t p = 0; p < shares.size(); ++p) {
    if (shares[p] > 0) all |= Parts{1} << p;
  }
  if (std::popcount(all) < kLeastParts) return {};
  const RowPlaces places(model);
  return BlockPlanner(places, shares, random, budget).plans(all, wanted);
}

}  // namespace zonecut
