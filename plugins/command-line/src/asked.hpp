#pragma once
// What whatif and attribute ask about: the jobs of a state whose traffic is known, and the one of
// --job among them.
#include <optional>
#include <string>
#include <vector>

#include "situation.hpp"
#include "zonecut/scheduler/what_if.hpp"

namespace zonecut::cli {

/// What the files say. Built once and not copied: its parts borrow from each other.
struct AskedFiles {
  /// Throws InputError.
  explicit AskedFiles(const SituationOptions& options);
  AskedFiles(const AskedFiles&) = delete;
  AskedFiles& operator=(const AskedFiles&) = delete;
  ~AskedFiles() = default;

  NamedText cluster_file;
  std::optional<NamedText> state_file;
  Cluster cluster;
  Setting setting;
  std::optional<JobFile> job;  ///< of --job
  std::string job_hash;
};

/// The jobs that run, as the state says it. Throws InputError.
[[nodiscard]] std::vector<SettledJob> running_jobs(const AskedFiles& files,
                                                   const std::string& state_path);

/// Jobs that hold GPUs and are none of these.
[[nodiscard]] std::size_t mute_jobs(const ClusterView& view, std::span<const SettledJob> jobs);

/// The job of --job among them: on the servers of `order`, where it takes the place of the job of
/// the state that holds what it needs of each; without an order where it would be placed. Returns
/// its index. Throws InputError.
[[nodiscard]] std::size_t add_asked(const std::string& order, const PlacementOptions& placement,
                                    AskedFiles& files, std::vector<SettledJob>& jobs);

}  // namespace zonecut::cli
