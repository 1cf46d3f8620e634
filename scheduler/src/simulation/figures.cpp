#include <algorithm>
#include <cmath>
#include <numeric>

#include "zonecut/scheduler/simulation_report.hpp"

namespace zonecut {
namespace {

constexpr double kMsInHour = 3'600'000;
/// Feitelson's bounded slowdown: shorter jobs count as if they ran that long.
constexpr std::int64_t kShortest = 10'000;

double at_rank(const std::vector<double>& sorted, double share) {
  const auto size = static_cast<double>(sorted.size());
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(share * size - 1e-9)));
  return sorted[std::min(rank, sorted.size()) - 1];
}

Distribution distribution_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / static_cast<double>(values.size()), at_rank(values, 0.5), at_rank(values, 0.95)};
}

double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000; }

/// Of the jobs on several servers.
class OnServers {
 public:
  void add(const SimulatedJob& job, const JobRun& run, SimulationFigures& figures) {
    const double stretch =
        static_cast<double>(run.end - run.start) / static_cast<double>(job.duration);
    ++figures.on_servers;
    figures.worst_stretch =
        figures.on_servers == 1 ? stretch : std::max(figures.worst_stretch, stretch);
    stretch_ += stretch;
    interference_ += run.alone.count > 0 ? run.communication.count / run.alone.count : 1;
    cross_zone_ += static_cast<double>(run.cross_zone.count);
    wait_.push_back(seconds(run.start - job.submit));
  }
  void finish(SimulationFigures& figures) && {
    if (wait_.empty()) return;
    const auto jobs = static_cast<double>(wait_.size());
    figures.stretch = stretch_ / jobs;
    figures.interference = interference_ / jobs;
    figures.cross_zone_bytes = cross_zone_ / jobs;
    figures.wait_on_servers = distribution_of(std::move(wait_));
  }

 private:
  double stretch_ = 0;
  double interference_ = 0;
  double cross_zone_ = 0;
  std::vector<double> wait_;
};

}  // namespace

SimulationFigures figures_of(const Cluster& cluster, const Workload& workload,
                             const SimulationOutcome& outcome) {
  SimulationFigures figures;
  std::vector<double> wait;
  std::vector<double> completion;
  std::vector<double> slowdown;
  OnServers on_servers;
  std::int64_t last_end = 0;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const SimulatedJob& job = workload.jobs[i];
    if (!outcome.runs[i]) {
      ++figures.too_large;
      continue;
    }
    const JobRun& run = *outcome.runs[i];
    ++figures.done;
    figures.backfilled += run.backfilled;
    figures.crossing += run.zones > 1;
    last_end = std::max(last_end, run.end);
    wait.push_back(seconds(run.start - job.submit));
    completion.push_back(seconds(run.end - job.submit));
    slowdown.push_back(std::max(1.0, static_cast<double>(run.end - job.submit) /
                                         static_cast<double>(std::max(job.duration, kShortest))));
    const auto gpus = static_cast<double>(job.gpus());
    const std::int64_t held = run.end - run.start;
    figures.gpu_hours += gpus * static_cast<double>(held) / kMsInHour;
    figures.lost_gpu_hours += gpus * static_cast<double>(held - job.duration) / kMsInHour;
    if (job.work) on_servers.add(job, run, figures);
  }
  std::move(on_servers).finish(figures);
  if (figures.done > 0) figures.makespan = seconds(last_end - workload.jobs.front().submit);
  figures.wait = distribution_of(std::move(wait));
  figures.completion = distribution_of(std::move(completion));
  figures.slowdown = distribution_of(std::move(slowdown));
  figures.busy = outcome.period.busy_gpus / static_cast<double>(cluster.gpu_count());
  figures.free_servers = outcome.period.free_servers;
  figures.largest_free_block = outcome.period.largest_free_block;
  figures.waiting_jobs = outcome.period.waiting_jobs;
  return figures;
}

StartFigures figures_of(const SimulationStart& start) {
  const ClusterView& view = start.view;
  StartFigures figures;
  const IdMap<JobId, std::size_t> held = view.occupancy.held_counts();
  for (std::size_t i = 0; i < held.size(); ++i) {
    const JobId job{i};
    if (held[job] == 0) continue;
    ++figures.jobs;
    figures.gpus += held[job];
    figures.staying_jobs += std::ranges::count(view.ends, job, &JobEnd::job) == 0;
    figures.mute_jobs +=
        std::ranges::none_of(start.running, [&](const auto& known) { return known.first == job; });
  }
  for (const ServerId server : view.cluster->server_ids()) {
    if (view.health.servers[server] != ServerHealth::Up)
      figures.lost_gpus += static_cast<std::size_t>(view.cluster->server(server).gpus);
  }
  for (const GpuId gpu : view.health.failed_gpus)
    figures.lost_gpus += view.health.servers[gpu.server] == ServerHealth::Up;
  return figures;
}

}  // namespace zonecut
