#pragma once
// Threads for a library: they take no signals from the program that uses it, and results do not
// depend on their number.
#include <csignal>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <thread>
#include <utility>

namespace zonecut {

/// Blocks signals in the thread that constructs it until it is destroyed: all, or those given.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  explicit SignalsHeld(std::initializer_list<int> signals) {
    sigset_t some;
    sigemptyset(&some);
    for (const int signal : signals) sigaddset(&some, signal);
    pthread_sigmask(SIG_BLOCK, &some, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

/// Starts a thread that takes no signals: they are for the thread that started it.
template <class Work>
[[nodiscard]] std::thread quiet_thread(Work work) {
  const SignalsHeld held;  // a thread begins with the mask of its maker
  return std::thread(std::move(work));
}

/// Calls `work` with 0, 1, 2 … until it returns true, on up to `threads` threads, the caller's
/// among them; on fewer where the system grants no more. Returns the least index for which it
/// returned true, or `count`. All indices below that one were tried, and some above it may have
/// been. If `work` throws at an index below it, what it threw at the least such index is rethrown.
std::size_t find_index(std::size_t count, int threads,
                       const std::function<bool(std::size_t)>& work);

/// Calls `work` with 0 … count - 1 in the same way.
void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace zonecut
