#pragma once
// A placement in a few lines for a terminal. The full picture is `zonecut report`.
#include <string>
#include <string_view>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut::cli {

/// A method as lines name it that are ASCII whatever the terminal shows, names of the user's own
/// aside.
[[nodiscard]] std::string in_ascii(std::string_view method);
/// Cut, bound, predicted seconds, the link that binds, J and what is left for others.
[[nodiscard]] std::string metrics_text(const PlacementProblem& problem, const Placement& placement);
/// The servers zone by zone, each once, in the order of their first rank.
[[nodiscard]] std::string servers_text(const PlacementProblem& problem, const Placement& placement);
/// Why nothing fits, one constraint a line. `what` is refused: "no placement exists".
[[nodiscard]] std::string refusal_text(const NoFit& refusal,
                                       std::string_view what = "no placement exists");

}  // namespace zonecut::cli
