#pragma once
// How many ranks a training job has, its encoder's among them.
#include <cstdint>
#include <optional>
#include <string>

#include "zonecut/partition/encoder.hpp"

namespace zonecut {

/// The number of ranks; every size must be at most kMostRanks. Where there are more than kMostRanks
/// the result is some number above kMostRanks.
[[nodiscard]] std::int64_t rank_count(const Training& training);

/// The data parallelism of the language model with which the job has so many ranks, if there is
/// one.
[[nodiscard]] std::optional<int> dp_of_ranks(std::int64_t ranks, const Training& training);
/// The least data parallelism of the language model that the other sizes allow; all that they allow
/// are multiples of it. 1 where it would be above kMostRanks.
[[nodiscard]] int fewest_replicas(const Training& training);
/// "no multiple of tp*cp*pp = 32": why dp_of_ranks() is none, for a message about the ranks.
[[nodiscard]] std::string uneven_ranks_text(const Training& training);

}  // namespace zonecut
