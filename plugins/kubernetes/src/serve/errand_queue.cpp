#include "serve/errand_queue.hpp"

#include <utility>

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
  std::string key = std::string(kind_of(errand)) + " " + pod_of(errand).uid;
  const auto [at, is_new] = urgent_.insert_or_assign(key, std::move(errand));
  if (is_new) urgent_order_.push_back(std::move(key));
  return 0;
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
