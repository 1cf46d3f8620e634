#pragma once
// The unit in which bounds count weights. Quarters of it are rounded where bounds are taken in
// proportion, so it is a fine one; but sums of them have to be exact in the 53 bits of a double.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace zonecut {

class WeightUnit {
 public:
  /// That of the weights themselves.
  WeightUnit() = default;
  /// The finest of which the sum of all weights has less than 2^48.
  static WeightUnit finest(std::int64_t total_weight) {
    constexpr int kBits = 48;
    return WeightUnit(kBits -
                      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(total_weight))));
  }

  /// A weight of at least 0 in these units.
  [[nodiscard]] std::int64_t down(std::int64_t weight) const {
    return finer_ >= 0 ? weight << finer_ : weight >> -finer_;
  }
  [[nodiscard]] std::int64_t up(std::int64_t weight) const {
    return finer_ >= 0 ? weight << finer_ : ((weight - 1) >> -finer_) + 1;
  }

  /// A bound of so many quarters, as one of the cut itself, which is whole: a fraction rounds up,
  /// unless weights were rounded down before.
  [[nodiscard]] std::int64_t whole_cut(std::int64_t quarters) const {
    if (finer_ < 0) return (quarters / kQuarter) << -finer_;
    const std::int64_t of_weight = kQuarter << finer_;
    return quarters / of_weight + (quarters % of_weight > 0 ? 1 : 0);
  }
  /// The least of which whole_cut makes at least `cut`.
  [[nodiscard]] std::int64_t least_quarters(std::int64_t cut) const {
    if (cut > kUnlimited / kQuarter >> std::max(0, finer_)) return kUnlimited;
    return finer_ < 0 ? kQuarter * up(cut) : ((cut - 1) * kQuarter << finer_) + 1;
  }

 private:
  static constexpr std::int64_t kQuarter = 4;
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

  explicit WeightUnit(int finer) : finer_(finer) {}

  int finer_ = 0;  // 2 to this power make up a unit of the weights
};

}  // namespace zonecut
