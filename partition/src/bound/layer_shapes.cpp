#include "bound/layer_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bound/piece_table.hpp"
#include "grid/relaxation_sums.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kLanes = 2;    // sums in the time of one
constexpr std::size_t kStrip = 256;  // sums at a time

}  // namespace

LayerShapes::LayerShapes(std::span<const Layer> layers, std::vector<std::uint32_t> capacity,
                         std::size_t most, std::size_t unit, std::size_t first)
    : layers_(layers), capacity_(std::move(capacity)), unit_(unit) {
  const std::size_t largest = std::ranges::max(capacity_);
  sums_ = largest + 1;
  for (const Layer& layer : layers_) {
    const std::size_t options = std::min({layer.size, largest, most}) + 1;
    ZONECUT_ENSURES(options <= layer.inside.size());
    tables_.push_back({first, options, std::vector<double>(options), {}});
    first += options;
  }
}

std::size_t LayerShapes::entries() const {
  std::size_t entries = 0;
  for (const Table& table : tables_) entries += table.options * sums_;
  return entries;
}

std::size_t LayerShapes::entries_for_costs() const {
  std::size_t most = tables_.front().options;
  for (std::size_t layer = 1; layer < tables_.size(); ++layer) {
    const std::size_t before = tables_[layer - 1].options;
    const std::size_t here = tables_[layer].options;
    most = std::max(most, layers_[layer].pairs.empty() ? std::max(before, here) : before + here);
  }
  return most * sums_;
}

/// Of the layer before and this one, for how many pairs the link neither falls nor rises.
std::size_t LayerShapes::level_steps(std::size_t layer) const {
  if (layer == 0 || !layers_[layer].pairs.empty()) return 0;
  const LayerLink& link = layers_[layer].link;
  const double options = number(tables_[layer - 1].options);
  double pairs = 0;
  for (std::size_t y = 0; y < tables_[layer].options; ++y) {
    const double pull = number(y) * in_quarters(link.least_here);
    const double push = number(y) * in_quarters(link.most_here);
    const double low =
        link.most_before > 0 ? pull / in_quarters(link.most_before) : (pull > 0 ? options : 0);
    const double high = link.least_before > 0 ? push / in_quarters(link.least_before) : options;
    pairs += std::max(0.0, std::min(high, options) - std::min(low, options));
  }
  return static_cast<std::size_t>(pairs) * sums_ / kLanes;
}

std::size_t LayerShapes::steps() const {
  std::size_t steps = 0;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    const bool all_pairs = layer > 1 && !layers_[layer].pairs.empty();
    const std::size_t pairs =
        all_pairs ? layers_[layer].pairs.count() / layers_[layer].size / kLanes : 0;
    steps += tables_[layer].options * (3 + pairs) * sums_ + level_steps(layer);
  }
  return steps;
}

double LayerShapes::link_cost(std::size_t layer, std::size_t before, std::size_t here) const {
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
std::size_t LayerShapes::reached(std::size_t layer) const {
  std::size_t most = 0;
  for (std::size_t i = 0; i <= layer; ++i) most += tables_[i].options - 1;
  return std::min(most + 1, sums_);
}

/// All pairs. Of the first two layers what is taken of one and the sum say what is taken of the
/// other.
void LayerShapes::fill_pairs(std::size_t layer) {
  const Table& before = tables_[layer - 1];
  Table& table = tables_[layer];
  dearest_ = std::max(dearest_, in_quarters(layers_[layer].pairs.most()));
  const std::size_t reached_before = reached(layer - 1);
  for (std::size_t y = 0; y < table.options; ++y) {
    const std::span<double> here = row_of(table.least, y, sums_).subspan(y);
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
      lower(sums, row_of(before.least, x, sums_), link_cost(layer, x, y) + table.cost[y]);
    }
  }
}

void LayerShapes::note_dearest(const LayerLink& link, std::size_t layer) {
  for (const std::int64_t weight : {link.least_before, link.most_before}) {
    const double most = std::abs(in_quarters(weight)) * number(tables_[layer - 1].options);
    dearest_ = std::max(dearest_, most);
  }
  for (const std::int64_t weight : {link.least_here, link.most_here}) {
    const double most = std::abs(in_quarters(weight)) * number(tables_[layer].options);
    dearest_ = std::max(dearest_, most);
  }
}

/// For every y the first x from which on the link does not fall, and the first from which on it
/// rises.
std::vector<LayerShapes::Level> LayerShapes::levels(std::size_t layer) const {
  const LayerLink& link = layers_[layer].link;
  const std::size_t options = tables_[layer - 1].options;
  std::vector<Level> levels;
  Level level;
  for (std::size_t y = 0; y < tables_[layer].options; ++y) {
    const double pull = in_quarters(link.least_here) * number(y);
    const double push = in_quarters(link.most_here) * number(y);
    while (level.low < options && in_quarters(link.most_before) * number(level.low) < pull) {
      ++level.low;
    }
    while (level.high < options && in_quarters(link.least_before) * number(level.high) <= push) {
      ++level.high;
    }
    levels.push_back(level);
  }
  return levels;
}

/// Over the link, which falls in x where the layer before gives too little and rises where it gives
/// too much, and into the layer. By strips of sums that fit in a cache, the largest sums first:
/// these end where nothing else is read, so that `here` may be `before`.
void LayerShapes::fill_linked(std::size_t layer, std::span<const double> before,
                              std::span<double> here, Room& room) {
  const LayerLink& link = layers_[layer].link;
  note_dearest(link, layer);
  const std::vector<Level> level = levels(layer);
  const std::size_t reached_before = reached(layer - 1);
  const std::size_t options = tables_[layer - 1].options;
  for (std::size_t end = reached_before; end > 0;) {
    const std::size_t first = (end - 1) / kStrip * kStrip;
    const std::size_t width = end - first;
    room.strip.resize(options * width);
    for (std::size_t x = 0; x < options; ++x) {
      std::ranges::copy(row_of(before, x, sums_).subspan(first, width),
                        row_of(room.strip, x, width).begin());
    }
    fill_strip(layer, first, level, here, room);
    end = first;
  }
  // What is never reached, where another layer stood.
  for (std::size_t y = 0; y < tables_[layer].options; ++y) {
    const std::span<double> row = row_of(here, y, sums_);
    std::ranges::fill(row.first(y), kNotReached);
    std::ranges::fill(row.subspan(std::min(sums_, y + reached_before)), kNotReached);
  }
}

/// What sums from `first` on, as many as the strip has, become with the layer.
void LayerShapes::fill_strip(std::size_t layer, std::size_t first, std::span<const Level> level,
                             std::span<double> here, Room& room) const {
  const Table& table = tables_[layer];
  const LayerLink& link = layers_[layer].link;
  const std::size_t options = tables_[layer - 1].options;
  const std::size_t width = room.strip.size() / options;
  const auto strip = [&](std::size_t x) { return row_of(std::as_const(room.strip), x, width); };
  const auto row = [&](std::size_t y) {
    const std::size_t at = std::min(sums_, first + y);
    return row_of(here, y, sums_).subspan(at, std::min(width, sums_ - at));
  };
  // The least over up to x vertices of the layer before, less what the link makes of them.
  room.least.assign(width, kNotReached);
  const double most = in_quarters(link.most_before) / 2;
  std::size_t x = 0;
  for (std::size_t y = 0; y < table.options; ++y) {
    for (; x < level[y].low; ++x) lower(room.least, strip(x), -most * number(x));
    set(row(y), room.least, in_quarters(link.least_here) * number(y) / 2);
    for (std::size_t same = x; same < level[y].high; ++same) lower(row(y), strip(same), 0);
  }
  // Over x or more.
  room.least.assign(width, kNotReached);
  const double least_before = in_quarters(link.least_before) / 2;
  x = options;
  for (std::size_t y = table.options; y-- > 0;) {
    for (; x > level[y].high; --x) lower(room.least, strip(x - 1), least_before * number(x - 1));
    const double push = in_quarters(link.most_here) * number(y) / 2;
    set_least(row(y), {{row(y)}, {room.least, -push}}, table.cost[y]);
  }
}

void LayerShapes::fill_table(std::size_t layer, Room& room) {
  Table& table = tables_[layer];
  // Sums below what is taken of the layer are never reached, nor are those above all there is.
  table.least.resize(table.options * sums_, kNotReached);
  if (layer == 0) {
    for (std::size_t x = 0; x < table.options; ++x) table.least[x * sums_ + x] = table.cost[x];
  } else if (!layers_[layer].pairs.empty()) {
    fill_pairs(layer);
  } else {
    fill_linked(layer, tables_[layer - 1].least, table.least, room);
  }
}

void LayerShapes::price_pieces(std::size_t layer, const PieceMultipliers& multipliers) {
  Table& table = tables_[layer];
  for (std::size_t x = 1; x < table.options; ++x) {
    table.cost[x] = in_quarters(layers_[layer].inside[x]) / 2 - multipliers.piece[table.first + x] -
                    multipliers.touch;
    dearest_ = std::max(dearest_, std::abs(table.cost[x]));
  }
}

/// What the last layer has come to, by vertices.
void LayerShapes::sum_up() {
  const Table& last = tables_.back();
  cost_.assign(sums_, kNotReached);
  for (std::size_t x = 0; x < last.options; ++x) lower(cost_, row_of(last.least, x, sums_), 0);
  for (std::size_t sum = 0; sum < sums_; ++sum) {
    if (sum % unit_ != 0) cost_[sum] = kNotReached;
  }
}

void LayerShapes::price(const PieceMultipliers& multipliers, Room& room) {
  dearest_ = 0;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    price_pieces(layer, multipliers);
    fill_table(layer, room);
  }
  sum_up();
}

void LayerShapes::price_costs(const PieceMultipliers& multipliers, Room& room) {
  dearest_ = 0;
  const std::size_t widest = std::ranges::max(tables_, {}, &Table::options).options;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    Table& table = tables_[layer];
    price_pieces(layer, multipliers);
    if (layer == 0 || !layers_[layer].pairs.empty()) {
      table.least.reserve(widest * sums_);  // or it would be there twice when it grows
      fill_table(layer, room);
      if (layer > 0) tables_[layer - 1].least = std::vector<double>();
    } else {
      const std::size_t options = std::max(tables_[layer - 1].options, table.options);
      table.least = std::exchange(tables_[layer - 1].least, {});
      table.least.resize(options * sums_, kNotReached);
      fill_linked(layer, table.least, table.least, room);
    }
  }
  sum_up();
  tables_.back().least = std::vector<double>();
}

/// Of a layer, where so many are taken of it and those before it, and so many of the next.
std::size_t LayerShapes::best_of(std::size_t layer, std::size_t sum, std::size_t above) const {
  const Table& table = tables_[layer];
  std::size_t best = 0;
  double least = kNotReached;
  for (std::size_t x = 0; x < table.options; ++x) {
    const double onward = layer + 1 < layers_.size() ? link_cost(layer + 1, x, above) : 0;
    const double cost = table.least[x * sums_ + sum] + onward;
    if (cost >= least) continue;
    least = cost;
    best = x;
  }
  return best;
}

/// The cheapest that takes so many of the last layer.
Column LayerShapes::way_with(std::size_t vertices, std::size_t last) const {
  Column column{tables_.back().least[last * sums_ + vertices], {}};
  std::size_t sum = vertices;
  std::size_t taken = last;
  for (std::size_t layer = layers_.size(); layer-- > 0;) {
    if (layer + 1 < layers_.size()) taken = best_of(layer, sum, taken);
    if (taken > 0) append(column.slope, tables_[layer].first + taken, -1);
    sum -= taken;
  }
  sort(column.slope);
  return column;
}

std::vector<Column> LayerShapes::ways(std::size_t vertices, std::size_t most) const {
  const Table& table = tables_.back();
  std::vector<std::pair<double, std::size_t>> by_last;
  for (std::size_t x = 0; x < table.options && x <= vertices; ++x) {
    const double cost = table.least[x * sums_ + vertices];
    if (cost < kNotReached) by_last.emplace_back(cost, x);
  }
  const std::size_t count = std::min(most, by_last.size());
  std::ranges::partial_sort(by_last, by_last.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<Column> ways;
  if (count == 0) ways.push_back({kNotReached, {}});
  for (std::size_t i = 0; i < count; ++i) ways.push_back(way_with(vertices, by_last[i].second));
  return ways;
}

}  // namespace zonecut
