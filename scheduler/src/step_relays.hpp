#pragma once
// What GPUs get over NVLink in the steps of pairwise exchanges on rails: what stays in their
// server, and what others of it hand over for their rail (rank_nics.hpp). Which rails member i
// sends to in step s depends on s mod p where the rails of the members recur every p of them: after
// 8, where whole servers follow each other, whichever these are. So all steps s, s+p, s+2p, … are
// alike but those in which two members of one server meet, and only these few are looked at one by
// one.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "positions.hpp"
#include "rank_nics.hpp"
#include "sparse_sums.hpp"
#include "zonecut/partition/traffic.hpp"

namespace zonecut {

class StepRelays {
 public:
  /// Borrows the positions, which are by vertex.
  StepRelays(RankNics nics, const Traffic& traffic, std::span<const Position> positions,
             std::size_t servers);

  void clear();
  /// All exchanges have equally many members, and no two a rank in common. O(members).
  void add(std::span<const RankId> members, std::int64_t bytes);

  /// No GPU gets more in any step: what all members of its server send.
  [[nodiscard]] std::int64_t bound() const noexcept { return bound_; }
  /// What the busiest GPU gets in a step, 1 to members - 1; none sends more. `meet`: whether two
  /// members of some server do in this step. O(members of all exchanges) for each step that is
  /// not like one before. Where none is like another and all together have more than 2^26 flows,
  /// every k-th is looked at and stands for k.
  [[nodiscard]] std::int64_t busiest(std::size_t step, bool meet);

 private:
  struct Member {
    RankId rank;
    std::uint32_t server;
  };
  struct Exchange {
    std::vector<Member> members;
    std::int64_t bytes;
  };
  void find_alike();
  [[nodiscard]] std::int64_t count(std::size_t step);
  [[nodiscard]] std::size_t period() const;
  [[nodiscard]] bool recurs(std::size_t period) const;

  RankNics nics_;
  std::size_t ranks_per_server_;
  std::span<const Position> positions_;
  std::vector<Exchange> exchanges_;
  SparseSums sent_;  // by server
  std::int64_t bound_ = 0;
  std::size_t period_ = 0;  // 0: not looked for yet
  std::size_t stride_ = 1;  // steps that one stands for, where none recurs
  SparseSums received_;     // by rank, empty between steps
  std::vector<std::optional<std::int64_t>> busiest_;  // by step mod the period, over the stride
};

}  // namespace zonecut
