#pragma once
// Sums over the flows of some traffic, for checks.
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "zonecut/partition/traffic.hpp"

namespace zonecut {

inline const Phase& phase_of(const Traffic& traffic, std::string_view name) {
  for (const Phase& phase : traffic.phases) {
    if (phase.name == name) return phase;
  }
  throw std::out_of_range("no phase " + std::string(name));
}

inline bool has_phase(const Traffic& traffic, std::string_view name) {
  for (const Phase& phase : traffic.phases) {
    if (phase.name == name) return true;
  }
  return false;
}

inline std::vector<Flow> flows_of(const Traffic& traffic, const Group& group) {
  std::vector<Flow> flows;
  for_each_flow(traffic, group, [&](const Flow& flow) { flows.push_back(flow); });
  return flows;
}

/// Bytes by (from, to) over one phase.
inline std::map<std::pair<std::size_t, std::size_t>, std::int64_t> matrix_of(const Traffic& traffic,
                                                                             const Phase& phase) {
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> matrix;
  for (const Group& group : phase.groups) {
    for (const Flow& flow : flows_of(traffic, group))
      matrix[{flow.from.index(), flow.to.index()}] += flow.bytes.count;
  }
  return matrix;
}

/// What each rank sends in one phase.
inline std::vector<std::int64_t> sent_by_rank(const Traffic& traffic, const Phase& phase) {
  std::vector<std::int64_t> sent(traffic.ranks, 0);
  for (const Group& group : phase.groups) {
    for (const Flow& flow : flows_of(traffic, group)) sent[flow.from.index()] += flow.bytes.count;
  }
  return sent;
}

inline std::int64_t total_of(const Traffic& traffic, const Phase& phase) {
  std::int64_t total = 0;
  for (const std::int64_t sent : sent_by_rank(traffic, phase)) total += sent;
  return total;
}

}  // namespace zonecut
