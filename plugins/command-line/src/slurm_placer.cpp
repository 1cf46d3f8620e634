#include "slurm_placer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "slurm_servers.hpp"
#include "slurm_view.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut::cli {
namespace {

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

bool changes_anything(const SlurmChange& change) {
  return change.nodes || change.begin || change.order;
}

std::string when(std::int64_t seconds) {
  constexpr std::int64_t kDay = std::int64_t{24} * 3600;
  if (seconds <= 0) return "free now";
  return seconds > 100 * kDay ? "once they are free" : fmt::format("free in {} s at most", seconds);
}

QueuedJob queued(PlacingJob& job) {
  const std::string& reason = job.job->reason;
  return {job.job->name, job.left, reason == "unfit", std::move(job.waiting),
          reason == "resources" || reason == "priority"};
}

}  // namespace

std::vector<std::string> SlurmChange::words() const {
  std::vector<std::string> words = {job->name};
  if (nodes) words.push_back("was-nodes=" + job->wanted_text);
  if (begin) words.push_back(fmt::format("was-begin={}", job->begin));
  if (nodes) words.push_back("nodes=" + *nodes);
  if (begin) words.push_back(fmt::format("begin={}", *begin));
  if (order) words.push_back("order=" + *order);
  words.emplace_back("lease=");
  return words;
}

SlurmPlacer::SlurmPlacer(const Cluster& cluster, KeeperOptions options, Apply apply, Tell tell)
    : cluster_(cluster),
      keeper_(std::move(options)),
      apply_(std::move(apply)),
      tell_(std::move(tell)) {}

bool SlurmPlacer::round(const SlurmSnapshot& snapshot) {
  const ClusterView view = view_of(cluster_, snapshot, std::nullopt);
  const Fabric fabric = Fabric::build(cluster_, cluster_.backend(), view.health);
  const SlurmServers servers(snapshot, cluster_);
  std::vector<PlacingJob> jobs = placing_jobs(snapshot, cluster_, servers);
  std::set<std::string> names;
  for (const PlacingJob& job : jobs) names.insert(job.job->name);
  std::erase_if(told_, [&](const auto& told) { return !names.contains(told.first); });
  std::erase_if(failed_, [&](const std::string& failed) { return !names.contains(failed); });
  std::vector<QueuedJob> queue;
  for (PlacingJob& job : jobs) queue.push_back(queued(job));
  const QueueState state{view, fabric, snapshot.time, servers.free_at()};
  const QueueKeeper::Round round = keeper_.judge(state, std::move(queue), snapshot.preempts);
  return act(jobs, round.verdicts, snapshot.time) || round.more;
}

/// Pins first: a job that is left begins by itself before long. Returns whether some are left for
/// the next round, which sees the jobs that have come since.
bool SlurmPlacer::act(const std::vector<PlacingJob>& jobs, const std::vector<Verdict>& verdicts,
                      std::int64_t now) {
  constexpr std::size_t kMostChanges = 200;
  changes_ = 0;
  for (const bool leaving : {false, true}) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if ((verdicts[i].kind == VerdictKind::Leave) != leaving) continue;
      if (changes_ >= kMostChanges) return true;
      act(jobs[i], verdicts[i], now);
    }
  }
  return false;
}

void SlurmPlacer::act(const PlacingJob& job, const Verdict& verdict, std::int64_t now) {
  switch (verdict.kind) {
    case VerdictKind::Nothing:
      return;
    case VerdictKind::Pin:
      return pin(job, verdict.plan, now);
    case VerdictKind::Keep:
      if (job.leased) static_cast<void>(change({job.job, {}, now, {}}));
      return;
    case VerdictKind::Leave:
      return leave(job, verdict, now);
  }
}

void SlurmPlacer::pin(const PlacingJob& job, const QueuePlan& plan, std::int64_t now) {
  const std::vector<std::string> names = names_of(plan.servers, cluster_);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end(), natural_less);
  SlurmChange pinned{job.job, slurm_list(sorted), {}, slurm_list(names)};
  if (job.leased) pinned.begin = now;
  told_.erase(job.job->name);
  if (!change(pinned)) return;
  tell_(fmt::format("job {}: pinned to {} ({}); {} between zones, predicted communication {}",
                    job.job->name, *pinned.nodes, when(plan.begin - now), to_text(plan.cross_zone),
                    to_text(plan.communication)));
}

void SlurmPlacer::leave(const PlacingJob& job, const Verdict& verdict, std::int64_t now) {
  const SlurmChange released = release_of(job, now);
  if (changes_anything(released) && !change(released)) return;
  if (verdict.for_good) keeper_.give_up(job.job->name);
  if (std::exchange(told_[job.job->name], verdict.why) != verdict.why)
    tell_(fmt::format("job {}: left to Slurm: {}", job.job->name, verdict.why));
}

/// False where it was not made. A job whose changes slurmctld refuses is given up: it stands in
/// nobody's way. So is one whose change fails again though slurmctld has answered since.
bool SlurmPlacer::change(const SlurmChange& change) {
  const std::string& name = change.job->name;
  const auto give_up = [&](const std::string& why) {
    keeper_.give_up(name);
    tell_(fmt::format("job {}: {}", name, why));
    return false;
  };
  ++changes_;
  try {
    const SlurmAnswer answer = apply_(change);
    failed_.erase(name);
    if (answer.kind == SlurmAnswer::Kind::Refused)
      return give_up("slurmctld refuses: " + answer.text);
    return answer.kind == SlurmAnswer::Kind::Done;
  } catch (const IoError& error) {
    if (failed_.insert(name).second) throw;
    return give_up(fmt::format("cannot be changed: {}", error.what()));
  }
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
