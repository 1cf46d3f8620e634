#include "slurm_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "slurm_view.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/partition/job_size.hpp"

namespace zonecut::cli {
namespace {

/// The names of an order that was published, by rank; empty where it cannot be read.
std::vector<std::string> names_of(const std::optional<std::string>& order) {
  if (!order) return {};
  try {
    return expand_hostlist(*order, "zonecut-order");
  } catch (const InputError&) {
    return {};
  }
}

/// Whether the nodes it requires are those of the published order, whatever the cluster has.
bool is_pinned(const SlurmJob& job, const slurm::JobWords& words) {
  std::vector<std::string> chosen = names_of(words.order);
  std::sort(chosen.begin(), chosen.end());
  return !job.wanted_nodes.empty() && job.wanted_nodes == chosen;
}

/// The servers of the published order, by rank; empty where the cluster lacks one of them.
std::vector<ServerId> servers_of(const slurm::JobWords& words, const Cluster& cluster) {
  std::vector<ServerId> servers;
  for (const std::string& name : names_of(words.order)) {
    const auto server = cluster.find_server(name);
    if (!server) return {};
    servers.push_back(*server);
  }
  return servers;
}

/// Put off by the lease, and by nobody else since.
bool is_leased(const SlurmJob& job, const slurm::JobWords& words, std::int64_t now) {
  return job.begin > now && slurm::is_leased(words, job.begin);
}

PlacingJob read_placing(const SlurmJob& job, std::int64_t now) {
  PlacingJob placing{&job, words_of(job), false, false, {}, {}};
  placing.pinned = is_pinned(job, placing.words);
  placing.leased = is_leased(job, placing.words, now);
  return placing;
}

/// What the job sends, and how many ranks a server holds. A job that says nothing is a ring.
Job job_of(const PlacingJob& placing, const Cluster& cluster,
           const std::vector<ServerId>& eligible) {
  const SlurmJob& job = *placing.job;
  JobFile file = parse_job_words(placing.words.job.value_or("tp=1"), "zonecut-job");
  std::size_t gpus = static_cast<std::size_t>(job.need.gpus);
  if (gpus == 0 && !eligible.empty())
    gpus = static_cast<std::size_t>(cluster.server(eligible.front()).gpus);
  const bool says_tasks = placing.words.job && job.task_count % job.node_count == 0;
  fit_to({job.node_count, says_tasks ? job.task_count / job.node_count : 1, gpus}, file);
  return file.job;
}

/// Why the job is left to Slurm; empty where it is to be placed.
std::string not_placed(const PlacingJob& placing) {
  const SlurmJob& job = *placing.job;
  if (!placing.words.place) return "does not ask any more";
  if (!job.alone) return "is heterogeneous";
  if (!job.fixed) return "has no fixed number of servers";
  if (job.node_count < 2) return "runs on one server";
  if (!job.wanted_nodes.empty() && !placing.pinned) return "has servers of the user's choice";
  if (job.reason == "unfit") return "Slurm finds that its servers can never take it";
  return SlurmServers::unknown_wish(job);
}

std::string too_many_ranks(const WaitingJob& waiting, const Cluster& cluster) {
  const int ranks = waiting.job.ranks_per_server.value_or(1);
  const bool fits = std::all_of(waiting.eligible.begin(), waiting.eligible.end(),
                                [&](ServerId s) { return cluster.server(s).gpus >= ranks; });
  return fits ? "" : fmt::format("has {} ranks a server, and some have fewer GPUs", ranks);
}

/// Fills `waiting`, or says why the job is left to Slurm.
void prepare(PlacingJob& placing, const Cluster& cluster, const SlurmServers& servers) {
  const SlurmJob& job = *placing.job;
  placing.left = not_placed(placing);
  if (!placing.left.empty()) return;
  WaitingJob& waiting = placing.waiting;
  waiting.servers = job.node_count;
  waiting.eligible = servers.eligible(job);
  waiting.free = servers.free(job);
  waiting.limit = job.limit;
  waiting.claims = job.reason == "resources" || job.reason == "priority" || placing.leased;
  if (placing.pinned) waiting.planned = servers_of(placing.words, cluster);
  try {
    waiting.job = job_of(placing, cluster, waiting.eligible);
    placing.left = too_many_ranks(waiting, cluster);
  } catch (const InputError& error) {
    placing.left = to_text(error.problems().front());
  }
}

}  // namespace

std::vector<PlacingJob> placing_jobs(const SlurmSnapshot& snapshot, const Cluster& cluster,
                                     const SlurmServers& servers) {
  std::vector<PlacingJob> jobs;
  for (const SlurmJob& job : snapshot.jobs) {
    if (job.running) continue;
    PlacingJob placing = read_placing(job, snapshot.time);
    const slurm::JobWords& words = placing.words;
    if (!words.place && !words.order && !placing.leased) continue;
    prepare(placing, cluster, servers);
    jobs.push_back(std::move(placing));
  }
  std::stable_sort(jobs.begin(), jobs.end(), [](const PlacingJob& a, const PlacingJob& b) {
    return std::tuple(!a.waiting.claims, -static_cast<std::int64_t>(a.job->priority), a.job->id) <
           std::tuple(!b.waiting.claims, -static_cast<std::int64_t>(b.job->priority), b.job->id);
  });
  return jobs;
}

std::vector<PlacingJob> touched_jobs(const SlurmSnapshot& snapshot) {
  std::vector<PlacingJob> jobs;
  for (const SlurmJob& job : snapshot.jobs) {
    if (job.running) continue;
    PlacingJob placing = read_placing(job, snapshot.time);
    if (placing.words.order || placing.leased) jobs.push_back(std::move(placing));
  }
  std::stable_partition(jobs.begin(), jobs.end(),
                        [](const PlacingJob& job) { return job.words.order.has_value(); });
  return jobs;
}

}  // namespace zonecut::cli
