#pragma once
// Which flows of a phase are under way together. Flows of a pipeline pass messages on from hop to
// hop, and a pairwise all-to-all goes step by step: each of these waits for its own busiest link.
#include <cstdint>
#include <functional>
#include <vector>

#include "zonecut/partition/traffic.hpp"

namespace zonecut {

struct Round {
  enum class Kind : std::uint8_t {
    Forward,         ///< member `index` of pipelines and chains to the next
    Backward,        ///< the same hop of pipelines the other way
    AroundForward,   ///< the last member of pipelines to the first
    AroundBackward,  ///< the first to the last
    Exchange,        ///< step `index` of pairwise all-to-alls, from 1
  };
  Kind kind = Kind::Forward;
  std::uint32_t index = 0;
  // Of pipelines and chains: only of those that pass on in so many messages, so often.
  std::int64_t messages = 1;
  std::int64_t passes = 1;
  friend bool operator==(const Round&, const Round&) = default;
};

/// Hops come first, those of pipelines alike together; steps last. Empty: all flows of the phase
/// are under way together.
[[nodiscard]] std::vector<Round> rounds_of(const Phase& phase);

/// How many of them are steps of pairwise all-to-alls; 1 where none is.
[[nodiscard]] std::size_t step_count(const Phase& phase);

[[nodiscard]] constexpr bool has_rounds(const Group& group) {
  return group.pattern == Pattern::Pipeline || group.pattern == Pattern::Chain || group.stepwise;
}

/// The flows of the group that belong to this round, if any.
void for_each_flow_in(const Traffic& traffic, const Group& group, const Round& round,
                      const std::function<void(const Flow&)>& visit);

}  // namespace zonecut
