#include "zonecut/partition/job_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "job/job_check.hpp"
#include "job/rank_count.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

const Value* find(const Value& mapping, std::string_view key) {
  const auto found = std::find_if(mapping.entries.begin(), mapping.entries.end(),
                                  [&](const Value::Entry& entry) { return entry.key == key; });
  return found == mapping.entries.end() ? nullptr : &found->value;
}

void fill(JobFile& file, std::size_t ranks) {
  auto& training = std::get<Training>(file.job.work);
  const auto dp = dp_of_ranks(static_cast<std::int64_t>(ranks), training);
  if (!dp) {
    throw InputError("--job", fmt::format("the allocation has {} ranks, {}", ranks,
                                          uneven_ranks_text(training)));
  }
  training.parallelism.dp = *dp;
  ProblemList problems;
  const auto locate = [&](std::string_view field) {
    return file.where(field).value_or(file.document.where(file.document.root));
  };
  check_job(file.job, locate, problems);
  problems.throw_if_any();
}

}  // namespace

bool says_its_size(const JobFile& file) {
  if (!std::holds_alternative<Training>(file.job.work)) return true;
  const Value* parallelism = find(file.document.root, "parallelism");
  return find(file.document.root, "gpus") != nullptr ||
         (parallelism != nullptr && find(*parallelism, "dp") != nullptr);
}

bool says_any_size(const JobFile& file) {
  return says_its_size(file) || find(file.document.root, "parallelism") != nullptr;
}

void fit_to(const AllocationSize& allocation, JobFile& file) {
  const std::size_t each =
      allocation.tasks_per_server > 1 ? allocation.tasks_per_server : allocation.gpus_per_server;
  if (!says_its_size(file)) fill(file, allocation.servers * each);
  const auto ranks = static_cast<std::size_t>(file.job.ranks());
  if (allocation.servers == 0 || ranks % allocation.servers != 0) {
    throw InputError("--job", fmt::format("{} ranks do not spread evenly over {} servers", ranks,
                                          allocation.servers));
  }
  const std::size_t here = ranks / allocation.servers;
  if (allocation.tasks_per_server > 1 && here % allocation.tasks_per_server != 0) {
    throw InputError("--job",
                     fmt::format("{} ranks are {} on each of {} servers, where there are {} tasks",
                                 ranks, here, allocation.servers, allocation.tasks_per_server));
  }
  file.job.ranks_per_server = static_cast<int>(here);
}

}  // namespace zonecut
