#include "progress.hpp"

#include <fmt/format.h>

#include <csignal>
#include <utility>

#include "output.hpp"

namespace zonecut::cli {
namespace {

/// Starts a thread that takes no signals: they are for the main thread.
template <class Work>
std::thread quiet_thread(Work work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

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
