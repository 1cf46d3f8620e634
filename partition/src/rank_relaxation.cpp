#include "rank_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "relaxation_sums.hpp"
#include "wide_units.hpp"

namespace zonecut {
namespace {

RowLine in_units(const RowLine& line, std::size_t width) {
  const auto times = static_cast<std::int64_t>(width);
  return {line.rows, line.length / width, times * line.step, times * line.wrap};
}

}  // namespace

RankRelaxation::RankRelaxation(const RowLine& line, const LowCuts& cuts,
                               std::span<const std::uint32_t> sizes, Filling filling,
                               std::size_t width)
    : line_(line),
      cuts_(cuts),
      width_(width),
      ranks_(cuts.mirrored ? (line.length + 1) / 2 : line.length),
      shapes_(in_units(line, width), in_wide_units(sizes, width), filling),
      rows_(shapes_.classes()),
      cost_(shapes_.classes()) {}

std::size_t RankRelaxation::steps_per_solve() const {
  const std::size_t sets = 2 * cuts_.sets.size() + cuts_.ends.size() + 16 * line_.length;
  return shapes_.steps() + shapes_.classes() * sets;
}

/// The best set of every size.
void RankRelaxation::price(std::size_t row_class, std::span<const double> prices) {
  Row& row = rows_[row_class];
  const std::size_t length = line_.length;
  row.dearest.resize(length);
  std::iota(row.dearest.begin(), row.dearest.end(), 0U);
  std::ranges::stable_sort(row.dearest, std::ranges::greater{},
                           [&](std::uint32_t place) { return prices[rank(place)]; });
  row.best.assign(length + 1, Choice{});
  double top = 0;
  for (std::uint32_t x = 1; x <= length; ++x) {
    top += prices[rank(row.dearest[x - 1])];
    row.best[x] = {in_quarters(cuts_.others) / 2 - top, x, kOthers};
  }
  row.worth.assign(length + 1, 0);
  for (std::size_t v = 0; v < length; ++v) row.worth[v + 1] = row.worth[v] + prices[rank(v)];
  for (std::uint32_t s = 0; s < cuts_.sets.size(); ++s) {
    const LowCuts::Set& set = cuts_.sets[s];
    double cost = in_quarters(set.cut) / 2;
    const std::uint32_t* end = &cuts_.ends[set.first];
    for (std::uint32_t run = 0; run < set.runs; ++run, end += 2) {
      cost -= row.worth[end[1]] - row.worth[end[0]];
    }
    Choice& best = row.best[set.size];
    if (cost < best.cost) best = {cost, set.size, s};
  }
}

/// What so many units cost: the best set of about their size.
void RankRelaxation::widen(std::size_t row_class) {
  const std::vector<Choice>& best = rows_[row_class].best;
  std::vector<Choice>& wide = rows_[row_class].wide;
  std::vector<double>& cost = cost_[row_class];
  wide.assign(shapes_.options(), Choice{});
  cost.assign(shapes_.options(), 0);
  for (std::size_t units = 1; units < wide.size(); ++units) {
    const std::size_t low = units * width_ - width_ / 2;
    const std::size_t high = std::min(units * width_ + width_ / 2, line_.length);
    wide[units] = best[low];
    for (std::size_t x = low + 1; x <= high; ++x) {
      if (best[x].cost < wide[units].cost) wide[units] = best[x];
    }
    cost[units] = wide[units].cost;
  }
}

/// Zones that hold the ranks of a choice.
void RankRelaxation::count(std::size_t row_class, const Choice& choice, double zones,
                           PieceViolation& violation) const {
  double* violated = &violation.piece[row_class * ranks_];
  if (choice.set == kOthers) {
    for (std::uint32_t i = 0; i < choice.size; ++i) {
      violated[rank(rows_[row_class].dearest[i])] -= zones;
    }
    return;
  }
  const LowCuts::Set& set = cuts_.sets[choice.set];
  const std::uint32_t* end = &cuts_.ends[set.first];
  for (std::uint32_t run = 0; run < set.runs; ++run, end += 2) {
    for (std::uint32_t v = end[0]; v < end[1]; ++v) violated[rank(v)] -= zones;
  }
}

double RankRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  violation.piece.assign(pieces(), 0);
  violation.touch = 0;
  violation.run = 0;
  double bound = 0;
  double magnitude = 0;
  double dearest = in_quarters(line_.step) * number(line_.length);
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    price(c, std::span(multipliers.piece).subspan(c * ranks_, ranks_));
    widen(c);
    bound += shapes_.rows_in(c) * rows_[c].worth.back();
    double worth = in_quarters(cuts_.others);
    for (std::size_t v = 0; v < line_.length; ++v) {
      violation.piece[c * ranks_ + rank(v)] += shapes_.rows_in(c);
      worth += std::abs(multipliers.piece[c * ranks_ + rank(v)]);
    }
    magnitude += shapes_.rows_in(c) * worth;
    dearest = std::max(dearest, worth);
  }
  const double worth_of_all = bound;
  shapes_.choose(cost_);
  for (const StageShapes::Zones& zones : shapes_.zones()) {
    bound += zones.count * zones.cost;
    magnitude += zones.count * number(line_.rows) * dearest;
    for (std::size_t row = 0; row < line_.rows; ++row) {
      if (zones.taken[row] == 0) continue;
      const std::size_t c = shapes_.class_of(row);
      count(c, rows_[c].wide[zones.taken[row]], zones.count, violation);
    }
  }
  constant_ = worth_of_all - kRounding * magnitude;
  return bound - kRounding * magnitude;
}

}  // namespace zonecut
