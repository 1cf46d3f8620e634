#pragma once
// The model of a bundle method (Lemarechal 1975; by parts: Feltenmark and Kiwiel, SIAM Journal on
// Optimization 10, 2000). Of every part of a relaxation it knows some columns, so it knows a
// function of the multipliers that is nowhere below the bound, but for what slopes say of those
// that are Curved. It looks for the multipliers at which that is highest, less the square of their
// distance from a centre over twice the reach: as a mixture of each part's columns, by exchanges
// between two of them and, where no more than some 200 have weight, by Newton steps over all.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bound/price_columns.hpp"
#include "bound/symmetric.hpp"

namespace zonecut {

class ProximalMaster {
 public:
  /// Multipliers whose slopes change with them, so that one solution may come as several columns,
  /// and a column may say less than the bound at others.
  struct Curved {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  /// `steady`: the slope of what no part decides.
  ProximalMaster(std::vector<MultiplierRange> ranges, Slope steady, Curved curved);

  /// What was found at the prices there are now; part after part, as many every time.
  void add(std::span<const Part> parts);
  /// Columns of one part alone.
  void add_to(std::size_t part, std::span<const Column> columns);

  [[nodiscard]] std::span<const double> prices() const { return prices_; }
  /// One of them becomes known by a solution.
  void set_price(std::size_t multiplier, double price);
  /// The centre becomes where prices are.
  void keep() { centre_ = prices_; }

  /// The squared length of the slope of the columns' mixture.
  [[nodiscard]] double steepness() const;
  /// Moves prices to the highest of the model near the centre, to within a part of what that is
  /// above `least`, as far as `rounds` go. Gives the model's value there.
  double solve(double reach, double least, int rounds);
  /// Whether sums can be made of the prices: not where the model rises without end.
  [[nodiscard]] bool is_sound() const;
  /// Whether the last solve used all of its rounds.
  [[nodiscard]] bool unfinished() const { return unfinished_; }
  /// What this part costs at the prices there are now, as far as its columns say.
  [[nodiscard]] double least(std::size_t part) const;
  [[nodiscard]] double count(std::size_t part) const { return parts_[part].count; }
  /// A column's slope in one multiplier, and how much of its part's mixture it is.
  struct Mixed {
    double slope = 0;
    double weight = 0;
  };
  /// Of the columns with weight.
  [[nodiscard]] std::vector<Mixed> mixed(std::size_t part, std::uint32_t multiplier) const;
  /// Forgets the columns of a part but those whose slope is within the range, at least one.
  void keep_only(std::size_t part, std::uint32_t multiplier, const MultiplierRange& slopes);
  /// Prices become those of the centre.
  void return_to_centre();
  /// What was done since this was asked last, where so many operations take the time of a step.
  [[nodiscard]] std::size_t take_steps(std::size_t operations);

 private:
  struct Known {
    double cost = 0;    ///< with all multipliers at 0
    double latest = 0;  ///< at the prices of the last look_at_costs()
    Slope slope;
    double weight = 0;      ///< in the mixture; of all in a part 1
    std::int64_t idle = 0;  ///< solves without weight
    std::int64_t seen = 0;  ///< when it was added
    Slope beside;           ///< its slope less that of another of its part, times the part's count
    std::int64_t beside_of = 0;  ///< when that other one was added
  };
  struct KnownPart {
    double count = 1;
    std::vector<Known> columns;
  };
  using Near = std::vector<Known*>;  ///< columns of a part that exchanges of a round are between
  /// More of one column, less of the one that its part has most of.
  struct Exchange {
    double count = 1;  ///< of the part
    Known* more = nullptr;
    Known* less = nullptr;
    const Slope* slope = nullptr;  ///< times the count
  };

  void add(KnownPart& part, const Column& column, bool cheapest);
  void make_room(KnownPart& part) const;
  [[nodiscard]] bool same_solution(const Slope& x, const Slope& y) const;
  [[nodiscard]] double at_prices(const Slope& slope) const;
  [[nodiscard]] double cost(const Known& column) const {
    return column.cost + at_prices(column.slope);
  }
  [[nodiscard]] std::vector<double> slope_of_mixture() const;
  void return_to_mixture();
  void shift(const Slope& slope, double by);
  void clamp(std::size_t multiplier);
  void look_at_costs();
  [[nodiscard]] Near near(KnownPart& part);
  void exchange_two(double count, std::span<Known* const> near);
  [[nodiscard]] std::vector<Exchange> exchanges();
  [[nodiscard]] Symmetric products(std::span<const Exchange> all);
  void exchange_all();
  const Known* exchange_all(std::span<const Exchange> all, std::span<const double> step);
  /// Of the slopes of all columns.
  [[nodiscard]] std::size_t numbers() const;
  // As of the last look_at_costs().
  [[nodiscard]] double model() const;
  [[nodiscard]] double mixture() const;

  std::vector<MultiplierRange> ranges_;
  Slope steady_;
  Curved curved_;
  std::vector<KnownPart> parts_;
  std::vector<double> centre_;
  std::vector<double> unclamped_;  // prices, were there no ranges
  std::vector<double> prices_;
  double reach_ = 0;
  bool unfinished_ = false;
  std::int64_t clock_ = 0;
  std::size_t work_ = 0;   // operations
  std::size_t cubes_ = 0;  // of sizes of matrices that were factorized
};

}  // namespace zonecut
