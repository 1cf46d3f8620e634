#include "bound/layer_relaxation.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kLanes = 2;  // sums in the time of one
constexpr std::size_t kWays = 4;   // of zones of a size, that are told

}  // namespace

LayerRelaxation::LayerRelaxation(std::span<const Layer> layers,
                                 std::span<const std::uint32_t> capacity, bool full,
                                 std::size_t touches, LayerPrices prices, std::size_t most,
                                 std::size_t unit)
    : layers_(layers), by_zone_(prices == LayerPrices::ByZone), touches_(touches) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> kinds;
  for (const std::uint32_t c : capacity) {
    if (c > 0) kinds[by_zone_ ? c : 0].push_back(c);
  }
  for (const std::uint32_t c : capacity) {
    const auto kind = kinds.find(by_zone_ ? c : 0);
    kind_of_zone_.push_back(c == 0 ? kAll
                                   : static_cast<std::size_t>(std::distance(kinds.begin(), kind)));
  }
  for (auto& [size, zones] : kinds) {
    zones_ += zones.size();
    kinds_.emplace_back(layers, std::move(zones), most, unit, pieces_);
    pieces_ = kinds_.back().end();
  }
  if (full) return;
  std::size_t vertices = 0;
  for (const Layer& layer : layers) vertices += layer.size;
  sharing_.emplace(capacity, vertices);
}

std::optional<Shares> LayerRelaxation::shares() const {
  return sharing_ ? sharing_->shares() : std::nullopt;
}

std::size_t LayerRelaxation::entries() const {
  std::size_t entries = 0;
  for (const LayerShapes& kind : kinds_) entries += kind.entries();
  return entries;
}

std::size_t LayerRelaxation::entries_for_bound() const {
  std::size_t most = 0;
  for (const LayerShapes& kind : kinds_) most = std::max(most, kind.entries_for_costs());
  return most;
}

/// That may each take a piece of a layer, one of these or all alike.
std::size_t LayerRelaxation::zones_with_pieces(const LayerShapes& kind) const {
  return by_zone_ ? kind.capacity().size() : 1;
}

std::size_t LayerRelaxation::steps_per_solve() const {
  std::size_t steps = sharing_ ? sharing_->steps() : 0;
  for (const LayerShapes& kind : kinds_) {
    steps += kind.steps();
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      const std::size_t options = kind.options(layer);
      steps += options * (zones_with_pieces(kind) * options / 2);
    }
  }
  return steps;
}

std::size_t LayerRelaxation::row_steps() const {
  std::size_t steps = 0;
  for (const LayerShapes& kind : kinds_) {
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      steps += zones_with_pieces(kind) * kind.options(layer) * layers_[layer].size / kLanes;
    }
  }
  return steps;
}

MultiplierRange LayerRelaxation::range(std::size_t multiplier) const {
  return range_without_runs({pieces_}, multiplier);
}

/// The cheapest way to make up a layer of pieces.
Part LayerRelaxation::pattern(std::size_t layer, const PieceMultipliers& multipliers) {
  std::vector<LayerPiecePrices> prices;
  for (const LayerShapes& kind : kinds_) {
    const std::size_t first = kind.first(layer);
    prices.push_back({std::span(multipliers.piece).subspan(first, kind.options(layer)), first,
                      kind.capacity().size()});
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

/// Of zones of one kind, those of every size together.
void LayerRelaxation::take(const LayerShapes& kind, std::span<const std::size_t> sizes) {
  std::map<std::size_t, double> counts;
  for (const std::size_t size : sizes) counts[size] += 1;
  for (const auto& [size, times] : counts) {
    std::vector<Column> ways = kind.ways(size, kWays);
    for (Column& way : ways) {
      append(way.slope, MultiplierIndex{pieces_}.touch(), -number(way.slope.size()));
    }
    taken_.push_back({times, std::move(ways)});
  }
}

/// Gives what all zones cost.
double LayerRelaxation::size_zones() {
  sizes_.assign(kinds_.size(), {});
  if (!sharing_) {
    double cost = 0;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      for (const std::uint32_t size : kinds_[k].capacity()) {
        cost += kinds_[k].cost()[size];
        sizes_[k].push_back(size);
      }
    }
    return cost;
  }
  // The largest zones first.
  std::vector<std::span<const double>> costs;
  for (std::size_t k = kinds_.size(); k-- > 0;) costs.push_back(kinds_[k].cost());
  const SharedSizes::Choice& shared = sharing_->choose(costs, steps_per_solve() / kSharingPart);
  auto next = shared.size.begin();
  for (std::size_t k = kinds_.size(); k-- > 0;) {
    const auto end = next + static_cast<std::ptrdiff_t>(kinds_[k].capacity().size());
    sizes_[k].assign(next, end);
    next = end;
  }
  return shared.least;
}

double LayerRelaxation::least_at(const PieceMultipliers& multipliers, Tables tables) {
  RoundedSum bound;
  bound.add(multipliers.touch * number(touches_));
  patterns_ = rows(multipliers);
  for (const Part& part : patterns_) bound.add(part.columns.front().value);
  double dearest = 0;
  for (LayerShapes& kind : kinds_) {
    if (tables == Tables::All) {
      kind.price(multipliers, room_);
    } else {
      kind.price_costs(multipliers, room_);
    }
    dearest = std::max(dearest, kind.dearest());
  }
  bound.add(size_zones());
  bound.allow(number(zones_ * layers_.size()) * dearest);
  return bound.least();
}

double LayerRelaxation::bound_at(const PieceMultipliers& multipliers) {
  return least_at(multipliers, Tables::OfCosts);
}

double LayerRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  const double bound = least_at(multipliers, Tables::All);
  taken_.clear();
  for (std::size_t k = 0; k < kinds_.size(); ++k) take(kinds_[k], sizes_[k]);
  violation.piece.assign(pieces_, 0);
  violation.touch = number(touches_);
  for (const Part& part : parts()) count(part, violation);
  return bound;
}

std::size_t LayerRelaxation::most_taken(const PieceMultipliers& multipliers) {
  PieceViolation violation;
  solve(multipliers, violation);
  PieceViolation patterns;
  patterns.piece.assign(pieces_, 0);
  for (const Part& part : patterns_) count(part, patterns);
  std::size_t most = 0;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    for (std::size_t x = 1; x < options(layer); ++x) {
      const std::size_t piece = first(layer) + x;
      if (violation.piece[piece] != patterns.piece[piece]) most = std::max(most, x);
    }
  }
  return most;
}

PieceMultipliers LayerRelaxation::of_fewer(const LayerRelaxation& fewer,
                                           const PieceMultipliers& multipliers) const {
  PieceMultipliers result{std::vector<double>(pieces_, 0), multipliers.touch, multipliers.run};
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
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
    for (std::size_t x = 1; x < options(layer); ++x) {
      result.piece[first(layer) + x] = x < known ? price[x] : least[size] - least[size - x];
    }
  }
  return result;
}

PieceMultipliers LayerRelaxation::of_more(const LayerRelaxation& more,
                                          const PieceMultipliers& multipliers) const {
  PieceMultipliers result{std::vector<double>(pieces_, 0), multipliers.touch, multipliers.run};
  for (const LayerShapes& kind : kinds_) {
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      std::copy_n(&multipliers.piece[more.first(layer)], kind.options(layer),
                  &result.piece[kind.first(layer)]);
    }
  }
  return result;
}

void LayerRelaxation::coarsen(PieceViolation& violation) const {
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    double along = 0;
    double squares = 0;
    for (std::size_t x = 1; x < options(layer); ++x) {
      along += number(x) * violation.piece[first(layer) + x];
      squares += number(x) * number(x);
    }
    for (std::size_t x = 1; x < options(layer); ++x) {
      violation.piece[first(layer) + x] = along / squares * number(x);
    }
  }
}

}  // namespace zonecut
