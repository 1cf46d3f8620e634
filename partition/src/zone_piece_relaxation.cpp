#include "zone_piece_relaxation.hpp"

#include <algorithm>
#include <map>

#include "piece_table.hpp"
#include "relaxation_sums.hpp"

namespace zonecut {

ZonePieceRelaxation::ZonePieceRelaxation(const RowModel& model,
                                         std::span<const std::uint32_t> sizes, Incidence incidence,
                                         std::size_t most_counted)
    : model_(model), incidence_(incidence) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t size : sizes) {
    if (size > 0) ++counts[size];
  }
  for (const auto& [size, count] : counts) {
    kinds_.push_back({size, count, ZoneShapes(model, size, most_counted), {}});
    zones_ += count;
  }
}

PieceMultipliers ZonePieceRelaxation::of_pooled(const PieceMultipliers& pooled) const {
  PieceMultipliers multipliers{{}, pooled.touch, pooled.run};
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    multipliers.piece.insert(multipliers.piece.end(), pooled.piece.begin(), pooled.piece.end());
  }
  return multipliers;
}

std::size_t ZonePieceRelaxation::steps_per_solve() const {
  // Half of the sums, two at a time.
  std::size_t steps = zones_ * model_.length * model_.length / 4;
  for (const Kind& kind : kinds_) steps += kind.shapes.steps();
  return steps;
}

/// Zone after zone: none of a row or a piece of it.
double ZonePieceRelaxation::fill_pattern(const PieceMultipliers& multipliers) {
  const std::size_t columns = model_.length + 1;
  pattern_.assign((zones_ + 1) * columns, kNotReached);
  pattern_.front() = 0;
  std::size_t zone = 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    Kind& kind = kinds_[k];
    kind.price = std::span(multipliers.piece).subspan(k * model_.length, kind.shapes.kinds());
    for (std::size_t i = 0; i < kind.count; ++i, ++zone) {
      const std::span<double> before = row_of(pattern_, zone, columns);
      const std::span<double> after = row_of(pattern_, zone + 1, columns);
      std::ranges::copy(before, after.begin());
      for (std::size_t x = 1; x < kind.shapes.kinds(); ++x) {
        lower(after.subspan(x), before, kind.price[x]);
      }
    }
  }
  return pattern_.back();
}

void ZonePieceRelaxation::count_pattern(PieceViolation& violation) {
  const std::size_t columns = model_.length + 1;
  std::size_t sum = model_.length;
  std::size_t zone = zones_;
  for (std::size_t k = kinds_.size(); k-- > 0;) {
    const Kind& kind = kinds_[k];
    for (std::size_t i = 0; i < kind.count; ++i) {
      --zone;
      const std::span<double> before = row_of(pattern_, zone, columns);
      if (pattern_[(zone + 1) * columns + sum] == before[sum]) continue;
      const std::size_t piece = cheapest_last(before, kind.price, sum, kind.shapes.kinds() - 1);
      violation.piece[k * model_.length + piece] += taken_.divided();
      sum -= piece;
    }
  }
}

/// What the zones of this size cost.
double ZonePieceRelaxation::shape(std::size_t kind, const PieceMultipliers& multipliers,
                                  double per_full_row, PieceViolation& violation) {
  Kind& here = kinds_[kind];
  const auto first = multipliers.piece.begin() + static_cast<std::ptrdiff_t>(kind * model_.length);
  const PieceMultipliers own{{first, first + static_cast<std::ptrdiff_t>(model_.length)},
                             multipliers.touch,
                             multipliers.run};
  here.shapes.set_prices(own);
  here.zones = {here.size, number(here.count), {}};
  here.shapes.choose(std::span(&here.zones, 1), per_full_row);
  const ZoneShapes::Shape& shape = here.zones.shape;
  double touches = number(shape.full);
  for (const PieceCount& taken : shape.pieces) {
    violation.piece[kind * model_.length + taken.piece] -= here.zones.count * taken.count;
    touches += taken.count;
  }
  taken_.add(shape, here.zones.count);
  violation.touch -= here.zones.count * touches;
  violation.run += here.zones.count * shape.run;
  return here.zones.count * shape.cost;
}

double ZonePieceRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  RoundedSum bound;
  const double row = fill_pattern(multipliers) - in_quarters(model_.per_divided_row);
  const double run = std::min(multipliers.run, most_run());
  violation.piece.assign(pieces(), 0);
  violation.touch = number(incidence_.touches);
  violation.run = -2 * number(incidence_.components);
  bound.add(number(model_.rows) * row);
  bound.allow(number(model_.rows) *
              magnitude_of_sums(number(model_.length), largest_price(multipliers)));
  bound.add(multipliers.touch * violation.touch);
  bound.add(run * violation.run);
  bound.add(-in_quarters(model_.deduction));
  taken_.clear(model_);
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    bound.add(shape(kind, multipliers, -row - multipliers.touch, violation));
    bound.allow(kinds_[kind].zones.count * kinds_[kind].shapes.magnitude(kinds_[kind].size));
  }
  count_pattern(violation);
  return bound.least();
}

}  // namespace zonecut
