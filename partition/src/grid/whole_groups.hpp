#pragma once
// How sizes fall into parts that hold whole groups each.
#include <cstddef>
#include <cstdint>
#include <span>

namespace zonecut {

/// The most groups into which the sizes can be divided so that each adds up to a multiple of
/// `length`: exact where what neither is one nor adds up with another has at most 2^exact sets, and
/// above it otherwise. Alike sizes count once for each number of them, so up to `exact` of any
/// sizes are few enough. O(n log n + exact · 2^exact).
[[nodiscard]] std::size_t most_whole_groups(std::span<const std::uint32_t> sizes,
                                            std::size_t length, std::size_t exact = 16);

}  // namespace zonecut
