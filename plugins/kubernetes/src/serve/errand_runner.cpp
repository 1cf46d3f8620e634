#include "serve/errand_runner.hpp"

#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::size_t kThreads = 8;
/// Events that are written at once: a gang's, written all together, hold the API server up, and
/// with it the answers that are waited for.
constexpr std::size_t kEventsAtOnce = 2;
constexpr int kTries = 3;
/// For writes under way when the lead is lost. Others may lead five seconds later.
constexpr std::chrono::seconds kGrace{1};

const char* name_of(WriteResult result) {
  switch (result) {
    case WriteResult::Done:
      return "done";
    case WriteResult::Gone:
      return "gone";
    case WriteResult::Conflict:
      return "conflict";
    case WriteResult::Failed:
      return "failed";
  }
  return "failed";
}

}  // namespace

ErrandRunner::ErrandRunner(ApiClient& client, std::string reporter, Log& log, Metrics& metrics)
    : client_(client), reporter_(std::move(reporter)), log_(log), metrics_(metrics) {
  for (std::size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { work(); });
}

ErrandRunner::~ErrandRunner() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ErrandRunner::add(std::vector<Errand> errands) {
  if (errands.empty()) return;
  std::size_t dropped = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!leads_) return;
    for (Errand& errand : errands) dropped += queue_.add(std::move(errand));
  }
  more_.notify_all();
  for (; dropped > 0; --dropped) metrics_.count_api_write("event", "dropped");
}

void ErrandRunner::lead(bool leads) {
  std::unique_lock lock(mutex_);
  leads_ = leads;
  cuts_ = false;
  if (leads) return;
  for (std::size_t dropped = queue_.clear(); dropped > 0; --dropped)
    metrics_.count_api_write("event", "dropped");
  const auto is_idle = [this] { return writing_ == 0; };
  if (idle_.wait_for(lock, kGrace, is_idle)) return;
  cuts_ = true;
  idle_.wait(lock, is_idle);
}

void ErrandRunner::work() {
  std::unique_lock lock(mutex_);
  const auto is_due = [this] {
    return queue_.is_urgent() || (!queue_.empty() && telling_ < kEventsAtOnce);
  };
  while (!stop_) {
    queue_.rouse(ErrandQueue::Clock::now());
    if (!is_due()) {
      if (const auto next = queue_.next_due())
        more_.wait_until(lock, *next);
      else
        more_.wait(lock);
      continue;
    }
    const std::size_t tells = queue_.is_urgent() ? 0 : 1;
    const std::optional<Errand> errand = queue_.take();
    telling_ += tells;
    ++writing_;
    lock.unlock();
    const WriteResult result = carry_out(*errand);
    lock.lock();
    telling_ -= tells;
    if (--writing_ == 0) idle_.notify_all();
    const auto* const wakes = std::get_if<WakePod>(&*errand);
    if (wakes != nullptr && result == WriteResult::Failed && leads_)
      queue_.put_back(*wakes, ErrandQueue::Clock::now());
  }
}

WriteAnswer ErrandRunner::write(const Errand& errand) {
  RequestLimits limits;
  limits.stop = &cuts_;
  if (const auto* wakes = std::get_if<WakePod>(&errand))
    return wake(client_, wakes->pod->pod, wakes->pod->pod.resource_version, limits);
  if (const auto* gate = std::get_if<OpenGate>(&errand))
    return open_gate(client_, gate->pod->pod, gate->hostname, gate->server, gate->rank, limits);
  const auto& event = std::get<TellPod>(errand);
  return tell(client_, event.pod->pod, {event.reason, event.message, event.warning}, reporter_,
              limits);
}

WriteResult ErrandRunner::carry_out(const Errand& errand) {
  const char* const kind = kind_of(errand);
  const int tries = std::holds_alternative<TellPod>(errand) ? 1 : kTries;
  WriteAnswer answer{WriteResult::Failed, "it was not begun"};
  for (int i = 0; i < tries && leads_ && !client_.is_shut(); ++i) {
    try {
      answer = write(errand);
    } catch (const std::exception& error) {
      answer = {WriteResult::Failed, error.what()};
    }
    if (answer.result != WriteResult::Failed) break;
  }
  metrics_.count_api_write(kind, name_of(answer.result));
  if (answer.result == WriteResult::Done || answer.result == WriteResult::Gone)
    return answer.result;
  if (const auto others = refusals_.is_due(kind, LinePace::Clock::now())) {
    log_.warning("a write was refused", {{"kind", kind},
                                         {"pod", pod_of(errand).full_name()},
                                         {"result", name_of(answer.result)},
                                         {"why", answer.message},
                                         {"others_before", *others}});
  }
  return answer.result;
}

}  // namespace zonecut::kubernetes
