// The job_submit plugin: slurmctld asks it about every job that is submitted or changed. What it
// decides is elsewhere; here slurmctld's structures are read and written. It runs within slurmctld,
// under its locks: it opens no file, starts nothing and waits for nothing. Whatever goes wrong, the
// job passes as it is.
extern "C" {
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/spank.h>
}

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <optional>
#include <string>

#include "submission.hpp"

/// Known to slurmctld alone; never looked into.
struct job_record;

namespace {

using namespace zonecut::slurm;

/// Texts that slurmctld frees must come from its own allocator, which the public headers do not
/// declare. Every version exports it so from libslurmfull.
struct Allocator {
  char* (*copy)(const char*) = nullptr;
  void (*free)(void**) = nullptr;

  [[nodiscard]] bool found() const { return copy != nullptr && free != nullptr; }

  void replace(char*& text, const std::string& fresh) const {
    void* old = text;
    text = copy(fresh.c_str());
    free(&old);
  }
};

Allocator find_allocator() {
  Allocator allocator;
  allocator.copy = reinterpret_cast<char* (*)(const char*)>(::dlsym(RTLD_DEFAULT, "slurm_xstrdup"));
  allocator.free = reinterpret_cast<void (*)(void**)>(::dlsym(RTLD_DEFAULT, "slurm_xfree"));
  return allocator;
}

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

/// Unset numbers of a request are NO_VAL, or 0.
bool is_set(std::uint32_t number) { return number != 0 && number != NO_VAL && number != INFINITE; }

bool is_set_time(std::time_t time) { return time != 0 && time != NO_VAL; }

std::optional<std::uint32_t> most_nodes(const job_desc_msg_t& job) {
  if (!is_set(job.min_nodes)) return std::nullopt;
  return is_set(job.max_nodes) ? std::max(job.min_nodes, job.max_nodes) : job.min_nodes;
}

/// slurmctld runs as SlurmUser.
bool is_privileged(std::uint32_t user) { return user == 0 || user == ::geteuid(); }

Submission read_request(const job_desc_msg_t& job, std::uint32_t user) {
  Submission request;
  for (std::uint32_t i = 0; job.spank_job_env != nullptr && i < job.spank_job_env_size; ++i) {
    if (job.spank_job_env[i] != nullptr) take_spank_option(job.spank_job_env[i], request);
  }
  request.comment = text_of(job.comment);
  request.admin_comment = text_of(job.admin_comment);
  request.privileged = is_privileged(user);
  request.names_servers = job.req_nodes != nullptr && job.req_nodes[0] != '\0';
  request.heterogeneous = job.het_job_offset != NO_VAL;
  request.has_begin_time = is_set_time(job.begin_time);
  request.must_not_wait = job.immediate != 0 || is_set_time(job.deadline);
  request.most_nodes = most_nodes(job);
  request.tres_per_node = text_of(job.tres_per_node);
  request.now = std::time(nullptr);
  return request;
}

/// Returns Slurm's code for the job. `error` may be null where a version shows no message.
int apply(const Verdict& verdict, job_desc_msg_t& job, char** error) {
  const Allocator allocator = find_allocator();
  if (!allocator.found()) {
    slurm_error("zonecut: this slurmctld exports no slurm_xstrdup: jobs pass unchecked");
    return SLURM_SUCCESS;
  }
  if (verdict.refusal) {
    slurm_info("zonecut: a job is refused: %s", verdict.refusal->c_str());
    if (error != nullptr) allocator.replace(*error, *verdict.refusal);
    return SLURM_ERROR;
  }
  if (verdict.admin_comment) allocator.replace(job.admin_comment, *verdict.admin_comment);
  if (verdict.begin_time) job.begin_time = *verdict.begin_time;
  return SLURM_SUCCESS;
}

/// Stops every exception: a job never fails for our sake.
template <class Judge>
int guarded(const Judge& judge, job_desc_msg_t* job, std::uint32_t user, char** error) noexcept {
  try {
    if (job == nullptr) return SLURM_SUCCESS;
    return apply(judge(read_request(*job, user)), *job, error);
  } catch (const std::exception& exception) {
    slurm_error("zonecut: a job passes unchecked: %s", exception.what());
  } catch (...) {
    slurm_error("zonecut: a job passes unchecked");
  }
  return SLURM_SUCCESS;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

// Constants have internal linkage in C++ unless declared first.
extern const char plugin_name[];
extern const char plugin_type[];
extern const std::uint32_t plugin_version;
const char plugin_name[] = "zonecut, built for Slurm " ZONECUT_SLURM_VERSION;
const char plugin_type[] = "job_submit/zonecut";
const std::uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init() noexcept { return SLURM_SUCCESS; }
int fini() noexcept { return SLURM_SUCCESS; }

int job_submit(job_desc_msg_t* job, std::uint32_t user, char** error) noexcept {
  return guarded(judge_submission, job, user, error);
}

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
int job_modify(job_desc_msg_t* job, job_record*, std::uint32_t user, char** error) noexcept {
  return guarded(judge_change, job, user, error);
}
#else
int job_modify(job_desc_msg_t* job, job_record*, std::uint32_t user) noexcept {
  return guarded(judge_change, job, user, nullptr);
}
#endif

#pragma GCC visibility pop
}
