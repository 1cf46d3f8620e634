#include "refine/working_partition.hpp"

namespace zonecut {

std::int64_t cut_weight(const CommunicationGraph& graph, std::span<const std::uint32_t> part) {
  std::int64_t cut = 0;
  for (std::size_t u = 0; u < part.size(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (part[u] < part[v]) cut += weight;
    }
  }
  return cut;
}

WorkingPartition::WorkingPartition(const PartitionProblem& problem, std::vector<std::uint32_t> part)
    : problem_(problem),
      part_(std::move(part)),
      position_(part_.size()),
      members_(problem.parts()),
      border_(problem.parts(), 0),
      cut_(cut_weight(problem.graph, part_)) {
  for (std::uint32_t v = 0; v < part_.size(); ++v) {
    std::vector<std::uint32_t>& members = members_[part_[v]];
    position_[v] = static_cast<std::uint32_t>(members.size());
    members.push_back(v);
    for (const auto& [u, weight] : problem.graph.neighbours(v)) {
      if (part_[u] != part_[v]) border_[part_[v]] += weight;
    }
  }
}

std::int64_t WorkingPartition::weight_to(std::size_t vertex, std::uint32_t part) const {
  std::int64_t sum = 0;
  for (const auto& [v, weight] : graph().neighbours(vertex)) {
    if (part_[v] == part) sum += weight;
  }
  return sum;
}

std::int64_t WorkingPartition::gain(std::size_t vertex, std::uint32_t to) const {
  const std::uint32_t from = part_[vertex];
  std::int64_t sum = 0;
  for (const auto& [v, weight] : graph().neighbours(vertex)) {
    if (part_[v] == to) sum += weight;
    if (part_[v] == from) sum -= weight;
  }
  return from == to ? 0 : sum;
}

WorkingPartition::Record WorkingPartition::move(std::uint32_t vertex, std::uint32_t to) {
  const std::uint32_t from = part_[vertex];
  if (from == to) return {vertex, from};
  std::int64_t all = 0;
  std::int64_t behind = 0;
  std::int64_t ahead = 0;
  for (const auto& [v, weight] : graph().neighbours(vertex)) {
    all += weight;
    if (part_[v] == from) behind += weight;
    if (part_[v] == to) ahead += weight;
  }
  const Record record{vertex, from, behind - ahead, 2 * behind - all, all - 2 * ahead};
  follow(record, to);
  return record;
}

void WorkingPartition::take_back(const Record& last) {
  const std::uint32_t to = part_[last.vertex];
  if (last.from == to) return;
  follow({last.vertex, to, -last.cut, -last.border_after, -last.border_before}, last.from);
}

/// The vertex becomes the last one of the other part.
void WorkingPartition::follow(const Record& move, std::uint32_t to) {
  if (journaling_) journal_.push_back(move);
  cut_ += move.cut;
  border_[move.from] += move.border_before;
  border_[to] += move.border_after;
  std::uint32_t& position = position_[move.vertex];
  std::vector<std::uint32_t>& old = members_[move.from];
  const std::uint32_t last = old.back();
  old[position] = last;
  position_[last] = position;
  old.pop_back();
  position = static_cast<std::uint32_t>(members_[to].size());
  members_[to].push_back(move.vertex);
  part_[move.vertex] = to;
}

void WorkingPartition::begin_journal() {
  journaling_ = true;
  journal_.clear();
}

void WorkingPartition::roll_back() {
  roll_back_to(0);
  journaling_ = false;
}

void WorkingPartition::roll_back_to(std::size_t moves) {
  journaling_ = false;
  for (; journal_.size() > moves; journal_.pop_back()) {
    take_back(journal_.back());
  }
  journaling_ = true;
}

}  // namespace zonecut
