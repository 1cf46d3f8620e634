#pragma once
// For prices of the places of a line the best set of every size: the least half of what it cuts
// less what its places are worth. By dynamic programming over the places in order; the state is
// which of the open ones are taken and how many vertices there are (frontier_sweep.hpp). Costs are
// whole numbers, in 16 bits, for tables are large, or where that is too coarse in 32.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "grid/frontier_sweep.hpp"

namespace zonecut {

/// How finely costs are counted. Rounding is in favour of sets: where many cost nearly the same it
/// keeps a bound below the least cut in 16 bits, and hardly in 32, at twice the memory and three
/// times the work.
enum class Fineness { Bits16, Bits32 };

class PricedSets {
 public:
  static constexpr std::size_t kMostKept = std::size_t{1} << 25;

  /// Places of so many vertices each, sets of at most `largest` vertices. None where too many
  /// places lie open or one look would take more than `most_steps`. Where a table would have more
  /// than `most_kept` entries, those of about the square root of as many places are kept, for twice
  /// the work.
  [[nodiscard]] static std::optional<PricedSets> make(std::vector<std::uint32_t> widths,
                                                      std::span<const LineEdge> edges,
                                                      std::size_t largest, std::size_t most_steps,
                                                      Fineness fineness = Fineness::Bits16,
                                                      std::size_t most_kept = kMostKept);

  /// The work of one look at sets of so many vertices at most, before they are made.
  [[nodiscard]] static std::size_t steps(std::size_t places, std::span<const LineEdge> edges,
                                         std::size_t largest, Fineness fineness = Fineness::Bits16);

  [[nodiscard]] std::size_t places() const { return widths_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> widths() const { return widths_; }
  /// Of one look at all sizes: O(states of all places · largest).
  [[nodiscard]] std::size_t steps() const;

  /// The best sets at prices near these. Both prices and half of what is cut are rounded to whole
  /// units, cuts downwards: no cost is above what it is at the prices that they are rounded to.
  void solve(std::span<const double> prices);

  /// Of the last solve.
  [[nodiscard]] double price(std::size_t place) const;
  /// By size; infinite where the best set is not known, for it is too large, costs more than all
  /// places are worth, or cannot be made of places of their widths.
  [[nodiscard]] std::span<const double> costs() const { return cost_; }
  [[nodiscard]] bool knows(std::size_t size) const;
  /// What sets of a size that is not known cost, at least.
  [[nodiscard]] double least_unknown() const { return least_unknown_; }
  /// What the sets of a size cost at least, of any size: the highest of some lines below the costs
  /// of all sizes. Each is what the best set of any size costs where every vertex costs as much
  /// more as the line falls. Needs a look at lines after the solve.
  [[nodiscard]] double below_costs(std::size_t size) const;
  /// O(ways · lines), a small part of a solve.
  void look_at_lines();
  /// Whether the best sets of known sizes have the places: by size, and then by place. O(sizes ·
  /// places), and where not all tables are kept as long as the solve before.
  void members(std::span<const std::size_t> sizes, std::span<std::uint8_t> taken);

 private:
  /// In whole units.
  template <class Units>
  struct Table {
    std::unique_ptr<Units[]> least;       ///< by state and count
    std::vector<std::vector<Units>> cut;  ///< by place and way, half of it
    std::vector<Units> price;             ///< by place
    Units limit;                          ///< what is more counts as this
  };

  PricedSets(std::vector<std::uint32_t> widths, std::vector<FrontierStep> steps,
             std::size_t largest, std::span<const LineEdge> edges, Fineness fineness,
             std::size_t most_kept);
  /// Of the table, where those of a state before a place begin.
  [[nodiscard]] std::size_t row(std::size_t place, std::size_t state) const {
    return (first_[place] + state) * counts_;
  }
  [[nodiscard]] bool shares_tables() const { return every_ < places(); }
  std::size_t allot_rows();
  template <class Units>
  void choose_unit(Table<Units>& table, std::span<const double> prices);
  template <class Units>
  void round_cuts(Table<Units>& table) const;
  template <class Units>
  void fill(Table<Units>& table, std::size_t begin, std::size_t end) const;
  template <class Units>
  void solve(Table<Units>& table, std::span<const double> prices);
  template <class Units>
  void look_at_lines(const Table<Units>& table);
  template <class Units>
  void members(Table<Units>& table, std::span<const std::size_t> sizes,
               std::span<std::uint8_t> taken);

  std::vector<std::uint32_t> widths_;
  std::vector<FrontierStep> steps_;
  std::size_t counts_;              // sizes, 0 among them
  std::size_t states_ = 1;          // of all places
  std::size_t every_;               // of so many places one keeps its states, the others share
  std::size_t held_ = 0;            // the place from which those were filled last
  std::vector<std::size_t> first_;  // by place, of the states before it; one more
  double lightest_ = 0;             // edge, half of it
  double heaviest_ = 0;             // half of what a place may cut
  double unit_ = 1;
  std::variant<Table<std::int16_t>, Table<std::int32_t>> table_;
  std::vector<double> cost_;  // by size
  double least_unknown_ = 0;
  struct Line {
    double at_none = 0;
    double fall = 0;  ///< by vertex
  };
  std::vector<Line> lines_;
};

}  // namespace zonecut
