#pragma once
// The steps that all tables of least sums have in common.
#include <algorithm>
#include <array>
#include <cstddef>
#include <experimental/simd>
#include <limits>
#include <span>

namespace zonecut {

/// Sums of whole numbers up to 2^53, which a double holds exactly; infinite: not reached.
inline constexpr double kNotReached = std::numeric_limits<double>::infinity();

/// Each of `to` becomes at most the one of `from` in its place and `more`. As many as `to` has;
/// sums that a Sum holds.
template <class Sum>
void lower_sums(std::span<Sum> to, std::span<const Sum> from, Sum more) {
  namespace simd = std::experimental;
  using Lanes = simd::native_simd<Sum>;
  std::size_t i = 0;
  for (; i + Lanes::size() <= to.size(); i += Lanes::size()) {
    const Lanes sum = Lanes(&from[i], simd::element_aligned) + Lanes(more);
    min(Lanes(&to[i], simd::element_aligned), sum).copy_to(&to[i], simd::element_aligned);
  }
  for (; i < to.size(); ++i) to[i] = std::min(to[i], static_cast<Sum>(from[i] + more));
}
inline void lower(std::span<double> to, std::span<const double> from, double more) {
  lower_sums(to, from, more);
}

/// A part of a table of sums and what is added to each of its entries.
template <class Sum>
struct RaisedSums {
  const Sum* from = nullptr;
  Sum more = 0;
};

/// Each of `to` becomes the least of all of them, one or more, in its place. As many as `to` has;
/// sums that a Sum holds.
template <class Sum>
void set_least_sums(std::span<Sum> to, std::span<const RaisedSums<Sum>> all) {
  namespace simd = std::experimental;
  using Lanes = simd::native_simd<Sum>;
  std::size_t i = 0;
  for (; i + Lanes::size() <= to.size(); i += Lanes::size()) {
    Lanes least = Lanes(&all.front().from[i], simd::element_aligned) + Lanes(all.front().more);
    for (const RaisedSums<Sum>& each : all.subspan(1)) {
      least = min(least, Lanes(&each.from[i], simd::element_aligned) + Lanes(each.more));
    }
    least.copy_to(&to[i], simd::element_aligned);
  }
  for (; i < to.size(); ++i) {
    const auto sum = [i](const RaisedSums<Sum>& each) {
      return static_cast<Sum>(each.from[i] + each.more);
    };
    to[i] = sum(*std::ranges::min_element(all, {}, sum));
  }
}

/// Each of `to`, at k, becomes at most x[i] + y[k - i] + `more` for every i: a min-plus
/// convolution, so many sums at a time. `to` has whole blocks of them. Before `y` and after it,
/// rounded up to whole blocks, stands a block of sums that are too large to matter. Those of `x`
/// from `unknown` on are passed over.
template <std::size_t kBlock, class Sum>
void lower_by_pairs(std::span<Sum> to, std::span<const Sum> x, std::span<const Sum> y, Sum more,
                    Sum unknown) {
  namespace simd = std::experimental;
  // A block may be less than a register holds.
  constexpr std::size_t kLanes = std::min(kBlock, simd::native_simd<Sum>::size());
  using Lanes = simd::simd<Sum, simd::simd_abi::deduce_t<Sum, kLanes>>;
  constexpr std::size_t kVectors = kBlock / kLanes;
  static_assert(kVectors * kLanes == kBlock);
  for (std::size_t k = 0; k < to.size(); k += kBlock) {
    std::array<Lanes, kVectors> least;
    for (std::size_t v = 0; v < kVectors; ++v) {
      least[v].copy_from(&to[k + v * Lanes::size()], simd::element_aligned);
    }
    const std::size_t end = std::min(x.size(), k + kBlock);
    for (std::size_t i = k < y.size() ? 0 : k - y.size() + 1; i < end; ++i) {
      if (x[i] >= unknown) continue;
      const Lanes plus(static_cast<Sum>(x[i] + more));
      const Sum* from =
          y.data() + (static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(i));
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Lanes sum = Lanes(from + v * Lanes::size(), simd::element_aligned) + plus;
        least[v] = min(least[v], sum);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      least[v].copy_to(&to[k + v * Lanes::size()], simd::element_aligned);
    }
  }
}

/// Each of `to` becomes the one of `from` in its place and `more`. As many as `to` has.
inline void set(std::span<double> to, std::span<const double> from, double more) {
  namespace simd = std::experimental;
  using Lanes = simd::native_simd<double>;
  std::size_t i = 0;
  for (; i + Lanes::size() <= to.size(); i += Lanes::size()) {
    (Lanes(&from[i], simd::element_aligned) + more).copy_to(&to[i], simd::element_aligned);
  }
  for (; i < to.size(); ++i) to[i] = from[i] + more;
}

/// Each of `to` becomes the sum of the two in its place. As many as `to` has.
inline void set_sums(std::span<double> to, std::span<const double> x, std::span<const double> y) {
  namespace simd = std::experimental;
  using Lanes = simd::native_simd<double>;
  std::size_t i = 0;
  for (; i + Lanes::size() <= to.size(); i += Lanes::size()) {
    (Lanes(&x[i], simd::element_aligned) + Lanes(&y[i], simd::element_aligned))
        .copy_to(&to[i], simd::element_aligned);
  }
  for (; i < to.size(); ++i) to[i] = x[i] + y[i];
}

/// A part of a table and what is added to each of its entries.
struct Raised {
  std::span<const double> from;
  double more = 0;
};

/// Each of `to`, which may be one of them, becomes the least of them in its place, and `each`. As
/// many as `to` has.
template <std::size_t kCount>
void set_least(std::span<double> to, const Raised (&all)[kCount], double each = 0) {
  namespace simd = std::experimental;
  using Lanes = simd::native_simd<double>;
  std::size_t i = 0;
  for (; i + Lanes::size() <= to.size(); i += Lanes::size()) {
    Lanes least(kNotReached);
    for (const auto& [from, more] : all) {
      least = min(least, Lanes(&from[i], simd::element_aligned) + more);
    }
    (least + each).copy_to(&to[i], simd::element_aligned);
  }
  for (; i < to.size(); ++i) {
    double least = kNotReached;
    for (const auto& [from, more] : all) least = std::min(least, from[i] + more);
    to[i] = least + each;
  }
}

/// The least sum of two in one place. As many as `x` has.
inline double least_sum(std::span<const double> x, std::span<const double> y) {
  namespace simd = std::experimental;
  using Lanes = simd::native_simd<double>;
  Lanes lanes(kNotReached);
  std::size_t i = 0;
  for (; i + Lanes::size() <= x.size(); i += Lanes::size()) {
    lanes = min(lanes, Lanes(&x[i], simd::element_aligned) + Lanes(&y[i], simd::element_aligned));
  }
  double least = hmin(lanes);
  for (; i < x.size(); ++i) least = std::min(least, x[i] + y[i]);
  return least;
}

}  // namespace zonecut
