#pragma once
// Sizes in units of several vertices, for a first look at a large problem.
#include <cstdint>
#include <span>
#include <vector>

namespace zonecut {

/// Divided by the width, rounded so that together they are what all of them come to.
[[nodiscard]] inline std::vector<std::uint32_t> in_wide_units(std::span<const std::uint32_t> sizes,
                                                              std::size_t width) {
  std::vector<std::uint32_t> result;
  std::size_t sum = 0;
  for (const std::uint32_t size : sizes) {
    const std::size_t before = sum / width;
    sum += size;
    result.push_back(static_cast<std::uint32_t>(sum / width - before));
  }
  return result;
}

}  // namespace zonecut
