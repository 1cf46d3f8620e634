#pragma once
// Sums by small index of which few are touched at a time: reading them all and clearing costs what
// was touched, not what could have been. A job of ten thousand small phases on a cluster of ten
// thousand domains depends on it.
#include <cstdint>
#include <span>
#include <vector>

namespace zonecut {

class SparseSums {
 public:
  explicit SparseSums(std::size_t size) : sums_(size, 0), seen_(size, 0) {}

  void add(std::size_t index, std::int64_t amount) {
    if (seen_[index] == 0) {
      seen_[index] = 1;
      touched_.push_back(static_cast<std::uint32_t>(index));
    }
    sums_[index] += amount;
  }

  [[nodiscard]] std::int64_t operator[](std::size_t index) const { return sums_[index]; }
  /// In the order in which they were first touched, which is that of the input.
  [[nodiscard]] std::span<const std::uint32_t> touched() const noexcept { return touched_; }

  void clear() {
    for (const std::uint32_t index : touched_) {
      sums_[index] = 0;
      seen_[index] = 0;
    }
    touched_.clear();
  }

 private:
  std::vector<std::int64_t> sums_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace zonecut
