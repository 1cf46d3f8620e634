#include "bound/zone_piece_relaxation.hpp"

#include <algorithm>
#include <map>

#include "bound/open_zones.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {

ZonePieceRelaxation::ZonePieceRelaxation(const RowModel& model,
                                         std::span<const std::uint32_t> sizes, Incidence incidence,
                                         std::size_t most_counted, Filling filling)
    : model_(model), incidence_(incidence) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t size : sizes) {
    if (size > 0) ++counts[size];
  }
  for (const auto& [size, count] : counts) {
    kind_of_zone_.insert(kind_of_zone_.end(), count, kinds_.size());
    kinds_.push_back({size, count, ZoneShapes(model, size, most_counted), {}, {}});
  }
  patterns_.emplace(model.length, kind_of_zone_.size());
  if (filling == Filling::Open) sharing_.emplace(sizes, model.rows * model.length);
}

PieceMultipliers ZonePieceRelaxation::of_pooled(const PieceMultipliers& pooled) const {
  PieceMultipliers multipliers{{}, pooled.touch, pooled.run};
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    multipliers.piece.insert(multipliers.piece.end(), pooled.piece.begin(), pooled.piece.end());
  }
  return multipliers;
}

std::size_t ZonePieceRelaxation::steps_per_solve() const {
  std::size_t steps = patterns_->steps(!model_.excess.empty());
  for (const Kind& kind : kinds_)
    steps += (sharing_ ? 3 + kChoicesPerSharing : 1) * kind.shapes.steps();
  return sharing_ ? steps + sharing_->steps() : steps;
}

std::vector<std::span<const double>> ZonePieceRelaxation::prices_by_zone(
    const PieceMultipliers& multipliers) const {
  std::vector<std::span<const double>> prices;
  for (const std::size_t kind : kind_of_zone_) {
    prices.push_back(
        std::span(multipliers.piece).subspan(kind * model_.length, kinds_[kind].shapes.kinds()));
  }
  return prices;
}

void ZonePieceRelaxation::choose_row(const PieceMultipliers& multipliers) {
  row_ = patterns_->choose(prices_by_zone(multipliers), model_.excess) -
         in_quarters(model_.per_divided_row);
}

std::vector<TakenShape> ZonePieceRelaxation::shapes() const {
  std::vector<TakenShape> taken;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const ZoneShapes::Zones& zones = kinds_[kind].zones.front();
    taken.push_back({zones.count, kind * model_.length, &zones.shape});
  }
  return taken;
}

std::vector<FilledRow> ZonePieceRelaxation::rows(const PieceMultipliers& multipliers) {
  std::vector<FilledRow> rows;
  const auto add = [&](double cost, std::span<const ZonePatterns::Piece> pieces,
                       std::optional<std::size_t> excess) {
    FilledRow& row = rows.emplace_back(FilledRow{cost, {}, {}, excess});
    for (const auto& [zone, size] : pieces) {
      const std::size_t first = kind_of_zone_[zone] * model_.length;
      row.prices.push_back(static_cast<std::uint32_t>(first + size));
      row.sizes.push_back(size);
    }
  };
  add(row_, patterns_->pieces(), patterns_->excess());
  const std::vector<ZonePatterns::Row> others =
      patterns_->others(prices_by_zone(multipliers), model_.excess, kOtherRows);
  for (const ZonePatterns::Row& row : others) {
    add(row.cost - in_quarters(model_.per_divided_row), row.pieces, row.excess);
  }
  return rows;
}

void ZonePieceRelaxation::count_pattern(PieceViolation& violation) {
  for (const auto& [zone, size] : patterns_->pieces()) {
    violation.piece[kind_of_zone_[zone] * model_.length + size] += taken_.divided();
  }
}

void ZonePieceRelaxation::price(std::size_t kind, const PieceMultipliers& multipliers) {
  const auto first = multipliers.piece.begin() + static_cast<std::ptrdiff_t>(kind * model_.length);
  kinds_[kind].shapes.set_prices({{first, first + static_cast<std::ptrdiff_t>(model_.length)},
                                  multipliers.touch,
                                  multipliers.run});
}

/// Those that add up and cost least. Gives what they cost.
double ZonePieceRelaxation::choose_sizes(double per_full_row, double touch) {
  std::vector<std::span<const double>> costs;
  std::size_t work = 0;
  for (std::size_t k = kinds_.size(); k-- > 0;) {
    Kind& kind = kinds_[k];
    kind.costs = costs_of_sizes(model_, kind.shapes, kind.size, per_full_row, touch);
    costs.emplace_back(kind.costs);
    work += kChoicesPerSharing * kind.shapes.steps();
  }
  const SharedSizes::Choice& shared = sharing_->choose(costs, work);
  std::size_t first = 0;
  for (std::size_t k = kinds_.size(); k-- > 0;) {
    Kind& kind = kinds_[k];
    kind.zones = zones_of_sizes(std::span(shared.size).subspan(first, kind.count));
    kind.shapes.choose(kind.zones, per_full_row);
    first += kind.count;
  }
  return shared.least;
}

/// Of the sizes there are, which are known.
void ZonePieceRelaxation::choose_shapes(double per_full_row, RoundedSum& bound) {
  for (Kind& kind : kinds_) {
    kind.zones.assign(1, {kind.size, number(kind.count), {}});
    kind.shapes.choose(kind.zones, per_full_row);
    const ZoneShapes::Zones& zones = kind.zones.front();
    bound.add(zones.count * zones.shape.cost);
    bound.allow(zones.count * kind.shapes.magnitude(kind.size));
  }
}

void ZonePieceRelaxation::count(std::size_t kind, PieceViolation& violation) {
  for (const ZoneShapes::Zones& zones : kinds_[kind].zones) {
    double touches = number(zones.shape.full);
    for (const PieceCount& taken : zones.shape.pieces) {
      violation.piece[kind * model_.length + taken.piece] -= zones.count * taken.count;
      touches += taken.count;
    }
    taken_.add(zones.shape, zones.count);
    violation.touch -= zones.count * touches;
    violation.run += zones.count * zones.shape.run;
    if (!sharing_) continue;
    if (divides_groups(model_, zones.size)) dividers_ += zones.count;
    count_size(model_, zones.size, zones.count, violation);
  }
}

double ZonePieceRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  RoundedSum bound;
  choose_row(multipliers);
  const double row = row_;
  const double run = std::min(multipliers.run, most_run());
  violation.piece.assign(pieces(), 0);
  violation.touch = number(incidence_.touches);
  violation.run = -2 * number(incidence_.components);
  bound.add(number(model_.rows) * row);
  bound.allow(number(model_.rows) *
              magnitude_of_sums(number(model_.length),
                                largest_price(multipliers) + largest_term(model_.excess)));
  bound.add(multipliers.touch * violation.touch);
  bound.add(run * violation.run);
  bound.add(-in_quarters(model_.deduction));
  taken_.clear(model_);
  dividers_ = 0;
  const double per_full_row = -row - multipliers.touch;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) price(kind, multipliers);
  if (sharing_) {
    bound.add(choose_sizes(per_full_row, multipliers.touch));
  } else {
    choose_shapes(per_full_row, bound);
  }
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) count(kind, violation);
  count_pattern(violation);
  return bound.least();
}

}  // namespace zonecut
