#pragma once
// Pieces of a zone that has one in every row that is not full. Where it goes from its longest row
// to its shortest it ends, so what it pays depends on both, and every other piece lies between
// them: the shortest is tried from the mean downwards, and from there the longest upwards, in a
// table over the number of pieces above the shortest and what they have more than it.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/counted_pieces.hpp"
#include "grid/row_model.hpp"

namespace zonecut {

class LevelPieces {
 public:
  struct Task {
    std::size_t count = 0;  ///< of pieces, at least 1
    std::size_t sum = 0;    ///< at least a vertex each, at most the longest piece each
    bool ends = false;      ///< at the longest piece; otherwise it costs nothing to have a long one
    double others = 0;      ///< what is paid besides
    double least = 0;       ///< no such pieces cost less, without their ends
  };
  struct Choice {
    double cost = 0;
    std::size_t shortest = 0;  ///< 0: nothing is below the limit
    std::size_t longest = 0;
  };

  /// price[x] for x = 1 …, as many as pieces may have; [0] is not used. Borrows it.
  void set_prices(const RowModel& model, std::span<const double> price);
  /// Of a longest piece of so many vertices or more.
  [[nodiscard]] double least_ends(std::size_t longest) const { return least_ends_[longest]; }
  /// The cheapest that costs less than `limit`. None where `work` would fall below 0: it tells
  /// nothing then.
  [[nodiscard]] std::optional<Choice> cheapest(const Task& task, double limit, std::int64_t& work);
  /// Its pieces. Before the next search.
  void take(const Task& task, const Choice& choice, std::vector<PieceCount>& pieces);

 private:
  [[nodiscard]] bool look_above(const Task& task, std::size_t shortest, Choice& best,
                                std::int64_t& work);
  void clear_table(std::size_t most_pieces, std::size_t more);
  void allow(std::size_t piece, std::size_t shortest);
  /// The best number of pieces above the shortest, of `count` with so much more than it each.
  struct Above {
    double cost = 0;
    std::size_t pieces = 0;
  };
  [[nodiscard]] Above above(std::size_t count, std::size_t more, std::size_t shortest) const;

  std::vector<double> across_;      // by the longest piece
  std::vector<double> least_ends_;  // of that and all longer ones
  std::vector<double> around_;      // by the shortest piece
  std::span<const double> price_;
  std::size_t columns_ = 0;
  std::vector<double> least_;  // by pieces and what they have more than the shortest
};

}  // namespace zonecut
