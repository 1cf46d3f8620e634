#pragma once
// The cheapest shapes of zones on the rows of a model, for given multipliers: full rows, pieces,
// and the runs of rows they lie in. docs/bounds.md has the constraints behind the prices.
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bound/counted_pieces.hpp"
#include "bound/level_pieces.hpp"
#include "bound/multipliers.hpp"
#include "bound/piece_table.hpp"
#include "grid/row_model.hpp"

namespace zonecut {

/// How many full rows a zone may have.
struct FullRows {
  std::size_t least = 0;
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

class ZoneShapes {
 public:
  /// Steps that a table over numbers of pieces may take, where a step takes the tables of all zones
  /// and where it takes one for all sizes.
  static constexpr std::size_t kMostCounted = 1'000'000;
  static constexpr std::size_t kMostCountedAtOnce = 200'000;
  struct Shape {
    double cost = 0;
    double run = 0;            ///< its share in the constraint on runs
    std::size_t full = 0;      ///< full rows
    std::size_t largest = 0;   ///< of its pieces, where no row is full and some are empty
    std::size_t shortest = 0;  ///< whose `around` it saves, where it is in every row
    std::vector<PieceCount> pieces;
    std::vector<PieceCount> ends;  ///< pieces and full rows whose ends across rows it pays for
  };
  struct Zones {  ///< all of one size
    std::size_t size = 0;
    double count = 0;  ///< 0: only the cost of the shape is asked for
    Shape shape;
  };

  /// Borrows the model. `most_counted`: steps that a table over numbers of pieces may take. Where
  /// it would take more, zones in every row get a bound of what they cost (counted_pieces.hpp).
  ZoneShapes(const RowModel& model, std::size_t largest_zone, std::size_t most_counted);

  /// O(length · largest zone) for each choice.
  [[nodiscard]] std::size_t steps() const;
  /// The largest multiplier of runs at which full rows in two places never pay, with the rows of
  /// this model.
  [[nodiscard]] static double most_run(const RowModel& model);
  [[nodiscard]] double most_run() const { return most_run(model_); }
  /// Pieces have 1 to kinds() − 1 vertices.
  [[nodiscard]] std::size_t kinds() const { return kinds_; }
  /// Multiplier of runs, since set_prices.
  [[nodiscard]] double run() const { return run_; }
  /// What a zone of so many vertices costs is as inexact as a sum of this magnitude.
  [[nodiscard]] double magnitude(std::size_t zone) const;

  void set_prices(const PieceMultipliers& multipliers);
  /// No other shapes are chosen from now on; where there is none, the cost is infinite.
  void allow(FullRows full) { full_ = full; }
  /// Chooses the shape of all; `per_full_row`: what a full row costs beside its ends.
  void choose(std::span<Zones> all, double per_full_row);

 private:
  void allow(std::size_t piece);
  void choose_without_full_rows(std::span<Zones> all, std::size_t largest);
  void take_largest_first(std::span<Zones> all);
  void add_touching();
  void choose_with_full_rows(Zones& zones, double per_full_row);
  void take_beside_full_rows(Zones& zones, std::size_t full) const;
  bool choose_all_rows(Zones& zones, std::size_t full, double others);
  bool take_level(Zones& zones, std::size_t full, const LevelPieces::Task& task,
                  const LevelPieces::Choice& choice);
  bool choose_counted(Zones& zones, std::size_t full, double others);
  bool choose_by_mean(Zones& zones, std::size_t full, double others);
  void take_all_rows(Zones& zones, std::size_t full, const LevelPieces::Choice& choice) const;
  double least_pieces(std::size_t k, std::size_t sum);
  void choose_pieces(std::size_t k, std::size_t sum);
  double cheapest_pair(std::size_t sum);
  void take_pieces(Shape& shape, std::size_t sum, std::size_t largest) const;

  const RowModel& model_;
  std::size_t columns_;  // sums of pieces, 0 to the largest zone
  std::size_t kinds_;
  FullRows full_;
  double run_ = 0;
  double dearest_ = 0;                           // piece, either sign, or ends across rows
  std::vector<double> price_;                    // of a piece in a run of rows begun otherwise
  std::vector<double> apart_;                    // of a piece that may begin a run of its own
  std::vector<double> least_;                    // of pieces with a sum, priced apart
  std::array<std::vector<double>, 2> touching_;  // with one, two of them next to full rows
  LevelPieces level_;
  std::int64_t work_left_ = 0;  // for level_, in this choice
  CountedPieces counted_;
  PieceTable table_;                // where there is one, in place of counted_
  std::vector<PieceCount> pieces_;  // of the shape under consideration
};

}  // namespace zonecut
