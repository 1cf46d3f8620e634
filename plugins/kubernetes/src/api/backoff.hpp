#pragma once
// How long to wait after the nth failure in a row: doubled each time up to a limit, each time
// between half of that and all of it, so that many clients do not come back at once.
#include <algorithm>
#include <chrono>
#include <cstdint>

#include "zonecut/base/random.hpp"

namespace zonecut::kubernetes {

class Backoff {
 public:
  explicit Backoff(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::chrono::milliseconds next() {
    const std::chrono::milliseconds most = step_;
    step_ = std::min(step_ * 2, kMost);
    const auto half = static_cast<std::size_t>(most.count()) / 2;
    return most / 2 + std::chrono::milliseconds(random_.below(half + 1));
  }
  void reset() { step_ = kFirst; }

 private:
  static constexpr std::chrono::milliseconds kFirst{500};
  static constexpr std::chrono::milliseconds kMost{30'000};
  Random random_;
  std::chrono::milliseconds step_ = kFirst;
};

}  // namespace zonecut::kubernetes
