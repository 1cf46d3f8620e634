#include "slurm_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "zonecut/base/error.hpp"

namespace zonecut::cli {
namespace {

ServerHealth health_of(const std::string& word) {
  if (word == "down") return ServerHealth::Down;
  return word == "drained" ? ServerHealth::Drained : ServerHealth::Up;
}

/// Gives the GPUs of a node to a job. Shared GPUs and suspended jobs: the first one holds them.
void hold(ClusterView& view, JobId job, ServerId server, std::vector<int> gpus, bool knows_gpus) {
  const int count = view.cluster->server(server).gpus;
  if (!knows_gpus) {
    gpus.resize(static_cast<std::size_t>(count));
    std::iota(gpus.begin(), gpus.end(), 0);
  }
  for (const int gpu : gpus) {
    const GpuId id{server, gpu};
    if (gpu < count && !view.occupancy.holder(id)) view.occupancy.hold(job, id);
  }
}

/// A job goes on on servers that take nothing new.
void accept_own(ClusterView& view, const SlurmJob& job) {
  for (const std::string& name : job.nodes) {
    const auto server = view.cluster->find_server(name);
    if (server && view.health.servers[*server] == ServerHealth::Drained)
      view.health.servers[*server] = ServerHealth::Up;
  }
}

}  // namespace

Cluster cluster_of(const SlurmSnapshot& snapshot, ImportOptions options, bool gpus_said) {
  constexpr const char* kSource = "slurmctld";
  if (snapshot.topology.empty()) {
    throw InputError(kSource, "tells no topology",
                     "Slurm 25.05 and newer keep it to themselves: import topology.conf or "
                     "topology.yaml");
  }
  for (const SlurmNode& node : snapshot.nodes) {
    if (!gpus_said && node.gpus > 0) options.server_gpus.emplace(node.name, node.gpus);
  }
  return import_topology(TopologyFormat::SlurmConf, snapshot.topology, kSource, options);
}

std::vector<std::string> nodes_without_gpus(const SlurmSnapshot& snapshot) {
  std::vector<std::string> names;
  for (const SlurmNode& node : snapshot.nodes) {
    if (node.gpus == 0) names.push_back(node.name);
  }
  if (names.size() == snapshot.nodes.size()) names.clear();
  return names;
}

int usual_gpus(const SlurmSnapshot& snapshot) {
  std::map<int, std::size_t> nodes;
  for (const SlurmNode& node : snapshot.nodes) {
    if (node.gpus > 0) ++nodes[node.gpus];
  }
  if (nodes.empty()) return ImportOptions().gpus_per_server;
  return std::max_element(nodes.begin(), nodes.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

ClusterView view_of(const Cluster& cluster, const SlurmSnapshot& snapshot,
                    std::optional<std::uint32_t> without) {
  ClusterView view(cluster);
  std::map<std::string, bool> knows_gpus;
  for (const SlurmNode& node : snapshot.nodes) {
    knows_gpus[node.name] = node.gpus > 0;
    if (const auto server = cluster.find_server(node.name))
      view.health.servers[*server] = health_of(node.health);
  }
  for (const SlurmJob& job : snapshot.jobs) {
    if (!job.running) continue;
    if (job.id == without) {
      accept_own(view, job);
      continue;
    }
    const JobId holder = view.occupancy.add_job(fmt::format("job {}", job.id));
    for (std::size_t i = 0; i < job.nodes.size(); ++i) {
      if (const auto server = cluster.find_server(job.nodes[i]))
        hold(view, holder, *server, job.gpus[i], knows_gpus[job.nodes[i]]);
    }
    // What is over its limit may go on for as long as Slurm lets it.
    if (job.end > snapshot.time)
      view.ends.push_back({holder, Seconds{static_cast<double>(job.end - snapshot.time)}});
  }
  return view;
}

slurm::JobWords words_of(const SlurmJob& job) {
  slurm::JobWords words = slurm::read_words(job.admin_comment);
  const slurm::JobWords users = slurm::read_words(job.comment);
  words.place = words.place || users.place;
  if (!words.lease) words.lease = users.lease;
  if (!words.job) words.job = users.job;
  return words;
}

}  // namespace zonecut::cli
