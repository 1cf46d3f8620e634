#pragma once
// Threads that stay out of the way of whoever uses the library, and whose number changes no result.
#include <csignal>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <thread>
#include <utility>

namespace zonecut {

/// While it lives these signals do not reach the thread that made it, or none at all does.
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

/// Calls `work` with 0, 1, 2 … until it says true, on up to `threads` threads, the caller's among
/// them; fewer where the system grants no more. Returns the least index at which it said true, or
/// `count`. Every index below that one was worked on; some above it may have been. What `work`
/// throws at the least index at which it throws or says true is thrown again.
std::size_t find_index(std::size_t count, int threads,
                       const std::function<bool(std::size_t)>& work);

/// Calls `work` with 0 … count - 1 in the same way.
void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace zonecut
