// zonecut-slurm: what slurmctld knows, as one JSON object on standard output ("zonecut.slurm/v1").
//
// usage: zonecut-slurm [JOBID]     with a job also the order of the ranks of its largest step
// exit codes: 0 done, 2 bad input, 4 slurmctld failed
//
// A program of its own, run by zonecut: libslurm ends its process where slurm.conf is wrong, and
// whoever does not use Slurm need not install it.
extern "C" {
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
}

#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gres.hpp"
#include "host_names.hpp"
#include "slurm_calls.hpp"

namespace {

using nlohmann::ordered_json;
using namespace zonecut::slurm;

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

void check(int result, const char* call) {
  if (result == SLURM_SUCCESS) return;
  throw std::runtime_error(std::string(call) + ": " + slurm_strerror(errno));
}

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
                                          NODE_STATE_POWERED_DOWN | NODE_STATE_INVALID_REG;
  return (state & kTakesNothing) != 0 ? "drained" : "up";
}

ordered_json read_nodes() {
  node_info_msg_t* message = nullptr;
  check(slurm_load_node(0, &message, SHOW_ALL), "slurm_load_node");
  ordered_json nodes = ordered_json::array();
  for (std::uint32_t i = 0; i < message->record_count; ++i) {
    const node_info_t& node = message->node_array[i];
    if (node.name == nullptr) continue;
    nodes.push_back({{"name", node.name},
                     {"gpus", gpu_count(text_of(node.gres))},
                     {"health", health_of(node.node_state)}});
  }
  slurm_free_node_info_msg(message);
  return nodes;
}

/// GPUs by node, as far as Slurm says them.
ordered_json gpus_of(const slurm_job_info_t& job, const std::vector<std::string>& nodes) {
  ordered_json gpus = ordered_json::object();
  for (std::uint32_t i = 0; i < job.gres_detail_cnt && i < nodes.size(); ++i)
    gpus[nodes[i]] = gpu_indices(text_of(job.gres_detail_str[i]));
  return gpus;
}

ordered_json job_json(const slurm_job_info_t& job, bool running) {
  const std::vector<std::string> nodes =
      running ? names_of(text_of(job.nodes)) : std::vector<std::string>();
  return {{"id", job.job_id},
          {"name", text_of(job.name)},
          {"state", running ? "running" : "pending"},
          {"comment", text_of(job.comment)},
          {"nodes", nodes},
          {"gpus", gpus_of(job, nodes)},
          {"node_count", job.num_nodes},
          {"task_count", job.num_tasks == NO_VAL ? 0 : job.num_tasks},
          {"gpus_per_node", gpu_count(gres_text(text_of(job.tres_per_node)))},
          {"wanted_nodes", names_of(text_of(job.req_nodes))}};
}

ordered_json read_jobs() {
  job_info_msg_t* message = nullptr;
  check(slurm_load_jobs(0, &message, SHOW_ALL | SHOW_DETAIL), "slurm_load_jobs");
  ordered_json jobs = ordered_json::array();
  for (std::uint32_t i = 0; i < message->record_count; ++i) {
    const slurm_job_info_t& job = message->job_array[i];
    const std::uint32_t state = job.job_state & JOB_STATE_BASE;
    const bool running = state == JOB_RUNNING || state == JOB_SUSPENDED;
    if (running || state == JOB_PENDING) jobs.push_back(job_json(job, running));
  }
  slurm_free_job_info_msg(message);
  return jobs;
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

int run(std::optional<std::uint32_t> job) {
  slurm_init(nullptr);
  ordered_json snapshot;
  snapshot["schema"] = "zonecut.slurm/v1";
  snapshot["topology"] = read_topology();
  snapshot["nodes"] = read_nodes();
  snapshot["jobs"] = read_jobs();
  if (job) snapshot["order"] = read_order(*job);
  const std::string text =
      snapshot.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 4;
}

std::optional<std::uint32_t> parse_job(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && number > 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto job = argc > 1 ? parse_job(argv[1]) : std::nullopt;
    if (argc > 2 || (argc == 2 && !job)) {
      static_cast<void>(std::fputs("usage: zonecut-slurm [JOBID]\n", stderr));
      return 2;
    }
    return run(job);
  } catch (const std::exception& error) {
    static_cast<void>(std::fprintf(stderr, "slurmctld: %s\n", error.what()));
    return 4;
  }
}
