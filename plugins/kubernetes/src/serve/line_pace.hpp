#pragma once
// How often a line of the log that says the same of many is due: at once, then every ten seconds.
// May be used by many threads.
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace zonecut::kubernetes {

class LinePace {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kAgain{10};

  /// Whether a line of this kind is due, and then how many were not since the last one.
  [[nodiscard]] std::optional<std::int64_t> is_due(std::string_view kind, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    const auto [at, is_first] = kinds_.try_emplace(std::string(kind), Kind{now, 0});
    Kind& of_kind = at->second;
    if (!is_first && now - of_kind.said < kAgain) {
      ++of_kind.unsaid;
      return std::nullopt;
    }
    const std::int64_t unsaid = of_kind.unsaid;
    of_kind = {now, 0};
    return unsaid;
  }

 private:
  struct Kind {
    Clock::time_point said;
    std::int64_t unsaid = 0;
  };
  std::mutex mutex_;
  std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace zonecut::kubernetes
