#include "refine/repair.hpp"

#include <limits>
#include <queue>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

struct Move {
  std::int64_t gain;
  std::uint32_t vertex;
  std::uint32_t to;
  friend bool operator<(const Move& x, const Move& y) {
    if (x.gain != y.gain) return x.gain < y.gain;
    return x.vertex > y.vertex;
  }
};

/// The part with room that a vertex goes to at the least loss: one of its neighbours', or the one
/// with most room.
Move best_move(const WorkingPartition& partition, std::uint32_t vertex, std::uint32_t roomiest) {
  Move best{partition.gain(vertex, roomiest), vertex, roomiest};
  for (const auto& neighbour : partition.graph().neighbours(vertex)) {
    const std::uint32_t to = partition.part(neighbour.vertex);
    if (to == partition.part(vertex) || to == best.to || partition.room(to) <= 0) continue;
    const std::int64_t gain = partition.gain(vertex, to);
    if (gain > best.gain || (gain == best.gain && to < best.to)) best = {gain, vertex, to};
  }
  return best;
}

std::uint32_t roomiest_part(const WorkingPartition& partition) {
  std::uint32_t best = 0;
  for (std::uint32_t p = 1; p < partition.parts(); ++p) {
    if (partition.room(p) > partition.room(best)) best = p;
  }
  ZONECUT_ENSURES(partition.room(best) > 0);
  return best;
}

void empty_excess(WorkingPartition& partition, std::uint32_t part) {
  std::uint32_t roomiest = roomiest_part(partition);
  std::priority_queue<Move> queue;
  for (const std::uint32_t v : partition.members(part)) {
    queue.push(best_move(partition, v, roomiest));
  }
  while (partition.room(part) < 0) {
    if (partition.room(roomiest) <= 0) roomiest = roomiest_part(partition);
    const Move next = queue.top();
    queue.pop();
    if (partition.part(next.vertex) != part) continue;
    // Earlier moves may have changed what this one gains, or taken its room.
    const Move now = best_move(partition, next.vertex, roomiest);
    if (!queue.empty() && now < queue.top()) {
      queue.push(now);
      continue;
    }
    partition.move(now.vertex, now.to);
    for (const auto& neighbour : partition.graph().neighbours(now.vertex)) {
      if (partition.part(neighbour.vertex) == part) {
        queue.push(best_move(partition, neighbour.vertex, roomiest));
      }
    }
  }
}

}  // namespace

void repair(WorkingPartition& partition) {
  for (std::uint32_t p = 0; p < partition.parts(); ++p) {
    if (partition.room(p) < 0) empty_excess(partition, p);
  }
}

}  // namespace zonecut
