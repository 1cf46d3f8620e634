#pragma once
// Maximum-weight matching, by LEMON. This header is C++17, because LEMON's one source file is.
#include <cstdint>
#include <vector>

namespace zonecut {

struct WeightedPair {
  std::uint32_t u, v;
  std::int64_t weight;
};

/// The pairs of a matching of greatest weight, heaviest first. Weights are positive.
/// O(vertices · edges · log vertices).
std::vector<WeightedPair> heaviest_matching(std::uint32_t vertices,
                                            const std::vector<WeightedPair>& edges);

}  // namespace zonecut
