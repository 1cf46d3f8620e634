#pragma once
// For prices of the places of a line the best set of every size: the least half of what it cuts
// less what its places are worth. By dynamic programming over the places in order; the state is
// which of the open ones are taken and how many vertices there are (frontier_sweep.hpp). In 16
// bits, for tables are large.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grid/frontier_sweep.hpp"

namespace zonecut {

class PricedSets {
 public:
  /// Places of so many vertices each, sets of at most `largest` vertices. None where too many
  /// places lie open or its table would have more than `most_entries`.
  [[nodiscard]] static std::optional<PricedSets> make(std::vector<std::uint32_t> widths,
                                                      std::span<const LineEdge> edges,
                                                      std::size_t largest,
                                                      std::size_t most_entries);

  /// The work of one look at sets of so many vertices at most, before they are made.
  [[nodiscard]] static std::size_t steps(std::size_t places, std::span<const LineEdge> edges,
                                         std::size_t largest);

  [[nodiscard]] std::size_t places() const { return widths_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> widths() const { return widths_; }
  /// Of one look at all sizes: O(states of all places · largest).
  [[nodiscard]] std::size_t steps() const { return first_.back() * counts_; }

  /// The best sets at prices near these. Both prices and half of what is cut are rounded to whole
  /// units, cuts downwards: no cost is above what it is at the prices that they are rounded to.
  void solve(std::span<const double> prices);

  /// Of the last solve.
  [[nodiscard]] double price(std::size_t place) const { return unit_ * rounded_[place]; }
  /// By size; infinite where the best set is not known, for it is too large, costs more than all
  /// places are worth, or cannot be made of places of their widths.
  [[nodiscard]] std::span<const double> costs() const { return cost_; }
  [[nodiscard]] bool knows(std::size_t size) const;
  /// Whether the best set of a known size has the places. O(places).
  void members(std::size_t size, std::span<std::uint8_t> taken) const;

 private:
  using Units = std::int16_t;

  PricedSets(std::vector<std::uint32_t> widths, std::vector<FrontierStep> steps,
             std::size_t largest, std::span<const LineEdge> edges);
  [[nodiscard]] std::span<Units> row(std::size_t place, std::size_t state) {
    return {&table_[(first_[place] + state) * counts_], counts_};
  }
  [[nodiscard]] Units at(std::size_t place, std::size_t state, std::size_t count) const {
    return table_[(first_[place] + state) * counts_ + count];
  }
  void choose_unit(std::span<const double> prices);
  void round_cuts();
  void fill();

  std::vector<std::uint32_t> widths_;
  std::vector<FrontierStep> steps_;
  std::size_t counts_;              // sizes, 0 among them
  std::vector<std::size_t> first_;  // by place, of the states before it; one more
  std::unique_ptr<Units[]> table_;  // by state and count: the least, in units
  double lightest_ = 0;             // edge, half of it
  double heaviest_ = 0;             // half of what a place may cut
  double unit_ = 1;
  std::vector<std::vector<Units>> cut_;  // by place and way, half of it in units
  std::vector<Units> rounded_;           // prices in units
  Units limit_ = 0;                      // what is more counts as this
  std::vector<double> cost_;             // by size
};

}  // namespace zonecut
