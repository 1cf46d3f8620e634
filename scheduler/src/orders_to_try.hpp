#pragma once
// The orders of servers that the engine chooses between: what the mapper finds, and the rules of
// others beside it. Those that go by the best of them are in orders_from_best.hpp.
#include <vector>

#include "asked.hpp"
#include "trial.hpp"

namespace zonecut {

/// One at least, the mapper's own first; all keep the slices, the required level, and the preferred
/// one as far as the mapper reached it. The job must fit: refusal() has no objection.
[[nodiscard]] std::vector<Trial> orders_to_try(const Asked& asked, const MappingOptions& options);

}  // namespace zonecut
