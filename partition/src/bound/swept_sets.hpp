#pragma once
// The best sets of a line at any prices (priced_sets.hpp), of which few places lie open at a time.
// By dynamic programming over the places in order; the state is which of the open ones are taken
// and how many vertices there are (frontier_sweep.hpp). Costs are whole numbers, in 16 bits, for
// tables are large, or where that is too coarse in 32.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "bound/priced_sets.hpp"
#include "grid/frontier_sweep.hpp"

namespace zonecut {

class SweptSets final : public PricedSets {
 public:
  static constexpr std::size_t kMostKept = std::size_t{1} << 25;
  static constexpr std::size_t kSumsPerStep = 2;

  /// Places of so many vertices each, sets of at most `largest` vertices. None where too many
  /// places lie open or one look would take more than `most_sums`. Where a table would have more
  /// than `most_kept` entries, those of about the square root of as many places are kept, for twice
  /// the work.
  [[nodiscard]] static std::optional<SweptSets> make(std::vector<std::uint32_t> widths,
                                                     std::span<const LineEdge> edges,
                                                     std::size_t largest, std::size_t most_sums,
                                                     Fineness fineness = Fineness::Bits16,
                                                     std::size_t most_kept = kMostKept);

  /// Of one look at sets of so many vertices at most, before they are made, in 16 bits.
  [[nodiscard]] static std::size_t sums(std::size_t places, std::span<const LineEdge> edges,
                                        std::size_t largest, Fineness fineness = Fineness::Bits16);

  [[nodiscard]] std::span<const std::uint32_t> widths() const override { return widths_; }
  /// O(states of all places · largest).
  [[nodiscard]] std::size_t steps() const override;
  void solve(std::span<const double> prices) override;
  [[nodiscard]] double price(std::size_t place) const override;
  [[nodiscard]] std::span<const double> costs() const override { return cost_; }
  /// What sets of a size that is not known cost, at least.
  [[nodiscard]] double least_unknown() const { return least_unknown_; }
  /// O(sizes · places), and where not all tables are kept as long as the solve before.
  void members(std::span<const std::size_t> sizes, std::span<std::uint8_t> taken) override;
  /// O(ways · lines).
  void look_at_lines() override;

 private:
  /// In whole units.
  template <class Units>
  struct Table {
    std::unique_ptr<Units[]> least;       ///< by state and count
    std::vector<std::vector<Units>> cut;  ///< by place and way, half of it
    std::vector<Units> price;             ///< by place
    Units limit;                          ///< what is more counts as this
  };

  SweptSets(std::vector<std::uint32_t> widths, std::vector<FrontierStep> steps, std::size_t largest,
            std::span<const LineEdge> edges, Fineness fineness, std::size_t most_kept);
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
};

}  // namespace zonecut
