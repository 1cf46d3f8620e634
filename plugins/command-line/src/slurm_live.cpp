#include "slurm_live.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "bounded_run.hpp"
#include "sha256.hpp"
#include "slurm_step.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut::cli {
namespace {

using nlohmann::json;
constexpr const char* kSource = "slurmctld";

/// Beside this program's folder, in the build as when installed.
std::string asking_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "libexec/zonecut/zonecut-slurm").string();
}

slurm::Bounds asking_bounds() {
  slurm::Bounds bounds;
  bounds.deadline = std::chrono::milliseconds(30'000);
  bounds.output_bytes = std::size_t{256} << 20;
  bounds.memory_bytes = 0;
  return bounds;
}

SlurmNode read_node(const json& node) {
  return {node.at("name"), node.at("gpus"), node.at("health")};
}

SlurmJob read_job(const json& job) {
  SlurmJob read{
      job.at("id"), job.at("state") == "running", job.at("comment"),    job.at("nodes"),
      {},           job.at("node_count"),         job.at("task_count"), job.at("gpus_per_node")};
  for (const std::string& node : read.nodes) {
    const json& gpus = job.at("gpus");
    read.gpus.push_back(gpus.contains(node) ? gpus.at(node).get<std::vector<int>>()
                                            : std::vector<int>());
  }
  return read;
}

SlurmSnapshot read_snapshot(const std::string& text) {
  const json object = json::parse(text);
  if (object.at("schema") != "zonecut.slurm/v1") throw IoError(kSource, "another version answers");
  SlurmSnapshot snapshot;
  snapshot.topology = object.at("topology");
  for (const json& node : object.at("nodes")) snapshot.nodes.push_back(read_node(node));
  for (const json& job : object.at("jobs")) snapshot.jobs.push_back(read_job(job));
  if (object.contains("order")) snapshot.order = object.at("order");
  return snapshot;
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

const SlurmJob& find_job(const SlurmSnapshot& snapshot, std::uint32_t id) {
  const auto found = std::find_if(snapshot.jobs.begin(), snapshot.jobs.end(),
                                  [&](const SlurmJob& job) { return job.id == id; });
  if (found != snapshot.jobs.end()) return *found;
  throw InputError("--from-slurm", fmt::format("no job {} runs or is pending", id));
}

/// Which GPUs the other jobs hold and which servers take nothing, as a state file. A node without
/// GPUs of its own is held whole.
class StateText {
 public:
  StateText(const Cluster& cluster, const SlurmSnapshot& snapshot) : cluster_(cluster) {
    for (const SlurmNode& node : snapshot.nodes) gpus_[node.name] = node.gpus;
  }

  [[nodiscard]] std::string of(const SlurmSnapshot& snapshot, std::uint32_t without) {
    json state = {{"format", "state/v1"}, {"jobs", json::array()}, {"health", json::object()}};
    for (const SlurmJob& job : snapshot.jobs) {
      if (job.id == without) continue;
      json held = holds(job);
      if (!held.empty())
        state["jobs"].push_back({{"name", fmt::format("job {}", job.id)}, {"gpus", held}});
    }
    for (const char* health : {"down", "drained"}) {
      std::vector<std::string> names;
      for (const SlurmNode& node : snapshot.nodes) {
        if (node.health == health && cluster_.find_server(node.name)) names.push_back(node.name);
      }
      if (!names.empty()) state["health"][health] = names;
    }
    return state.dump() + "\n";
  }

 private:
  json holds(const SlurmJob& job) {
    json held = json::object();
    for (std::size_t i = 0; i < job.nodes.size(); ++i) {
      const auto server = cluster_.find_server(job.nodes[i]);
      if (!server) continue;
      const std::vector<int> free = not_held_yet(*server, job.gpus[i]);
      if (!free.empty()) held[job.nodes[i]] = free;
    }
    return held;
  }

  /// Shared GPUs and suspended jobs: the first one holds them.
  std::vector<int> not_held_yet(ServerId server, std::vector<int> gpus) {
    const int count = cluster_.server(server).gpus;
    if (gpus_[cluster_.server(server).name] == 0) {
      for (int gpu = 0; gpu < count; ++gpu) gpus.push_back(gpu);
    }
    std::erase_if(gpus,
                  [&](int gpu) { return gpu >= count || !held_.insert({server, gpu}).second; });
    return gpus;
  }

  const Cluster& cluster_;
  std::map<std::string, int> gpus_;
  std::set<std::pair<ServerId, int>> held_;
};

NamedText named(std::string text) {
  NamedText file{kSource, std::move(text), {}};
  file.hash = sha256(file.text);
  return file;
}

/// What the job sends: as given, or as the plugin has written it into the job's comment. A size
/// that is not said is the job's own.
std::string job_text(const SlurmJob& job, const std::string& given, int usual) {
  std::string text = given;
  if (text.empty() && job.comment.starts_with(kJobComment))
    text = job.comment.substr(kJobComment.size());
  if (text.empty()) {
    throw InputError("--job", fmt::format("job {} does not say what it sends", job.id),
                     "give --job, or submit jobs with --zonecut-job");
  }
  if (text.find('=') == std::string::npos || says_its_size(load_job(text))) return text;
  int gpus = job.gpus.empty() ? job.gpus_per_node : static_cast<int>(job.gpus.front().size());
  if (gpus == 0) gpus = usual;
  const std::size_t ranks = job.task_count > job.node_count
                                ? job.task_count
                                : job.node_count * static_cast<std::size_t>(gpus);
  text += fmt::format(",gpus={}", ranks);
  if (job.node_count > 0 && ranks % job.node_count == 0 &&
      text.find("ranks_per_server") == std::string::npos)
    text += fmt::format(",ranks_per_server={}", ranks / job.node_count);
  return text;
}

/// Fills the servers of each server's worth of ranks, or says why they are unknown.
void read_running_order(const SlurmSnapshot& snapshot, const SlurmJob& job,
                        SlurmSituation& situation) {
  const std::vector<std::string>& tasks = snapshot.order;
  if (tasks.size() < job.nodes.size()) {  // between steps: as Slurm would number it
    situation.servers = job.nodes;
    return;
  }
  const std::size_t each = tasks.size() / job.nodes.size();
  for (std::size_t i = 0; i < tasks.size(); i += each) {
    const auto end = tasks.begin() + static_cast<std::ptrdiff_t>(std::min(i + each, tasks.size()));
    const auto begin = tasks.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::count(begin, end, *begin) != static_cast<std::ptrdiff_t>(each)) {
      situation.servers.clear();
      situation.unknown = "its tasks are not dealt out in blocks, an equal one to each server";
      return;
    }
    situation.servers.push_back(*begin);
  }
}

}  // namespace

SlurmSnapshot ask_slurm(std::optional<std::uint32_t> job) {
  std::vector<std::string> words = {asking_program()};
  if (::access(words.front().c_str(), X_OK) != 0)
    throw IoError(words.front(), "is not there: it comes with zonecut's plugin for Slurm");
  if (job) words.push_back(std::to_string(*job));
  const slurm::Bounds bounds = asking_bounds();
  const slurm::RunResult result = slurm::run_bounded(words, bounds);
  const std::string wrong = what_went_wrong(result, bounds);
  if (!wrong.empty()) throw IoError(words.front(), wrong);
  try {
    return read_snapshot(result.output);
  } catch (const json::exception& error) {
    throw IoError(words.front(), std::string("gave no usable answer: ") + error.what());
  }
}

Cluster cluster_of(const SlurmSnapshot& snapshot, ImportOptions options, bool gpus_said) {
  if (snapshot.topology.empty()) {
    throw InputError(kSource, "tells no topology",
                     "Slurm 25.05 and newer keep it to themselves: import topology.conf or "
                     "topology.yaml");
  }
  if (!gpus_said) options.gpus_per_server = usual_gpus(snapshot);
  return import_topology(TopologyFormat::SlurmConf, snapshot.topology, kSource, options);
}

SlurmSituation situation_of(std::uint32_t id, SituationOptions given) {
  const SlurmSnapshot snapshot = ask_slurm(id);
  const SlurmJob& job = find_job(snapshot, id);
  SlurmSituation situation{std::move(given), {}, {}, {}, job.running};
  SituationOptions& options = situation.options;
  options.job = job_text(job, options.job, usual_gpus(snapshot));
  const Cluster cluster = options.cluster.empty() ? cluster_of(snapshot, {}, false)
                                                  : read_cluster(read_named(options.cluster));
  if (options.cluster.empty()) situation.texts.cluster = named(write_cluster(cluster));
  situation.texts.state = named(StateText(cluster, snapshot).of(snapshot, id));
  if (job.running) read_running_order(snapshot, job, situation);
  return situation;
}

}  // namespace zonecut::cli
