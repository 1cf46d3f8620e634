#include "bound/layer_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "bound/piece_table.hpp"
#include "grid/relaxation_sums.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kLanes = 2;  // sums in the time of one

}  // namespace

LayerRelaxation::LayerRelaxation(std::span<const Layer> layers,
                                 std::span<const std::uint32_t> capacity, bool full,
                                 std::size_t touches, LayerPrices prices, std::size_t most,
                                 std::size_t unit)
    : layers_(layers),
      by_zone_(prices == LayerPrices::ByZone),
      touches_(touches),
      most_(most),
      unit_(unit) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> kinds;
  for (const std::uint32_t c : capacity) {
    if (c > 0) kinds[by_zone_ ? c : 0].push_back(c);
  }
  for (auto& [size, zones] : kinds) add_kind(std::move(zones));
  if (full) return;
  std::size_t vertices = 0;
  for (const Layer& layer : layers) vertices += layer.size;
  sharing_.emplace(capacity, vertices);
}

std::optional<Shares> LayerRelaxation::shares() const {
  return sharing_ ? sharing_->shares() : std::nullopt;
}

void LayerRelaxation::add_kind(std::vector<std::uint32_t> capacity) {
  const std::size_t most = std::ranges::max(capacity);
  zones_ += capacity.size();
  Kind& kind = kinds_.emplace_back(Kind{std::move(capacity), most + 1, {}, {}});
  for (const Layer& layer : layers_) {
    const std::size_t options = std::min({layer.size, most, most_}) + 1;
    ZONECUT_ENSURES(options <= layer.inside.size());
    kind.tables.push_back({pieces_, options, std::vector<double>(options), {}});
    pieces_ += options;
  }
}

std::size_t LayerRelaxation::entries() const {
  std::size_t entries = 0;
  for (const Kind& kind : kinds_) {
    for (const Table& table : kind.tables) entries += table.options * kind.sums;
  }
  return entries;
}

/// Of the layer before and this one, for how many pairs the link neither falls nor rises.
std::size_t LayerRelaxation::level_steps(const Kind& kind, std::size_t layer) const {
  if (layer == 0 || !layers_[layer].pairs.empty()) return 0;
  const LayerLink& link = layers_[layer].link;
  const double options = number(kind.tables[layer - 1].options);
  double pairs = 0;
  for (std::size_t y = 0; y < kind.tables[layer].options; ++y) {
    const double pull = number(y) * in_quarters(link.least_here);
    const double push = number(y) * in_quarters(link.most_here);
    const double low =
        link.most_before > 0 ? pull / in_quarters(link.most_before) : (pull > 0 ? options : 0);
    const double high = link.least_before > 0 ? push / in_quarters(link.least_before) : options;
    pairs += std::max(0.0, std::min(high, options) - std::min(low, options));
  }
  return static_cast<std::size_t>(pairs) * kind.sums / kLanes;
}

std::size_t LayerRelaxation::steps_per_solve() const {
  std::size_t steps = 0;
  for (const Kind& kind : kinds_) {
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      const Table& table = kind.tables[layer];
      const std::size_t pattern = by_zone_ ? kind.capacity.size() * table.options : table.options;
      const bool all_pairs = layer > 1 && !layers_[layer].pairs.empty();
      const std::size_t pairs =
          all_pairs ? layers_[layer].pairs.count() / layers_[layer].size / kLanes : 0;
      steps += table.options * ((3 + pairs) * kind.sums + pattern / 2) + level_steps(kind, layer);
    }
  }
  return sharing_ ? steps + sharing_->steps() : steps;
}

PieceMultipliers LayerRelaxation::of_shared(const LayerRelaxation& shared,
                                            const PieceMultipliers& multipliers) const {
  PieceMultipliers result{std::vector<double>(pieces_, 0), multipliers.touch, multipliers.run};
  for (const Kind& kind : kinds_) {
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      const Table& table = kind.tables[layer];
      std::copy_n(multipliers.piece.begin() + static_cast<std::ptrdiff_t>(shared.first(layer)),
                  table.options, result.piece.begin() + static_cast<std::ptrdiff_t>(table.first));
    }
  }
  return result;
}

/// The cheapest way to make up a layer of pieces.
Part LayerRelaxation::pattern(std::size_t layer, const PieceMultipliers& multipliers) {
  std::vector<PiecePrices> prices;
  for (const Kind& kind : kinds_) {
    const Table& table = kind.tables[layer];
    prices.push_back({std::span(multipliers.piece).subspan(table.first, table.options), table.first,
                      kind.capacity.size()});
  }
  const std::size_t size = layers_[layer].size;
  return {1, {by_zone_ ? layer_by_zone_.cheapest(size, prices) : cheapest_layer(size, prices[0])}};
}

std::vector<Part> LayerRelaxation::rows(const PieceMultipliers& multipliers) {
  std::vector<Part> parts;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    parts.push_back(pattern(layer, multipliers));
  }
  return parts;
}

std::vector<Part> LayerRelaxation::parts() const {
  std::vector<Part> parts = patterns_;
  parts.insert(parts.end(), taken_.begin(), taken_.end());
  return parts;
}

std::size_t LayerRelaxation::row_steps() const {
  std::size_t steps = 0;
  for (const Kind& kind : kinds_) {
    const std::size_t zones = by_zone_ ? kind.capacity.size() : 1;
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      steps += zones * kind.tables[layer].options * layers_[layer].size / kLanes;
    }
  }
  return steps;
}

MultiplierRange LayerRelaxation::range(std::size_t multiplier) const {
  const MultiplierIndex index{pieces_};
  if (multiplier < index.touch()) return {};
  return {0, multiplier == index.touch() ? MultiplierRange{}.high : 0};
}

double LayerRelaxation::link_cost(std::size_t layer, std::size_t before, std::size_t here) const {
  if (!layers_[layer].pairs.empty()) {
    const LayerPairs& pairs = layers_[layer].pairs;
    return pairs.may_be(before, here) ? in_quarters(pairs.cut(before, here)) / 2 : kNotReached;
  }
  const LayerLink& link = layers_[layer].link;
  const double x = number(before);
  const double y = number(here);
  return std::max({0.0, in_quarters(link.least_before) * x - in_quarters(link.most_here) * y,
                   in_quarters(link.least_here) * y - in_quarters(link.most_before) * x}) /
         2;
}

/// How many sums all layers up to this one reach.
std::size_t LayerRelaxation::reached(const Kind& kind, std::size_t layer) {
  std::size_t most = 0;
  for (std::size_t i = 0; i <= layer; ++i) most += kind.tables[i].options - 1;
  return std::min(most + 1, kind.sums);
}

/// from_below_[x]: least over up to x vertices of the layer before, from_above_[x]: over x or more,
/// each less what the link makes of them in that direction. As far as sums reach.
void LayerRelaxation::reach(const Kind& kind, std::size_t layer) {
  const Table& before = kind.tables[layer - 1];
  const std::size_t sums = kind.sums;
  const std::size_t count = reached(kind, layer - 1);
  const auto row = [&](auto& table, std::size_t x) { return row_of(table, x, sums).first(count); };
  const double most = in_quarters(layers_[layer].link.most_before) / 2;
  const double least = in_quarters(layers_[layer].link.least_before) / 2;
  from_below_.resize(before.options * sums);
  from_above_.resize(before.options * sums);
  set(row(from_below_, 0), row(before.least, 0), 0);
  for (std::size_t x = 1; x < before.options; ++x) {
    set_lesser(row(from_below_, x), {row(from_below_, x - 1)},
               {row(before.least, x), -most * number(x)}, 0);
  }
  const std::size_t last = before.options - 1;
  set(row(from_above_, last), row(before.least, last), least * number(last));
  for (std::size_t x = last; x-- > 0;) {
    set_lesser(row(from_above_, x), {row(from_above_, x + 1)},
               {row(before.least, x), least * number(x)}, 0);
  }
}

/// All pairs. Of the first two layers what is taken of one and the sum say what is taken of the
/// other.
void LayerRelaxation::fill_pairs(Kind& kind, std::size_t layer) {
  const Table& before = kind.tables[layer - 1];
  Table& table = kind.tables[layer];
  dearest_ = std::max(dearest_, in_quarters(layers_[layer].pairs.most()));
  const std::size_t reached_before = reached(kind, layer - 1);
  for (std::size_t y = 0; y < table.options; ++y) {
    const std::span<double> here = row_of(table.least, y, kind.sums).subspan(y);
    if (layer == 1) {
      const std::size_t count = std::min(here.size(), before.options);
      for (std::size_t x = 0; x < count; ++x) {
        here[x] = before.cost[x] + link_cost(layer, x, y) + table.cost[y];
      }
      continue;
    }
    const std::span<double> sums = here.first(std::min(reached_before, here.size()));
    std::ranges::fill(sums, kNotReached);
    for (std::size_t x = 0; x < before.options; ++x) {
      if (!layers_[layer].pairs.may_be(x, y)) continue;
      lower(sums, row_of(before.least, x, kind.sums), link_cost(layer, x, y) + table.cost[y]);
    }
  }
}

/// Over the link, which falls in x where the layer before gives too little and rises where it gives
/// too much, and into the layer.
void LayerRelaxation::fill_table(Kind& kind, std::size_t layer) {
  Table& table = kind.tables[layer];
  const std::size_t sums = kind.sums;
  // Sums below what is taken of the layer are never reached, nor are those above all there is.
  table.least.resize(table.options * sums, kNotReached);
  if (layer == 0) {
    for (std::size_t x = 0; x < table.options; ++x) table.least[x * sums + x] = table.cost[x];
    return;
  }
  if (!layers_[layer].pairs.empty()) {
    fill_pairs(kind, layer);
    return;
  }
  reach(kind, layer);
  crossed_.resize(sums);
  const std::vector<double> nothing(sums, kNotReached);
  const std::size_t reached_before = reached(kind, layer - 1);
  const Table& before = kind.tables[layer - 1];
  const LayerLink& link = layers_[layer].link;
  for (const std::int64_t weight : {link.least_before, link.most_before}) {
    dearest_ = std::max(dearest_, std::abs(in_quarters(weight)) * number(before.options));
  }
  for (const std::int64_t weight : {link.least_here, link.most_here}) {
    dearest_ = std::max(dearest_, std::abs(in_quarters(weight)) * number(table.options));
  }
  std::size_t low = 0;   // from here on the link does not fall
  std::size_t high = 0;  // from here on it rises
  for (std::size_t y = 0; y < table.options; ++y) {
    const std::size_t count = std::min(reached_before, sums - y);
    const double pull = in_quarters(link.least_here) * number(y);
    const double push = in_quarters(link.most_here) * number(y);
    while (low < before.options && in_quarters(link.most_before) * number(low) < pull) ++low;
    while (high < before.options && in_quarters(link.least_before) * number(high) <= push) ++high;
    Raised below{nothing};
    Raised above{nothing};
    if (low > 0) below = {row_of(from_below_, low - 1, sums), pull / 2};
    if (high < before.options) above = {row_of(from_above_, high, sums), -push / 2};
    const std::span<double> here = row_of(table.least, y, sums).subspan(y, count);
    if (low >= high) {
      set_lesser(here, below, above, table.cost[y]);
      continue;
    }
    const std::span<double> crossed = std::span(crossed_).first(count);
    set_lesser(crossed, below, above, 0);
    for (std::size_t x = low; x < high; ++x) lower(crossed, row_of(before.least, x, sums), 0);
    set(here, crossed, table.cost[y]);
  }
}

/// What a zone with this sum takes.
Column LayerRelaxation::taken(const Kind& kind, std::size_t sum) const {
  Column column{kind.cost[sum], {}};
  double touches = 0;
  std::size_t above = 0;
  for (std::size_t layer = layers_.size(); layer-- > 0;) {
    const Table& table = kind.tables[layer];
    std::size_t best = 0;
    double least = kNotReached;
    for (std::size_t x = 0; x < table.options; ++x) {
      const double onward = layer + 1 < layers_.size() ? link_cost(layer + 1, x, above) : 0;
      const double cost = table.least[x * kind.sums + sum] + onward;
      if (cost >= least) continue;
      least = cost;
      best = x;
    }
    if (best > 0) {
      append(column.slope, table.first + best, -1);
      touches += 1;
    }
    sum -= best;
    above = best;
  }
  append(column.slope, MultiplierIndex{pieces_}.touch(), -touches);
  sort(column.slope);
  return column;
}

/// As a part of the solution.
void LayerRelaxation::count(const Part& part, PieceViolation& violation) const {
  for (const auto& [multiplier, each] : part.columns.front().slope) {
    double& violated = multiplier < pieces_ ? violation.piece[multiplier] : violation.touch;
    violated += part.count * each;
  }
}

std::size_t LayerRelaxation::most_taken(const PieceMultipliers& multipliers) {
  PieceViolation violation;
  solve(multipliers, violation);
  PieceViolation patterns;
  patterns.piece.assign(pieces_, 0);
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    count(pattern(layer, multipliers), patterns);
  }
  std::size_t most = 0;
  for (const Table& table : kinds_.front().tables) {
    for (std::size_t x = 1; x < table.options; ++x) {
      if (violation.piece[table.first + x] != patterns.piece[table.first + x]) {
        most = std::max(most, x);
      }
    }
  }
  return most;
}

PieceMultipliers LayerRelaxation::of_fewer(const LayerRelaxation& fewer,
                                           const PieceMultipliers& multipliers) const {
  PieceMultipliers result{std::vector<double>(pieces_, 0), multipliers.touch, multipliers.run};
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    const Table& table = kinds_.front().tables[layer];
    const std::size_t size = layers_[layer].size;
    const std::size_t known = fewer.options(layer);
    const double* price = &multipliers.piece[fewer.first(layer)];
    std::vector<double> least{0};
    for (std::size_t sum = 1; sum <= size; ++sum) {
      least.push_back(kNotReached);
      for (std::size_t x = 1; x <= std::min(sum, known - 1); ++x) {
        least[sum] = std::min(least[sum], least[sum - x] + price[x]);
      }
    }
    for (std::size_t x = 1; x < table.options; ++x) {
      result.piece[table.first + x] = x < known ? price[x] : least[size] - least[size - x];
    }
  }
  return result;
}

PieceMultipliers LayerRelaxation::of_more(const LayerRelaxation& more,
                                          const PieceMultipliers& multipliers) const {
  PieceMultipliers result{std::vector<double>(pieces_, 0), multipliers.touch, multipliers.run};
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    std::copy_n(multipliers.piece.begin() + static_cast<std::ptrdiff_t>(more.first(layer)),
                options(layer), result.piece.begin() + static_cast<std::ptrdiff_t>(first(layer)));
  }
  return result;
}

void LayerRelaxation::coarsen(PieceViolation& violation) const {
  for (const Table& table : kinds_.front().tables) {
    double along = 0;
    double squares = 0;
    for (std::size_t x = 1; x < table.options; ++x) {
      along += number(x) * violation.piece[table.first + x];
      squares += number(x) * number(x);
    }
    for (std::size_t x = 1; x < table.options; ++x) {
      violation.piece[table.first + x] = along / squares * number(x);
    }
  }
}

/// By size of a zone.
void LayerRelaxation::price(Kind& kind, const PieceMultipliers& multipliers) {
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    Table& table = kind.tables[layer];
    for (std::size_t x = 1; x < table.options; ++x) {
      table.cost[x] = in_quarters(layers_[layer].inside[x]) / 2 -
                      multipliers.piece[table.first + x] - multipliers.touch;
      dearest_ = std::max(dearest_, std::abs(table.cost[x]));
    }
    fill_table(kind, layer);
  }
  const Table& last = kind.tables.back();
  kind.cost.assign(kind.sums, kNotReached);
  for (std::size_t x = 0; x < last.options; ++x) {
    lower(kind.cost, row_of(last.least, x, kind.sums), 0);
  }
  for (std::size_t size = 0; size < kind.sums; ++size) {
    if (size % unit_ != 0) kind.cost[size] = kNotReached;
  }
}

/// Of zones of one kind, those of every size together.
void LayerRelaxation::take(const Kind& kind, std::span<const std::size_t> sizes) {
  std::map<std::size_t, double> counts;
  for (const std::size_t size : sizes) counts[size] += 1;
  for (const auto& [size, times] : counts) taken_.push_back({times, {taken(kind, size)}});
}

/// What all zones cost, of the sizes that add up.
double LayerRelaxation::take_shared() {
  std::vector<std::span<const double>> costs;
  for (std::size_t k = kinds_.size(); k-- > 0;) costs.emplace_back(kinds_[k].cost);
  const SharedSizes::Choice& shared = sharing_->choose(costs, steps_per_solve() / kSharingPart);
  std::size_t first = 0;
  for (std::size_t k = kinds_.size(); k-- > 0;) {
    const std::size_t zones = kinds_[k].capacity.size();
    take(kinds_[k], std::span(shared.size).subspan(first, zones));
    first += zones;
  }
  return shared.least;
}

double LayerRelaxation::take_full() {
  double cost = 0;
  for (const Kind& kind : kinds_) {
    for (const std::uint32_t size : kind.capacity) cost += kind.cost[size];
    const std::vector<std::size_t> sizes(kind.capacity.begin(), kind.capacity.end());
    take(kind, sizes);
  }
  return cost;
}

double LayerRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  violation.piece.assign(pieces_, 0);
  violation.touch = number(touches_);
  RoundedSum bound;
  bound.add(multipliers.touch * number(touches_));
  dearest_ = 0;
  patterns_ = rows(multipliers);
  for (const Part& part : patterns_) bound.add(part.columns.front().value);
  for (Kind& kind : kinds_) price(kind, multipliers);
  taken_.clear();
  bound.add(sharing_ ? take_shared() : take_full());
  for (const Part& part : parts()) count(part, violation);
  bound.allow(number(zones_ * layers_.size()) * dearest_);
  return bound.least();
}

}  // namespace zonecut
