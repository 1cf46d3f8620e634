#include "asked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "server_names.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::cli {
namespace {

std::string names_of(const ClusterView& view, const auto& jobs) {
  std::string names;
  for (const JobId job : jobs) names += (names.empty() ? "" : ", ") + view.occupancy.job_name(job);
  return names;
}

/// The job of the state that has this order. None where there is room beside all of them; throws
/// InputError where that is not known, or others are in the way.
std::optional<JobId> holder_of(const ClusterView& view, const GivenOrder& order) {
  const std::vector<JobId> holders = holders_of(view, order);
  if (holders.size() == 1) return holders.front();
  if (!holders.empty()) {
    throw InputError(
        "--order",
        fmt::format("several jobs of the state hold these servers: {}", names_of(view, holders)),
        "give --job the name of one of them");
  }
  std::map<ServerId, std::size_t> needed;
  for (const ServerId server : order.servers) needed[server] += order.ranks_per_server;
  ProblemList in_the_way;
  for (const auto& [server, ranks] : needed) {
    std::set<JobId> there;
    std::size_t open = 0;
    const int gpus = view.cluster->server(server).gpus;
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const auto holder = view.occupancy.holder({server, gpu});
      if (holder) there.insert(*holder);
      open += holder ? 0U : 1U;
    }
    if (open >= ranks) continue;
    in_the_way.add(
        "--order",
        fmt::format("server {} has {} of {} GPUs free, the rest is held by {}",
                    view.cluster->server(server).name, open, gpus, names_of(view, there)));
  }
  in_the_way.throw_if_any();
  return std::nullopt;
}

}  // namespace

AskedFiles::AskedFiles(const SituationOptions& options)
    : cluster_file(read_named(options.cluster)),
      state_file(options.state.empty() ? std::nullopt : std::optional(read_named(options.state))),
      cluster(read_cluster(cluster_file)),
      setting(read_view(cluster, state_file), options.routing) {
  if (options.job.empty()) return;
  auto [read, hash] = read_job(options.job);
  job = std::move(read);
  job_hash = std::move(hash);
}

std::vector<SettledJob> running_jobs(const AskedFiles& files, const std::string& state_path) {
  std::vector<SettledJob> jobs;
  const ClusterView& view = files.setting.view;
  std::vector<JobFile> works = read_works(view, state_path);
  for (std::size_t i = 0; i < works.size(); ++i) {
    Constraints constraints;
    try {
      constraints = read_constraints(works[i], files.cluster);
    } catch (const InputError& error) {
      std::vector<Problem> problems = error.problems();
      const std::string& name = view.occupancy.job_name(view.running[i].job);
      for (Problem& problem : problems)
        problem.what = "job " + name + " of the state: " + problem.what;
      throw InputError(std::move(problems));
    }
    jobs.push_back(settled(view, view.running[i], std::move(works[i].job), std::move(constraints)));
  }
  return jobs;
}

std::size_t mute_jobs(const ClusterView& view, std::span<const SettledJob> jobs) {
  const IdMap<JobId, std::size_t> held = view.occupancy.held_counts();
  std::size_t count = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[JobId{i}] > 0 && std::ranges::count(jobs, JobId{i}, &SettledJob::id) == 0) ++count;
  }
  return count;
}

std::size_t add_asked(const std::string& order, const PlacementOptions& placement,
                      AskedFiles& files, std::vector<SettledJob>& jobs) {
  const JobFile& file = *files.job;
  const Constraints constraints = read_constraints(file, files.cluster);
  if (order.empty()) {
    jobs.push_back(settle(files.setting, file.job, constraints, jobs, placement));
    return jobs.size() - 1;
  }
  const int ranks_per_server = ranks_per_server_of(files.setting.view, file.job);
  const std::vector<ServerId> servers =
      read_order(files.cluster, order, static_cast<std::size_t>(file.job.ranks()),
                 static_cast<std::size_t>(ranks_per_server));
  const std::optional<JobId> own = holder_of(
      files.setting.view, {file.job.name, servers, static_cast<std::size_t>(ranks_per_server)});
  SettledJob asked = settle_on(files.setting, file.job, constraints, servers, own);
  const auto known = std::ranges::find(jobs, asked.id, &SettledJob::id);
  if (known == jobs.end()) {
    jobs.push_back(std::move(asked));
    return jobs.size() - 1;
  }
  asked.running.iteration = known->running.iteration;
  *known = std::move(asked);
  return static_cast<std::size_t>(known - jobs.begin());
}

}  // namespace zonecut::cli
