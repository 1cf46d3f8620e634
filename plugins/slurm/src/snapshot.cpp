#include "snapshot.hpp"

extern "C" {
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
}

#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host_names.hpp"
#include "job_record.hpp"
#include "schemas.hpp"
#include "slurm_calls.hpp"
#include "zonecut/base/gres.hpp"

namespace zonecut::slurm {
namespace {

using nlohmann::ordered_json;

/// The switches as lines of topology.conf; empty where Slurm has none.
template <class Message>
std::string topology_text(const Message& message) {
  if constexpr (requires { message.topo_array; }) {
    std::string text;
    for (std::uint32_t i = 0; i < message.record_count; ++i) {
      const auto& record = message.topo_array[i];
      const std::string switches = text_of(record.switches);
      text += "SwitchName=" + text_of(record.name);
      text += switches.empty() ? " Nodes=" + text_of(record.nodes) : " Switches=" + switches;
      text += "\n";
    }
    return text;
  } else {
    return {};  // since 25.05 only Slurm's own programs can read it
  }
}

std::string read_topology() {
  topo_info_response_msg_t* message = nullptr;
  check(load_topology(&slurm_load_topo, &message), "slurm_load_topo");
  std::string text = topology_text(*message);
  slurm_free_topo_info_msg(message);
  return text;
}

const char* health_of(std::uint32_t state) {
  switch (state & NODE_STATE_BASE) {
    case NODE_STATE_DOWN:
    case NODE_STATE_ERROR:
    case NODE_STATE_FUTURE:
    case NODE_STATE_UNKNOWN:
      return "down";
    default:
      break;
  }
  constexpr std::uint32_t kTakesNothing = NODE_STATE_DRAIN | NODE_STATE_FAIL |
                                          NODE_STATE_NO_RESPOND | NODE_STATE_MAINT |
                                          NODE_STATE_INVALID_REG;
  return (state & kTakesNothing) != 0 ? "drained" : "up";
}

std::vector<std::string> features_of(const node_info_t& node) {
  std::string text = text_of(node.features_act == nullptr ? node.features : node.features_act);
  std::vector<std::string> features;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    features.push_back(text.substr(0, comma));
    text.erase(0, comma + 1);
  }
  return features;
}

/// What is being cleaned up after a job is not free yet.
ordered_json node_json(const node_info_t& node) {
  const std::uint32_t cpus = node.cpus_efctv == 0 ? node.cpus : node.cpus_efctv;
  const bool cleaned = (node.node_state & NODE_STATE_COMPLETING) != 0;
  const std::uint32_t used = cleaned ? cpus : std::min<std::uint32_t>(cpus, used_cpus(node));
  return {{"name", node.name},
          {"gpus", gres_gpu_count(text_of(node.gres))},
          {"health", health_of(node.node_state)},
          {"cpus", cpus},
          {"free_cpus", cpus - used},
          {"memory", node.real_memory},
          {"free_memory", node.real_memory - std::min(node.real_memory, used_memory(node))},
          {"features", features_of(node)}};
}

ordered_json nodes_json(const node_info_msg_t& message) {
  ordered_json nodes = ordered_json::array();
  for (std::uint32_t i = 0; i < message.record_count; ++i) {
    if (message.node_array[i].name != nullptr) nodes.push_back(node_json(message.node_array[i]));
  }
  return nodes;
}

ordered_json jobs_json(const job_info_msg_t& message) {
  ordered_json jobs = ordered_json::array();
  ListBytes told;
  for (std::uint32_t i = 0; i < message.record_count; ++i)
    add_job(message.job_array[i], told, jobs);
  return jobs;
}

ordered_json read_partitions() {
  partition_info_msg_t* message = nullptr;
  check(slurm_load_partitions(0, &message, SHOW_ALL), "slurm_load_partitions");
  ordered_json partitions = ordered_json::array();
  for (std::uint32_t i = 0; i < message->record_count; ++i) {
    const partition_info_t& partition = message->partition_array[i];
    partitions.push_back({{"name", text_of(partition.name)},
                          {"nodes", names_of(text_of(partition.nodes))},
                          {"whole_nodes", partition.max_share == 0}});
  }
  slurm_free_partition_info_msg(message);
  return partitions;
}

ordered_json read_reservations() {
  reserve_info_msg_t* message = nullptr;
  check(slurm_load_reservations(0, &message), "slurm_load_reservations");
  ordered_json reservations = ordered_json::array();
  for (std::uint32_t i = 0; i < message->record_count; ++i) {
    const reserve_info_t& reservation = message->reservation_array[i];
    reservations.push_back({{"name", text_of(reservation.name)},
                            {"nodes", names_of(text_of(reservation.node_list))},
                            {"begin", reservation.start_time},
                            {"end", reservation.end_time}});
  }
  slurm_free_reservation_info_msg(message);
  return reservations;
}

/// The step with most tasks; none where no step runs.
std::optional<slurm_step_id_t> largest_step(std::uint32_t job) {
  job_step_info_response_msg_t* message = nullptr;
  if (load_steps(&slurm_get_job_steps, job, &message) != SLURM_SUCCESS) return std::nullopt;
  std::optional<slurm_step_id_t> largest;
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < message->job_step_count; ++i) {
    const job_step_info_t& step = message->job_steps[i];
    if (step.step_id.step_id > SLURM_MAX_NORMAL_STEP_ID || step.num_tasks <= most) continue;
    most = step.num_tasks;
    largest = step.step_id;
  }
  slurm_free_job_step_info_response_msg(message);
  return largest;
}

/// The node of each task of the job's largest step; empty where no step runs.
ordered_json read_order(std::uint32_t job) {
  const auto step = largest_step(job);
  if (!step) return ordered_json::array();
  slurm_step_id_t id = *step;
  slurm_step_layout_t* layout = slurm_job_step_layout_get(&id);
  if (layout == nullptr) return ordered_json::array();
  const std::vector<std::string> nodes = names_of(text_of(layout->node_list));
  std::vector<std::string> order(layout->task_cnt);
  for (std::uint32_t n = 0; n < layout->node_cnt && n < nodes.size(); ++n) {
    for (std::uint16_t t = 0; t < layout->tasks[n]; ++t) {
      if (layout->tids[n][t] < order.size()) order[layout->tids[n][t]] = nodes[n];
    }
  }
  slurm_job_step_layout_free(layout);
  return order;
}

/// What changes all the time: nodes and jobs. Null where nothing has since then.
template <class Message, class Load>
Message* load_changes(Load load, time_t since, std::uint16_t flags, const char* call) {
  Message* message = nullptr;
  if (load(since, &message, flags) == SLURM_SUCCESS) return message;
  if (errno != SLURM_NO_CHANGE_IN_DATA) check(SLURM_ERROR, call);
  return nullptr;
}

constexpr std::uint16_t kAll = SHOW_ALL | SHOW_DETAIL;

/// Nodes and jobs into the snapshot. False where neither has changed since then.
bool add_changes(time_t since, ordered_json& snapshot) {
  auto* nodes = load_changes<node_info_msg_t>(&slurm_load_node, since, SHOW_ALL, "slurm_load_node");
  auto* jobs = load_changes<job_info_msg_t>(&slurm_load_jobs, since, kAll, "slurm_load_jobs");
  if (nodes == nullptr && jobs == nullptr) return false;
  if (nodes == nullptr)
    nodes = load_changes<node_info_msg_t>(&slurm_load_node, 0, SHOW_ALL, "slurm_load_node");
  if (jobs == nullptr)
    jobs = load_changes<job_info_msg_t>(&slurm_load_jobs, 0, kAll, "slurm_load_jobs");
  snapshot["changes"] = std::min(nodes->last_update, jobs->last_update);
  snapshot["nodes"] = nodes_json(*nodes);
  snapshot["jobs"] = jobs_json(*jobs);
  slurm_free_node_info_msg(nodes);
  slurm_free_job_info_msg(jobs);
  return true;
}

/// Whether jobs may take the place of others.
bool preempts() {
  slurm_conf_t* conf = nullptr;
  check(slurm_load_ctl_conf(0, &conf), "slurm_load_ctl_conf");
  const std::string type = text_of(conf->preempt_type);
  slurm_free_ctl_conf(conf);
  return !type.empty() && !type.ends_with("none");
}

ordered_json begun() {
  ordered_json snapshot;
  snapshot["schema"] = kSnapshotSchema;
  snapshot["time"] = std::time(nullptr);
  return snapshot;
}

}  // namespace

void check(int result, const char* call) {
  if (result == SLURM_SUCCESS) return;
  throw std::runtime_error(std::string(call) + ": " + slurm_strerror(errno));
}

ordered_json read_snapshot(std::optional<std::uint32_t> job) {
  ordered_json snapshot = begun();
  snapshot["topology"] = read_topology();
  add_changes(0, snapshot);
  snapshot["preempts"] = preempts();
  snapshot["partitions"] = read_partitions();
  snapshot["reservations"] = read_reservations();
  if (job) snapshot["order"] = read_order(*job);
  return snapshot;
}

ordered_json read_queue(std::int64_t since) {
  ordered_json snapshot = begun();
  if (!add_changes(since, snapshot)) return snapshot;
  snapshot["preempts"] = preempts();
  snapshot["partitions"] = read_partitions();
  snapshot["reservations"] = read_reservations();
  return snapshot;
}

}  // namespace zonecut::slurm
