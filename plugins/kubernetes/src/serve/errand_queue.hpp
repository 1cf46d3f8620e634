#pragma once
// Errands that are yet to be carried out: wakes and gates first, events after them. Of each kind a
// pod has one at most of the first two, the newest, so that while the API server is away the queue
// holds no more than there are pods. A wake that failed is put back: nobody else wakes its pod.
// Events are dropped, oldest first, when there are too many.
// Not for several threads at once.
#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "desk/desk.hpp"

namespace zonecut::kubernetes {

class ErrandQueue {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostEvents = 2'000;
  /// A wake waits longer after each failure, up to half a minute. After this many, some five
  /// minutes, kube-scheduler tries the pod by itself.
  static constexpr int kMostFailures = 14;

  /// The number of events that were dropped for it: 0 or 1.
  std::size_t add(Errand errand);
  /// A wake that has just failed, for later, unless there is a newer one of its pod.
  void put_back(WakePod wake, Clock::time_point now);
  /// Has those that were put back wait no more whose time has come.
  void rouse(Clock::time_point now);
  /// When rouse() has something to do next.
  [[nodiscard]] std::optional<Clock::time_point> next_due() const;
  /// Forgets all, those that were put back too; the number of events among them.
  std::size_t clear();
  /// The next one; none where nothing is left.
  [[nodiscard]] std::optional<Errand> take();
  /// Whether the next one is no event.
  [[nodiscard]] bool is_urgent() const { return !urgent_order_.empty(); }
  [[nodiscard]] bool empty() const { return urgent_order_.empty() && events_.empty(); }
  [[nodiscard]] std::size_t size() const { return urgent_order_.size() + events_.size(); }

 private:
  std::deque<std::string> urgent_order_;  // keys: the kind and the pod's uid
  std::unordered_map<std::string, Errand> urgent_;
  std::deque<Errand> events_;
  struct Later {
    WakePod wake;
    Clock::time_point due;
  };
  std::map<std::string, Later> later_;  // by uid
};

[[nodiscard]] const Pod& pod_of(const Errand& errand);
/// "wake", "gate" or "event".
[[nodiscard]] const char* kind_of(const Errand& errand);

}  // namespace zonecut::kubernetes
