#include "bound/proximal_master.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "grid/relaxation_sums.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostColumns = 400;   // of a part
constexpr std::size_t kMostTogether = 220;  // columns with weight, for Newton steps
constexpr int kSweeps = 4;                  // of exchanges between two, in a round
constexpr int kNewtonSteps = 12;            // in a round
constexpr double kClose = 0.1;              // of what the model rises by
constexpr double kNone = 1e-12;             // of a part, no weight
constexpr std::size_t kVariants = 2;        // columns of one solution
constexpr double kLargest = 1e30;           // price

double product(const Slope& slope, std::span<const double> by_multiplier) {
  // A plain loop would wait for the last addition each time.
  return std::transform_reduce(
      slope.begin(), slope.end(), 0.0, std::plus(),
      [&](const auto& entry) { return entry.second * by_multiplier[entry.first]; });
}

}  // namespace

ProximalMaster::ProximalMaster(std::vector<MultiplierRange> ranges, Slope steady, Curved curved)
    : ranges_(std::move(ranges)),
      steady_(std::move(steady)),
      curved_(curved),
      centre_(ranges_.size(), 0),
      unclamped_(centre_),
      prices_(centre_) {
  ZONECUT_ENSURES(
      std::ranges::all_of(steady_, [&](const auto& each) { return each.first < ranges_.size(); }));
}

void ProximalMaster::set_price(std::size_t multiplier, double price) {
  prices_[multiplier] = price;
  unclamped_[multiplier] = price;
}

double ProximalMaster::at_prices(const Slope& slope) const { return product(slope, prices_); }

void ProximalMaster::add(std::span<const Part> parts) {
  if (parts_.empty()) {
    for (const Part& part : parts) parts_.push_back({part.count, {}});
  }
  for (std::size_t p = 0; p < parts.size(); ++p) add_to(p, parts[p].columns);
}

void ProximalMaster::add_to(std::size_t part, std::span<const Column> columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) add(parts_[part], columns[i], i == 0);
}

/// The same up to how far curved multipliers have come.
bool ProximalMaster::same_solution(const Slope& x, const Slope& y) const {
  const auto steady = [&](auto at, auto end) {
    while (at != end && at->first - curved_.first < curved_.count) ++at;
    return at;
  };
  auto a = steady(x.begin(), x.end());
  auto b = steady(y.begin(), y.end());
  while (a != x.end() && b != y.end() && *a == *b) {
    a = steady(a + 1, x.end());
    b = steady(b + 1, y.end());
  }
  return a == x.end() && b == y.end();
}

void ProximalMaster::add(KnownPart& part, const Column& column, bool cheapest) {
  Known fresh;
  fresh.cost = column.value - at_prices(column.slope);
  fresh.slope = column.slope;
  fresh.seen = ++clock_;
  Known* same = nullptr;
  Known* oldest = nullptr;
  std::size_t variants = 0;
  for (Known& known : part.columns) {
    // Nothing costs less here, whatever it cost elsewhere.
    if (cheapest) known.cost += std::max(0.0, column.value - cost(known));
    work_ += known.slope.size();
    if (known.slope == column.slope) same = &known;
    if (!same_solution(known.slope, column.slope)) continue;
    ++variants;
    if (oldest == nullptr || known.seen < oldest->seen) oldest = &known;
  }
  if (same != nullptr) {
    same->cost = fresh.cost;
    return;
  }
  if (variants >= kVariants) {
    fresh.weight = oldest->weight;
    *oldest = std::move(fresh);
    return;
  }
  if (part.columns.empty()) fresh.weight = 1;
  make_room(part);
  part.columns.push_back(std::move(fresh));
}

void ProximalMaster::make_room(KnownPart& part) const {
  if (part.columns.size() < kMostColumns) return;
  // Those with weight have never been idle.
  const auto longest = std::ranges::max_element(part.columns, {}, &Known::idle);
  if (longest->weight == 0) part.columns.erase(longest);
}

std::vector<double> ProximalMaster::slope_of_mixture() const {
  std::vector<double> slope(ranges_.size(), 0);
  for (const auto& [multiplier, each] : steady_) slope[multiplier] = each;
  for (const KnownPart& part : parts_) {
    for (const Known& column : part.columns) {
      if (column.weight == 0) continue;
      for (const auto& [multiplier, each] : column.slope) {
        slope[multiplier] += part.count * column.weight * each;
      }
    }
  }
  return slope;
}

double ProximalMaster::steepness() const {
  double squares = 0;
  for (const double each : slope_of_mixture()) squares += each * each;
  return squares;
}

void ProximalMaster::clamp(std::size_t multiplier) {
  const MultiplierRange& range = ranges_[multiplier];
  prices_[multiplier] = std::clamp(unclamped_[multiplier], range.low, range.high);
}

/// Prices are where the mixture's slope leads from the centre.
void ProximalMaster::return_to_mixture() {
  const std::vector<double> slope = slope_of_mixture();
  for (std::size_t i = 0; i < slope.size(); ++i) {
    unclamped_[i] = centre_[i] + reach_ * slope[i];
    clamp(i);
  }
}

void ProximalMaster::shift(const Slope& slope, double by) {
  for (const auto& [multiplier, each] : slope) {
    unclamped_[multiplier] += reach_ * by * each;
    clamp(multiplier);
  }
}

void ProximalMaster::look_at_costs() {
  for (KnownPart& part : parts_) {
    for (Known& column : part.columns) column.latest = cost(column);
  }
}

/// Columns with weight, and those that cost less than one of them.
ProximalMaster::Near ProximalMaster::near(KnownPart& part) {
  double most = -kNotReached;
  for (const Known& column : part.columns) {
    if (column.weight > 0) most = std::max(most, column.latest);
  }
  Near near;
  for (Known& column : part.columns) {
    if (column.weight == 0 && column.latest >= most) continue;
    near.push_back(&column);
    work_ += kSweeps * column.slope.size();
  }
  return near;
}

/// From the dearest column with weight to the cheapest.
void ProximalMaster::exchange_two(double count, std::span<Known* const> near) {
  Known* cheapest = nullptr;
  Known* dearest = nullptr;
  double least = kNotReached;
  double most = -kNotReached;
  for (Known* column : near) {
    const double value = cost(*column);
    if (value < least) {
      least = value;
      cheapest = column;
    }
    if (column->weight > 0 && value > most) {
      most = value;
      dearest = column;
    }
  }
  if (cheapest == dearest || cheapest == nullptr || dearest == nullptr) return;
  const Slope slope = difference(cheapest->slope, dearest->slope);
  double squares = 0;
  for (const auto& [multiplier, each] : slope) squares += each * each;
  const double whole = reach_ * count * squares;
  const double by = whole > 0 ? std::min(dearest->weight, (most - least) / whole) : dearest->weight;
  cheapest->weight += by;
  dearest->weight -= by;
  if (dearest->weight < kNone) dearest->weight = 0;
  shift(slope, by * count);
}

std::vector<ProximalMaster::Exchange> ProximalMaster::exchanges() {
  std::vector<Exchange> all;
  for (KnownPart& part : parts_) {
    Known& base = *std::ranges::max_element(part.columns, {}, &Known::weight);
    for (Known& column : part.columns) {
      if (&column == &base || column.weight == 0) continue;
      if (column.beside_of != base.seen) {
        column.beside_of = base.seen;
        column.beside = difference(column.slope, base.slope);
        for (auto& [multiplier, each] : column.beside) each *= part.count;
      }
      all.push_back({part.count, &column, &base, &column.beside});
    }
  }
  return all;
}

/// How steeply the model's value rises along two exchanges at once.
Symmetric ProximalMaster::products(std::span<const Exchange> all) {
  Symmetric products(all.size());
  std::vector<double> dense(prices_.size(), 0);
  for (std::size_t a = 0; a < all.size(); ++a) {
    // What is at the end of its range stays there.
    for (const auto& [multiplier, each] : *all[a].slope) {
      dense[multiplier] = prices_[multiplier] == unclamped_[multiplier] ? each : 0;
    }
    for (std::size_t b = a; b < all.size(); ++b) {
      products.at(a, b) = product(*all[b].slope, dense);
      work_ += all[b].slope->size();
    }
    for (const auto& [multiplier, each] : *all[a].slope) dense[multiplier] = 0;
  }
  return products;
}

/// Newton steps over all exchanges between columns with weight, as far as all keep some; then
/// without the one that has none left.
void ProximalMaster::exchange_all() {
  std::vector<Exchange> all = exchanges();
  if (all.size() > kMostTogether) return;
  Symmetric curvature = products(all);
  curvature.factorize();
  cubes_ += all.size() * all.size() * all.size();
  std::size_t numbers = 0;  // of all slopes
  for (const Exchange& exchange : all) numbers += exchange.slope->size();
  for (int i = 0; i < kNewtonSteps && !all.empty(); ++i) {
    std::vector<double> step;
    for (const Exchange& exchange : all) {
      const double gain = cost(*exchange.less) - cost(*exchange.more);
      step.push_back(exchange.count * gain / reach_);
    }
    curvature.solve(step);
    // Gains, the solution, what is shifted, an unknown less.
    work_ += 3 * numbers + 2 * all.size() * all.size();
    const Known* gone = exchange_all(all, step);
    const auto without = std::ranges::find(all, gone, &Exchange::more);
    if (without == all.end()) return;
    curvature.remove(static_cast<std::size_t>(without - all.begin()));
    all.erase(without);
  }
}

/// So much of each, or a part of all. Gives a column that has no weight left, none if all have.
const ProximalMaster::Known* ProximalMaster::exchange_all(std::span<const Exchange> all,
                                                          std::span<const double> step) {
  struct Change {
    Known* column = nullptr;
    double by = 0;
  };
  std::vector<Change> changes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Those of a part come one after the other.
    if (i == 0 || all[i].less != all[i - 1].less) changes.push_back({all[i].less, 0});
    std::ranges::find(changes, all[i].less, &Change::column)->by -= step[i];
    changes.push_back({all[i].more, step[i]});
  }
  double way = 1;
  const Known* gone = nullptr;
  for (const Change& change : changes) {
    if (change.column->weight + way * change.by >= 0) continue;
    way = -change.column->weight / change.by;
    gone = change.column;
  }
  for (const Change& change : changes) {
    change.column->weight += way * change.by;
    if (change.column->weight < kNone || change.column == gone) change.column->weight = 0;
  }
  for (std::size_t i = 0; i < all.size(); ++i) shift(*all[i].slope, way * step[i]);
  return gone;
}

double ProximalMaster::least(std::size_t part) const {
  double least = kNotReached;
  for (const Known& column : parts_[part].columns) least = std::min(least, cost(column));
  return least;
}

double ProximalMaster::model() const {
  double value = at_prices(steady_);
  for (const KnownPart& part : parts_) {
    value += part.count * std::ranges::min_element(part.columns, {}, &Known::latest)->latest;
  }
  return value;
}

/// What the mixture costs: the model's value where it is the best one.
double ProximalMaster::mixture() const {
  double value = at_prices(steady_);
  for (const KnownPart& part : parts_) {
    for (const Known& column : part.columns) {
      if (column.weight > 0) value += part.count * column.weight * column.latest;
    }
  }
  return value;
}

std::size_t ProximalMaster::numbers() const {
  std::size_t numbers = 0;
  for (const KnownPart& part : parts_) {
    for (const Known& column : part.columns) numbers += column.slope.size();
  }
  return numbers;
}

double ProximalMaster::solve(double reach, double least, int rounds) {
  reach_ = reach;
  return_to_mixture();
  look_at_costs();
  const std::size_t each = numbers();
  work_ += each;
  double value = 0;
  unfinished_ = true;
  for (int round = 0; round < rounds && unfinished_; ++round) {
    std::vector<Near> all;
    for (KnownPart& part : parts_) all.push_back(near(part));
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::size_t p = 0; p < parts_.size(); ++p) exchange_two(parts_[p].count, all[p]);
    }
    exchange_all();
    look_at_costs();
    value = model();
    // To find the near ones, the model and its mixture see all columns.
    work_ += 3 * each;
    unfinished_ = mixture() - value > kClose * std::max(1.0, value - least);
  }
  for (KnownPart& part : parts_) {
    for (Known& column : part.columns) column.idle = column.weight > 0 ? 0 : column.idle + 1;
  }
  return value;
}

std::vector<ProximalMaster::Mixed> ProximalMaster::mixed(std::size_t part,
                                                         std::uint32_t multiplier) const {
  std::vector<Mixed> all;
  for (const Known& column : parts_[part].columns) {
    if (column.weight > 0) all.push_back({slope_at(column.slope, multiplier), column.weight});
  }
  return all;
}

void ProximalMaster::keep_only(std::size_t part, std::uint32_t multiplier,
                               const MultiplierRange& slopes) {
  std::vector<Known>& columns = parts_[part].columns;
  std::erase_if(columns, [&](const Known& column) {
    const double slope = slope_at(column.slope, multiplier);
    return slope < slopes.low || slope > slopes.high;
  });
  ZONECUT_ENSURES(!columns.empty());
  double weight = 0;
  for (const Known& column : columns) weight += column.weight;
  if (weight == 0) {
    columns.front().weight = 1;
    return;
  }
  for (Known& column : columns) column.weight /= weight;
}

void ProximalMaster::return_to_centre() {
  prices_ = centre_;
  unclamped_ = centre_;
}

bool ProximalMaster::is_sound() const {
  return std::ranges::all_of(prices_, [](double price) { return std::abs(price) < kLargest; });
}

std::size_t ProximalMaster::take_steps(std::size_t operations) {
  constexpr std::size_t kCubes = 24;  // of those on a matrix, in the time of a step
  return std::exchange(work_, 0) / operations + std::exchange(cubes_, 0) / kCubes;
}

}  // namespace zonecut
