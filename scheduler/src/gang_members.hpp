#pragma once
// Questions about one gang's members.
#include <optional>
#include <tuple>

#include "zonecut/scheduler/gang_book.hpp"

namespace zonecut {

[[nodiscard]] std::size_t standing_count(const Gang& gang);

[[nodiscard]] inline bool is_complete(const Gang& gang) {
  return standing_count(gang) == gang.members();
}

/// Which of two gangs comes first.
[[nodiscard]] inline bool goes_before(const GangState& a, const GangState& b) {
  return std::tuple(-std::int64_t{a.priority}, a.since) <
         std::tuple(-std::int64_t{b.priority}, b.since);
}

[[nodiscard]] inline bool is_absent(const GangState& state, std::size_t member) {
  return member < state.absent.size() && state.absent[member];
}

/// Whether something of it waits or begins, so that its servers are wanted.
[[nodiscard]] inline bool is_at_work(const GangState& state) {
  return state.pending > 0 || state.unready > 0;
}

/// The one server that a member can still go to, where that is settled.
[[nodiscard]] inline std::optional<ServerId> sent_to(const GangState& state, std::size_t member) {
  return member < state.sent.size() ? state.sent[member] : std::nullopt;
}

}  // namespace zonecut
