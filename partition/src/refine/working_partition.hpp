#pragma once
// A partition while it is being improved: sizes, members and cut follow every move. A move costs
// the degree of its vertex, to take it back nothing of note.
#include <cstdint>
#include <span>
#include <vector>

#include "partition_problem.hpp"

namespace zonecut {

class WorkingPartition {
 public:
  /// Borrows the problem. Sizes may exceed capacities until somebody repairs them.
  WorkingPartition(const PartitionProblem& problem, std::vector<std::uint32_t> part);

  [[nodiscard]] const PartitionProblem& problem() const noexcept { return problem_; }
  [[nodiscard]] const CommunicationGraph& graph() const noexcept { return problem_.graph; }
  [[nodiscard]] std::size_t parts() const noexcept { return members_.size(); }
  [[nodiscard]] std::uint32_t part(std::size_t vertex) const { return part_[vertex]; }
  [[nodiscard]] std::span<const std::uint32_t> all() const noexcept { return part_; }
  [[nodiscard]] std::span<const std::uint32_t> members(std::size_t part) const {
    return members_[part];
  }
  [[nodiscard]] std::int64_t room(std::size_t part) const {
    return static_cast<std::int64_t>(problem_.capacity[part]) -
           static_cast<std::int64_t>(members_[part].size());
  }
  [[nodiscard]] std::int64_t cut() const noexcept { return cut_; }
  /// Weight between a part's members and all others.
  [[nodiscard]] std::int64_t border(std::size_t part) const { return border_[part]; }

  /// Weight between a vertex and the members of a part.
  [[nodiscard]] std::int64_t weight_to(std::size_t vertex, std::uint32_t part) const;
  /// What the cut falls by when the vertex moves; negative when it rises.
  [[nodiscard]] std::int64_t gain(std::size_t vertex, std::uint32_t to) const;
  /// A move, and what it changed.
  struct Record {
    std::uint32_t vertex = 0;
    std::uint32_t from = 0;
    std::int64_t cut = 0;
    std::int64_t border_before = 0;  ///< of the part it left
    std::int64_t border_after = 0;   ///< of the one it went to
  };
  Record move(std::uint32_t vertex, std::uint32_t to);
  /// The last move that has not been taken back yet, as one more move. O(1).
  void take_back(const Record& last);

  /// From here on moves are written down, until the next begin_journal().
  void begin_journal();
  /// Moves since begin_journal().
  [[nodiscard]] std::span<const Record> journal() const noexcept { return journal_; }
  /// Takes back every move since begin_journal().
  void roll_back();
  /// Takes back all but the first so many, and goes on writing down.
  void roll_back_to(std::size_t moves);

 private:
  void follow(const Record& move, std::uint32_t to);

  const PartitionProblem& problem_;
  std::vector<std::uint32_t> part_;
  std::vector<std::uint32_t> position_;  // of a vertex among the members of its part
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::int64_t> border_;  // by part
  std::int64_t cut_;
  bool journaling_ = false;
  std::vector<Record> journal_;
};

}  // namespace zonecut
