#pragma once
// Errands that are yet to be carried out: wakes and gates first, events after them. Of each kind a
// pod has one at most of the first two, the newest, so that while the API server is away the queue
// holds no more than there are pods. Events are dropped, oldest first, when there are too many.
// Not for several threads at once.
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "desk/desk.hpp"

namespace zonecut::kubernetes {

class ErrandQueue {
 public:
  static constexpr std::size_t kMostEvents = 2'000;

  /// The number of events that were dropped for it: 0 or 1.
  std::size_t add(Errand errand);
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
};

[[nodiscard]] const Pod& pod_of(const Errand& errand);
/// "wake", "gate" or "event".
[[nodiscard]] const char* kind_of(const Errand& errand);

}  // namespace zonecut::kubernetes
