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
#include "zonecut/topology/cluster_file.hpp"
#include "zonecut/topology/import.hpp"

namespace zonecut::cli {
namespace {

constexpr std::size_t kUsualGpus = 8;

Cluster read_step_cluster(const SlurmStepOptions& options) {
  if (!options.cluster.empty()) return read_cluster(read_named(options.cluster));
  const NamedText file = read_named(options.topology);
  ImportOptions import;
  import.gpus_per_server = static_cast<int>(options.gpus_per_server.value_or(kUsualGpus));
  const TopologyFormat format =
      options.topology.ends_with(".yaml") ? TopologyFormat::SlurmYaml : TopologyFormat::SlurmConf;
  return import_topology(format, file.text, file.name, import);
}

std::vector<ServerId> read_step_servers(const Cluster& cluster, const std::string& text) {
  std::vector<ServerId> servers = read_servers(cluster, text, "--on");
  if (std::set<ServerId>(servers.begin(), servers.end()).size() != servers.size())
    throw InputError("--on", "names a server twice");
  return servers;
}

const Value* find(const Value& mapping, std::string_view key) {
  const auto found = std::find_if(mapping.entries.begin(), mapping.entries.end(),
                                  [&](const Value::Entry& entry) { return entry.key == key; });
  return found == mapping.entries.end() ? nullptr : &found->value;
}

/// Equal shares, or InputError.
std::size_t share(std::size_t whole, std::size_t parts, std::string_view option,
                  std::string_view what) {
  if (whole % parts == 0 && whole > 0) return whole / parts;
  throw InputError(std::string(option),
                   fmt::format("{} {} do not spread evenly over {} servers", whole, what, parts));
}

void fill(Training& training, std::size_t ranks) {
  Parallelism& p = training.parallelism;
  p.dp = 1;
  const auto replica = static_cast<std::size_t>(p.ranks());
  if (ranks % replica != 0) {
    throw InputError("--job", fmt::format("the step has {} ranks, no multiple of tp*cp*pp = {}",
                                          ranks, replica));
  }
  p.dp = static_cast<int>(ranks / replica);
}

}  // namespace

bool says_its_size(const JobFile& file) {
  if (!std::holds_alternative<Training>(file.job.work)) return true;
  const Value* parallelism = find(file.document.root, "parallelism");
  return find(file.document.root, "gpus") != nullptr ||
         (parallelism != nullptr && find(*parallelism, "dp") != nullptr);
}

SlurmStep::SlurmStep(const SlurmStepOptions& options)
    : cluster_(read_step_cluster(options)),
      servers_(read_step_servers(cluster_, options.servers)),
      nodes_(options.nodes.value_or(servers_.size())),
      job_(load_job(options.job.empty() ? "tp=1" : options.job)),
      view_(cluster_),
      fabric_(Fabric::build(cluster_, cluster_.backend(), view_.health)) {
  if (nodes_ < 1 || nodes_ > servers_.size()) {
    throw InputError("--nodes", fmt::format("found {}, expected 1 to {}, as many as --on names",
                                            nodes_, servers_.size()));
  }
  spread(options);
  leave_one_place_each();
  problem_.emplace(pose(view_, fabric_, job_.job, constraints_));
}

void SlurmStep::spread(const SlurmStepOptions& options) {
  tasks_per_server_ = share(options.tasks, nodes_, "--tasks", "tasks");
  std::size_t gpus = std::numeric_limits<std::size_t>::max();
  for (const ServerId server : servers_)
    gpus = std::min(gpus, static_cast<std::size_t>(cluster_.server(server).gpus));
  if (options.gpus_per_server) gpus = std::min(gpus, *options.gpus_per_server);
  if (!says_its_size(job_)) {
    // One task for each GPU, or a launcher such as torchrun on each server that starts the ranks.
    const bool task_each = !options.job.empty() && tasks_per_server_ > 1;
    fill(std::get<Training>(job_.job.work), nodes_ * (task_each ? tasks_per_server_ : gpus));
  }
  job_.job.ranks_per_server =
      static_cast<int>(share(static_cast<std::size_t>(job_.job.ranks()), nodes_, "--job", "ranks"));
}

/// The step takes one server's worth of ranks from each of its servers, though there may be room
/// for more.
void SlurmStep::leave_one_place_each() {
  std::vector<ServerId> allowed = servers_;
  std::sort(allowed.begin(), allowed.end());
  if (nodes_ == servers_.size()) {
    constraints_.only = std::move(allowed);
    return;
  }
  const JobId others = view_.occupancy.add_job("outside the step");
  for (std::size_t i = 0; i < cluster_.server_count(); ++i) {
    const ServerId server{i};
    if (!std::binary_search(allowed.begin(), allowed.end(), server)) {
      constraints_.excluded.push_back(server);
      continue;
    }
    for (int gpu = job_.job.ranks_per_server.value(); gpu < cluster_.server(server).gpus; ++gpu)
      view_.occupancy.hold(others, {server, gpu});
  }
}

std::vector<ServerId> SlurmStep::listed() const {
  return {servers_.begin(), servers_.begin() + static_cast<std::ptrdiff_t>(nodes_)};
}

std::vector<ServerId> SlurmStep::nearest(ServerId to) const {
  std::vector<ServerId> servers = servers_;
  std::sort(servers.begin(), servers.end(), [&](ServerId a, ServerId b) {
    return std::pair(-cluster_.common_level(a, to), a) <
           std::pair(-cluster_.common_level(b, to), b);
  });
  servers.erase(servers.begin() + static_cast<std::ptrdiff_t>(nodes_), servers.end());
  return servers;
}

std::string SlurmStep::names(std::span<const ServerId> servers) const {
  std::string text;
  for (const ServerId server : servers) {
    if (!text.empty()) text += ',';
    text += cluster_.server(server).name;
  }
  return text;
}

ServerId SlurmStep::server(const std::string& name) const {
  const auto found = cluster_.find_server(name);
  if (found && std::find(servers_.begin(), servers_.end(), *found) != servers_.end()) return *found;
  throw InputError("--rank0", fmt::format("\"{}\" is not among the servers of --on", name));
}

}  // namespace zonecut::cli
