#include "slurm_placer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "slurm_servers.hpp"
#include "slurm_view.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut::cli {
namespace {

/// How long a job is not planned again for which nothing was found. Seconds.
constexpr std::int64_t kHopeless = 60;

std::vector<std::string> names_of(const std::vector<ServerId>& servers, const Cluster& cluster) {
  std::vector<std::string> names;
  names.reserve(servers.size());
  for (const ServerId server : servers) names.push_back(cluster.server(server).name);
  return names;
}

/// A list that Slurm reads: after its brackets nothing may follow, as in "n[1-2]-ib".
std::string slurm_list(const std::vector<std::string>& names) {
  std::string list = compress_hostlist(names);
  for (std::size_t at = list.find(']'); at != std::string::npos; at = list.find(']', at + 1)) {
    if (at + 1 < list.size() && list[at + 1] != ',')
      return fmt::format("{}", fmt::join(names, ","));
  }
  return list;
}

/// What leaves a job to Slurm as if the placer had never seen it.
SlurmChange release_of(const PlacingJob& placing, std::int64_t now) {
  SlurmChange change{placing.job, {}, {}, {}};
  if (placing.pinned) change.nodes = "";
  if (placing.leased) change.begin = now;
  if (placing.words.order) change.order = "";
  return change;
}

bool changes_anything(const SlurmChange& change, const PlacingJob& placing) {
  return change.nodes || change.begin || change.order || placing.words.lease;
}

std::string when(std::int64_t seconds) {
  constexpr std::int64_t kDay = std::int64_t{24} * 3600;
  if (seconds <= 0) return "free now";
  return seconds > 100 * kDay ? "once they are free" : fmt::format("free in {} s at most", seconds);
}

/// Forgets jobs that wait no more.
template <class Container>
void keep_only(Container& container, const std::set<std::string>& jobs) {
  std::erase_if(container, [&](const auto& entry) {
    if constexpr (requires { entry.first; }) {
      return jobs.count(entry.first) == 0;
    } else {
      return jobs.count(entry) == 0;
    }
  });
}

}  // namespace

std::vector<std::string> SlurmChange::words() const {
  std::vector<std::string> words = {job->name, "was-nodes=" + job->wanted_text};
  if (begin) words.push_back(fmt::format("was-begin={}", job->begin));
  if (nodes) words.push_back("nodes=" + *nodes);
  if (begin) words.push_back(fmt::format("begin={}", *begin));
  if (order) words.push_back("order=" + *order);
  words.emplace_back("lease=");
  return words;
}

SlurmPlacer::SlurmPlacer(const Cluster& cluster, PlacerOptions options, Apply apply, Tell tell)
    : cluster_(cluster),
      options_(std::move(options)),
      apply_(std::move(apply)),
      tell_(std::move(tell)) {}

bool SlurmPlacer::round(const SlurmSnapshot& snapshot) {
  const ClusterView view = view_of(cluster_, snapshot, std::nullopt);
  const Fabric fabric = Fabric::build(cluster_, cluster_.backend(), view.health);
  std::vector<PlacingJob> jobs = placing(snapshot);
  std::vector<WaitingJob> waiting;
  for (PlacingJob& job : jobs) {
    if (job.left.empty()) {
      waiting.push_back(std::move(job.waiting));
    } else {
      leave(job, job.left, snapshot.time);
    }
  }
  std::erase_if(jobs, [](const PlacingJob& job) { return !job.left.empty(); });
  const QueueState state{view, fabric, snapshot.time, SlurmServers(snapshot, cluster_).free_at()};
  const std::vector<QueuePlan> plans = plan_queue(state, waiting, options_.queue);
  for (std::size_t i = 0; i < plans.size(); ++i) act(jobs[i], plans[i], snapshot);
  return std::any_of(plans.begin(), plans.end(),
                     [](const QueuePlan& plan) { return plan.kind == PlanKind::Later; });
}

/// The jobs that asked, without those that were given up and those nothing was found for just now.
std::vector<PlacingJob> SlurmPlacer::placing(const SlurmSnapshot& snapshot) {
  std::vector<PlacingJob> jobs = placing_jobs(snapshot, cluster_, SlurmServers(snapshot, cluster_));
  std::set<std::string> names;
  for (const PlacingJob& job : jobs) names.insert(job.job->name);
  keep_only(could_begin_, names);
  keep_only(hopeless_, names);
  keep_only(given_up_, names);
  keep_only(told_, names);
  std::erase_if(jobs, [&](const PlacingJob& job) {
    return given_up_.count(job.job->name) > 0 || is_hopeless(job, snapshot.time);
  });
  return jobs;
}

bool SlurmPlacer::is_hopeless(const PlacingJob& job, std::int64_t now) const {
  const auto found = hopeless_.find(job.job->name);
  return found != hopeless_.end() && now < found->second;
}

void SlurmPlacer::act(const PlacingJob& job, const QueuePlan& plan, const SlurmSnapshot& snapshot) {
  const std::int64_t now = snapshot.time;
  const bool is_planned = plan.kind == PlanKind::New || plan.kind == PlanKind::Keep;
  if (is_planned && plan.begin > now && snapshot.preempts) {
    leave(job, "might begin at once in the place of others", now);
  } else if (plan.kind == PlanKind::New) {
    pin(job, plan, now);
  } else if (plan.kind == PlanKind::Keep) {
    keep(job, plan, now);
  } else if (plan.kind == PlanKind::None || plan.kind == PlanKind::TooFew) {
    if (plan.kind == PlanKind::None) hopeless_[job.job->name] = now + kHopeless;
    leave(job, plan.why, now);
  }
}

void SlurmPlacer::pin(const PlacingJob& job, const QueuePlan& plan, std::int64_t now) {
  const std::vector<std::string> names = names_of(plan.servers, cluster_);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end(), natural_less);
  SlurmChange pinned{job.job, slurm_list(sorted), {}, slurm_list(names)};
  if (job.leased) pinned.begin = now;
  could_begin_.erase(job.job->name);
  told_.erase(job.job->name);
  if (!change(pinned)) return;
  tell_(fmt::format("job {}: pinned to {} ({}); {} between zones, predicted communication {}",
                    job.job->name, *pinned.nodes, when(plan.begin - now), to_text(plan.cross_zone),
                    to_text(plan.communication)));
}

/// A job that could begin where it is pinned to must do so before long.
void SlurmPlacer::keep(const PlacingJob& job, const QueuePlan& plan, std::int64_t now) {
  if (job.leased) static_cast<void>(change({job.job, {}, now, {}}));
  const bool could_begin = job.job->reason == "resources" || job.job->reason == "priority";
  if (plan.begin > now || !could_begin) {
    could_begin_.erase(job.job->name);
    return;
  }
  const std::int64_t since = could_begin_.emplace(job.job->name, now).first->second;
  if (now - since < options_.unpin_after) return;
  leave(job, fmt::format("Slurm has not started it on free servers for {} s", now - since), now);
  given_up_.insert(job.job->name);
}

void SlurmPlacer::leave(const PlacingJob& job, const std::string& why, std::int64_t now) {
  const SlurmChange released = release_of(job, now);
  if (changes_anything(released, job) && !change(released)) return;
  if (job.job->reason == "unfit") given_up_.insert(job.job->name);
  if (std::exchange(told_[job.job->name], why) != why)
    tell_(fmt::format("job {}: left to Slurm: {}", job.job->name, why));
}

/// False where it was not made. A job whose changes slurmctld refuses is given up: it stands in
/// nobody's way.
bool SlurmPlacer::change(const SlurmChange& change) {
  const SlurmAnswer answer = apply_(change);
  if (answer.kind == SlurmAnswer::Kind::Refused) {
    given_up_.insert(change.job->name);
    tell_(fmt::format("job {}: slurmctld refuses: {}", change.job->name, answer.text));
  }
  return answer.kind == SlurmAnswer::Kind::Done;
}

void release_jobs(const SlurmSnapshot& snapshot, const SlurmPlacer::Apply& apply,
                  const SlurmPlacer::Tell& tell) {
  std::exception_ptr failure;
  for (const PlacingJob& job : touched_jobs(snapshot)) {
    try {
      const SlurmAnswer answer = apply(release_of(job, snapshot.time));
      if (answer.kind != SlurmAnswer::Kind::Done)
        tell(fmt::format("job {}: not released: {}", job.job->name, answer.text));
    } catch (const IoError&) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace zonecut::cli
