#include "traffic/exact_product.hpp"

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

[[noreturn]] void does_not_fit() {
  throw InputError("job", "its traffic does not fit 62 bits",
                   "check batch, sequence, layers and parameters for a slip");
}

template <class Wide>
Wide gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

template <class Wide>
Wide checked_product(Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product)) does_not_fit();
  return product;
}

}  // namespace

ExactProduct::ExactProduct(std::int64_t value) {
  ZONECUT_ENSURES(value >= 0);
  numerator_ = static_cast<Wide>(value);
}

/// (a / b) · (c / d), each fraction already in lowest terms.
ExactProduct ExactProduct::in_lowest_terms(Wide a, Wide b, Wide c, Wide d) {
  const Wide across = gcd(a, d);
  const Wide other = gcd(c, b);
  ExactProduct product;
  product.numerator_ = checked_product<Wide>(a / across, c / other);
  product.denominator_ = checked_product<Wide>(b / other, d / across);
  return product;
}

ExactProduct ExactProduct::times(std::int64_t factor) const {
  ZONECUT_ENSURES(factor >= 0);
  return in_lowest_terms(numerator_, denominator_, static_cast<Wide>(factor), 1);
}

ExactProduct ExactProduct::over(std::int64_t divisor) const {
  ZONECUT_ENSURES(divisor > 0);
  return in_lowest_terms(numerator_, denominator_, 1, static_cast<Wide>(divisor));
}

ExactProduct ExactProduct::times(const ExactProduct& other) const {
  return in_lowest_terms(numerator_, denominator_, other.numerator_, other.denominator_);
}

std::int64_t ExactProduct::rounded() const {
  const Wide whole = numerator_ / denominator_;
  const Wide rest = numerator_ % denominator_;
  const Wide rounded = whole + (rest >= denominator_ - rest ? 1 : 0);
  if (rounded > static_cast<Wide>(kMostBytes)) does_not_fit();
  return static_cast<std::int64_t>(rounded);
}

std::int64_t ExactProduct::rounded_up() const {
  const Wide rounded = numerator_ / denominator_ + (numerator_ % denominator_ != 0 ? 1 : 0);
  if (rounded > static_cast<Wide>(kMostBytes)) does_not_fit();
  return static_cast<std::int64_t>(rounded);
}

}  // namespace zonecut
