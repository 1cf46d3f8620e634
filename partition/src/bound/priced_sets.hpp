#pragma once
// For prices of the places of a line the best set of every size: the least half of what it cuts
// less what its places are worth. Found by a sweep from end to end (swept_sets.hpp), or over parts
// of the line (joined_sets.hpp).
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace zonecut {

class PricedSets {
 public:
  virtual ~PricedSets() = default;

  [[nodiscard]] std::size_t places() const { return widths().size(); }
  /// Vertices of every place.
  [[nodiscard]] virtual std::span<const std::uint32_t> widths() const = 0;
  /// Work of one look at all sizes.
  [[nodiscard]] virtual std::size_t steps() const = 0;

  /// The best sets at prices near these. Both prices and half of what is cut are rounded to whole
  /// units, cuts downwards: no cost is above what it is at the prices that they are rounded to.
  virtual void solve(std::span<const double> prices) = 0;

  // Of the last solve.

  [[nodiscard]] virtual double price(std::size_t place) const = 0;
  /// By size; infinite where the best set is not known, for it is too large, costs more than all
  /// places are worth, or cannot be made of places of their widths.
  [[nodiscard]] virtual std::span<const double> costs() const = 0;
  [[nodiscard]] bool knows(std::size_t size) const {
    return size < costs().size() && std::isfinite(costs()[size]);
  }
  /// Whether the best sets of known sizes have the places: by size, and then by place.
  virtual void members(std::span<const std::size_t> sizes, std::span<std::uint8_t> taken) = 0;

 protected:
  PricedSets() = default;
  PricedSets(const PricedSets&) = default;
  PricedSets(PricedSets&&) = default;
  PricedSets& operator=(const PricedSets&) = default;
  PricedSets& operator=(PricedSets&&) = default;
};

}  // namespace zonecut
