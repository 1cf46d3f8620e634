#pragma once
// Wakes a loop that else looks from time to time.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace zonecut::kubernetes {

class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      rung_ = true;
    }
    rings_.notify_one();
  }
  /// Returns when it was rung since the last wait, at the latest after `time`.
  void wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    rings_.wait_for(lock, time, [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable rings_;
  bool rung_ = false;
};

}  // namespace zonecut::kubernetes
