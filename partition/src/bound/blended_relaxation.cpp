#include "bound/blended_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

// Parts of the range of a share, with a view at either end of each.
constexpr std::size_t kPricedParts = 4;
constexpr std::size_t kClosingParts = 2;

std::size_t closing_values(const GridView& view) { return view.lacks() ? kClosingParts + 1 : 1; }

std::size_t priced_values(const GridViews& views, Rows rows) {
  return views.priced(rows) ? kPricedParts + 1 : 1;
}

/// Those of views that differ in other things are the same.
void add(std::vector<SharedDivisions>& all, const SharedDivisions& more) {
  const auto same = std::ranges::find(all, more.all, &SharedDivisions::all);
  if (same != all.end()) {
    same->share += more.share;
  } else {
    all.push_back(more);
  }
}

double clamped(double share) { return std::clamp(share, 0.0, 1.0); }

}  // namespace

std::size_t blended_views_for(const GridViews& views, const GridView& view) {
  return priced_values(views, view.rows) * closing_values(view);
}

/// Where paths lack nothing all shares of closing are the same.
std::vector<GridView> blended_views(const GridViews& views, const GridView& view) {
  std::vector<GridView> all;
  const std::size_t values = closing_values(view);
  for (std::size_t c = 0; c < values; ++c) {
    const double closing = values == 1 ? 1 : number(c) / number(kClosingParts);
    for (std::size_t p = 0; p < priced_values(views, view.rows); ++p) {
      all.push_back(*views.at(view.rows, number(p) / number(kPricedParts), closing));
    }
  }
  return all;
}

template <class Pieces>
void Blended<Pieces>::measure() {
  priced_values_ = static_cast<std::size_t>(std::ranges::count_if(
      views_, [&](const GridView& view) { return view.closing == views_.front().closing; }));
  for (const std::int64_t cut : model_.inside) scale_ = std::max(scale_, in_quarters(cut));
  for (std::size_t i = 0; i < views_.size(); ++i) {
    std::vector<RowExcess>& excess = excess_.emplace_back();
    // A single view is no better than itself; what other rows lack, those of few pieces lack too.
    const bool by_closing = closings() > 1 && views_[i].raw.lacking_border > 0;
    for (std::size_t c = 0; by_closing && c < closings(); ++c) {
      const GridView& other = views_[c * priced_values_ + i % priced_values_];
      excess.push_back(excess_in(other.model, views_[i].model));
    }
    for (std::size_t c = 0; c < closings(); ++c) {
      const std::size_t other = c * priced_values_ + i % priced_values_;
      if (other != i && !by_closing) continue;
      for (const TouchedRows& rows : views_[other].touched) {
        excess.push_back(excess_of_touches(rows.model, views_[i].model, rows.group, rows.touch));
      }
    }
    if (views_[i].divisions) {
      excess.push_back(excess_of_divisions(*views_[i].divisions, views_[i].model));
    }
  }
  blend_excess(corners({}, {}));
}

template <class Pieces>
std::span<const RowExcess> Blended<Pieces>::excess_at(const Corner& corner) const {
  return excess_[static_cast<std::size_t>(corner.view - views_.data())];
}

/// In proportion as well: each view says that of the same rows.
template <class Pieces>
void Blended<Pieces>::blend_excess(const Corners& corners) {
  model_.excess.resize(excess_.front().size());
  for (std::size_t i = 0; i < model_.excess.size(); ++i) {
    RowExcess& blended = model_.excess[i];
    blended.piece.assign(model_.length, 0);
    blended.row = 0;
    blended.group = excess_.front()[i].group;
    blended.whole = excess_.front()[i].whole;  // the same in all views
    blended.divisions.clear();
    for (const Corner& corner : corners) {
      const RowExcess& excess = excess_at(corner)[i];
      blended.row += corner.weight * excess.row;
      for (std::size_t x = 1; x < model_.length; ++x) {
        blended.piece[x] += corner.weight * excess.piece[x];
      }
      for (const SharedDivisions& each : excess.divisions) {
        if (corner.weight > 0) add(blended.divisions, {each.all, corner.weight});
      }
    }
  }
}

template <class Pieces>
PieceMultipliers Blended<Pieces>::multipliers_at(double priced, double closing,
                                                 PieceMultipliers of_pieces) const {
  of_pieces.piece.resize(relaxation_.pieces(), 0);
  of_pieces.piece.push_back(scale_ * priced);
  of_pieces.piece.push_back(scale_ * closing);
  return of_pieces;
}

template <class Pieces>
double Blended<Pieces>::priced(const PieceMultipliers& multipliers) const {
  return clamped(multipliers.piece[relaxation_.pieces()] / scale_);
}

template <class Pieces>
double Blended<Pieces>::closing(const PieceMultipliers& multipliers) const {
  return clamped(multipliers.piece[relaxation_.pieces() + 1] / scale_);
}

template <class Pieces>
PieceMultipliers Blended<Pieces>::of_pieces(PieceMultipliers multipliers) const {
  multipliers.piece.resize(relaxation_.pieces());
  return multipliers;
}

template <class Pieces>
typename Blended<Pieces>::Between Blended<Pieces>::between(double share, std::size_t values) {
  if (values == 1) return {};
  const double place = share * number(values - 1);
  const auto low = std::min(static_cast<std::size_t>(place), values - 2);
  return {low, low + 1, place - number(low)};
}

template <class Pieces>
typename Blended<Pieces>::Corners Blended<Pieces>::corners(const Between& priced,
                                                           const Between& closing) const {
  const auto corner = [&](std::size_t p, std::size_t c, double weight) {
    return Corner{&views_[c * priced_values_ + p], weight};
  };
  return {corner(priced.low, closing.low, (1 - priced.part) * (1 - closing.part)),
          corner(priced.high, closing.low, priced.part * (1 - closing.part)),
          corner(priced.low, closing.high, (1 - priced.part) * closing.part),
          corner(priced.high, closing.high, priced.part * closing.part)};
}

/// Rounded so that it bounds less, where it is not the same at all corners.
template <class Pieces>
void Blended<Pieces>::blend(const Corners& corners) {
  const auto mean = [&](const auto& value_in) {
    const std::int64_t first = value_in(*corners.front().view);
    if (std::ranges::all_of(
            corners, [&](const Corner& corner) { return value_in(*corner.view) == first; })) {
      return in_quarters(first);
    }
    RoundedSum sum;
    for (const Corner& corner : corners)
      sum.add(corner.weight * in_quarters(value_in(*corner.view)));
    return sum.least();
  };
  for (std::size_t x = 1; x < model_.length; ++x) {
    model_.inside[x] = rounded_down(mean([x](const GridView& in) { return in.model.inside[x]; }));
  }
  for (std::size_t m = 1; m <= model_.length; ++m) {
    model_.across[m] = rounded_down(mean([m](const GridView& in) { return in.model.across[m]; }));
    model_.around[m] = -rounded_down(mean([m](const GridView& in) { return -in.model.around[m]; }));
  }
  model_.per_divided_row =
      -rounded_down(mean([](const GridView& in) { return -in.model.per_divided_row; }));
  model_.deduction = -rounded_down(mean([](const GridView& in) { return -in.model.deduction; }));
  model_.per_divider = rounded_down(mean([](const GridView& in) { return in.model.per_divider; }));
  groups_ = std::floor(mean([](const GridView& in) { return in.groups; }));
}

/// What the bound gains with the multiplier of a share; no further than 0 and 1.
template <class Pieces>
double Blended<Pieces>::slope(double share, double change) const {
  const double each = change / scale_;
  if (share <= 0) return std::max(0.0, each);
  return share >= 1 ? std::min(0.0, each) : each;
}

/// The rows at these shares.
template <class Pieces>
void Blended<Pieces>::see(double priced, double closing) {
  const std::array<double, 2> shares{priced, closing};
  if (seen_ == shares) return;
  seen_ = shares;
  priced_at_ = between(priced, priced_values_);
  closing_at_ = between(closing, views_.size() / priced_values_);
  around_ = corners(priced_at_, closing_at_);
  blend(around_);
  blend_excess(around_);
}

/// How much more costs with a share of prices and with one of closing, from none to all.
template <class Pieces>
template <class Cost>
std::array<double, 2> Blended<Pieces>::by_share(const Cost& cost_at) const {
  std::array<double, 4> cost{};
  std::ranges::transform(around_, cost.begin(), cost_at);
  const double p = priced_at_.part;
  const double c = closing_at_.part;
  return {((1 - c) * (cost[1] - cost[0]) + c * (cost[3] - cost[2])) * number(kPricedParts),
          ((1 - p) * (cost[2] - cost[0]) + p * (cost[3] - cost[1])) * number(kClosingParts)};
}

template <class Pieces>
double Blended<Pieces>::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  const double priced_share = priced(multipliers);
  const double closing_share = closing(multipliers);
  see(priced_share, closing_share);
  last_ = of_pieces(multipliers);
  const double bound = relaxation_.solve(last_, violation) + groups_;
  const auto [more_priced, more_closing] = by_share([&](const Corner& corner) {
    return in_quarters(corner.view->groups - corner.view->model.deduction) +
           relaxation_.cost_of_pieces(corner.view->model) +
           relaxation_.excess_of_rows(excess_at(corner));
  });
  violation.piece.push_back(slope(priced_share, more_priced));
  violation.piece.push_back(slope(closing_share, more_closing));
  return bound;
}

template <class Pieces>
MultiplierRange Blended<Pieces>::range(std::size_t multiplier) const {
  const MultiplierIndex index{pieces()};
  if (multiplier < relaxation_.pieces()) return {};
  if (multiplier < pieces()) return {0, scale_};
  if (multiplier == index.touch()) return {.low = 0};
  double most_run = 0;
  for (const GridView& view : views_) {
    most_run = std::max(most_run, ZoneShapes::most_run(view.model));
  }
  return {0, most_run};
}

template <class Pieces>
template <class Cost>
void Blended<Pieces>::add_shares(Slope& slope, const Cost& cost_at) const {
  const auto [more_priced, more_closing] = by_share(cost_at);
  append(slope, relaxation_.pieces(), more_priced / scale_);
  append(slope, relaxation_.pieces() + 1, more_closing / scale_);
  sort(slope);
}

/// `full_row`: the price of one, where it is known.
template <class Pieces>
Part Blended<Pieces>::rows_part(const PieceMultipliers& multipliers,
                                std::optional<double> full_row) {
  std::vector<Column> columns;
  for (const FilledRow& row : relaxation_.rows(multipliers)) {
    Column& column = columns.emplace_back(column_of(row));
    add_shares(column.slope, [&](const Corner& corner) {
      return row.excess_by(excess_at(corner)) - in_quarters(corner.view->model.per_divided_row);
    });
  }
  return {number(model_.rows), with_full_row(std::move(columns), full_row)};
}

template <class Pieces>
std::vector<Part> Blended<Pieces>::rows(const PieceMultipliers& multipliers) {
  see(priced(multipliers), closing(multipliers));
  const PieceMultipliers own = of_pieces(multipliers);
  relaxation_.choose_row(own);
  return {rows_part(own, multipliers.piece[kFullRow])};
}

template <class Pieces>
std::vector<Part> Blended<Pieces>::parts() {
  std::vector<Part> parts{rows_part(last_, std::nullopt)};
  for (const TakenShape& taken : relaxation_.shapes()) {
    Column column = column_of(taken, {pieces()});
    add_shares(column.slope,
               [&](const Corner& corner) { return cost_of(*taken.shape, corner.view->model); });
    parts.push_back({taken.count, {std::move(column)}});
  }
  // What is the same whatever is taken.
  Column always{groups_ - in_quarters(model_.deduction), {}};
  add_shares(always.slope, [](const Corner& corner) {
    return in_quarters(corner.view->groups - corner.view->model.deduction);
  });
  parts.push_back({1, {std::move(always)}});
  return parts;
}

template class Blended<PieceRelaxation>;
template class Blended<ZonePieceRelaxation>;

}  // namespace zonecut
