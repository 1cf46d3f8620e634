#pragma once
// For prices of the places of a line the best set of every size: the least half of what it cuts
// less what its places are worth. Found by a sweep from end to end (swept_sets.hpp), or over parts
// of the line (joined_sets.hpp).
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "grid/grid_traffic.hpp"

namespace zonecut {

/// How finely costs are counted. Rounding is in favour of sets: where many cost nearly the same it
/// keeps a bound below the least cut in 16 bits, and hardly in 32, at twice the memory and three
/// times the work.
enum class Fineness { Bits16, Bits32 };

class PricedSets {
 public:
  virtual ~PricedSets() = default;

  [[nodiscard]] std::size_t places() const { return widths().size(); }
  /// Vertices of every place.
  [[nodiscard]] virtual std::span<const std::uint32_t> widths() const = 0;
  /// Of a budget, for one look at all sizes.
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
  /// What the sets of a size cost at least, of any size: the highest of some lines below the costs
  /// of all sizes. Each is what the best set of any size costs where every vertex costs as much
  /// more as the line falls. Needs a look at lines after the solve.
  [[nodiscard]] double below_costs(std::size_t size) const;
  /// A small part of a solve.
  virtual void look_at_lines() = 0;

 protected:
  struct Line {
    double at_none = 0;
    double fall = 0;  ///< by vertex
  };
  /// How lines fall, in parts of what a vertex is worth on average.
  static constexpr std::array kFalls{0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.25};
  std::vector<Line> lines_;

  PricedSets() = default;
  PricedSets(const PricedSets&) = default;
  PricedSets(PricedSets&&) = default;
  PricedSets& operator=(const PricedSets&) = default;
  PricedSets& operator=(PricedSets&&) = default;
};

/// The way that takes fewer steps, if it is a sweep as finely as that; none where it takes more
/// than `most_steps`.
[[nodiscard]] std::unique_ptr<PricedSets> priced_sets(std::vector<std::uint32_t> widths,
                                                      std::span<const LineEdge> edges,
                                                      std::size_t largest, std::size_t most_steps,
                                                      Fineness fineness);
/// Those steps.
[[nodiscard]] std::size_t priced_sets_steps(std::span<const std::uint32_t> widths,
                                            std::span<const LineEdge> edges, std::size_t largest,
                                            Fineness fineness);

}  // namespace zonecut
