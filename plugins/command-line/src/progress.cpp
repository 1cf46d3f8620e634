#include "progress.hpp"

#include <fmt/format.h>

#include <utility>

#include "output.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut::cli {

Progress::Progress(const Terminal& terminal, std::string work) : work_(std::move(work)) {
  if (terminal.errors_shown) thread_ = quiet_thread([this] { show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Progress::say(std::string work) {
  const std::lock_guard lock(mutex_);
  work_ = std::move(work);
}

void Progress::show() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  for (int seconds = 1;; ++seconds) {
    if (changed_.wait_until(lock, begin_ + seconds * 1s, [this] { return done_; })) {
      if (seconds > 1) write_stderr("\r\x1b[K");
      return;
    }
    write_stderr(fmt::format("\rzonecut: {} ... {} s\x1b[K", work_, seconds));
  }
}

}  // namespace zonecut::cli
