#include "zonecut/scheduler/queue_keeper.hpp"

#include <fmt/format.h>

#include <utility>

namespace zonecut {

void QueueKeeper::forget_others(const std::vector<QueuedJob>& jobs) {
  std::set<std::string> names;
  for (const QueuedJob& job : jobs) names.insert(job.name);
  const auto is_gone = [&](const auto& entry) { return !names.contains(entry.first); };
  std::erase_if(could_begin_, is_gone);
  std::erase_if(resting_, is_gone);
  std::erase_if(given_up_, [&](const std::string& name) { return !names.contains(name); });
}

bool QueueKeeper::rests(const std::string& job, std::int64_t now) const {
  const auto found = resting_.find(job);
  return found != resting_.end() && now < found->second;
}

QueueKeeper::Round QueueKeeper::judge(const QueueState& state, std::vector<QueuedJob> jobs,
                                      bool preempts) {
  forget_others(jobs);
  Round round;
  round.verdicts.resize(jobs.size());
  std::vector<WaitingJob> waiting;
  std::vector<std::size_t> planned;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    QueuedJob& job = jobs[i];
    if (given_up_.contains(job.name) || rests(job.name, state.now)) continue;
    if (!job.left.empty()) {
      round.verdicts[i] = {VerdictKind::Leave, {}, std::move(job.left), job.left_for_good};
      continue;
    }
    planned.push_back(i);
    waiting.push_back(std::move(job.waiting));
  }
  std::vector<QueuePlan> plans = plan_queue(state, waiting, options_.queue);
  for (std::size_t p = 0; p < plans.size(); ++p) {
    const QueuedJob& job = jobs[planned[p]];
    round.more = round.more || plans[p].kind == PlanKind::Later;
    round.verdicts[planned[p]] =
        verdict(job.name, job.waits_for_servers, std::move(plans[p]), state.now, preempts);
  }
  return round;
}

Verdict QueueKeeper::verdict(const std::string& job, bool waits_for_servers, QueuePlan plan,
                             std::int64_t now, bool preempts) {
  switch (plan.kind) {
    case PlanKind::Later:
      return {};
    case PlanKind::None:
      resting_[job] = now + options_.rest;
      return {VerdictKind::Leave, {}, std::move(plan.why), false};
    case PlanKind::TooFew:
      return {VerdictKind::Leave, {}, std::move(plan.why), false};
    case PlanKind::New:
    case PlanKind::Keep:
      break;
  }
  if (preempts && plan.begin > now)
    return {VerdictKind::Leave, {}, "might begin at once in the place of others", false};
  if (plan.kind == PlanKind::Keep) return kept(job, waits_for_servers, std::move(plan), now);
  could_begin_.erase(job);
  return {VerdictKind::Pin, std::move(plan), {}, false};
}

/// A job that could begin where it is pinned must do so before long.
Verdict QueueKeeper::kept(const std::string& job, bool waits_for_servers, QueuePlan plan,
                          std::int64_t now) {
  if (plan.begin > now || !waits_for_servers) {
    could_begin_.erase(job);
    return {VerdictKind::Keep, std::move(plan), {}, false};
  }
  const std::int64_t since = could_begin_.emplace(job, now).first->second;
  if (now - since < options_.unpin_after) return {VerdictKind::Keep, std::move(plan), {}, false};
  return {VerdictKind::Leave,
          {},
          fmt::format("it was not started on free servers for {} s", now - since),
          true};
}

}  // namespace zonecut
