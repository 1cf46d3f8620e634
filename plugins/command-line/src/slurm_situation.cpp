#include "slurm_situation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sha256.hpp"
#include "slurm_snapshot.hpp"
#include "slurm_view.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_size.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut::cli {
namespace {

const SlurmJob& find_job(const SlurmSnapshot& snapshot, std::uint32_t id) {
  const auto found = std::find_if(snapshot.jobs.begin(), snapshot.jobs.end(),
                                  [&](const SlurmJob& job) { return job.id == id; });
  if (found != snapshot.jobs.end()) return *found;
  throw InputError("--from-slurm", fmt::format("no job {} runs or is pending", id));
}

NamedText named(std::string text) {
  NamedText file{"slurmctld", std::move(text), {}};
  file.hash = sha256(file.text);
  return file;
}

AllocationSize size_of(const SlurmJob& job, const SlurmSnapshot& snapshot) {
  const std::size_t held = job.gpus.empty() ? 0 : job.gpus.front().size();
  std::size_t gpus = held > 0 ? held : static_cast<std::size_t>(job.need.gpus);
  if (gpus == 0) gpus = static_cast<std::size_t>(usual_gpus(snapshot));
  const std::size_t servers = std::max<std::size_t>(1, job.node_count);
  return {servers, job.task_count % servers == 0 ? job.task_count / servers : 0, gpus};
}

/// What the job sends: as given by hand, or as its comments say. A size that is not said is the
/// allocation's.
JobFile job_file_of(const SlurmJob& job, const SlurmSnapshot& snapshot, const std::string& given) {
  const std::string words = given.empty() ? words_of(job).job.value_or("") : std::string();
  if (given.empty() && words.empty()) {
    throw InputError("--job", fmt::format("job {} does not say what it sends", job.id),
                     "give --job, or submit jobs with --zonecut-job");
  }
  JobFile file = given.empty() ? parse_job_words(words, fmt::format("comment of job {}", job.id))
                               : load_job(given);
  if (!says_its_size(file)) fit_to(size_of(job, snapshot), file);
  return file;
}

/// The text that says the same without the allocation, for whoever repeats the report.
std::string job_text_of(const std::string& said, const JobFile& file) {
  if (said.find('=') == std::string::npos || says_its_size(file)) return said;
  std::string text = fmt::format("{},gpus={}", said, file.job.ranks());
  if (file.job.ranks_per_server && said.find("ranks_per_server") == std::string::npos)
    text += fmt::format(",ranks_per_server={}", *file.job.ranks_per_server);
  return text;
}

/// Blocks of equally many tasks, one for each server; none where tasks are dealt out otherwise.
std::vector<std::string> blocks_of(const std::vector<std::string>& tasks, std::size_t each) {
  std::vector<std::string> servers;
  for (std::size_t i = 0; i < tasks.size(); i += each) {
    const auto begin = tasks.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = tasks.begin() + static_cast<std::ptrdiff_t>(std::min(i + each, tasks.size()));
    if (std::count(begin, end, *begin) != static_cast<std::ptrdiff_t>(each)) return {};
    servers.push_back(*begin);
  }
  return servers;
}

/// Fills the servers of each server's worth of ranks, or says why they are unknown.
void read_running_order(const SlurmSnapshot& snapshot, const SlurmJob& job,
                        SlurmSituation& situation) {
  const std::vector<std::string>& tasks = snapshot.order;
  if (tasks.empty()) {
    situation.servers = job.nodes;
    situation.remark = "no step runs: as Slurm would number it";
    return;
  }
  std::map<std::string, std::size_t> count;
  for (const std::string& server : tasks) ++count[server];
  if (count.size() < job.nodes.size()) {
    situation.unknown =
        fmt::format("its largest step runs on {} of {} servers", count.size(), job.nodes.size());
    return;
  }
  situation.servers = blocks_of(tasks, tasks.size() / count.size());
  if (situation.servers.size() == job.nodes.size()) return;
  situation.servers.clear();
  situation.unknown = "its tasks are not dealt out in blocks, an equal one to each server";
}

}  // namespace

SlurmSituation situation_of(std::uint32_t id, SituationOptions given) {
  const SlurmSnapshot snapshot = ask_slurm(id);
  const SlurmJob& job = find_job(snapshot, id);
  SlurmSituation situation{std::move(given), {}, {}, {}, {}, job.running};
  SituationOptions& options = situation.options;
  situation.texts.job = job_file_of(job, snapshot, options.job);
  options.job = job_text_of(options.job.empty() ? words_of(job).job.value_or("") : options.job,
                            *situation.texts.job);
  const Cluster cluster = options.cluster.empty() ? cluster_of(snapshot, {}, false)
                                                  : read_cluster(read_named(options.cluster));
  if (options.cluster.empty()) situation.texts.cluster = named(write_cluster(cluster));
  situation.texts.state = named(write_state(view_of(cluster, snapshot, id)));
  if (job.running) read_running_order(snapshot, job, situation);
  return situation;
}

}  // namespace zonecut::cli
