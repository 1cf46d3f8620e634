#pragma once
// A small seeded generator whose sequence is fixed by this project, not by the standard library:
// the same seed gives the same bytes on every platform. SplitMix64 (Steele, Lea, Flood, OOPSLA
// 2014).
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "zonecut/base/int128.hpp"

namespace zonecut {

/// SplitMix64's finaliser: a bijection of 64-bit numbers whose results look random.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t next() noexcept { return mixed(state_ += 0x9e3779b97f4a7c15ULL); }

  /// Uniform in [0, bound), bound > 0. The bias of the multiply-shift is below 2^-32 for bounds
  /// below 2^32.
  constexpr std::size_t below(std::size_t bound) noexcept {
    return static_cast<std::size_t>((static_cast<UInt128>(next()) * bound) >> 64);
  }

  /// Uniform in [0, 1).
  constexpr double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

  template <class T>
  constexpr void shuffle(std::span<T> values) noexcept {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::uint64_t state_;
};

/// `count` generators with independent sequences, for runs that may go on in any order.
[[nodiscard]] inline std::vector<Random> sequences_from(Random& random, std::size_t count) {
  std::vector<Random> sequences;
  sequences.reserve(count);
  for (std::size_t i = 0; i < count; ++i) sequences.emplace_back(random.next());
  return sequences;
}

}  // namespace zonecut
