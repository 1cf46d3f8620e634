#include "bound/rank_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "grid/relaxation_sums.hpp"

namespace zonecut {

RankRelaxation::RankRelaxation(const RowLine& line,
                               std::span<const std::unique_ptr<PricedSets>> sets,
                               std::span<const std::int64_t> inside, bool mirrored,
                               std::span<const std::uint32_t> sizes, Filling filling,
                               std::size_t most)
    : line_(line),
      inside_(inside),
      mirrored_(mirrored),
      places_(sets.front()->places()),
      ranks_(mirrored ? (places() + 1) / 2 : places()),
      shapes_(line, sizes, filling, most),
      lists_(sets.size()),
      cost_(shapes_.classes(), std::vector<double>(shapes_.options(), 0)) {
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    lists_[i].sets = sets[i].get();
    lists_[i].dearest.resize(places());
    lists_[i].each.resize(places());
    lists_[i].by_taken.resize(shapes_.options());
  }
  for (std::size_t c = 0; c < cost_.size(); ++c) lists_[list_of(c)].rows += shapes_.rows_in(c);
}

std::size_t RankRelaxation::steps_per_solve() const {
  return shapes_.steps() + lists_.size() * lists_.front().sets->steps();
}

void RankRelaxation::price_ranks(List& list, std::span<const double> prices) const {
  for (std::size_t v = 0; v < places(); ++v) list.each[v] = prices[rank(v)];
  list.sets->solve(list.each);
  list.worth = 0;
  list.magnitude = 0;
  for (std::size_t v = 0; v < places(); ++v) {
    list.worth += list.sets->price(v);
    list.magnitude += std::abs(list.sets->price(v));
  }
}

/// What so many vertices of a row cost, its ranks priced.
void RankRelaxation::costs_of_taken(List& list, std::span<double> by_taken) const {
  bool all = true;
  for (std::size_t x = 0; x < by_taken.size(); ++x) {
    all = all && list.sets->knows(x);
    if (list.sets->knows(x)) by_taken[x] = list.sets->costs()[x];
  }
  if (!all) price_larger(list, by_taken);
}

/// Sizes of which no set is known.
void RankRelaxation::price_larger(List& list, std::span<double> by_taken) const {
  const std::span<const std::uint32_t> widths = list.sets->widths();
  for (std::size_t v = 0; v < places(); ++v) {
    list.each[v] = list.sets->price(v) / number(widths[v]);
  }
  std::iota(list.dearest.begin(), list.dearest.end(), 0U);
  std::ranges::stable_sort(list.dearest, std::ranges::greater{},
                           [&](std::uint32_t place) { return list.each[place]; });
  list.sets->look_at_lines();
  double worth = 0;
  std::size_t x = 0;
  for (const std::uint32_t place : list.dearest) {
    for (std::uint32_t i = 0; i < widths[place] && x + 1 < by_taken.size(); ++i) {
      worth += list.each[place];
      ++x;
      if (list.sets->knows(x)) continue;
      const double of_dearest = in_quarters(inside_[x]) / 2 - worth;
      by_taken[x] = std::max(of_dearest, list.sets->below_costs(x));
    }
  }
}

void RankRelaxation::price_row(std::size_t row_class, double price) {
  const std::vector<double>& by_taken = lists_[list_of(row_class)].by_taken;
  for (std::size_t x = 0; x < by_taken.size(); ++x) {
    cost_[row_class][x] = by_taken[x] - price * number(x);
  }
}

/// Zones that hold the ranks of a row.
void RankRelaxation::count(const List& list, std::span<double> violation) {
  known_.clear();
  for (std::size_t taken = 1; taken < list.zones.size(); ++taken) {
    if (list.zones[taken] == 0) continue;
    if (list.sets->knows(taken)) {
      known_.push_back(taken);
    } else {
      count_dearest(list, taken, violation);
    }
  }
  members_.resize(known_.size() * places());
  list.sets->members(known_, members_);
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const double zones = list.zones[known_[i]];
    for (std::size_t v = 0; v < places(); ++v) {
      violation[rank(v)] -= zones * members_[i * places() + v];
    }
  }
}

void RankRelaxation::count_dearest(const List& list, std::size_t taken,
                                   std::span<double> violation) const {
  const double zones = list.zones[taken];
  for (const std::uint32_t place : list.dearest) {
    const std::size_t width = list.sets->widths()[place];
    const std::size_t here = std::min(taken, width);
    violation[rank(place)] -= zones * number(here) / number(width);
    taken -= here;
  }
}

double RankRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  violation.piece.assign(pieces(), 0);
  violation.touch = 0;
  violation.run = 0;
  const std::span<const double> prices(multipliers.piece);
  const std::span<double> violated(violation.piece);
  const double length = number(line_.length);
  double bound = 0;
  double magnitude = 0;
  double dearest = in_quarters(line_.step) * length;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    List& list = lists_[i];
    price_ranks(list, prices.subspan(i * ranks_, ranks_));
    costs_of_taken(list, list.by_taken);
    list.zones.assign(list.by_taken.size(), 0);
    for (std::size_t v = 0; v < places(); ++v) violated[i * ranks_ + rank(v)] += list.rows;
    bound += list.rows * list.worth;
    magnitude += list.rows * list.magnitude;
    dearest = std::max(dearest, list.magnitude);
  }
  const std::size_t rows = lists_.size() * ranks_;
  double largest = 0;
  for (std::size_t c = 0; c < cost_.size(); ++c) {
    const double row = prices[rows + c] * length;
    price_row(c, prices[rows + c]);
    violated[rows + c] += shapes_.rows_in(c) * length;
    bound += shapes_.rows_in(c) * row;
    magnitude += shapes_.rows_in(c) * std::abs(row);
    for (const double cost : cost_[c]) largest = std::max(largest, std::abs(cost));
    largest = std::max(largest, std::abs(row));
  }
  dearest += largest;
  shapes_.choose(cost_);
  bound += shapes_.together();
  for (const StageShapes::Zones& zones : shapes_.zones()) {
    magnitude += zones.count * number(line_.rows) * dearest;
    for (std::size_t row = 0; row < line_.rows; ++row) {
      const std::size_t taken = zones.taken[row];
      const std::size_t c = shapes_.class_of(row);
      violated[rows + c] -= zones.count * number(taken);
      lists_[list_of(c)].zones[taken] += zones.count;
    }
  }
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    count(lists_[i], violated.subspan(i * ranks_, ranks_));
  }
  return bound - kRounding * magnitude;
}

std::vector<std::int64_t> RankRelaxation::priced_inside(const PieceMultipliers& multipliers) {
  List& list = lists_.front();
  price_ranks(list, std::span(multipliers.piece).first(ranks_));
  std::vector<double> by_taken(line_.length, 0);
  costs_of_taken(list, by_taken);
  std::vector<std::int64_t> inside(line_.length + 1, 0);
  for (std::size_t x = 1; x < line_.length; ++x) {
    const double even = list.worth * number(x) / number(line_.length);
    // Prices, and what they leave of half a cut, are as inexact as that is large.
    const double magnitude = 2 * list.magnitude + std::abs(by_taken[x]);
    inside[x] = rounded_down(2 * (by_taken[x] + even - kRounding * magnitude));
  }
  return inside;
}

std::size_t RankRelaxation::largest_taken() const {
  std::size_t largest = 0;
  for (const StageShapes::Zones& zones : shapes_.zones()) {
    largest = std::max(largest, std::ranges::max(zones.taken));
  }
  return largest;
}

}  // namespace zonecut
