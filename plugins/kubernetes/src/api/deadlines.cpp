#include "api/deadlines.hpp"

#include <algorithm>

#include "api/connection.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::chrono::milliseconds kTick{100};

}  // namespace

Deadlines::Deadlines() : thread_([this] { run(); }) {}

Deadlines::~Deadlines() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Deadlines::Guard::Guard(Deadlines& deadlines, const ApiConnection& connection, const Limits& limits)
    : deadlines_(deadlines), connection_(connection), limits_(limits) {
  {
    const std::lock_guard lock(deadlines_.mutex_);
    place_ = deadlines_.guards_.insert(deadlines_.guards_.end(), this);
  }
  deadlines_.changed_.notify_all();
}

Deadlines::Guard::~Guard() {
  const std::lock_guard lock(deadlines_.mutex_);
  deadlines_.guards_.erase(place_);
}

void Deadlines::cut_all() {
  {
    const std::lock_guard lock(mutex_);
    all_ = true;
  }
  changed_.notify_all();
}

void Deadlines::pause(std::chrono::milliseconds time, const std::atomic<bool>* stop) {
  const auto end = Clock::now() + time;
  std::unique_lock lock(mutex_);
  while (!all_ && (stop == nullptr || !*stop)) {
    const auto now = Clock::now();
    if (now >= end) return;
    changed_.wait_until(lock, stop == nullptr ? end : std::min(end, now + kTick));
  }
}

bool Deadlines::is_over(const Limits& limits, Clock::time_point now) const {
  return all_ || now >= limits.end || (limits.stop != nullptr && *limits.stop);
}

Deadlines::Clock::time_point Deadlines::next_look(Clock::time_point now) const {
  auto next = Clock::time_point::max();
  for (const Guard* guard : guards_) {
    const bool is_polled = guard->limits_.stop != nullptr || is_over(guard->limits_, now);
    next = std::min(next, is_polled ? now + kTick : guard->limits_.end);
  }
  return next;
}

void Deadlines::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    const auto now = Clock::now();
    for (const Guard* guard : guards_) {
      if (is_over(guard->limits_, now)) guard->connection_.cut();
    }
    const auto next = next_look(now);
    if (next == Clock::time_point::max()) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, next);
    }
  }
}

}  // namespace zonecut::kubernetes
