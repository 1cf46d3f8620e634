#pragma once
// NCCL's double binary tree (trees.cc, ncclGetBtree and ncclGetDtree): two trees over n positions
// such that an inner position of one is a leaf of the other, which halves the load of each.
#include <cstddef>
#include <optional>

namespace zonecut {

/// Parent of `position` in the first tree; none for its root, position 0.
[[nodiscard]] inline std::optional<std::size_t> tree_parent(std::size_t position, std::size_t n) {
  if (position == 0) return std::nullopt;
  const std::size_t low_bit = position & (~position + 1);
  const std::size_t up = (position ^ low_bit) | (low_bit << 1);
  return up < n ? up : position ^ low_bit;
}

/// Parent of `position` in the second tree: the first one shifted by one when n is odd, mirrored
/// when n is even.
[[nodiscard]] inline std::optional<std::size_t> second_tree_parent(std::size_t position,
                                                                   std::size_t n) {
  const bool shifted = n % 2 == 1;
  const auto parent = tree_parent(shifted ? (position + n - 1) % n : n - 1 - position, n);
  if (!parent) return std::nullopt;
  return shifted ? (*parent + 1) % n : n - 1 - *parent;
}

}  // namespace zonecut
