#include "asked.hpp"

#include <algorithm>
#include <utility>

#include "server_names.hpp"

namespace zonecut::cli {

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
    Constraints constraints = read_constraints(works[i], files.cluster);
    jobs.push_back(settled(view, view.running[i], std::move(works[i].job), std::move(constraints)));
  }
  return jobs;
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
  const std::optional<JobId> own = job_on(files.setting.view, servers);
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
