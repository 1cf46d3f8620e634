#pragma once
// Vertices into parts of limited size so that the least weight runs between parts: the problem that
// every level of the tree poses. For the zones, a part is a zone; inside a zone, one of its racks.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

struct PartitionProblem {
  const CommunicationGraph& graph;
  std::vector<std::uint32_t> capacity;       ///< most vertices of each part
  std::span<const Coordinates> coordinates;  ///< by vertex, or empty
  /// Parts to begin with, by vertex and within the capacities, or empty.
  std::span<const std::uint32_t> start = {};
  bool rough = false;  ///< coordinates only say about where vertices stand
  [[nodiscard]] std::size_t parts() const noexcept { return capacity.size(); }
};

/// How many vertices each part gets; together all of them.
using Shares = std::vector<std::uint32_t>;

struct Partition {
  std::vector<std::uint32_t> part;  ///< by vertex
  std::int64_t cut = 0;
  std::string method;  ///< the constructor it began with
};

/// How the search runs.
struct SearchTerms {
  std::uint64_t seed = 1;
  std::int64_t enough = 0;  ///< a cut at which it ends: a proven bound, or 0
  int threads = 1;          ///< changes no result
};

/// Weight between vertices of different parts. O(edges).
[[nodiscard]] std::int64_t cut_weight(const CommunicationGraph& graph,
                                      std::span<const std::uint32_t> part);

/// A counter of elementary steps in place of a clock, so that the same input gives the same answer
/// on any machine.
class WorkBudget {
 public:
  explicit WorkBudget(std::int64_t steps) : left_(steps) {}
  void spend(std::size_t steps) noexcept { left_ -= static_cast<std::int64_t>(steps); }
  [[nodiscard]] bool spent() const noexcept { return left_ <= 0; }
  [[nodiscard]] std::int64_t left() const noexcept { return left_; }

 private:
  std::int64_t left_;
};

/// Work with a budget of so many steps, whatever is left of this one, which they are taken from.
template <class Work>
auto with_part(WorkBudget& budget, std::int64_t steps, const Work& work) {
  WorkBudget part(std::max<std::int64_t>(0, steps));
  const std::int64_t before = part.left();
  const auto take = [&] { budget.spend(static_cast<std::size_t>(before - part.left())); };
  if constexpr (std::is_void_v<decltype(work(part))>) {
    work(part);
    take();
  } else {
    auto result = work(part);
    take();
    return result;
  }
}

}  // namespace zonecut
