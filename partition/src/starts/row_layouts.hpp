#pragma once
// Rows laid out whose parts' numbers of vertices are known: every row can be laid in several ways,
// and one of each is chosen, so that all cut least within rows and between neighbours (Viterbi,
// IEEE Transactions on Information Theory 13, 1967).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "grid/grid_traffic.hpp"
#include "partition_problem.hpp"
#include "starts/held_rows.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

/// Vertices of a row by replica, stage by stage, and within stages by place in the group.
[[nodiscard]] std::vector<std::uint32_t> vertices_of_replica(const GridTraffic& grid,
                                                             std::size_t row);

class RowLayouts {
 public:
  /// Borrows both. `work` says how many ways are tried: steps for those of each kind, and for what
  /// every two of neighbouring rows cut between them. O(edges).
  RowLayouts(const CommunicationGraph& graph, const GridTraffic& grid, std::int64_t work);

  /// Parts one after the other through the row, groups forwards and backwards by turns, in every
  /// order, or some that are drawn where these are too many. O(ways · edges of a row).
  void add_orders(std::size_t row, const HeldRows& held, Random& random);
  /// This way, by place, also backwards along either axis, begun at every place of a group and,
  /// around a ring, at every stage; of very many some.
  void add(std::size_t row, std::span<const std::uint32_t> parts);

  /// Part of each vertex. Every row has a way; the rows may change places, for which the budget is.
  /// O(rows · ways² · edges between two rows) besides.
  [[nodiscard]] std::vector<std::uint32_t> best(WorkBudget& budget) const;

 private:
  struct Edge {
    std::uint32_t from = 0;  ///< place
    std::uint32_t to = 0;    ///< of the same row, or of the next
    std::int64_t weight = 0;
  };
  struct Way {
    std::vector<std::uint32_t> parts;  ///< by place
    std::int64_t cut = 0;              ///< within the row
  };
  struct Laid {
    std::int64_t cut = 0;
    std::vector<std::size_t> order;  ///< of rows
    std::vector<std::size_t> way;    ///< of each, in that order
  };
  /// From a row to the one that comes next, by way and next way.
  using Steps = std::function<const std::vector<std::int64_t>&(std::size_t, std::size_t)>;

  void add_way(std::size_t row, std::vector<std::uint32_t> parts);
  void keep_best(std::size_t row);
  /// Ways of a row of one kind: fewer of larger jobs.
  [[nodiscard]] std::size_t most_tried() const;
  /// Stages that a way may begin with: any around a ring.
  [[nodiscard]] std::size_t beginnings() const { return grid_.wrap[2] > 0 ? grid_.size[2] : 1; }
  [[nodiscard]] std::size_t ways_of(std::size_t row, std::size_t most) const {
    return std::min(ways_[row].size(), most);
  }
  [[nodiscard]] std::int64_t cut_between(const Way& way, const Way& next) const;
  [[nodiscard]] std::vector<std::int64_t> steps_between(std::size_t row, std::size_t next,
                                                        std::size_t most) const;
  [[nodiscard]] Laid lay(std::span<const std::size_t> order, const Steps& steps, std::size_t most,
                         std::size_t start) const;
  [[nodiscard]] Laid lay_in(std::span<const std::size_t> order) const;
  [[nodiscard]] std::vector<std::size_t> reordered(std::vector<std::size_t> order,
                                                   WorkBudget& budget) const;

  const GridTraffic& grid_;
  std::size_t rows_;
  std::int64_t work_;
  std::vector<Edge> within_;            // a row
  std::vector<Edge> between_;           // a row and the next
  std::vector<std::vector<Way>> ways_;  // by row, the best first
};

}  // namespace zonecut
