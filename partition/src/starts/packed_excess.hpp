#pragma once
// What a divided row cuts more than its pieces by themselves say. Pieces of 77, 61 and 112 vertices
// and one of 6 of a row of 16 groups of 16 leave 13, 13, 0 and 6 over whole groups, which together
// fill two: they have no room to divide as few groups as each would by itself.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "grid/row_divisions.hpp"
#include "grid/row_model.hpp"

namespace zonecut {

/// In the unit of RowPacking::cost. Not thread-safe.
class PackedExcess {
 public:
  /// Of more nothing is said: they are seldom worth looking at.
  static constexpr std::size_t kMostPieces = 12;

  /// Of rows by replica. Borrows the model. `steps`: of each search.
  PackedExcess(const GridTraffic& grid, const RowModel& model, std::int64_t steps);

  /// About, of two pieces or more that make up a row: as far as a search tells, of two; of more
  /// what groups cost that are touched once more. For pieces and the groups they touch are a graph
  /// of at most as many components as there are parts of the pieces that make up whole groups.
  /// Quick where the pieces, or others that leave as much over whole groups, have been seen before.
  [[nodiscard]] std::int64_t about(std::span<const std::uint32_t> pieces);
  /// From now on a group touched once more counts this share of the most that it can cost.
  void count_touches(double share);
  /// As far as a search tells (row_divisions.hpp), where rows can be searched; about, otherwise.
  [[nodiscard]] std::int64_t of(std::span<const std::uint32_t> pieces);

 private:
  [[nodiscard]] std::int64_t of_two(std::span<const std::uint32_t> pieces);
  [[nodiscard]] std::size_t touched_again(std::span<const std::uint32_t> over) const;

  const RowModel& model_;
  std::size_t group_;
  std::int64_t dearest_touch_ = 0;  // of a group that is divided
  std::int64_t touch_ = 0;          // as it counts
  std::optional<RowDivisions> divisions_;
  std::vector<std::int64_t> of_two_;                        // by one of them
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // touched again, by what pieces leave
                                                            // over whole groups
};

}  // namespace zonecut
