#include "bound/bound_ranks.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "bound/ascent.hpp"
#include "bound/rank_relaxation.hpp"
#include "bound/row_units.hpp"
#include "grid/frontier_sweep.hpp"
#include "grid/relaxation_sums.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kQuarter = 4;
constexpr int kSteps = 400;
constexpr double kAheadAtFirst = 0.1;
constexpr double kAhead = 0.03;
constexpr std::size_t kFewUnits = 12;  // a row of so many is coarse enough as it is
constexpr std::size_t kMostSteps = std::size_t{1} << 28;      // of one look at sets
constexpr std::size_t kMostOfSeveral = std::size_t{1} << 25;  // of all lists', which keep tables
constexpr int kWorthwhile = 20;                               // solutions, for more multipliers
constexpr std::int64_t kAfterLooks = 5;   // solutions, so that there is time for one then
constexpr std::int64_t kFew = 40;         // solutions, for steps as large as at first
constexpr std::int64_t kMany = 150;       // solutions, with sets of all sizes
constexpr std::int64_t kBeforeProof = 4;  // a part of the work in so many
constexpr std::int64_t kAsRing = 4;       // the same, where rows are no ring
constexpr double kNear = 0.98;            // of what is enough

/// A look at prices with about so many vertices of a row as one unit, exactly so many where units
/// are even.
struct Look {
  std::size_t width = 1;
  bool even = false;
  int steps = 0;
};
constexpr std::array kLooks{Look{8, true, 100}, Look{4, false, 50}, Look{2, false, 30}};

/// Rows of lines along axis 1, one for each place of the other axis.
std::optional<RowLine> line_of(const GridTraffic& grid) {
  const std::optional<Rows> rows = rows_of_lines(grid);
  if (!rows) return std::nullopt;
  const std::size_t across = *rows == Rows::Stages ? 2 : 0;
  const std::int64_t step = kQuarter * grid.step[across];
  return RowLine{grid.size[across], grid.size[1], step,
                 std::min(step, kQuarter * grid.wrap[across])};
}

/// In a ring of rows that are all alike a zone pays at least for what its fullest row has more than
/// its emptiest, on both sides: over the closing edge it pays less.
RowLine as_ring(RowLine line) {
  line.step = (line.step + line.wrap) / 2;
  line.wrap = line.step;
  return line;
}

/// Of the largest zone about so much lies in a row, or more.
std::size_t least_taken(const RowLine& line, std::span<const std::uint32_t> sizes) {
  return std::max<std::size_t>(
      1, std::min<std::size_t>(line.length, std::ranges::max(sizes)) / line.rows);
}

/// Of what a zone takes of a row and of all rows up to it there are several tables
/// (stage_shapes.hpp), in a ring smaller ones.
bool takes_too_much_memory(const RowLine& line, std::span<const std::uint32_t> sizes) {
  constexpr std::size_t kMostEntries = 5'000'000;
  constexpr std::size_t kMostInRing = 16'000'000;
  const std::size_t largest = std::ranges::max(sizes);
  const std::size_t most = line.wrap == line.step ? kMostInRing : kMostEntries;
  return std::min(line.length, largest) + 1 > most / (largest + 1);
}

class Search {
 public:
  Search(const PlainRows& rows, Filling filling, WorkBudget& budget)
      : rows_(rows),
        filling_(filling),
        budget_(budget),
        mirrored_(is_mirrored(rows.line.length, rows.edges)),
        largest_(std::min<std::size_t>(rows.line.length, std::ranges::max(rows.sizes))),
        likely_(largest_) {}

  /// Prices that are the same in all rows, then others.
  std::optional<RanksBound> run(std::int64_t enough) {
    enough_ = enough;
    const RowLine& line = rows_.line;
    const RowUnits single = rows_.by(even_units(line.length, 1), 1);
    if (!affords(single, least_taken(line, rows_.sizes), kAfterLooks)) return std::nullopt;
    all_sizes_ = affords(single, largest_, kMany);
    PlainRows ring = rows_;
    ring.line = as_ring(line);
    const bool partly_closed = line.wrap > 0 && line.wrap < line.step;
    const PlainRows& first = partly_closed ? ring : rows_;
    if (takes_too_much_memory(first.line, first.sizes)) return std::nullopt;
    for (const Look& look : kLooks) look_at(first, look);
    const bool alike = line.wrap == line.step;
    const std::size_t classes = alike ? 1 : (line.rows + 1) / 2;
    const std::size_t next = classes > 1 ? classes : 0;
    if (!climb(first, 1, partly_closed ? 1 : next)) return std::nullopt;
    if (partly_closed && !climb(rows_, 1, next)) climb(first, 1, 0);
    if (is_provable()) {
      again_ = true;
      climb(rows_, 1, next);
    }
    if (classes > 1) climb(rows_, classes, 0);
    return RanksBound{{best_, std::move(shares_)}, std::move(priced_inside_)};
  }

 private:
  /// There may be a cut that is the least.
  [[nodiscard]] bool is_provable() const {
    return enough_ < std::numeric_limits<std::int64_t>::max();
  }

  [[nodiscard]] bool is_near() const {
    return best_ > 0 && static_cast<double>(best_) >= kNear * static_cast<double>(enough_);
  }

  /// At what is missing, where it is little.
  [[nodiscard]] double ahead() const {
    return is_near() ? static_cast<double>(enough_) / static_cast<double>(best_) - 1 : kAhead;
  }

  /// Sets of so many vertices at most.
  [[nodiscard]] static std::unique_ptr<PricedSets> sets_of(const RowUnits& units,
                                                           std::size_t largest,
                                                           std::size_t most_steps,
                                                           Fineness fineness) {
    const std::size_t in_units = (largest + units.scale - 1) / units.scale;
    return priced_sets(units.widths(), units.edges, in_units, most_steps, fineness);
  }

  /// That many solutions with sets of so many vertices.
  [[nodiscard]] bool affords(const RowUnits& units, std::size_t largest, std::int64_t solutions,
                             Fineness fineness = Fineness::Bits32) const {
    const std::size_t steps = priced_sets_steps(units.widths(), units.edges, largest, fineness);
    return steps <= kMostSteps && static_cast<std::int64_t>(steps) * solutions <= budget_.left();
  }

  /// With so many lists of prices. Half of the budget is left where it does for `next` lists. False
  /// where there are too many places or solutions would be too few.
  bool climb(const PlainRows& rows, std::size_t lists, std::size_t next) {
    if (best_ >= enough_) return true;
    if (takes_too_much_memory(rows.line, rows.sizes)) return false;
    const RowUnits units = rows.by(even_units(rows.line.length, 1), 1);
    const auto several = static_cast<std::int64_t>(lists);
    const std::int64_t solutions = several * (best_ > 0 ? kWorthwhile : 1);
    // Of more than half of a row, or than zones took so far, less can be gained by knowing sets.
    const std::size_t fewest = std::min(rows.line.length / 2, likely_);
    while (best_ == 0 && largest_ > fewest && !affords(units, largest_, solutions)) {
      const std::size_t less = std::max<std::size_t>(1, largest_ / 8);
      largest_ = std::max(fewest, largest_ - less);
    }
    if (!affords(units, largest_, solutions)) return false;
    const std::size_t most = lists > 1 ? kMostOfSeveral / lists : kMostSteps;
    std::vector<std::unique_ptr<PricedSets>> sets;
    for (std::size_t i = 0; i < lists; ++i) {
      sets.push_back(sets_of(units, largest_, most, Fineness::Bits32));
      if (!sets.back()) return false;
    }
    RankRelaxation relaxation(units.line, sets, units.inside, mirrored_, units.sizes, filling_);
    const auto each = static_cast<std::int64_t>(relaxation.steps_per_solve());
    std::int64_t steps = budget_.left();
    if (each * (best_ > 0 ? kWorthwhile : 1) > steps) return false;
    const bool few = best_ == 0 && units.count() > kLongRow && each * kFew > steps;
    // Most of the work is for what proves a cut.
    const bool spares = is_provable() && !again_ && each * kWorthwhile <= steps / kBeforeProof;
    if (spares) steps /= kBeforeProof;
    if (rows.line.wrap != rows_.line.wrap && best_ == 0) {
      steps /= kAsRing;
    } else if (next > 0 && each * static_cast<std::int64_t>(next) * kWorthwhile < steps / 2) {
      steps /= 2;
    }
    const auto [best, at] = with_part(budget_, steps, [&](WorkBudget& part) {
      Ascent ascent(relaxation, part, 0, static_cast<double>(enough_));
      ascent.start_at(kept(units, relaxation, lists));
      ascent.climb_evenly(kSteps, few ? kAheadAtFirst : ahead());
      if (again_ && is_near()) ascent.climb_all(kSteps, ahead());
      return std::pair(ascent.best(), ascent.best_multipliers());
    });
    if (lists == 1) {
      keep(at.piece, units);
      priced_inside_ = relaxation.priced_inside(at);
      budget_.spend(relaxation.steps_per_solve());
    }
    const std::int64_t found = rounded_down(best);
    if (found <= best_) return true;
    best_ = found;
    PieceViolation violation;
    if (filling_ == Filling::Open) relaxation.solve(at, violation);
    shares_ = relaxation.shares().value_or(Shares{});
    return true;
  }

  void look_at(const PlainRows& rows, const Look& look) {
    const std::size_t length = rows.line.length;
    if (length / look.width < kFewUnits || (look.even && length % look.width != 0)) return;
    const std::size_t scale = look.even ? look.width : 1;
    const RowUnits units =
        rows.by(look.even ? even_units(length, look.width)
                          : natural_units(length, rows.edges, length / look.width),
                scale);
    if (!affords(units, likely_ / scale, 4, Fineness::Bits16)) return;
    const std::unique_ptr<PricedSets> sets = sets_of(units, likely_, kMostSteps, Fineness::Bits16);
    if (!sets) return;
    RankRelaxation relaxation(units.line, {&sets, 1}, units.inside, mirrored_, units.sizes,
                              filling_, likely_);
    const std::int64_t steps = budget_.left() / 4;
    if (static_cast<std::int64_t>(relaxation.steps_per_solve()) > steps) return;
    const PieceMultipliers at = with_part(budget_, steps, [&](WorkBudget& part) {
      Ascent ascent(relaxation, part, 0, std::numeric_limits<double>::infinity());
      ascent.start_at(kept(units, relaxation, 1));
      ascent.climb_evenly(look.steps, kAheadAtFirst);
      return ascent.best_multipliers();
    });
    keep(at.piece, units);
    PieceViolation violation;
    relaxation.solve(at, violation);
    budget_.spend(relaxation.steps_per_solve());
    // Far larger sets than are best here need not be known.
    const std::size_t taken = scale * relaxation.largest_taken();
    const bool meant = filling_ == Filling::Full || relaxation.shares();
    if (!meant) return;
    likely_ = std::min(largest_, taken + taken / 2 + 2 * look.width);
    if (look.even && !all_sizes_) largest_ = std::min(largest_, 2 * taken + 2 * look.width);
  }

  /// Where a unit's price stands among those of a row.
  [[nodiscard]] std::size_t rank(std::size_t unit, std::size_t units) const {
    return mirrored_ ? std::min(unit, units - 1 - unit) : unit;
  }
  [[nodiscard]] std::size_t ranks(std::size_t units) const {
    return mirrored_ ? (units + 1) / 2 : units;
  }

  void keep(std::span<const double> prices, const RowUnits& units) {
    by_place_.resize(rows_.line.length);
    for (std::size_t u = 0; u < units.count(); ++u) {
      const double width = number(units.first[u + 1] - units.first[u]);
      const double price = prices[rank(u, units.count())] / width;
      std::fill(by_place_.begin() + units.first[u], by_place_.begin() + units.first[u + 1], price);
    }
    by_row_.clear();
    for (const double price : prices.subspan(ranks(units.count()))) {
      by_row_.push_back(price / number(units.scale));
    }
  }

  /// What was kept for a relaxation of these units and so many lists; 0 where nothing was.
  [[nodiscard]] PieceMultipliers kept(const RowUnits& units, const RankRelaxation& relaxation,
                                      std::size_t lists) const {
    PieceMultipliers result;
    result.piece.assign(relaxation.pieces(), 0);
    if (by_place_.empty()) return result;
    const std::size_t ranks_of_all = lists * ranks(units.count());
    for (std::size_t i = 0; i < ranks_of_all; ++i) {
      const std::size_t u = i % ranks(units.count());
      result.piece[i] = std::accumulate(by_place_.begin() + units.first[u],
                                        by_place_.begin() + units.first[u + 1], 0.0);
    }
    // Rows that were all alike had one price.
    for (std::size_t c = 0; ranks_of_all + c < result.piece.size(); ++c) {
      const double price = by_row_[by_row_.size() == 1 ? 0 : c];
      result.piece[ranks_of_all + c] = price * number(units.scale);
    }
    return result;
  }

  PlainRows rows_;
  Filling filling_;
  WorkBudget& budget_;
  bool mirrored_;
  std::size_t largest_;           // of the sets that are looked at
  std::size_t likely_;            // while prices are sought coarsely
  std::vector<double> by_place_;  // prices, the best so far
  std::vector<double> by_row_;
  std::vector<std::int64_t> priced_inside_;  // at those
  std::int64_t best_ = 0;
  Shares shares_;
  std::int64_t enough_ = 0;
  bool all_sizes_ = false;  // of sets are looked at, however few vertices zones take of a row
  bool again_ = false;      // with the work that was spared to prove a cut
};

}  // namespace

std::optional<RanksBound> ranks_bound(const GridTraffic& grid, std::span<const std::int64_t> inside,
                                      std::span<const std::uint32_t> sizes, Filling filling,
                                      WorkBudget& budget, std::int64_t enough) {
  const std::optional<RowLine> line = line_of(grid);
  if (!line) return std::nullopt;
  ZONECUT_ENSURES(inside.size() == line->length + 1);
  return Search({*line, grid.lines, inside, sizes}, filling, budget).run(enough);
}

}  // namespace zonecut
