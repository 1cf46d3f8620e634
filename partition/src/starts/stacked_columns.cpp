#include "starts/stacked_columns.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "starts/metropolis.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr double kHot = 0.2;            // of what a part cuts on average
constexpr double kCold = 0.01;          // of the first heat
constexpr unsigned kStepsPerHeat = 32;  // steps from one heat to the next
constexpr std::size_t kPerPiece = 12;   // work
constexpr std::size_t kPerRow = 24;

/// Of the cheapest places so many, twice, four and eight times as many are drawn from by turns.
constexpr std::size_t kCheapest = 8;
constexpr std::size_t kDoublings = 4;

}  // namespace

StackedColumns::StackedColumns(const EqualRows& rows, std::span<const std::uint32_t> shares,
                               Random random)
    : rows_(rows),
      shares_(shares.begin(), shares.end()),
      random_(random),
      places_(cheapest_places(rows, kCheapest << (kDoublings - 1))),
      begin_(rows.rows(), 0),
      end_(rows.rows(), 0),
      changed_(rows.rows(), true) {
  for (Laid* laid : {&kept_, &laid_}) {
    laid->rows.resize(rows.rows());
    laid->cut.resize(rows.rows(), 0);
    laid->apart.resize(rows.rows(), 0);
  }
  plan_ = first_plan();
  ZONECUT_ENSURES(settle_borders(plan_));
  measure(plan_);
  std::swap(kept_, laid_);
}

/// As many columns as cost least where all are alike: as many borders along all rows as parts lie
/// one above the other in each of them.
StackedColumns::Plan StackedColumns::first_plan() {
  Plan plan;
  for (std::uint32_t part = 0; part < shares_.size(); ++part) {
    if (shares_[part] > 0) plan.order.push_back(part);
  }
  ZONECUT_ENSURES(!plan.order.empty() && plan.order.size() <= kMostParts);
  random_.shuffle(std::span(plan.order));
  const auto number = [](auto value) { return static_cast<double>(value); };
  const double parts = number(plan.order.size());
  const std::uint32_t cheap =
      places_.empty() ? 0 : places_[std::min(kCheapest, places_.size()) / 2];
  const double along = number(rows_.rows()) * std::max(1.0, number(rows_.over(cheap)));
  const double across = parts * number(rows_.length()) * number(rows_.step());
  const double columns = std::clamp(std::round(std::sqrt(across / along)), 1.0,
                                    std::min(parts, number(rows_.length())));
  plan.borders = {{0, 0, false}};
  for (double column = 1; column < columns; ++column) {
    const double middle = column * number(rows_.length()) / columns;
    const auto far = [&](std::uint32_t place) { return std::abs(number(place) - middle); };
    const std::uint32_t cells = *std::ranges::min_element(places_, {}, far) * rows_.rows();
    if (cells > plan.borders.back().cells) plan.borders.push_back({cells, 0, false});
  }
  plan.borders.push_back({rows_.rows() * rows_.length(), 0, false});
  for (std::size_t column = 0; column + 1 < plan.borders.size(); ++column) {
    plan.ways.push_back({column % 2 == 1, false});
  }
  return plan;
}

std::uint32_t StackedColumns::cells_before(const Plan& plan, std::size_t parts) const {
  std::uint32_t cells = 0;
  for (std::size_t i = 0; i < parts; ++i) cells += shares_[plan.order[i]];
  return cells;
}

/// A border anywhere, or near another one: at a cheap place, where a part ends, or off by a row or
/// less.
StackedColumns::Border StackedColumns::draw_border(const Plan& plan, const Border* near) {
  const std::size_t kind = random_.below(4);
  const bool rising = near != nullptr ? near->rising : random_.below(2) == 0;
  if (kind == 0 && near != nullptr) {
    const std::uint32_t off = static_cast<std::uint32_t>(random_.below(2 * rows_.rows() + 1));
    const std::uint32_t cells = near->cells + off;
    return {cells - std::min(cells, rows_.rows()), 0, rising};
  }
  if (kind <= 1 || plan.order.size() == 1) {
    const std::size_t most = std::min(places_.size(), kCheapest << random_.below(kDoublings));
    return {places_[random_.below(most)] * rows_.rows(), 0, rising};
  }
  std::size_t parts = 1 + random_.below(plan.order.size() - 1);
  if (near != nullptr && random_.below(2) == 0) {
    std::uint32_t cells = 0;
    std::size_t before = 0;
    while (before + 1 < plan.order.size() && cells < near->cells) {
      cells += shares_[plan.order[before++]];
    }
    parts = std::clamp<std::size_t>(before + random_.below(3), 2, plan.order.size()) - 1;
  }
  return {cells_before(plan, parts), static_cast<std::uint32_t>(parts), rising};
}

bool StackedColumns::change_order(Plan& plan) {
  const std::size_t parts = plan.order.size();
  if (parts < 2) return false;
  const std::size_t one = random_.below(parts);
  const std::size_t other = random_.below(3) == 0 ? std::min(parts - 1, one + 1 + random_.below(3))
                                                  : random_.below(parts);
  if (one == other) return false;
  std::swap(plan.order[one], plan.order[other]);
  return true;
}

/// To another place in the order; parts then end where others did, or borders go along with theirs.
bool StackedColumns::move_part(Plan& plan) {
  const std::size_t parts = plan.order.size();
  if (parts < 2) return false;
  const std::size_t from = random_.below(parts);
  const std::size_t to = random_.below(parts);
  if (from == to) return false;
  const auto first = plan.order.begin() + static_cast<std::ptrdiff_t>(std::min(from, to));
  const auto last = plan.order.begin() + static_cast<std::ptrdiff_t>(std::max(from, to)) + 1;
  std::rotate(first, from < to ? first + 1 : last - 1, last);
  if (random_.below(2) == 0) return true;
  for (Border& border : plan.borders) {
    if (border.parts > from && border.parts <= to) --border.parts;
    if (border.parts > to && border.parts <= from) ++border.parts;
  }
  return true;
}

bool StackedColumns::move_border(Plan& plan) {
  if (plan.ways.size() < 2) return false;
  Border& border = plan.borders[1 + random_.below(plan.ways.size() - 1)];
  border = draw_border(plan, &border);
  return true;
}

/// One column more or less.
bool StackedColumns::change_columns(Plan& plan) {
  if (random_.below(2) == 0) {
    const Border border = draw_border(plan, nullptr);
    const auto next = std::ranges::upper_bound(plan.borders, border.cells, {}, &Border::cells);
    if (next == plan.borders.begin() || next == plan.borders.end()) return false;
    const std::ptrdiff_t column = next - plan.borders.begin() - 1;
    plan.borders.insert(next, border);
    plan.ways.insert(plan.ways.begin() + column, {random_.below(2) == 0, random_.below(2) == 0});
    return true;
  }
  if (plan.ways.size() < 2) return false;
  const auto border = static_cast<std::ptrdiff_t>(1 + random_.below(plan.ways.size() - 1));
  plan.borders.erase(plan.borders.begin() + border);
  plan.ways.erase(plan.ways.begin() + border - static_cast<std::ptrdiff_t>(random_.below(2)));
  return true;
}

bool StackedColumns::turn(Plan& plan) {
  if (random_.below(3) == 0) {
    Border& border = plan.borders[random_.below(plan.borders.size())];
    border.rising = !border.rising;
    return border.cells % rows_.rows() != 0;
  }
  Way& way = plan.ways[random_.below(plan.ways.size())];
  const std::size_t how = 1 + random_.below(3);
  if (how % 2 == 1) way.rising = !way.rising;
  if (how >= 2) way.from_right = !way.from_right;
  return true;
}

/// False where nothing changed.
bool StackedColumns::change(Plan& plan) {
  switch (random_.below(8)) {
    case 0:
    case 1:
    case 2:
      return change_order(plan);
    case 3:
    case 4:
      return move_part(plan);
    case 5:
      return !places_.empty() && move_border(plan);
    case 6:
      return !places_.empty() && change_columns(plan);
    default:
      return turn(plan);
  }
}

/// Borders where parts end go along with them. False where a column would have no place in some
/// row.
bool StackedColumns::settle_borders(Plan& plan) {
  std::uint32_t cells = 0;
  std::size_t parts = 0;
  for (std::size_t i = 1; i < plan.borders.size(); ++i) {
    Border& border = plan.borders[i];
    if (border.parts > 0) {
      if (border.parts < parts) return false;
      while (parts < border.parts) cells += shares_[plan.order[parts++]];
      border.cells = cells;
    }
    if (border.cells < plan.borders[i - 1].cells + rows_.rows()) return false;
  }
  return true;
}

void StackedColumns::place_border(const Border& border, std::span<std::uint32_t> places) const {
  const std::uint32_t place = border.cells / rows_.rows();
  const std::uint32_t more = border.cells % rows_.rows();
  std::ranges::fill(places, place);
  const std::span<std::uint32_t> wider = border.rising ? places.last(more) : places.first(more);
  for (std::uint32_t& each : wider) ++each;
}

void StackedColumns::append(std::vector<RowPiece>& row, std::uint32_t end,
                            std::uint32_t part) const {
  if (!row.empty() && row.back().part == part) {
    row.back().end = static_cast<std::uint16_t>(end);
    return;
  }
  row.push_back({static_cast<std::uint16_t>(end), part});
}

void StackedColumns::take(std::uint32_t vertices) {
  left_ -= vertices;
  if (left_ > 0 || to_come_.size() == 1) return;
  to_come_ = to_come_.subspan(1);
  left_ = shares_[to_come_.front()];
}

void StackedColumns::fill(std::size_t row, std::uint32_t begin, std::uint32_t end,
                          bool from_right) {
  std::vector<RowPiece>& pieces = laid_.rows[row];
  if (left_ >= end - begin) {
    append(pieces, end, to_come_.front());
    take(end - begin);
    return;
  }
  if (!from_right) {
    while (begin < end) {
      const std::uint32_t taken = std::min(left_, end - begin);
      begin += taken;
      append(pieces, begin, to_come_.front());
      take(taken);
    }
    return;
  }
  backwards_.clear();
  while (begin < end) {
    const std::uint32_t taken = std::min(left_, end - begin);
    append(backwards_, end, to_come_.front());
    end -= taken;
    take(taken);
  }
  for (std::size_t i = backwards_.size(); i-- > 0;) {
    append(pieces, backwards_[i].end, backwards_[i].part);
  }
}

void StackedColumns::lay_out(const Plan& plan) {
  for (std::vector<RowPiece>& row : laid_.rows) row.clear();
  to_come_ = plan.order;
  left_ = shares_[to_come_.front()];
  std::ranges::fill(begin_, 0);
  for (std::size_t column = 0; column < plan.ways.size(); ++column) {
    place_border(plan.borders[column + 1], end_);
    const Way way = plan.ways[column];
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      const std::size_t row = way.rising ? rows_.rows() - 1 - i : i;
      fill(row, begin_[row], end_[row], way.from_right);
    }
    std::swap(begin_, end_);
  }
}

std::int64_t StackedColumns::cut_of(std::span<const RowPiece> row) const {
  std::int64_t cut = rows_.total();
  std::uint64_t seen = 0;
  bool again = false;
  std::uint32_t begin = 0;
  for (const RowPiece& piece : row) {
    cut -= rows_.within(begin, piece.end);
    begin = piece.end;
    const std::uint64_t bit = std::uint64_t{1} << piece.part % kMostParts;
    again |= (seen & bit) != 0;
    seen |= bit;
  }
  if (!again) return cut;
  begin = 0;
  for (std::size_t i = 0; i < row.size(); begin = row[i++].end) {
    for (std::size_t j = i + 2; j < row.size(); ++j) {
      if (row[i].part != row[j].part) continue;
      cut -= rows_.between(begin, row[i].end, row[j - 1].end, row[j].end);
    }
  }
  return cut;
}

void StackedColumns::weigh() {
  const std::size_t rows = rows_.rows();
  for (std::size_t row = 0; row < rows; ++row) {
    changed_[row] = laid_.rows[row] != kept_.rows[row];
    if (!changed_[row]) {
      laid_.cut[row] = kept_.cut[row];
    } else if (row > 0 && laid_.rows[row] == laid_.rows[row - 1]) {
      laid_.cut[row] = laid_.cut[row - 1];
    } else {
      laid_.cut[row] = cut_of(laid_.rows[row]);
    }
  }
  laid_.sum = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t next = row + 1 < rows ? row + 1 : 0;
    const std::int64_t each = next > 0 ? rows_.step() : rows_.wrap();
    if (each == 0) {
      laid_.apart[row] = 0;
    } else if (changed_[row] || changed_[next]) {
      laid_.apart[row] = each * places_apart(laid_.rows[row], laid_.rows[next]);
    } else {
      laid_.apart[row] = kept_.apart[row];
    }
    laid_.sum += laid_.cut[row] + laid_.apart[row];
  }
}

/// Gives the work it took.
std::size_t StackedColumns::measure(const Plan& plan) {
  lay_out(plan);
  weigh();
  std::size_t pieces = 0;
  for (const std::vector<RowPiece>& row : laid_.rows) pieces += row.size();
  return kPerPiece * pieces + kPerRow * rows_.rows();
}

void StackedColumns::anneal(WorkBudget& budget) {
  const double hot =
      kHot * static_cast<double>(kept_.sum) / static_cast<double>(plan_.order.size());
  Cooling cooling(budget, hot, kCold, kStepsPerHeat);
  Plan tried;
  const auto step = [&] {
    const double heat = cooling.next();
    tried = plan_;
    budget.spend(kPerRow);
    if (!change(tried) || !settle_borders(tried)) return false;
    budget.spend(measure(tried));
    const double rise = -heat * std::log(1 - random_.unit());
    if (static_cast<double>(laid_.sum - kept_.sum) > rise) return false;
    std::swap(plan_, tried);
    std::swap(kept_, laid_);
    return true;
  };
  keep_least(plan_, budget, [&] { return kept_.sum; }, step);
  measure(plan_);
  std::swap(kept_, laid_);
}

}  // namespace zonecut
