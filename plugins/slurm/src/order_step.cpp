#include "order_step.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "answer.hpp"
#include "busy_servers.hpp"
#include "command_line.hpp"
#include "host_names.hpp"
#include "mentions.hpp"
#include "published_order.hpp"
#include "srun_options.hpp"
#include "step.hpp"

namespace zonecut::slurm {
namespace {

using Clock = std::chrono::steady_clock;

std::string left(const std::string& reason) {
  return reason.empty() ? "" : "the order of ranks is left as it is: " + reason;
}

/// Where scripts look for rank 0, and whether it must be there.
struct RankZero {
  std::string server;
  bool hold = true;
};

/// "n01" of "n01" and "n01.example.org".
bool names_server(const std::string& address, const std::string& server) {
  return address == server || address.starts_with(server + ".");
}

/// Whether tasks may find the server by anything but MASTER_ADDR, in the environment or on this
/// command line.
bool is_said_elsewhere(const std::string& server) {
  std::vector<std::string> words = {server};
  const auto is_said = [&] {
    return !variable_that_mentions(environ, words).empty() ||
           std::any_of(words.begin(), words.end(), command_line_mentions);
  };
  if (is_said()) return true;
  auto addresses = addresses_of(server, variable("SLURMD_NODENAME") == server);
  if (!addresses) return true;  // it may be
  words = *std::move(addresses);
  return is_said();
}

/// MASTER_ADDR as the script has set it, else the first server, which the script may take later.
/// Where the address reaches the tasks by this variable alone, it can follow rank 0; where it does
/// not reach them, as `exported` says, they must find rank 0 by themselves.
RankZero rank_zero_of(const Step& step, const std::string& exported) {
  const std::string& first = step.allocation.front();
  if (!exports(exported, "MASTER_ADDR")) return {first, true};
  const std::string address = variable("MASTER_ADDR");
  for (const std::string& server : step.allocation) {
    if (address.empty() || !names_server(address, server)) continue;
    const bool follows = server == first && !is_said_elsewhere(server);
    return {server, !follows};
  }
  return {first, true};
}

std::vector<std::string> question(const Settings& settings, const Step& step,
                                  const RankZero& zero) {
  std::vector<std::string> words = {settings.program, "slurm-order"};
  const auto add = [&](const char* option, const std::string& value) {
    words.insert(words.end(), {option, value});
  };
  if (!settings.cluster.empty()) {
    add("--cluster", settings.cluster);
  } else {
    add("--topology", settings.topology);
  }
  if (!settings.job.empty()) add("--job", settings.job);
  const bool whole = step.servers.size() == step.allocation.size();
  add("--on", whole ? variable("SLURM_JOB_NODELIST") : joined(step.servers));
  add("--tasks", std::to_string(step.tasks));
  add("--nodes", std::to_string(step.nodes));
  if (step.gpus_per_server) add("--gpus-per-server", std::to_string(*step.gpus_per_server));
  const bool has_zero =
      std::find(step.servers.begin(), step.servers.end(), zero.server) != step.servers.end();
  if (has_zero) add("--rank0", zero.server);
  if (has_zero && zero.hold) words.emplace_back("--hold-rank0");
  return words;
}

/// The checked answer, or what went wrong.
struct Reply {
  std::optional<Answer> answer;
  std::string problem;
};

/// The placer's order, where it has published one that suits this step.
std::optional<Answer> published(const Settings& settings, const Step& step, const RankZero& zero) {
  if (!settings.place || !zero.hold) return std::nullopt;
  Answer answer;
  answer.servers = published_order(step, settings.job);
  if (answer.servers.empty() || answer.servers.front() != zero.server) return std::nullopt;
  answer.changed = answer.servers != step.allocation;
  answer.gain = "as the placer has planned";
  return answer;
}

Reply ask(const Settings& settings, const Step& step, const RankZero& zero,
          Clock::time_point until) {
  if (auto answer = published(settings, step, zero)) return {std::move(answer), {}};
  Bounds rest = settings.bounds;
  rest.deadline = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  if (rest.deadline <= std::chrono::milliseconds(0))
    return {std::nullopt, "finding the free servers took all the time there is"};
  ::setenv(kAskingVariable, "1", 1);
  const RunResult result = run_bounded(question(settings, step, zero), rest);
  ::unsetenv(kAskingVariable);
  std::string problem = what_went_wrong(result, settings.bounds);
  if (!problem.empty()) return {std::nullopt, settings.program + " " + problem};
  std::optional<Answer> answer = read_answer(result.output, step);
  if (!answer) return {std::nullopt, settings.program + " gave no usable answer"};
  return {std::move(answer), {}};
}

/// Keeps of the servers those that no step of the job uses. What stands in the way, or nothing.
std::string keep_free_servers(Step& step, Clock::time_point until) {
  const std::string job = variable("SLURM_JOB_ID");
  if (std::string reason = take_step_turn(job, until); !reason.empty()) return reason;
  std::vector<std::string> busy;
  if (!ask_busy_servers(job, busy)) return "slurmctld does not say which servers are free";
  std::vector<std::string> free;
  for (const std::string& server : step.allocation) {
    if (std::find(busy.begin(), busy.end(), server) == busy.end()) free.push_back(server);
  }
  if (free.size() >= step.nodes) {
    step.servers = std::move(free);
  } else if (!step.overlap) {
    release_step_turn();  // it waits for other steps to end, however long that takes
    return "fewer servers are free than it needs";
  }
  return {};
}

/// What to say where the job no longer has the servers that it began with, or a server too few
/// GPUs. Asked last: of steps only that would be changed.
std::string unfit_servers(const Step& step) {
  JobServers has = ask_servers(variable("SLURM_JOB_ID"));
  if (has.names.empty()) return "slurmctld does not say which servers the job has";
  std::vector<std::string> listed = step.allocation;
  std::sort(has.names.begin(), has.names.end());
  std::sort(listed.begin(), listed.end());
  if (has.names != listed) return "the job has other servers by now than SLURM_JOB_NODELIST says";
  if (has.least_gpus < step.gpus_needed)
    return "not every server has GPUs for an even share of the tasks";
  return {};
}

/// One entry for each task, in the order of ranks.
std::vector<std::string> by_task(const Answer& answer, const Step& step) {
  std::vector<std::string> hosts;
  hosts.reserve(step.tasks);
  for (const std::string& server : answer.servers)
    hosts.insert(hosts.end(), step.tasks / step.nodes, server);
  return hosts;
}

void tell_tasks(const Answer& answer, const Step& step, const RankZero& zero) {
  const std::string per_node = std::to_string(step.tasks / step.nodes);
  ::setenv(kOrderedVariable, per_node.c_str(), 1);
  const std::string address = variable("MASTER_ADDR");
  if (zero.hold || address.empty() || answer.servers.front() == zero.server) return;
  const std::string domain = address.substr(zero.server.size());
  ::setenv("MASTER_ADDR", (answer.servers.front() + domain).c_str(), 1);
}

std::string done(const Answer& answer) {
  return "the ranks are in order over " + std::to_string(answer.servers.size()) + " servers" +
         (answer.gain.empty() ? "" : ": " + answer.gain);
}

constexpr const char* kNothingToGain =
    "the order of ranks is left as it is: nothing is to be gained";

/// The host file this process has made; -1: none.
int& host_file() {
  static int file = -1;
  return file;
}

/// Makes a file in memory that holds the order: it ends with this process, however that ends. Its
/// path, empty where none can be made.
std::string write_host_file(const std::vector<std::string>& hosts) {
  host_file() = ::memfd_create("zonecut-hosts", MFD_CLOEXEC);
  if (host_file() < 0) return {};
  std::string text;
  for (const std::string& host : hosts) text += host + "\n";
  std::string path = "/proc/self/fd/" + std::to_string(host_file());
  const ssize_t written = ::write(host_file(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size()) && ::access(path.c_str(), R_OK) == 0)
    return path;
  ::close(std::exchange(host_file(), -1));
  return {};
}

/// Nothing, or why nobody can be asked.
std::string unfit(const Settings& settings) {
  if (settings.program.empty()) return "no program= is given";
  if (const std::string name = name_within_slurm(settings.program); !name.empty())
    return "program=" + settings.program + " is Slurm's " + name + ", expected zonecut";
  if (settings.cluster.empty() && settings.topology.empty())
    return "there is neither a cluster file nor a topology.conf";
  return {};
}

}  // namespace

std::string order_by_options(const Settings& settings) {
  const Clock::time_point until = Clock::now() + settings.bounds.deadline;
  const std::optional<SrunOptions> options = SrunOptions::find();
  if (!options) return left("this srun does not export its options");
  StepReading reading = read_step(*options);
  if (!reading.step) return left(reading.reason);
  Step& step = *reading.step;
  if (std::string reason = unfit(settings); !reason.empty()) return left(reason);
  if (step.is_part()) {
    if (std::string reason = keep_free_servers(step, until); !reason.empty()) return left(reason);
  }
  const RankZero zero = rank_zero_of(step, options->text("export"));
  const Reply reply = ask(settings, step, zero, until);
  if (!reply.answer) return left(reply.problem);
  if (!reply.answer->changed) return kNothingToGain;
  if (std::string reason = unfit_servers(step); !reason.empty()) return left(reason);
  if (!options->set("nodelist", joined(by_task(*reply.answer, step))) ||
      !options->set("distribution", "arbitrary")) {
    options->reset("nodelist");
    options->reset("distribution");
    return left("srun refuses the order");
  }
  tell_tasks(*reply.answer, step, zero);
  return done(*reply.answer);
}

std::string order_by_host_file(const Settings& settings) {
  const Clock::time_point until = Clock::now() + settings.bounds.deadline;
  const StepReading reading = read_step_of_environment();
  if (!reading.step) return left(reading.reason);
  if (std::string reason = unfit(settings); !reason.empty()) return left(reason);
  const bool says_export = may_give(command_line(), "export");
  const RankZero zero =
      rank_zero_of(*reading.step, says_export ? "NONE" : variable("SLURM_EXPORT_ENV"));
  const Reply reply = ask(settings, *reading.step, zero, until);
  if (!reply.answer) return left(reply.problem);
  if (!reply.answer->changed) return kNothingToGain;
  if (std::string reason = unfit_servers(*reading.step); !reason.empty()) return left(reason);
  const std::string path = write_host_file(by_task(*reply.answer, *reading.step));
  if (path.empty()) return left("no host file can be written");
  ::setenv("SLURM_HOSTFILE", path.c_str(), 1);
  tell_tasks(*reply.answer, *reading.step, zero);
  return done(*reply.answer);
}

void remove_host_file() {
  if (host_file() < 0) return;
  ::close(std::exchange(host_file(), -1));
  ::unsetenv("SLURM_HOSTFILE");
}

}  // namespace zonecut::slurm
