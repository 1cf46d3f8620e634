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
#include <optional>
#include <utility>

#include "host_names.hpp"
#include "interrupted.hpp"
#include "slurm_calls.hpp"
#include "whole_number.hpp"
#include "zonecut/base/gres.hpp"

namespace zonecut::slurm {
namespace {

using Clock = std::chrono::steady_clock;

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
    const int gpus = gres_gpu_count(text_of(job.gres_detail_str[i]));
    least = i == 0 ? gpus : std::min(least, gpus);
  }
  return static_cast<std::size_t>(std::max(least, 0));
}

/// An abstract address: nothing stays in any file system, and the kernel frees it with the process.
struct Address {
  sockaddr_un name{};
  socklen_t length = 0;
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

std::optional<Address> address_of(const std::string& name) {
  Address address;
  if (name.size() + 1 > sizeof address.name.sun_path) return std::nullopt;
  address.name.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), address.name.sun_path + 1);
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

int open_socket() { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

/// Who has an address: anybody on the host may take it.
enum class Holder {
  User,  ///< a process of this user
  Others,
  Unknown,  ///< has just got it and does not listen yet, or does not mean to; or it is free again
};

Holder holder_of(const Address& address) {
  const int socket = open_socket();
  ucred holder{};
  socklen_t length = sizeof holder;
  const bool known = ::connect(socket, address.get(), address.length) == 0 &&
                     ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &holder, &length) == 0;
  if (socket >= 0) ::close(socket);
  if (!known) return Holder::Unknown;
  return holder.uid == ::getuid() ? Holder::User : Holder::Others;
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

std::string take_step_turn(const std::string& job, Clock::time_point until) {
  constexpr int kMostWaiting = 4096;
  constexpr int kMostUnknown = 25;
  constexpr useconds_t kPause = 2000;
  release_step_turn();
  const auto address = address_of("zonecut/" + std::to_string(::getuid()) + "/" + job);
  forget_in_children();
  held_socket() = address ? open_socket() : -1;
  if (held_socket() < 0) return "there is no way to take turns";
  Holder holder = Holder::Unknown;
  for (int tries = 0; ::bind(held_socket(), address->get(), address->length) != 0; ++tries) {
    if (holder == Holder::Unknown) holder = holder_of(*address);
    const bool unknown = holder == Holder::Unknown && tries >= kMostUnknown;
    if (holder == Holder::Others || unknown || Clock::now() >= until || is_interrupted()) {
      release_step_turn();
      return holder == Holder::User ? "another step of the job is being started"
                                    : "another user holds the turn of its steps";
    }
    ::usleep(kPause);
  }
  static_cast<void>(::listen(held_socket(), kMostWaiting));
  return {};
}

void release_step_turn() {
  const int socket = std::exchange(held_socket(), -1);
  if (socket >= 0) ::close(socket);
}

}  // namespace zonecut::slurm
