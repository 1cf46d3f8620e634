#pragma once
// What zonecut is to do with a job, as words in the job's comments: the user's in Comment, which
// the SPANK plugin writes in sbatch and salloc; the site's in AdminComment, which only
// administrators and slurmctld itself can write, and which win. Words stand between blanks; all
// others are somebody else's and are kept. Needs nothing but the standard library: slurmctld, srun
// and zonecut use it.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zonecut::slurm {

struct JobWords {
  bool place = false;              ///< "zonecut-place": the placer is to choose its servers
  std::optional<std::string> job;  ///< "zonecut-job=tp=8,pp=4": what it sends; sizes or a preset
  std::optional<std::string>
      order;  ///< "zonecut-order=n[02,01]": its servers by rank, once planned
  /// "zonecut-lease=1763760000": its begin is put off to then for the placer, and by nobody else
  /// while it is that. Seconds since 1970.
  std::optional<std::int64_t> lease = std::nullopt;
  friend bool operator==(const JobWords&, const JobWords&) = default;
};

/// Ours among the words of a comment; the first of a kind counts.
[[nodiscard]] JobWords read_words(std::string_view comment);

/// The comment with its words of ours replaced by these, which stand last; a comment that has none
/// and gets none is left as it is, to the blank. A text with a blank in it would be read as several
/// words and is left out: read_words() gives back all others.
[[nodiscard]] std::string with_words(std::string_view comment, const JobWords& words);

/// Whether the begin of a job is that of its lease, to the second that Slurm may round. A lease
/// that is not may be anybody's text.
[[nodiscard]] bool is_leased(const JobWords& words, std::int64_t begin);

/// Of a comment or an administrator's comment: slurmctld refuses a job with a longer one.
constexpr std::size_t kMostComment = 1024;

/// What is wrong with the text of "zonecut-job=", as far as can be seen without reading files: too
/// long, characters that need quoting, a path, or sizes that are no whole numbers from 1. Nothing
/// where it may be right. Fit for a terminal and a log whatever the text.
[[nodiscard]] std::optional<std::string> wrong_job_text(std::string_view text);

/// Whether a text is taken for the path of a job file, as zonecut tells paths from sizes and
/// presets.
[[nodiscard]] bool is_job_path(std::string_view text);

/// What is wrong with the "key=value"s of a text, whoever is to read it: an item that is none, or a
/// size that is no whole number from 1. Nothing where it may be right.
[[nodiscard]] std::optional<std::string> wrong_sizes(std::string_view text);

/// How many GPUs such a text needs at least, one for each rank: tp*cp*pp*dp, or gpus where that is
/// more. What it does not say, or says wrongly, counts as 1.
[[nodiscard]] std::uint64_t least_gpus(std::string_view text);

}  // namespace zonecut::slurm
