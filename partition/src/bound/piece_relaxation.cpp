#include "bound/piece_relaxation.hpp"

#include <algorithm>
#include <map>

#include "bound/open_zones.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {

PieceRelaxation::PieceRelaxation(const RowModel& model, std::span<const std::uint32_t> capacity,
                                 Incidence incidence, Filling filling)
    : model_(model),
      incidence_(incidence),
      filling_(filling),
      largest_(capacity.empty() ? 0 : std::ranges::max(capacity)),
      shapes_(model, largest_, ZoneShapes::kMostCountedAtOnce),
      patterns_(model.length, shapes_.kinds()) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t c : capacity) {
    if (c > 0) ++counts[c];
  }
  for (const auto& [size, count] : counts) kinds_of_zones_.push_back({size, number(count), {}});
  if (filling == Filling::Open) sharing_.emplace(capacity, model.rows * model.length);
}

std::size_t PieceRelaxation::steps_per_solve() const {
  const std::size_t once = shapes_.steps() + patterns_.steps(!model_.excess.empty());
  return sharing_ ? (3 + kChoicesPerSharing) * once + sharing_->steps() : once;
}

void PieceRelaxation::count(const Zones& zones, PieceViolation& violation) {
  taken_.add(zones.shape, zones.count);
  double touches = number(zones.shape.full);
  for (const PieceCount& taken : zones.shape.pieces) touches += taken.count;
  violation.touch -= zones.count * touches;
  violation.run += zones.count * zones.shape.run;
}

/// zones_ become the sizes that are cheapest for the zones' capacities. Gives what they cost, with
/// what rounding may add taken off.
double PieceRelaxation::choose_sizes(double per_full_row, double touch) {
  const std::vector<double> costs = costs_of_sizes(model_, shapes_, largest_, per_full_row, touch);
  const SharedSizes::Choice& shared = sharing_->choose(costs, kChoicesPerSharing * shapes_.steps());
  zones_ = zones_of_sizes(shared.size);
  return shared.least;
}

void PieceRelaxation::choose_row(const PieceMultipliers& multipliers) {
  row_ = patterns_.choose(multipliers.piece, model_.excess) - in_quarters(model_.per_divided_row);
}

std::vector<TakenShape> PieceRelaxation::shapes() const {
  std::vector<TakenShape> taken;
  for (const Zones& zones : zones_) taken.push_back({zones.count, 0, &zones.shape});
  return taken;
}

std::vector<FilledRow> PieceRelaxation::rows(const PieceMultipliers& multipliers) {
  const std::span<const std::uint32_t> cheapest = patterns_.pieces();
  std::vector<FilledRow> rows;
  rows.push_back({row_,
                  {cheapest.begin(), cheapest.end()},
                  {cheapest.begin(), cheapest.end()},
                  patterns_.excess()});
  for (RowPatterns::Row& row : patterns_.others(multipliers.piece, model_.excess, kOtherRows)) {
    rows.push_back(
        {row.cost - in_quarters(model_.per_divided_row), row.pieces, row.pieces, row.excess});
  }
  return rows;
}

double PieceRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  choose_row(multipliers);
  const double row = row_;
  shapes_.set_prices(multipliers);
  const double per_full_row = -row - multipliers.touch;
  double of_sizes = 0;
  if (filling_ == Filling::Open) {
    of_sizes = choose_sizes(per_full_row, multipliers.touch);
  } else {
    zones_ = kinds_of_zones_;
  }
  shapes_.choose(zones_, per_full_row);

  taken_.clear(model_);
  dividers_ = 0;
  violation.touch = number(incidence_.touches);
  violation.run = -2 * number(incidence_.components);
  RoundedSum bound;
  bound.add(number(model_.rows) * row);
  bound.allow(number(model_.rows) *
              magnitude_of_sums(number(model_.length),
                                largest_price(multipliers) + largest_term(model_.excess)));
  bound.add(multipliers.touch * violation.touch);
  bound.add(shapes_.run() * violation.run);
  bound.add(-in_quarters(model_.deduction));
  // Not what the shapes of the chosen sizes cost: with few sizes there was time to find more of
  // that, and other sizes might have been the cheapest then.
  bound.add(of_sizes);
  for (const Zones& zones : zones_) {
    count(zones, violation);
    if (filling_ == Filling::Full) {
      bound.add(zones.count * zones.shape.cost);
      bound.allow(zones.count * shapes_.magnitude(zones.size));
      continue;
    }
    if (divides_groups(model_, zones.size)) dividers_ += zones.count;
    count_size(model_, zones.size, zones.count, violation);
  }
  violation.piece.assign(model_.length, 0);
  for (std::size_t x = 1; x < model_.length; ++x) violation.piece[x] -= taken_.pieces_of(x);
  for (const std::uint32_t piece : patterns_.pieces()) violation.piece[piece] += taken_.divided();
  // Without multipliers all sums are of whole numbers and halves, hence exact. Open sizes are those
  // that are cheapest with what rounding may add taken off.
  const bool exact = filling_ == Filling::Full && model_.excess.empty() && multipliers.touch == 0 &&
                     multipliers.run == 0 &&
                     std::ranges::count(multipliers.piece, 0.0) ==
                         static_cast<std::ptrdiff_t>(multipliers.piece.size());
  return exact ? bound.value() : bound.least();
}

}  // namespace zonecut
