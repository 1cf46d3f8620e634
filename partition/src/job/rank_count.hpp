#pragma once
// How many ranks a training job has, its encoder's among them.
#include <cstdint>
#include <optional>
#include <string>

#include "zonecut/partition/encoder.hpp"

namespace zonecut {

/// Of sizes up to kMostRanks each. Beyond kMostRanks it may be any number that is.
[[nodiscard]] std::int64_t rank_count(const Training& training);

/// The data parallelism of the language model with which the job has so many ranks, if there is
/// one.
[[nodiscard]] std::optional<int> dp_of_ranks(std::int64_t ranks, const Training& training);
/// The fewest replicas of the language model that go with the other sizes: every number that does
/// is a multiple. 1 where they would be more than kMostRanks.
[[nodiscard]] int fewest_replicas(const Training& training);
/// "no multiple of tp*cp*pp = 32": what is to be said of ranks for which there is none.
[[nodiscard]] std::string uneven_ranks_text(const Training& training);

}  // namespace zonecut
