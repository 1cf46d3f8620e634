#include "place_job.hpp"

#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <system_error>

#include "job_words.hpp"
#include "srun_options.hpp"

namespace zonecut::slurm {
namespace {

/// A file's path from the root: whoever reads it later stands elsewhere. A folder may be called as
/// a preset is.
std::string absolute(const std::string& job) {
  std::array<char, PATH_MAX> path{};
  std::error_code error;
  if (job.find('=') != std::string::npos || !std::filesystem::is_regular_file(job, error) ||
      ::realpath(job.c_str(), path.data()) == nullptr) {
    return job;
  }
  return path.data();
}

/// Why the placer has nothing to choose for this job; empty where it has.
std::string not_for_placer(const SrunOptions& options, const Settings& settings) {
  if (options.several_components()) return "it is heterogeneous";
  for (const char* name : {"nodelist", "nodefile"}) {
    if (options.is_set(name)) return std::string("--") + name + " is given";
  }
  const bool one = options.is_set("nodes") ? options.count("nodes") == 1
                                           : options.count("ntasks").value_or(1) == 1;
  if (one) return "it runs on one server";
  if (settings.job.empty()) return {};
  const auto wrong = wrong_job_text(settings.job);
  return wrong ? "--zonecut-job: " + *wrong : "";
}

/// Until when the begin of the job may be put off, in seconds since 1970; none where it has one or
/// a deadline. Of a job that must not wait, now: slurmctld is not told of --immediate=SECONDS, and
/// puts off no job that has a lease.
std::optional<std::int64_t> lease_of(const SrunOptions& options, const Settings& settings) {
  for (const char* name : {"begin", "hold", "deadline"}) {
    if (options.is_set(name)) return std::nullopt;
  }
  return std::time(nullptr) + (options.is_set("immediate") ? 0 : settings.lease.count());
}

/// Puts the words into the comment, and the begin off. What stands in the way, or nothing.
std::string mark(const SrunOptions& options, const std::string& comment, const JobWords& words,
                 bool put_off) {
  const std::string marked = with_words(comment, words);
  if (marked == comment) return {};
  if (marked.size() > kMostComment) return "the comment would be too long for Slurm";
  if (put_off && words.lease && !options.set("begin", "uts" + std::to_string(*words.lease)))
    return "the begin cannot be put off";
  return options.set("comment", marked) ? "" : "the comment cannot be set";
}

}  // namespace

std::string mark_job(const Settings& settings, bool job_is_users) {
  const auto options = SrunOptions::find();
  if (!options) return {};
  const bool has_comment = options->is_set("comment");
  const std::string comment = has_comment ? options->text("comment") : "";
  JobWords words = read_words(comment);
  std::string unfit;
  bool says_job = job_is_users && !has_comment;
  if (settings.place) {
    unfit = not_for_placer(*options, settings);
    words.place = unfit.empty();
    words.lease = words.place ? lease_of(*options, settings) : std::nullopt;
    says_job = words.place ? !settings.job.empty() : says_job;
  }
  // The placer reads no files, and what it is to place has been found to be none.
  if (says_job) words.job = words.place ? settings.job : absolute(settings.job);
  const bool waits = settings.place && !options->is_set("immediate");
  const std::string unmarked = mark(*options, comment, words, waits);
  if (!settings.place)
    return unmarked.empty() ? "" : "its comment does not say what it sends: " + unmarked;
  if (unfit.empty()) unfit = unmarked;
  return unfit.empty() ? "the placer is asked for its servers"
                       : "its servers are left to Slurm: " + unfit;
}

}  // namespace zonecut::slurm
