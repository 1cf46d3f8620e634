#include "place_job.hpp"

#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "job_words.hpp"
#include "srun_options.hpp"

namespace zonecut::slurm {
namespace {

/// A file's path from the root: whoever reads it later stands elsewhere.
std::string absolute(const std::string& job) {
  std::array<char, PATH_MAX> path{};
  if (job.find('=') != std::string::npos || ::realpath(job.c_str(), path.data()) == nullptr)
    return job;
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

/// Puts the begin of the job off. Until when, in seconds since 1970; none where it has one.
std::optional<std::int64_t> put_off(const SrunOptions& options, const Settings& settings) {
  if (options.is_set("begin") || options.is_set("hold")) return std::nullopt;
  const std::int64_t until = std::time(nullptr) + settings.lease.count();
  if (!options.set("begin", "uts" + std::to_string(until))) return std::nullopt;
  return until;
}

}  // namespace

std::string mark_job(const Settings& settings, bool job_is_users) {
  const auto options = SrunOptions::find();
  if (!options) return {};
  const bool has_comment = options->is_set("comment");
  const std::string comment = has_comment ? options->text("comment") : "";
  JobWords words = read_words(comment);
  std::string line;
  bool says_job = job_is_users && !has_comment;
  if (settings.place) {
    const std::string reason = not_for_placer(*options, settings);
    line = reason.empty() ? "the placer is asked for its servers"
                          : "its servers are left to Slurm: " + reason;
    words.place = reason.empty();
    words.lease = words.place ? put_off(*options, settings) : std::nullopt;
    says_job = words.place ? !settings.job.empty() : says_job;
  }
  if (says_job) words.job = absolute(settings.job);
  const std::string marked = with_words(comment, words);
  if (marked != comment) static_cast<void>(options->set("comment", marked));
  return line;
}

}  // namespace zonecut::slurm
