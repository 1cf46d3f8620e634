#pragma once
// Questions about one gang's members.
#include <optional>

#include "zonecut/scheduler/gang_book.hpp"

namespace zonecut {

[[nodiscard]] std::size_t standing_count(const Gang& gang);

[[nodiscard]] inline bool is_complete(const Gang& gang) {
  return standing_count(gang) == gang.members();
}

/// The one server that a member can still go to, where that is settled.
[[nodiscard]] inline std::optional<ServerId> sent_to(const GangState& state, std::size_t member) {
  return member < state.sent.size() ? state.sent[member] : std::nullopt;
}

}  // namespace zonecut
