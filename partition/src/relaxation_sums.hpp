#pragma once
// Sums of prices in doubles, as the relaxations compute them.
#include <cstddef>
#include <cstdint>
#include <limits>

namespace zonecut {

inline constexpr double kUnreached = std::numeric_limits<double>::infinity();
inline constexpr double kRounding = 1e-11;  ///< far more, relatively, than that of all sums

inline double in_quarters(std::int64_t weight) { return static_cast<double>(weight); }
inline double number(std::size_t count) { return static_cast<double>(count); }

/// to[i] becomes at most from[i] + more. A loop that vectorises.
inline void lower(double* to, const double* from, double more, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double value = from[i] + more;
    to[i] = value < to[i] ? value : to[i];
  }
}

}  // namespace zonecut
