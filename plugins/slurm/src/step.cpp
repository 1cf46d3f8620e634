#include "step.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "command_line.hpp"
#include "host_names.hpp"
#include "whole_number.hpp"

namespace zonecut::slurm {
namespace {

StepReading left_alone(std::string reason) { return {std::nullopt, std::move(reason)}; }

std::optional<std::size_t> parse_count(std::string_view text) {
  return whole_number<std::size_t>(text, 1);
}

/// The least of "64(x3),32": the CPUs of the allocation's smallest server. None where it says
/// nothing.
std::optional<std::size_t> least_cpus(std::string_view text) {
  std::optional<std::size_t> least;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto cpus = parse_count(part.substr(0, part.find('(')));
    if (!cpus) return std::nullopt;
    least = std::min(least.value_or(*cpus), *cpus);
  }
  return least;
}

/// Several components of a het job or step: each has servers and ranks of its own.
bool is_heterogeneous() {
  const std::vector<std::string> words = command_line();
  return !variable("SLURM_HET_SIZE").empty() ||
         std::find(words.begin(), words.end(), ":") != words.end();
}

/// "8" of "8" and of "a100:8". A batch script knows what its server has, salloc only what was
/// asked.
std::optional<std::size_t> gpus_per_server() {
  const std::string has = variable("SLURM_GPUS_ON_NODE");
  const std::string asked = variable("SLURM_GPUS_PER_NODE");
  return parse_count(has.empty() ? asked.substr(asked.rfind(':') + 1) : has);
}

/// What both ways of reading a step find in the environment.
StepReading read_allocation() {
  if (is_heterogeneous()) return left_alone("it is heterogeneous");
  if (variable("SLURM_JOB_ID").empty() || variable("SLURM_JOB_NODELIST").empty())
    return left_alone("srun is not inside an allocation; use sbatch or salloc");
  Step step;
  step.allocation = names_of(variable("SLURM_JOB_NODELIST"));
  step.servers = step.allocation;
  step.gpus_per_server = gpus_per_server();
  if (step.allocation.empty()) return left_alone("SLURM_JOB_NODELIST cannot be read");
  return {std::move(step), {}};
}

/// The user's own choice of servers or layout, which wins.
std::string chosen_by_user(const SrunOptions& options) {
  for (const char* name : {"nodelist", "nodefile", "distribution", "exclude", "relative",
                           "spread-job", "use-min-nodes", "no-allocate"}) {
    if (options.is_set(name)) return std::string("--") + name + " is given";
  }
  if (!variable("SLURM_HOSTFILE").empty()) return "SLURM_HOSTFILE is set";
  const std::string distribution = options.text("distribution");
  const bool packs = distribution.find("pack") != std::string::npos &&
                     distribution.find("nopack") == std::string::npos;
  return packs ? "this cluster packs tasks on few servers" : "";
}

/// Tasks spread evenly over the servers, or why the layout is none of ours. No CPUs for a task:
/// they may share some.
std::string uneven(const Step& step, std::size_t cpus_per_task) {
  if (step.tasks % step.nodes != 0) {
    return std::to_string(step.tasks) + " tasks do not spread evenly over " +
           std::to_string(step.nodes) + " servers";
  }
  const auto cpus = least_cpus(variable("SLURM_JOB_CPUS_PER_NODE"));
  if (cpus && *cpus < step.tasks / step.nodes * cpus_per_task)
    return "not every server has CPUs for an even share of the tasks";
  return {};
}

StepReading checked(Step step, std::size_t cpus_per_task) {
  if (step.nodes > step.allocation.size())
    return left_alone("it wants more servers than the allocation has");
  if (step.nodes == 1) return left_alone("");
  if (std::string reason = uneven(step, cpus_per_task); !reason.empty())
    return left_alone(std::move(reason));
  return {std::move(step), {}};
}

/// Steps that are none of ours to order.
std::string unusual(const SrunOptions& options) {
  if (options.several_components()) return "it is heterogeneous";
  if (options.is_set("interactive")) return "it is salloc's own";
  if (options.is_set("test-only")) return "it is a job that is tried only";
  if (options.is_set("jobid") && options.text("jobid") != variable("SLURM_JOB_ID"))
    return "it is a step of another job";
  return {};
}

/// Whether the job has as many CPUs on every server.
bool cpus_are_even() { return variable("SLURM_JOB_CPUS_PER_NODE").find(',') == std::string::npos; }

/// Whether all of the job's servers surely have as much memory for it.
bool memory_is_even() {
  const std::string by_server = variable("SLURM_MEM_PER_NODE");
  if (!by_server.empty()) return by_server != "0";  // 0: all that each has
  return cpus_are_even() && !variable("SLURM_MEM_PER_CPU").empty();
}

/// Whether all of the job's servers surely have as many GPUs for it.
bool gpus_are_even() {
  const bool by_task =
      !variable("SLURM_GPUS_PER_TASK").empty() && !variable("SLURM_NTASKS_PER_NODE").empty();
  return by_task || !variable("SLURM_GPUS_PER_NODE").empty();
}

/// Which option may fit some servers of the job only: on others a step on part of them would fail,
/// or wait for what never comes. Free servers have all that the job has of them.
std::string choosy(const SrunOptions& options) {
  std::vector<const char*> names = {"constraint", "mincpus", "contiguous"};
  if (!memory_is_even()) names.insert(names.end(), {"mem", "mem-per-cpu"});
  if (!gpus_are_even()) {
    names.insert(names.end(), {"gpus", "gpus-per-node", "gpus-per-socket", "gpus-per-task", "gres",
                               "cpus-per-gpu", "mem-per-gpu", "tres-per-task"});
  }
  for (const char* name : names) {
    if (options.is_set(name)) return std::string("--") + name + " may fit only some of the servers";
  }
  return {};
}

/// Without a number of tasks Slurm makes as many as the CPUs or GPUs of the servers allow, once the
/// step is created.
constexpr const char* kTasksComeLater =
    "its number of tasks follows from others; say -n or --ntasks-per-node";

bool tasks_come_later(const SrunOptions& options, std::size_t tasks) {
  if (options.is_set("ntasks-per-gpu") && options.is_set("gpus")) {  // which win over -n
    const auto per_gpu = options.count("ntasks-per-gpu");
    const auto gpus = options.count("gpus");
    if (!per_gpu || !gpus || *per_gpu * *gpus != tasks) return true;
  }
  if (options.is_set("ntasks") || options.is_set("ntasks-per-node")) return false;
  return options.is_set("cpus-per-task") || options.is_set("ntasks-per-gpu");
}

bool tasks_come_later_of_environment() {
  if (!variable("SLURM_NTASKS_PER_GPU").empty()) return true;
  if (!variable("SLURM_NTASKS").empty() || !variable("SLURM_NTASKS_PER_NODE").empty()) return false;
  return !variable("SRUN_CPUS_PER_TASK").empty() || !variable("SLURM_CPUS_PER_TASK").empty();
}

/// GPUs of a server for its share of the tasks; none where that cannot be read. Texts are empty
/// where nothing is said.
std::optional<std::size_t> gpus_needed(const Step& step, const std::string& per_task,
                                       const std::string& tasks_per_gpu) {
  const std::size_t share = step.tasks / step.nodes;
  if (!per_task.empty()) {
    const auto gpus = parse_count(per_task.substr(per_task.rfind(':') + 1));
    return gpus ? std::optional(share * *gpus) : std::nullopt;
  }
  if (tasks_per_gpu.empty()) return 0;
  const auto tasks = parse_count(tasks_per_gpu);
  return tasks ? std::optional((share + *tasks - 1) / *tasks) : std::nullopt;
}

/// With the GPUs that its tasks need.
StepReading with_gpus(StepReading reading, const std::string& per_task,
                      const std::string& tasks_per_gpu) {
  if (!reading.step) return reading;
  const auto gpus = gpus_needed(*reading.step, per_task, tasks_per_gpu);
  if (!gpus) return left_alone("its GPUs for a task cannot be read");
  reading.step->gpus_needed = *gpus;
  return reading;
}

/// With the number of its servers and tasks, by srun's options.
StepReading with_layout(Step step, const SrunOptions& options) {
  const auto tasks = options.count("ntasks");
  if (!tasks) return left_alone("srun does not say how many tasks it has");
  if (tasks_come_later(options, *tasks)) return left_alone(kTasksComeLater);
  step.tasks = *tasks;
  const bool says_nodes = options.is_set("nodes");
  const auto nodes = options.count("nodes");
  if (says_nodes && !nodes) return left_alone("it has no fixed number of servers");
  step.nodes = std::min(says_nodes ? *nodes : step.allocation.size(), step.tasks);
  step.overlap = options.is_set("overlap");
  if (options.is_set("overcommit")) {
    if (!cpus_are_even()) return left_alone("--overcommit on servers with unequal CPUs");
    return checked(std::move(step), 0);
  }
  const auto cpus = options.count("cpus-per-task");
  return checked(std::move(step), options.is_set("cpus-per-task") ? cpus.value_or(1) : 1);
}

}  // namespace

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

StepReading read_step(const SrunOptions& options) {
  StepReading reading = read_allocation();
  if (!reading.step) return reading;
  if (std::string reason = unusual(options); !reason.empty()) return left_alone(std::move(reason));
  if (std::string reason = chosen_by_user(options); !reason.empty())
    return left_alone(std::move(reason));
  const auto given = [&](const char* name) {
    return options.is_set(name) ? options.text(name) : std::string();
  };
  if (given("tres-per-task").find("gpu") != std::string::npos && !options.is_set("gpus-per-task"))
    return left_alone("--tres-per-task is given");
  reading = with_gpus(with_layout(std::move(*reading.step), options), given("gpus-per-task"),
                      given("ntasks-per-gpu"));
  if (!reading.step || !reading.step->is_part()) return reading;
  if (std::string reason = choosy(options); !reason.empty()) return left_alone(std::move(reason));
  return reading;
}

StepReading read_step_of_environment() {
  StepReading reading = read_allocation();
  if (!reading.step) return reading;
  if (may_say_layout(command_line()))
    return left_alone("its command line may say a layout, which cannot be read here");
  if (!variable("SLURM_HOSTFILE").empty()) return left_alone("SLURM_HOSTFILE is set");
  if (!variable("SLURM_DISTRIBUTION").empty()) return left_alone("SLURM_DISTRIBUTION is set");
  if (tasks_come_later_of_environment()) return left_alone(kTasksComeLater);
  Step& step = *reading.step;
  step.nodes = step.allocation.size();
  const std::size_t per_node = parse_count(variable("SLURM_NTASKS_PER_NODE")).value_or(1);
  step.tasks = parse_count(variable("SLURM_NTASKS")).value_or(step.nodes * per_node);
  const std::size_t cpus = parse_count(variable("SLURM_CPUS_PER_TASK")).value_or(1);
  return with_gpus(checked(std::move(step), cpus), variable("SLURM_GPUS_PER_TASK"), "");
}

}  // namespace zonecut::slurm
