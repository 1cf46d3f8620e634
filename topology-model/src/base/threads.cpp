#include "zonecut/base/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <vector>

namespace zonecut {
namespace {

/// Hands out indices and keeps the least that ends the work.
class Indices {
 public:
  Indices(std::size_t count, const std::function<bool(std::size_t)>& work)
      : work_(work), end_(count) {}

  void work() {
    for (std::size_t i = next_++; i < end_; i = next_++) {
      try {
        if (work_(i)) end_at(i, nullptr);
      } catch (...) {
        end_at(i, std::current_exception());
      }
    }
  }

  /// To be called when no thread works any more.
  [[nodiscard]] std::size_t end() const {
    if (failure_) std::rethrow_exception(failure_);
    return end_;
  }

 private:
  void end_at(std::size_t index, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (index >= end_) return;
    end_ = index;
    failure_ = std::move(failure);
  }

  const std::function<bool(std::size_t)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> end_;
  std::mutex mutex_;
  std::exception_ptr failure_;  // of end_
};

}  // namespace

std::size_t find_index(std::size_t count, int threads,
                       const std::function<bool(std::size_t)>& work) {
  Indices indices(count, work);
  std::vector<std::thread> helpers;
  const std::size_t wanted = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
  helpers.reserve(wanted);
  try {
    while (helpers.size() + 1 < wanted) {
      helpers.push_back(quiet_thread([&indices] { indices.work(); }));
    }
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // A limit of processes: those that run do all the work.
  }
  indices.work();
  for (std::thread& helper : helpers) helper.join();
  return indices.end();
}

void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  find_index(count, threads, [&](std::size_t i) {
    work(i);
    return false;
  });
}

}  // namespace zonecut
