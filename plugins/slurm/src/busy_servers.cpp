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
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "host_names.hpp"
#include "slurm_calls.hpp"

namespace zonecut::slurm {
namespace {

/// Batch scripts, external and interactive steps hold no server.
bool holds_servers(const job_step_info_t& step) {
  return step.step_id.step_id <= SLURM_MAX_NORMAL_STEP_ID && step.nodes != nullptr;
}

/// The socket of the turn this process has: a fork handler is a plain function and is handed
/// nothing.
int& held_socket() {
  static int socket = -1;
  return socket;
}

/// srun leaves a child behind that watches over it, and the turn must not live on in there.
void forget_in_children() {
  static const bool once = ::pthread_atfork(nullptr, nullptr, [] { ::close(held_socket()); }) == 0;
  static_cast<void>(once);
}

}  // namespace

bool ask_busy_servers(const std::string& job, std::vector<std::string>& busy) {
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(job.data(), job.data() + job.size(), number);
  if (parsed.ec != std::errc{}) return false;
  const auto steps_of = reinterpret_cast<decltype(&slurm_get_job_steps)>(
      ::dlsym(RTLD_DEFAULT, "slurm_get_job_steps"));
  job_step_info_response_msg_t* answer = nullptr;
  if (steps_of == nullptr || load_steps(steps_of, number, &answer) != SLURM_SUCCESS) return false;
  for (std::uint32_t i = 0; i < answer->job_step_count; ++i) {
    const job_step_info_t& step = answer->job_steps[i];
    if (!holds_servers(step)) continue;
    const std::vector<std::string> names = names_of(step.nodes);
    busy.insert(busy.end(), names.begin(), names.end());
  }
  slurm_free_job_step_info_response_msg(answer);
  return true;
}

bool Turn::take(const std::string& job, std::chrono::milliseconds at_most) {
  // An abstract address: nothing stays in any file system, and the kernel frees it with the
  // process.
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "zonecut/" + std::to_string(::getuid()) + "/" + job;
  if (name.size() + 1 > sizeof address.sun_path) return false;
  std::copy(name.begin(), name.end(), address.sun_path + 1);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return false;
  held_socket() = socket_;
  forget_in_children();
  const auto until = std::chrono::steady_clock::now() + at_most;
  while (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    if (std::chrono::steady_clock::now() >= until) {
      release();
      return false;
    }
    ::usleep(2000);
  }
  return true;
}

void Turn::release() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  held_socket() = -1;
}

}  // namespace zonecut::slurm
