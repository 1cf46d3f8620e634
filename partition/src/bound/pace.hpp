#pragma once
// How fast a bound rises with work, and so whether it is worth going on.
#include <cstdint>
#include <optional>

namespace zonecut {

class Pace {
 public:
  /// Of a bound, with so much work left.
  Pace(double bound, std::int64_t left) : quarter_(left / 4), bound_(bound), left_(left) {}

  /// Where the bound comes to with what is left if it rises on as it did since a quarter of the
  /// work ago or more, which is more than most do; nothing between such quarters.
  [[nodiscard]] std::optional<double> expected(double bound, std::int64_t left) {
    const std::int64_t spent = left_ - left;
    if (spent <= 0 || spent < quarter_) return std::nullopt;
    const double rise = (bound - bound_) / static_cast<double>(spent);
    bound_ = bound;
    left_ = left;
    return bound + rise * static_cast<double>(left);
  }

 private:
  std::int64_t quarter_;
  double bound_;
  std::int64_t left_;
};

}  // namespace zonecut
