#pragma once
// A product of whole numbers over whole numbers, exact until it is rounded once at the end. The
// formulas of traffic multiply half a dozen figures a user may choose, so the product is kept in
// lowest terms in 128 bits and refused, not wrapped, where it does not fit.
#include <cstdint>
#include <string_view>

#include "zonecut/base/units.hpp"

namespace zonecut {

class ExactProduct {
 public:
  explicit ExactProduct(std::int64_t value = 1);

  /// `factor` >= 0. Throws InputError on overflow.
  [[nodiscard]] ExactProduct times(std::int64_t factor) const;
  /// `divisor` > 0. Throws InputError on overflow.
  [[nodiscard]] ExactProduct over(std::int64_t divisor) const;
  [[nodiscard]] ExactProduct times(const ExactProduct& other) const;

  /// To the nearest whole number, halves up. Throws InputError above 2^62 - 1.
  [[nodiscard]] std::int64_t rounded() const;
  [[nodiscard]] std::int64_t rounded_up() const;
  [[nodiscard]] Bytes bytes() const { return Bytes{rounded()}; }

 private:
  __extension__ using Wide = unsigned __int128;
  [[nodiscard]] static ExactProduct in_lowest_terms(Wide a, Wide b, Wide c, Wide d);

  Wide numerator_ = 1;
  Wide denominator_ = 1;
};

/// The largest amount of bytes or steps a job may have: sums of two still fit 63 bits.
inline constexpr std::int64_t kMostBytes = (std::int64_t{1} << 62) - 1;

}  // namespace zonecut
