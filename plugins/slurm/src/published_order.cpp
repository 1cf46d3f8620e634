#include "published_order.hpp"

extern "C" {
#include <slurm/slurm.h>
}

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "host_names.hpp"
#include "job_words.hpp"
#include "slurm_calls.hpp"
#include "whole_number.hpp"

namespace zonecut::slurm {
namespace {

/// The job's words: AdminComment's, and what it sends from the user's where only that says it.
std::optional<JobWords> ask_words(std::uint32_t job) {
  const auto load =
      reinterpret_cast<decltype(&slurm_load_job)>(::dlsym(RTLD_DEFAULT, "slurm_load_job"));
  job_info_msg_t* answer = nullptr;
  if (load == nullptr || load_job(load, job, &answer) != SLURM_SUCCESS) return std::nullopt;
  std::optional<JobWords> words;
  if (answer->record_count == 1) {
    const slurm_job_info_t& record = answer->job_array[0];
    words = read_words(text_of(record.admin_comment));
    if (!words->job) words->job = read_words(text_of(record.comment)).job;
  }
  slurm_free_job_info_msg(answer);
  return words;
}

bool is_spread_as_job(const Step& step) {
  const auto tasks = whole_number<std::size_t>(variable("SLURM_NTASKS"));
  return !step.is_part() && (!tasks || *tasks == step.tasks);
}

}  // namespace

std::vector<std::string> published_order(const Step& step, const std::string& job) {
  const auto number = whole_number<std::uint32_t>(variable("SLURM_JOB_ID"), 1);
  if (!number || !is_spread_as_job(step)) return {};
  const std::optional<JobWords> words = ask_words(*number);
  if (!words || !words->order || words->job.value_or("") != job) return {};
  std::vector<std::string> order = names_of(*words->order);
  std::vector<std::string> ordered = order;
  std::vector<std::string> allocated = step.allocation;
  std::sort(ordered.begin(), ordered.end());
  std::sort(allocated.begin(), allocated.end());
  if (ordered != allocated) return {};
  return order;
}

}  // namespace zonecut::slurm
