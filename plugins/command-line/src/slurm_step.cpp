#include "slurm_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "server_names.hpp"
#include "situation.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_size.hpp"
#include "zonecut/topology/cluster_file.hpp"
#include "zonecut/topology/import.hpp"

namespace zonecut::cli {
namespace {

constexpr std::size_t kUsualGpus = 8;

Cluster read_step_cluster(const SlurmStepOptions& options) {
  refuse_shared_stdin(
      {{"--cluster", options.cluster}, {"--topology", options.topology}, {"--job", options.job}});
  if (!options.cluster.empty()) return read_cluster(read_named(options.cluster));
  const NamedText file = read_named(options.topology);
  ImportOptions import;
  import.gpus_per_server = static_cast<int>(options.gpus_per_server.value_or(kUsualGpus));
  const TopologyFormat format =
      options.topology.ends_with(".yaml") ? TopologyFormat::SlurmYaml : TopologyFormat::SlurmConf;
  return import_topology(format, file.text, file.name, import);
}

std::optional<RankZero> read_rank_zero(const Cluster& cluster, const SlurmStepOptions& options,
                                       const std::vector<ServerId>& listed) {
  if (options.rank_zero.empty()) return std::nullopt;
  const auto found = cluster.find_server(options.rank_zero);
  if (found && std::find(listed.begin(), listed.end(), *found) != listed.end())
    return RankZero{*found, options.hold_rank_zero};
  throw InputError("--rank0",
                   fmt::format("\"{}\" is not among the servers of --on", options.rank_zero));
}

StepServers read_step_servers(const Cluster& cluster, const SlurmStepOptions& options) {
  std::vector<ServerId> listed = read_servers(cluster, options.servers, "--on");
  if (std::set<ServerId>(listed.begin(), listed.end()).size() != listed.size())
    throw InputError("--on", "names a server twice");
  const std::size_t count = options.nodes.value_or(listed.size());
  if (count < 1 || count > listed.size()) {
    throw InputError("--nodes", fmt::format("found {}, expected 1 to {}, as many as --on names",
                                            count, listed.size()));
  }
  auto rank_zero = read_rank_zero(cluster, options, listed);
  return {std::move(listed), count, rank_zero};
}

std::size_t tasks_per_server_of(std::size_t tasks, std::size_t servers) {
  if (tasks > 0 && tasks % servers == 0) return tasks / servers;
  throw InputError("--tasks",
                   fmt::format("{} tasks do not spread evenly over {} servers", tasks, servers));
}

/// GPUs the job has on each of the servers it may use.
std::size_t gpus_per_server_of(const Cluster& cluster, const StepServers& servers,
                               const SlurmStepOptions& options) {
  std::size_t gpus = options.gpus_per_server.value_or(std::numeric_limits<std::size_t>::max());
  for (const ServerId server : servers.listed)
    gpus = std::min(gpus, static_cast<std::size_t>(cluster.server(server).gpus));
  return gpus;
}

}  // namespace

SlurmStep::SlurmStep(const SlurmStepOptions& options)
    : cluster(read_step_cluster(options)),
      servers(read_step_servers(cluster, options)),
      tasks_per_server(tasks_per_server_of(options.tasks, servers.count)),
      job(load_job(options.job.empty() ? "tp=1" : options.job)),
      view(cluster),
      fabric(Fabric::build(cluster, cluster.backend(), view.health)) {
  // A job that says nothing is a ring of servers, with however many tasks on each.
  const std::size_t gpus = gpus_per_server_of(cluster, servers, options);
  fit_to({servers.count, options.job.empty() ? 1 : tasks_per_server, gpus}, job);
  const auto ranks = static_cast<std::size_t>(job.job.ranks());
  if (ranks <= gpus * servers.count) return;
  throw InputError("--job", fmt::format("{} ranks are {} on each of {} servers, where there are {} "
                                        "GPUs",
                                        ranks, ranks / servers.count, servers.count, gpus));
}

std::string SlurmStep::names(std::span<const ServerId> of) const {
  std::string text;
  for (const ServerId server : of) {
    if (!text.empty()) text += ',';
    text += cluster.server(server).name;
  }
  return text;
}

}  // namespace zonecut::cli
