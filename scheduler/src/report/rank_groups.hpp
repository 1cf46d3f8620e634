#pragma once
// How a map is coloured: the ranks of a job in a few groups along the axis of its parallelism that
// explains where they are (pipeline stages as a rule; replicas where whole replicas sit in zones).
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut::report {

struct RankGroups {
  static constexpr std::size_t kMost = 16;  ///< more values than this share groups, in order

  struct Entry {
    std::string letter;  ///< "A": so that nothing depends on colour alone
    std::string label;   ///< "stage 0", "stages 0–1"
    std::size_t ranks = 0;
  };
  std::string axis;  ///< "pipeline stage"
  std::vector<Entry> entries;
  std::vector<std::uint8_t> of_rank;  ///< index into entries
  std::string number_axis;            ///< "data-parallel replica"; empty: there is none
  std::vector<std::uint32_t> number_of_rank;
};

/// `servers` by vertex. O(ranks log ranks).
[[nodiscard]] RankGroups rank_groups(const PlacementProblem& problem,
                                     std::span<const ServerId> servers);

}  // namespace zonecut::report
