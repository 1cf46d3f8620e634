#include "submission.hpp"

#include <algorithm>

#include "job_words.hpp"
#include "zonecut/base/gres.hpp"

namespace zonecut::slurm {
namespace {

/// Without the blanks beside ',' and '=', which job texts may have and words may not.
std::string without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  std::string tight;
  for (const char c : text) {
    const bool joint = c == ',' || c == '=';
    while (joint && !tight.empty() && kBlanks.find(tight.back()) != std::string_view::npos)
      tight.pop_back();
    const bool after_joint = tight.empty() || tight.back() == ',' || tight.back() == '=';
    if (!after_joint || kBlanks.find(c) == std::string_view::npos) tight += c;
  }
  return tight;
}

/// What the user asks for: options, and the words of the comment, where sbatch has written whether
/// it waits. Where both say what the job sends, the option counts, as the comment may have it from
/// there.
JobWords asked(const Submission& submission) {
  const JobWords words = read_words(submission.comment);
  JobWords result;
  result.place = words.place || submission.mode == "place";
  result.lease = words.lease;
  result.job = submission.job.empty() ? words.job : without_blanks(submission.job);
  return result;
}

/// GPUs of one node; 0 where the text names none. Newer versions write "gres/gpu" for "gres:gpu".
std::uint64_t gpus_per_node(std::string_view tres) {
  std::uint64_t gpus = 0;
  while (!tres.empty()) {
    const std::size_t end = std::min(tres.find_first_of(",;"), tres.size());
    std::string_view entry = tres.substr(0, end);
    tres.remove_prefix(std::min(tres.size(), end + 1));
    for (const std::string_view prefix : {"gres:", "gres/"}) {
      if (entry.starts_with(prefix)) entry.remove_prefix(prefix.size());
    }
    gpus += static_cast<std::uint64_t>(gres_gpu_count(entry));
  }
  return gpus;
}

/// Of a heterogeneous job each component is submitted by itself, and its ranks may run on others,
/// too.
std::optional<std::string> too_few_gpus(const std::string& job, const Submission& submission) {
  if (submission.heterogeneous) return std::nullopt;
  const std::uint64_t per_node = gpus_per_node(submission.tres_per_node);
  const std::uint64_t needed = least_gpus(job);
  if (!submission.most_nodes || per_node == 0 || needed <= *submission.most_nodes * per_node)
    return std::nullopt;
  return job + " needs " + std::to_string(needed) + " GPUs at least, but " +
         std::to_string(*submission.most_nodes) +
         (*submission.most_nodes == 1 ? " node with " : " nodes with ") + std::to_string(per_node) +
         (*submission.most_nodes == 1 ? " GPUs is asked for" : " GPUs each are asked for");
}

/// Else its servers are Slurm's or the user's to choose.
bool may_place(const Submission& submission) {
  return !submission.names_servers && !submission.heterogeneous;
}

/// Steps may be ordered by a file and by texts that no word can hold; a placement cannot.
std::optional<std::string> wrong_for(const JobWords& words, const Submission& submission) {
  if (!words.job) return std::nullopt;
  const std::string& job = *words.job;
  if (words.place && may_place(submission)) {
    if (auto wrong = wrong_job_text(job)) return wrong;
  } else if (is_job_path(job) || job.find('=') == std::string::npos) {
    return std::nullopt;
  } else if (auto wrong = wrong_sizes(job)) {
    return wrong;
  }
  return too_few_gpus(job, submission);
}

Verdict refused(const std::string& why) {
  Verdict verdict;
  verdict.refusal = "zonecut-job: " + why;
  return verdict;
}

/// Nothing to be done, but that words of ours are an administrator's only.
Verdict without_words(const Submission& submission) {
  Verdict verdict;
  if (submission.privileged) return verdict;
  std::string stripped = with_words(submission.admin_comment, {});
  if (stripped != submission.admin_comment) verdict.admin_comment = std::move(stripped);
  return verdict;
}

}  // namespace

void take_spank_option(std::string_view entry, Submission& submission) {
  for (const std::string_view prefix : {"SPANK_", "_SLURM_SPANK_OPTION_zonecut_"}) {
    if (entry.starts_with(prefix)) {
      entry.remove_prefix(prefix.size());
    } else if (prefix != "SPANK_") {
      return;
    }
  }
  const std::size_t equals = std::min(entry.find('='), entry.size());
  const std::string_view name = entry.substr(0, equals);
  const std::string_view value = entry.substr(std::min(entry.size(), equals + 1));
  if (name == "zonecut") submission.mode = value;
  if (name == "zonecut_job") submission.job = value;
}

Verdict judge_submission(const Submission& submission) {
  if (submission.mode == "off") return without_words(submission);
  const JobWords user = asked(submission);
  if (const auto wrong = wrong_for(user, submission)) return refused(*wrong);
  JobWords words = submission.privileged ? read_words(submission.admin_comment) : JobWords{};
  words.place = (words.place || user.place) && may_place(submission);
  if (!words.job && user.job && !wrong_job_text(*user.job)) words.job = user.job;

  const bool waits =
      words.place && !submission.has_begin_time && !submission.must_not_wait && !user.lease;
  words.lease = waits ? std::optional(submission.now + kPlacementLease) : std::nullopt;

  Verdict verdict;
  std::string tagged = with_words(submission.admin_comment, words);
  if (tagged.size() > kMostComment) {  // slurmctld would refuse the job
    words = {};
    tagged = submission.privileged ? submission.admin_comment
                                   : with_words(submission.admin_comment, words);
  }
  if (tagged != submission.admin_comment) verdict.admin_comment = std::move(tagged);
  verdict.begin_time = words.lease;
  return verdict;
}

Verdict judge_change(const Submission& change) {
  if (const auto wrong = wrong_for(asked(change), change)) return refused(*wrong);
  return without_words(change);
}

}  // namespace zonecut::slurm
