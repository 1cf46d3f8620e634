#pragma once
// Looks for the multipliers of the highest bound as ascent.hpp does, for relaxations that give
// their solutions part by part: a bundle method (proximal_master.hpp). A step takes longer by what
// the model of the bound takes, and far fewer of them come as near to the highest bound: some 50
// where subgradients take more than a thousand.
//
// A Relaxation has, beside what Ascent asks for, parts() of the last solution, those that are made
// up of rows first; rows(multipliers), those alone at other multipliers, in row_steps(); range() of
// a multiplier, by MultiplierIndex; curved() ones; the incidence() it knows. Where it has kFullRow,
// that multiplier is no piece's: there the price of a full row is kept, that of the cheapest row of
// pieces, which every solution settles. Where it has kModelOperations, so many of the model take
// the time of a step.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bound/multipliers.hpp"
#include "bound/pace.hpp"
#include "bound/proximal_master.hpp"
#include "partition_problem.hpp"

namespace zonecut {

template <class Relaxation>
class BundleAscent {
 public:
  /// Ends at `enough`. Solves at `start`.
  BundleAscent(Relaxation& relaxation, WorkBudget& budget, double enough,
               const PieceMultipliers& start)
      : relaxation_(relaxation),
        budget_(budget),
        enough_(enough),
        index_{relaxation.pieces()},
        master_(ranges(), steady(), relaxation.curved()),
        best_multipliers_(start) {
    for (std::size_t i = 0; i < index_.pieces; ++i) master_.set_price(i, start.piece[i]);
    master_.set_price(index_.touch(), start.touch);
    master_.set_price(index_.run(), start.run);
    value_ = evaluate();
    master_.keep();
  }

  /// How far a step may lead.
  struct Reach {
    double unfinished = 1.0 / 3;  ///< times what it was, at most, after a model whose highest point
                                  ///< was not found in its rounds
    double behind = 10;           ///< times what it was, after a model that says less than is known
    double first = 0;             ///< at least, to begin with
  };
  void climb(int most_steps) { climb(most_steps, Reach{}); }
  /// Ends where, at its pace, it would not come to what is `known` with the rest of the work.
  void climb(int most_steps, double known) { climb(most_steps, Reach{}, known); }
  void climb(int most_steps, const Reach& reaches,
             double known = -std::numeric_limits<double>::infinity()) {
    // Where no pieces make up a row there is nothing to choose.
    if (!std::isfinite(value_) || done()) return;
    constexpr double kSerious = 0.1;  // of what the model hopes for
    constexpr double kFlat = 2e-5;    // of the bound, not worth a step
    constexpr int kMostFlat = 3;      // one after the other
    constexpr double kFurther = 10;   // times the reach, at most
    constexpr int kFewest = 6;        // steps that tell a pace
    Pace pace(best_, budget_.left());
    double reach = std::max(first_reach(), reaches.first);
    int flat = 0;
    int vain = 0;
    for (int step = 0; step < most_steps && flat <= kMostFlat && !done(); ++step) {
      const double hoped = look_ahead(reach) - value_;
      if (!master_.is_sound()) return;
      const double unfinished = master_.unfinished() ? reaches.unfinished * reach : kFarthest;
      const double found = evaluate();
      const double gain = found - value_;
      if (gain > 0 && gain > kSerious * hoped) {
        master_.keep();
        value_ = found;
        vain = 0;
        reached_ = reach;
        reach *= std::clamp(0.5 / std::max(1e-9, 1 - gain / hoped), 1.0, kFurther);
      } else {
        reach *= shortened(gain / hoped, ++vain);
      }
      reach = std::min(reach, unfinished);
      const bool is_flat = hoped < kFlat * scale();
      flat = is_flat ? flat + 1 : 0;
      if (is_flat) reach *= hoped < 0 ? reaches.behind : kFurther;
      if (step >= kFewest && pace.expected(best_, budget_.left()).value_or(known) < known) return;
    }
  }

  /// What it knows, to be asked which columns are mixed.
  [[nodiscard]] const ProximalMaster& master() const { return master_; }

  /// Goes on from where it climbed to, where a part is restricted to columns whose slope in one
  /// of them is within a range. The relaxation already gives no others; some are known.
  void restrict_to(std::size_t part, std::uint32_t multiplier, const MultiplierRange& slopes) {
    master_.keep_only(part, multiplier, slopes);
    master_.return_to_centre();
    best_ = -std::numeric_limits<double>::infinity();
    value_ = evaluate();
    master_.keep();
  }

  [[nodiscard]] double best() const { return best_; }
  /// The reach of the last step that led higher; 0 of none.
  [[nodiscard]] double reached() const { return reached_; }
  [[nodiscard]] const PieceMultipliers& best_multipliers() const { return best_multipliers_; }

 private:
  static constexpr bool kFullRows = requires { Relaxation::kFullRow; };
  static constexpr double kFarthest = 1e300;
  /// Of the model, in the time of a step.
  static constexpr std::size_t kOperations = [] {
    if constexpr (requires { Relaxation::kModelOperations; }) {
      return Relaxation::kModelOperations;
    } else {
      return std::size_t{3};
    }
  }();

  [[nodiscard]] bool done() const { return budget_.spent() || best_ >= enough_; }

  /// Of bounds, also where there is none yet.
  [[nodiscard]] double scale() const { return std::max(1.0, std::abs(value_)); }

  [[nodiscard]] std::vector<MultiplierRange> ranges() const {
    std::vector<MultiplierRange> all;
    for (std::size_t i = 0; i < index_.size(); ++i) all.push_back(relaxation_.range(i));
    return all;
  }

  [[nodiscard]] Slope steady() const {
    const Incidence incidence = relaxation_.incidence();
    Slope slope;
    append(slope, index_.touch(), static_cast<double>(incidence.touches));
    append(slope, index_.run(), -2 * static_cast<double>(incidence.components));
    return slope;
  }

  [[nodiscard]] PieceMultipliers multipliers() const {
    const std::span<const double> prices = master_.prices();
    const std::span<const double> pieces = prices.first(index_.pieces);
    return {{pieces.begin(), pieces.end()}, prices[index_.touch()], prices[index_.run()]};
  }

  /// The bound at the prices there are now.
  double evaluate() {
    budget_.spend(relaxation_.steps_per_solve() + master_.take_steps(kOperations));
    PieceMultipliers tried = multipliers();
    if constexpr (kFullRows) tried.piece[Relaxation::kFullRow] = 0;
    const double value = relaxation_.solve(tried, violation_);
    if (!std::isfinite(value)) return value;
    // What is above counts as that in a solution, here with the shares of this one.
    tried.run = std::min(tried.run, relaxation_.most_run());
    master_.set_price(index_.run(), tried.run);
    const std::vector<Part> parts = relaxation_.parts();
    if constexpr (kFullRows) {
      master_.set_price(Relaxation::kFullRow, parts.front().columns.front().value);
    }
    master_.add(parts);
    if (value > best_) {
      best_ = value;
      best_multipliers_ = tried;
    }
    return value;
  }

  /// To the highest of the model within reach, with the rows that matter there. What it says of it.
  double look_ahead(double reach) {
    constexpr int kRounds = 15;
    constexpr int kRowRounds = 4;
    double most = master_.solve(reach, value_, kRounds);
    for (int i = 0; i < kRowRounds && worth_looking() && add_rows(most - value_); ++i) {
      most = master_.solve(reach, value_, kRounds);
    }
    return most;
  }

  [[nodiscard]] bool worth_looking() const { return !budget_.spent() && master_.is_sound(); }

  /// Whether cheaper rows than are known would take much of what is hoped for.
  bool add_rows(double hoped) {
    constexpr double kMuch = 0.05;
    budget_.spend(relaxation_.row_steps() + master_.take_steps(kOperations));
    const std::vector<Part> rows = relaxation_.rows(multipliers());
    double less = 0;
    for (std::size_t part = 0; part < rows.size(); ++part) {
      less += master_.count(part) * (master_.least(part) - rows[part].columns.front().value);
      master_.add_to(part, rows[part].columns);
    }
    return less > kMuch * hoped;
  }

  /// One that hopes for something worth having.
  double first_reach() {
    constexpr double kAhead = 0.02;
    constexpr double kWorthwhile = 0.005;
    constexpr double kFurther = 3;  // times
    constexpr double kMore = 1.1;   // times what was hoped for before, to look further
    constexpr int kRounds = 12;
    constexpr int kTries = 30;
    double reach = kAhead * scale() / std::max(1e-9, master_.steepness());
    double rise = 0;
    for (int i = 0; i < kTries; ++i, reach *= kFurther) {
      const double before = rise;
      rise = master_.solve(reach, value_, kRounds) - value_;
      if (rise > kWorthwhile * scale() || (i > 0 && rise < kMore * before)) break;
    }
    return reach;
  }

  /// After a step in vain: most where the bound fell far below what the model said.
  static double shortened(double gain_of_hoped, int vain) {
    constexpr double kLeast = 0.3;
    constexpr double kNowAndThen = 0.6;
    constexpr int kPatience = 8;
    if (gain_of_hoped < -1) return std::max(kLeast, 0.5 / (1 - gain_of_hoped));
    return vain % kPatience == 0 ? kNowAndThen : 1;
  }

  Relaxation& relaxation_;
  WorkBudget& budget_;
  double enough_;
  MultiplierIndex index_;
  ProximalMaster master_;
  PieceViolation violation_;
  double value_ = 0;  // at the centre
  double reached_ = 0;
  double best_ = -std::numeric_limits<double>::infinity();
  PieceMultipliers best_multipliers_;
};

}  // namespace zonecut
