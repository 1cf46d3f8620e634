#pragma once
// Carries errands out on threads of its own, in the order of the queue, few events at once, as long
// as this replica leads.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/writes.hpp"
#include "desk/desk.hpp"
#include "serve/errand_queue.hpp"
#include "serve/line_pace.hpp"
#include "server/log.hpp"
#include "server/metrics.hpp"

namespace zonecut::kubernetes {

class ErrandRunner {
 public:
  /// `reporter` is who the events are from.
  ErrandRunner(ApiClient& client, std::string reporter, Log& log, Metrics& metrics);
  ErrandRunner(const ErrandRunner&) = delete;
  ErrandRunner& operator=(const ErrandRunner&) = delete;
  /// The client must be shut before; what was not begun is left.
  ~ErrandRunner();
  /// Takes nothing while this replica does not lead.
  void add(std::vector<Errand> errands);
  /// It leads until it is told otherwise. When it does not any more, what was not begun is dropped,
  /// and this returns when nothing is being written: what is under way has a second before it is
  /// cut off.
  void lead(bool leads);

 private:
  void work();
  [[nodiscard]] WriteResult carry_out(const Errand& errand);
  [[nodiscard]] WriteAnswer write(const Errand& errand);

  ApiClient& client_;
  const std::string reporter_;
  Log& log_;
  LinePace refusals_;  ///< without a right thousands of writes are refused
  Metrics& metrics_;
  std::mutex mutex_;
  std::condition_variable more_;
  ErrandQueue queue_;
  std::condition_variable idle_;
  std::size_t writing_ = 0;  ///< errands under way
  std::size_t telling_ = 0;  ///< events among them
  std::atomic<bool> leads_ = true;
  std::atomic<bool> cuts_ = false;  ///< whether what is under way is cut off
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace zonecut::kubernetes
