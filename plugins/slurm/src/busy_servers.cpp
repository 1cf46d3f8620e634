#include "busy_servers.hpp"

extern "C" {
#include <slurm/slurm.h>
}

#include <dlfcn.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "gres.hpp"
#include "host_names.hpp"
#include "slurm_calls.hpp"
#include "whole_number.hpp"

namespace zonecut::slurm {
namespace {

/// Batch scripts, external and interactive steps hold no server.
bool holds_servers(const job_step_info_t& step) {
  return step.step_id.step_id <= SLURM_MAX_NORMAL_STEP_ID && step.nodes != nullptr;
}

/// The one place of the turn's socket, -1 without a turn: a fork handler is a plain function and is
/// handed nothing.
int& held_socket() {
  static int socket = -1;
  return socket;
}

/// srun leaves a child behind that watches over it, and the turn must not live on in there.
void forget_in_children() {
  static const bool once = ::pthread_atfork(nullptr, nullptr, release_step_turn) == 0;
  static_cast<void>(once);
}

/// Of a server of the job: those of the one that has least.
std::size_t least_gpus(const slurm_job_info_t& job) {
  int least = 0;
  for (std::uint32_t i = 0; i < job.gres_detail_cnt; ++i) {
    const int gpus = gpu_count(text_of(job.gres_detail_str[i]));
    least = i == 0 ? gpus : std::min(least, gpus);
  }
  return static_cast<std::size_t>(std::max(least, 0));
}

}  // namespace

JobServers ask_servers(const std::string& job) {
  const auto number = whole_number<std::uint32_t>(job);
  const auto load =
      reinterpret_cast<decltype(&slurm_load_job)>(::dlsym(RTLD_DEFAULT, "slurm_load_job"));
  job_info_msg_t* answer = nullptr;
  if (!number || load == nullptr ||
      load_job(load, *number, &answer, SHOW_ALL | SHOW_DETAIL) != SLURM_SUCCESS) {
    return {};
  }
  JobServers servers;
  // An array's number is that of one of its tasks, too.
  for (std::uint32_t i = 0; i < answer->record_count; ++i) {
    const slurm_job_info_t& record = answer->job_array[i];
    if (record.job_id == *number) servers = {names_of(text_of(record.nodes)), least_gpus(record)};
  }
  slurm_free_job_info_msg(answer);
  return servers;
}

bool ask_busy_servers(const std::string& job, std::vector<std::string>& busy) {
  const auto number = whole_number<std::uint32_t>(job);
  if (!number) return false;
  const auto steps_of = reinterpret_cast<decltype(&slurm_get_job_steps)>(
      ::dlsym(RTLD_DEFAULT, "slurm_get_job_steps"));
  job_step_info_response_msg_t* answer = nullptr;
  if (steps_of == nullptr || load_steps(steps_of, *number, &answer) != SLURM_SUCCESS) return false;
  for (std::uint32_t i = 0; i < answer->job_step_count; ++i) {
    const job_step_info_t& step = answer->job_steps[i];
    if (!holds_servers(step)) continue;
    const std::vector<std::string> names = names_of(step.nodes);
    busy.insert(busy.end(), names.begin(), names.end());
  }
  slurm_free_job_step_info_response_msg(answer);
  return true;
}

bool take_step_turn(const std::string& job, std::chrono::steady_clock::time_point until) {
  release_step_turn();
  // An abstract address: nothing stays in any file system, and the kernel frees it with the
  // process.
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "zonecut/" + std::to_string(::getuid()) + "/" + job;
  if (name.size() + 1 > sizeof address.sun_path) return false;
  std::copy(name.begin(), name.end(), address.sun_path + 1);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  forget_in_children();
  held_socket() = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (held_socket() < 0) return false;
  while (::bind(held_socket(), reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    if (std::chrono::steady_clock::now() >= until) {
      release_step_turn();
      return false;
    }
    ::usleep(2000);
  }
  return true;
}

void release_step_turn() {
  const int socket = std::exchange(held_socket(), -1);
  if (socket >= 0) ::close(socket);
}

}  // namespace zonecut::slurm
