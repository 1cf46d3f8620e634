#pragma once
// METIS as a source of starts (Karypis & Kumar, SIAM J. Sci. Comput. 1998). Its answers are rough
// in size and never trusted: whoever calls repairs and measures them. One call at a time in the
// whole process, because METIS draws from the C library's generator.
#include <optional>
#include <vector>

#include "partition_problem.hpp"

namespace zonecut {

enum class MetisMethod { Recursive, Kway };

/// A part for every vertex, of about the size of its share; none where METIS declines or there is
/// nothing to divide (fewer than two parts with a share, or no more vertices than such parts).
[[nodiscard]] std::optional<std::vector<std::uint32_t>> metis_partition(
    const CommunicationGraph& graph, const Shares& shares, MetisMethod method, int seed);

}  // namespace zonecut
