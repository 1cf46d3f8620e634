#include "job_record.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "array_tasks.hpp"
#include "host_names.hpp"
#include "job_words.hpp"
#include "slurm_calls.hpp"
#include "whole_number.hpp"
#include "zonecut/base/gres.hpp"

namespace zonecut::slurm {
namespace {

using nlohmann::ordered_json;

/// Of an array; the others are told once these have begun.
constexpr std::size_t kMostTasks = 1000;
/// Of a text that users write, and of the lists of all of a user's jobs, each task counted.
constexpr std::size_t kMostText = std::size_t{64} << 10;
constexpr std::size_t kMostOfUser = std::size_t{8} << 20;
constexpr std::int64_t kYear = std::int64_t{365} * 24 * 3600;

bool runs(const slurm_job_info_t& job) {
  const std::uint32_t state = job.job_state & JOB_STATE_BASE;
  return state == JOB_RUNNING || state == JOB_SUSPENDED;
}

bool waits(const slurm_job_info_t& job) { return (job.job_state & JOB_STATE_BASE) == JOB_PENDING; }

/// GPUs by node, as far as Slurm says them.
ordered_json gpus_of(const slurm_job_info_t& job, const std::vector<std::string>& nodes) {
  ordered_json gpus = ordered_json::object();
  for (std::uint32_t i = 0; i < job.gres_detail_cnt && i < nodes.size(); ++i)
    gpus[nodes[i]] = gres_gpu_indices(text_of(job.gres_detail_str[i]));
  return gpus;
}

std::uint32_t ceil_share(std::uint32_t whole, std::uint32_t parts) {
  return parts == 0 ? whole : (whole + parts - 1) / parts;
}

std::uint32_t tasks_per_node(const slurm_job_info_t& job) {
  if (job.ntasks_per_node != 0 && job.ntasks_per_node != NO_VAL16) return job.ntasks_per_node;
  return job.num_tasks == NO_VAL ? 1 : ceil_share(job.num_tasks, job.num_nodes);
}

/// Of each node, whichever way the job asks for them; 0 where it asks for none or by the socket.
std::uint32_t gpus_needed(const slurm_job_info_t& job) {
  const auto count = [](const char* asked) {
    return static_cast<std::uint32_t>(gres_gpu_count(gres_text(text_of(asked))));
  };
  if (const auto each = count(job.tres_per_node); each > 0) return each;
  if (const auto each = count(job.tres_per_task); each > 0) return each * tasks_per_node(job);
  return ceil_share(count(job.tres_per_job), job.num_nodes);
}

std::uint32_t cpus_needed(const slurm_job_info_t& job) {
  return std::max<std::uint32_t>({1, job.pn_min_cpus, ceil_share(job.num_cpus, job.num_nodes)});
}

/// MiB; 0 where it is not said.
std::uint64_t memory_needed(const slurm_job_info_t& job) {
  const std::uint64_t memory = job.pn_min_memory & ~MEM_PER_CPU;
  return (job.pn_min_memory & MEM_PER_CPU) != 0 ? memory * cpus_needed(job) : memory;
}

ordered_json need_of(const slurm_job_info_t& job) {
  return {{"gpus", gpus_needed(job)},
          {"cpus", cpus_needed(job)},
          {"memory", memory_needed(job)},
          {"whole", job.shared == JOB_SHARED_NONE}};
}

const char* reason_of(const slurm_job_info_t& job) {
  // slurmctld holds such a job, until it is changed.
  if (job.state_reason == FAIL_BAD_CONSTRAINTS) return "unfit";
  if (job.priority == 0) return "held";
  switch (job.state_reason) {
    case WAIT_NO_REASON:
    case WAIT_RESOURCES:
    case WAIT_NODE_NOT_AVAIL:
      return "resources";
    case WAIT_PRIORITY:
      return "priority";
    case WAIT_TIME:
      return "time";
    case WAIT_DEPENDENCY:
      return "dependency";
    default:
      return "other";
  }
}

std::int64_t limit_of(const slurm_job_info_t& job) {
  const bool limited = job.time_limit != INFINITE && job.time_limit != NO_VAL;
  return limited ? std::int64_t{60} * job.time_limit : kYear;
}

/// Whether a text such as "gres:gpu:8,gres:nic:1" asks for nothing but GPUs of any kind.
bool is_plain(std::string_view asked) {
  while (!asked.empty()) {
    const std::string_view part = asked.substr(0, asked.find(','));
    asked.remove_prefix(std::min(asked.size(), part.size() + 1));
    const std::string entry = gres_text(std::string(part));
    if (entry == "gpu") continue;
    if (!entry.starts_with("gpu:") || !whole_number<std::uint32_t>(entry.substr(4))) return false;
  }
  return true;
}

bool is_said(std::uint16_t count) { return count != 0 && count < NO_VAL16; }

/// What the job asks for that the placer does not judge; empty: nothing.
std::string wish_of(const slurm_job_info_t& job) {
  if (text_of(job.features).size() > kMostText) return "asks for too many features";
  if (job.contiguous != 0 || job.req_switch != 0) return "asks for switches or neighbours itself";
  if (job.pn_min_tmp_disk != 0) return "asks for local disk";
  if (job.tres_per_socket != nullptr || is_said(job.sockets_per_node) ||
      is_said(job.cores_per_socket) || is_said(job.threads_per_core)) {
    return "asks for sockets, cores or threads";
  }
  for (const char* asked : {job.tres_per_node, job.tres_per_task, job.tres_per_job}) {
    if (!is_plain(text_of(asked))) return "asks for a kind of GPU, or for other resources";
  }
  return {};
}

/// A list as users wrote it may name a node many times, which is seen before it is taken apart.
std::vector<std::string> unique_names(const char* list) {
  std::vector<std::string> names;
  const auto hosts = slurm_hostlist_create(list);
  if (hosts == nullptr) return names;
  slurm_hostlist_uniq(hosts);
  while (char* name = slurm_hostlist_shift(hosts)) {
    names.emplace_back(name);
    std::free(name);
  }
  slurm_hostlist_destroy(hosts);
  std::sort(names.begin(), names.end());
  return names;
}

/// A text as long as any job needs; empty where it is longer.
std::string bounded(const char* text) {
  std::string whole = text_of(text);
  return whole.size() > kMostText ? std::string() : whole;
}

/// Whether the placer has, or has had, to do with the job.
bool is_placing(const slurm_job_info_t& job) {
  const JobWords users = read_words(text_of(job.comment));
  const JobWords site = read_words(text_of(job.admin_comment));
  return users.place || site.place || site.order || is_leased(users, job.eligible_time) ||
         is_leased(site, job.eligible_time);
}

/// Lists of nodes that decide where a pending job may run.
struct Lists {
  std::string wanted_text;
  std::vector<std::string> wanted, excluded;
};

/// None where they are longer than any job needs. `copies`: how often they will be told.
std::optional<Lists> lists_of(const slurm_job_info_t& job, std::size_t copies, std::size_t& told) {
  const auto size_of = [](const std::vector<std::string>& names) {
    std::size_t bytes = 0;
    for (const std::string& name : names) bytes += name.size() + 3;
    return bytes;
  };
  Lists lists;
  lists.wanted_text = text_of(job.req_nodes);
  if (std::max(lists.wanted_text.size(), text_of(job.exc_nodes).size()) > kMostText)
    return std::nullopt;
  lists.wanted = unique_names(job.req_nodes);
  lists.excluded = unique_names(job.exc_nodes);
  const std::size_t bytes =
      lists.wanted_text.size() + size_of(lists.wanted) + size_of(lists.excluded);
  if (told + copies * bytes > kMostOfUser) return std::nullopt;
  told += copies * bytes;
  return lists;
}

/// What decides where a pending job may run, of those that ask to be placed.
void add_wishes(const slurm_job_info_t& job, std::size_t copies, ListBytes& told,
                ordered_json& record) {
  const std::optional<Lists> lists = lists_of(job, copies, told[job.user_id]);
  const Lists& known = lists ? *lists : Lists{};
  record["wanted_text"] = known.wanted_text;
  record["wanted_nodes"] = known.wanted;
  record["excluded_nodes"] = known.excluded;
  record["wish"] = lists ? wish_of(job) : "names too many nodes";
}

/// Where and when Slurm itself means to start a pending job.
void add_schedule(const slurm_job_info_t& job, ordered_json& record) {
  if (job.sched_nodes == nullptr || job.start_time == 0) return;
  record["scheduled_nodes"] = names_of(text_of(job.sched_nodes));
  record["scheduled_begin"] = job.start_time;
}

ordered_json record_of(const slurm_job_info_t& job, const std::string& name) {
  const std::vector<std::string> nodes =
      runs(job) ? names_of(text_of(job.nodes)) : std::vector<std::string>();
  return {{"id", job.job_id},
          {"name", name},
          {"state", runs(job) ? "running" : "pending"},
          {"comment", bounded(job.comment)},
          {"admin_comment", text_of(job.admin_comment)},
          {"nodes", nodes},
          {"gpus", gpus_of(job, nodes)},
          {"node_count", job.num_nodes},
          {"fixed", job.max_nodes == job.num_nodes},
          {"task_count", job.num_tasks == NO_VAL ? 0 : job.num_tasks},
          {"need", need_of(job)},
          {"priority", job.priority},
          {"reason", reason_of(job)},
          {"partition", text_of(job.partition)},
          {"reservation", text_of(job.resv_name)},
          {"features", bounded(job.features)},
          {"alone", job.het_job_id == 0},
          {"begin", job.eligible_time},
          {"end", job.end_time},
          {"limit", limit_of(job)}};
}

}  // namespace

void add_job(const slurm_job_info_t& job, ListBytes& told, ordered_json& jobs) {
  if (!runs(job) && !waits(job)) return;
  const bool is_task = job.array_task_id != NO_VAL && job.array_job_id != 0;
  const auto task_name = [&](std::uint32_t task) {
    return std::to_string(job.array_job_id) + "_" + std::to_string(task);
  };
  const bool several = !runs(job) && job.array_task_str != nullptr;
  const bool placing = waits(job) && is_placing(job);
  const auto tasks = several ? array_tasks(job.array_task_str, placing ? kMostTasks : 1)
                             : std::vector<std::uint32_t>();
  ordered_json record =
      record_of(job, is_task ? task_name(job.array_task_id) : std::to_string(job.job_id));
  if (placing) {
    add_wishes(job, std::max<std::size_t>(1, tasks.size()), told, record);
  } else if (waits(job)) {
    add_schedule(job, record);
  }
  if (!several) {
    jobs.push_back(std::move(record));
    return;
  }
  for (const std::uint32_t task : tasks) {
    record["name"] = task_name(task);
    jobs.push_back(record);
  }
}

}  // namespace zonecut::slurm
