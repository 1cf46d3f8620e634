#include "serve/errand_queue.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace zonecut::kubernetes {

const Pod& pod_of(const Errand& errand) {
  return std::visit([](const auto& what) -> const Pod& { return what.pod->pod; }, errand);
}

const char* kind_of(const Errand& errand) {
  if (std::holds_alternative<WakePod>(errand)) return "wake";
  return std::holds_alternative<OpenGate>(errand) ? "gate" : "event";
}

std::size_t ErrandQueue::add(Errand errand) {
  if (std::holds_alternative<TellPod>(errand)) {
    events_.push_back(std::move(errand));
    if (events_.size() <= kMostEvents) return 0;
    events_.pop_front();
    return 1;
  }
  if (std::holds_alternative<WakePod>(errand)) later_.erase(pod_of(errand).uid);
  std::string key = std::string(kind_of(errand)) + " " + pod_of(errand).uid;
  const auto [at, is_new] = urgent_.insert_or_assign(key, std::move(errand));
  if (is_new) urgent_order_.push_back(std::move(key));
  return 0;
}

void ErrandQueue::put_back(WakePod wake, Clock::time_point now) {
  const std::string& uid = wake.pod->pod.uid;
  if (urgent_.contains("wake " + uid) || later_.contains(uid)) return;
  if (++wake.failures == kMostFailures) return;
  const std::chrono::seconds pause(std::min(1 << std::min(wake.failures - 1, 5), 30));
  later_.emplace(uid, Later{wake, now + pause});
}

void ErrandQueue::rouse(Clock::time_point now) {
  std::vector<WakePod> due;
  for (const auto& [uid, later] : later_) {
    if (later.due <= now) due.push_back(later.wake);
  }
  for (WakePod& wake : due) add(std::move(wake));
}

std::optional<ErrandQueue::Clock::time_point> ErrandQueue::next_due() const {
  std::optional<Clock::time_point> next;
  for (const auto& [uid, later] : later_) next = std::min(next.value_or(later.due), later.due);
  return next;
}

std::size_t ErrandQueue::clear() {
  const std::size_t events = events_.size();
  *this = {};
  return events;
}

std::optional<Errand> ErrandQueue::take() {
  std::optional<Errand> next;
  if (!urgent_order_.empty()) {
    const auto found = urgent_.find(urgent_order_.front());
    next = std::move(found->second);
    urgent_.erase(found);
    urgent_order_.pop_front();
  } else if (!events_.empty()) {
    next = std::move(events_.front());
    events_.pop_front();
  }
  return next;
}

}  // namespace zonecut::kubernetes
