#include "bound/zone_shapes.hpp"

#include <algorithm>
#include <cmath>

#include "grid/min_plus.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kLevelWork = 4;  // times that of one choice, for rows that are all held

}  // namespace

ZoneShapes::ZoneShapes(const RowModel& model, std::size_t largest_zone, std::size_t most_counted)
    : model_(model), columns_(largest_zone + 1), kinds_(std::min(model.length, columns_)) {
  if (largest_zone < model.rows) return;
  if (model.rows * columns_ * kinds_ <= most_counted) table_ = PieceTable(model.rows, columns_);
}

std::size_t ZoneShapes::steps() const {
  const std::size_t beside_full = columns_ > model_.length ? columns_ - model_.length : 0;
  const std::size_t counted = table_.exists() ? model_.rows * columns_ : 0;
  // Sums are taken two at a time.
  return kinds_ * (columns_ + 2 * beside_full + counted) / 2 + columns_;
}

double ZoneShapes::most_run(const RowModel& model) { return in_quarters(model.across.back()) / 2; }

double ZoneShapes::magnitude(std::size_t zone) const {
  return magnitude_of_sums(number(std::min(model_.rows, zone)), dearest_);
}

void ZoneShapes::set_prices(const PieceMultipliers& multipliers) {
  run_ = std::min(multipliers.run, most_run());
  // What ends across rows cost may be far more than a piece, and is taken off again where a zone is
  // in every row.
  dearest_ = in_quarters(model_.across.back());
  price_.assign(kinds_, 0);
  apart_.assign(kinds_, 0);
  for (std::size_t x = 1; x < kinds_; ++x) {
    price_[x] = in_quarters(model_.inside[x]) / 2 - multipliers.piece[x] - multipliers.touch;
    apart_[x] = price_[x] + std::min(0.0, in_quarters(model_.across[x]) - 2 * run_);
    dearest_ = std::max({dearest_, std::abs(price_[x]), std::abs(apart_[x])});
  }
  level_.set_prices(model_, price_);
  if (table_.exists()) {
    table_.set_prices(price_);
  } else {
    counted_.set_prices(price_);
  }
}

void ZoneShapes::allow(std::size_t piece) {
  // A stretch as long as the piece depends on the one before it alone.
  for (std::size_t sum = piece; sum < columns_; sum += piece) {
    const std::size_t count = std::min(piece, columns_ - sum);
    lower(std::span(least_).subspan(sum, count), std::span(least_).subspan(sum - piece, count),
          apart_[piece]);
  }
}

void ZoneShapes::take_pieces(Shape& shape, std::size_t sum, std::size_t largest) const {
  while (sum > 0) {
    const std::size_t piece = cheapest_last(least_, apart_, sum, largest);
    // A run of rows of its own has two ends.
    if (apart_[piece] < price_[piece]) {
      shape.run -= 2;
      shape.ends.push_back({piece, 1});
    }
    shape.pieces.push_back({piece, 1});
    sum -= piece;
  }
}

/// Pieces up to `largest` are allowed by now; some row stays empty.
void ZoneShapes::choose_without_full_rows(std::span<Zones> all, std::size_t largest) {
  const double first = price_[largest] + in_quarters(model_.across[largest]);
  for (Zones& zones : all) {
    if (zones.size < largest) continue;
    const double cost = least_[zones.size - largest] + first;
    if (cost >= zones.shape.cost) continue;
    zones.shape.cost = cost;
    zones.shape.largest = largest;
  }
}

/// Of shapes without full rows, from the table as it was when their largest piece was allowed.
void ZoneShapes::take_largest_first(std::span<Zones> all) {
  std::size_t most = 0;
  for (const Zones& zones : all) {
    if (zones.count > 0) most = std::max(most, zones.shape.largest);
  }
  if (most == 0) return;
  least_.assign(columns_, kNotReached);
  least_.front() = 0;
  for (std::size_t x = 1; x <= most; ++x) {
    allow(x);
    for (Zones& zones : all) {
      if (zones.shape.largest != x || zones.count == 0) continue;
      zones.shape.pieces.push_back({x, 1});
      zones.shape.ends.push_back({x, 1});
      take_pieces(zones.shape, zones.size - x, x);
    }
  }
}

/// Up to two pieces next to full rows: each belongs to one run of divided rows.
void ZoneShapes::add_touching() {
  const std::vector<double>* before = &least_;
  const std::size_t sums = columns_ - model_.length;
  for (std::vector<double>& table : touching_) {
    table.assign(before->begin(), before->begin() + static_cast<std::ptrdiff_t>(sums));
    for (std::size_t x = 1; x < std::min(sums, kinds_); ++x) {
      lower(std::span(table).subspan(x), *before, price_[x] - run_);
    }
    before = &table;
  }
}

void ZoneShapes::choose_with_full_rows(Zones& zones, double per_full_row) {
  const double ends = in_quarters(model_.across[model_.length]) + 2 * run_;
  std::size_t best = 0;
  const std::size_t most = std::min(full_.most, zones.size / model_.length);
  for (std::size_t full = std::max<std::size_t>(1, full_.least); full <= most; ++full) {
    const double rows = number(full) * per_full_row;
    const std::size_t rest = zones.size - full * model_.length;
    if (full == model_.rows) {
      // All there is: it ends nowhere.
      if (rest == 0) zones.shape = {rows + 2 * run_, 2, full, 0, 0, {}, {}};
      return;
    }
    const double cost = rows + ends + touching_[1][rest];
    if (cost < zones.shape.cost) {
      zones.shape.cost = cost;
      best = full;
    }
    if (choose_all_rows(zones, full, rows + ends)) best = 0;
  }
  if (best > 0) take_beside_full_rows(zones, best);
}

void ZoneShapes::take_beside_full_rows(Zones& zones, std::size_t full) const {
  zones.shape = {zones.shape.cost, 2, full, 0, 0, {}, {{model_.length, 1}}};
  if (zones.count == 0) return;
  std::size_t rest = zones.size - full * model_.length;
  for (std::size_t table = 2; table-- > 0;) {
    const std::vector<double>& before = table == 0 ? least_ : touching_[0];
    if (touching_[table][rest] == before[rest]) continue;
    const std::size_t piece = cheapest_last(before, price_, rest, kinds_ - 1);
    zones.shape.pieces.push_back({piece, 1});
    zones.shape.run -= 1;
    rest -= piece;
  }
  take_pieces(zones.shape, rest, kinds_ - 1);
}

/// Least price of k pieces with this sum, or less.
double ZoneShapes::least_pieces(std::size_t k, std::size_t sum) {
  if (k == 0) return sum == 0 ? 0 : kNotReached;
  if (sum < k || sum > k * (kinds_ - 1)) return kNotReached;
  if (k == 1) return price_[sum];
  return k == 2 ? cheapest_pair(sum) : counted_.bound(k, sum);
}

/// Those that least_pieces bounds, become pieces_.
void ZoneShapes::choose_pieces(std::size_t k, std::size_t sum) {
  pieces_.clear();
  if (k == 1) pieces_.assign(1, {sum, 1});
  if (k == 2) cheapest_pair(sum);
  if (k > 2) counted_.bound(k, sum, pieces_);
}

/// Every row that is not full is held in part, so the number of pieces is known. The zone ends
/// where it goes from its longest row to its shortest. Whether it is better than before.
bool ZoneShapes::choose_all_rows(Zones& zones, std::size_t full, double others) {
  const std::size_t sum = zones.size - full * model_.length;
  const std::size_t count = model_.rows - full;
  if (sum < count || sum > count * (kinds_ - 1)) return false;
  if (model_.rows > 1) {
    const double least = table_.exists() ? table_.least(count, sum) : least_pieces(count, sum);
    const LevelPieces::Task task{count, sum, full == 0, others, least};
    if (const auto choice = level_.cheapest(task, zones.shape.cost, work_left_)) {
      return take_level(zones, full, task, *choice);
    }
  }
  if (table_.exists()) return choose_counted(zones, full, others);
  return choose_by_mean(zones, full, others);
}

bool ZoneShapes::take_level(Zones& zones, std::size_t full, const LevelPieces::Task& task,
                            const LevelPieces::Choice& choice) {
  if (choice.shortest == 0) return false;
  pieces_.clear();
  if (zones.count > 0) level_.take(task, choice, pieces_);
  take_all_rows(zones, full, choice);
  return true;
}

/// A bound where there is no time for more: the longest row or the shortest is tried one by one,
/// and the mean of the pieces that remain stands for the other one.
bool ZoneShapes::choose_by_mean(Zones& zones, std::size_t full, double others) {
  const std::size_t rest = zones.size - full * model_.length;
  const std::size_t open = model_.rows - full;
  const double least = least_pieces(open, rest) + others;
  LevelPieces::Choice best{zones.shape.cost, 0, 0};
  // Outwards from the mean, so that the ends cost more and more.
  const std::size_t mean = full == 0 ? (rest + open - 1) / open : rest / open;
  for (std::size_t x = mean; x > 0 && x < kinds_ && x + open <= rest + 1; full == 0 ? ++x : --x) {
    const std::size_t shortest = full > 0 || open == 1 ? x : (rest - x) / (open - 1);
    const double around = in_quarters(model_.around[shortest]);
    if (least + (full == 0 ? level_.least_ends(x) : 0) - around >= best.cost) break;
    const double ends = (full == 0 ? in_quarters(model_.across[x]) : 0) - around;
    if (least + ends >= best.cost) continue;
    const double sum = price_[x] + least_pieces(open - 1, rest - x) + others;
    const double cost = std::max(least, sum) + ends;
    if (cost >= best.cost) continue;
    best = {cost, shortest, x};
  }
  if (best.longest == 0) return false;
  pieces_.clear();
  if (zones.count > 0) {
    choose_pieces(open - 1, rest - best.longest);
    pieces_.push_back({best.longest, 1});
  }
  take_all_rows(zones, full, best);
  return true;
}

/// Of pieces_. The longest counts where no row is full; it is 0 where there is a single row.
void ZoneShapes::take_all_rows(Zones& zones, std::size_t full,
                               const LevelPieces::Choice& choice) const {
  zones.shape = {choice.cost, full == 0 ? 0.0 : 2.0, full, 0, choice.shortest, pieces_, {}};
  const std::size_t end = full == 0 ? choice.longest : model_.length;
  if (end > 0) zones.shape.ends.push_back({end, 1});
}

/// The same, the longest of the rows that are not full and the shortest tried with each other;
/// those between may be any.
bool ZoneShapes::choose_counted(Zones& zones, std::size_t full, double others) {
  const std::size_t rest = zones.size - full * model_.length;
  const std::size_t open = model_.rows - full;
  if (rest < open || rest > open * (kinds_ - 1)) return false;
  // Beside full rows the longest row is known, and so it is where there is one alone.
  const bool longest_known = full > 0 || open == 1;
  const std::size_t between = open - (longest_known ? 1 : 2);
  std::size_t longest = 0;
  std::size_t shortest = 0;
  double least = zones.shape.cost;
  const auto attempt = [&](std::size_t x, std::size_t y, double begun) {
    if (x + y > rest) return;
    const std::size_t sum = rest - x - y;
    const double cost =
        begun + price_[y] - in_quarters(model_.around[y]) + table_.least(between, sum);
    if (cost >= least) return;
    least = cost;
    longest = x;
    shortest = y;
  };
  const std::size_t mean = rest / open;
  if (open == 1 && full == 0) {
    attempt(0, rest, in_quarters(model_.around[rest]) + others);
  } else if (longest_known) {
    for (std::size_t y = 1; y <= mean; ++y) attempt(0, y, others);
  } else {
    for (std::size_t x = (rest + open - 1) / open; x < kinds_; ++x) {
      const double begun = price_[x] + in_quarters(model_.across[x]) + others;
      // Whatever the shortest is.
      const double hope = begun - in_quarters(model_.around[mean]) +
                          (x < rest ? table_.least(open - 1, rest - x) : kNotReached);
      if (hope >= least) continue;
      for (std::size_t y = 1; y <= mean; ++y) attempt(x, y, begun);
    }
  }
  if (shortest == 0) return false;
  pieces_.clear();
  if (zones.count > 0) table_.take(between, rest - longest - shortest, pieces_);
  pieces_.push_back({shortest, 1});
  if (longest > 0) pieces_.push_back({longest, 1});
  take_all_rows(zones, full, {least, shortest, model_.rows == 1 ? 0 : longest});
  return true;
}

double ZoneShapes::cheapest_pair(std::size_t sum) {
  double least = kNotReached;
  for (std::size_t x = sum >= kinds_ ? sum - kinds_ + 1 : 1; 2 * x <= sum; ++x) {
    const double cost = price_[x] + price_[sum - x];
    if (cost >= least) continue;
    least = cost;
    pieces_.assign({{x, 1}, {sum - x, 1}});
  }
  return least;
}

void ZoneShapes::choose(std::span<Zones> all, double per_full_row) {
  for (Zones& zones : all) zones.shape = {kNotReached, 0, 0, 0, 0, {}, {}};
  work_left_ = kLevelWork * static_cast<std::int64_t>(steps());
  least_.assign(columns_, kNotReached);
  least_.front() = 0;
  for (std::size_t x = 1; x < kinds_; ++x) {
    allow(x);
    if (model_.rows > 1 && full_.least == 0) choose_without_full_rows(all, x);
  }
  if (columns_ > model_.length) add_touching();
  for (Zones& zones : all) {
    choose_with_full_rows(zones, per_full_row);
    if (full_.least == 0) choose_all_rows(zones, 0, 0);
  }
  take_largest_first(all);
}

}  // namespace zonecut
