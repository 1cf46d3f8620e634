#pragma once
// What is decided about a job when it is submitted: whether it is refused, what the administrator's
// comment says of it, and whether it waits for the placer. Values in, values out; slurmctld's own
// structures are translated elsewhere.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zonecut::slurm {

/// A job as it arrives. Texts are empty where nothing is said.
struct Submission {
  std::string mode;            ///< the option --zonecut
  std::string job;             ///< the option --zonecut-job
  std::string comment;         ///< the user's
  std::string admin_comment;   ///< as submitted
  bool privileged = false;     ///< submitted by root or by Slurm's own user
  bool names_servers = false;  ///< -w, or a host file
  bool heterogeneous = false;
  bool has_begin_time = false;
  bool must_not_wait = false;               ///< --immediate, or a deadline
  std::optional<std::uint32_t> most_nodes;  ///< the most nodes that it may get, where it says so
  std::string tres_per_node;                ///< such as "gres:gpu:8"
  std::int64_t now = 0;                     ///< seconds since 1970
};

/// Only what is to be changed.
struct Verdict {
  std::optional<std::string> refusal;  ///< to be told to the user; then nothing else is set
  std::optional<std::string> admin_comment;
  std::optional<std::int64_t> begin_time;  ///< seconds since 1970
};

/// How long a job waits for the placer, which lets it begin at once. Without a placer it begins
/// then by itself: never is a job held. Seconds.
constexpr std::int64_t kPlacementLease = 30;

/// Takes an entry of a job's SPANK environment, "NAME=VALUE", if it is one of our options.
void take_spank_option(std::string_view entry, Submission& submission);

/// Refuses a job whose text nobody can read, one that is to be placed by a text that the placer
/// cannot read, and one whose sizes need more GPUs than it asks for. Otherwise the administrator's
/// comment says what zonecut is to do, in words that only a privileged submitter can have written,
/// and a job whose servers the placer is to choose begins after a lease. Where that comment would
/// be too long for slurmctld, the job is left to Slurm. So is one with --zonecut=off,
/// whatever it says.
[[nodiscard]] Verdict judge_submission(const Submission& submission);

/// A change of a job that exists; its texts are empty where they stay as they are. Refuses the
/// same, and removes our words from an administrator's comment of somebody else.
[[nodiscard]] Verdict judge_change(const Submission& change);

}  // namespace zonecut::slurm
