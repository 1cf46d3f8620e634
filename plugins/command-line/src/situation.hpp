#pragma once
// What the placing commands work on: cluster, state, job and constraints, read from the files a
// user names. Built once, in one place, and not copied: its parts borrow from each other.
#include <CLI/CLI.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "session.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/scheduler/engine.hpp"
#include "zonecut/scheduler/given_order.hpp"
#include "zonecut/scheduler/report.hpp"
#include "zonecut/topology/fabric.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut::cli {

struct SituationOptions {
  std::string cluster;
  std::string job;
  std::string state;                        ///< empty: everything is free and well
  std::optional<std::string> only_servers;  ///< none: any
  std::optional<double> time_tolerance;     ///< none: the job's, or half a percent
  Routing routing;
};

enum class JobOption { Required, Optional };

/// --cluster, --job, --state and what the fabric routes by. `options` must outlive the parsing.
void add_situation_options(CLI::App& command, SituationOptions& options,
                           JobOption job = JobOption::Required);

/// --time-tolerance, for commands that choose a placement. `options` must outlive the parsing.
void add_time_tolerance_option(CLI::App& command, SituationOptions& options);

/// A file's text and what identifies it.
struct NamedText {
  std::string name;
  std::string text;
  std::string hash;
};
[[nodiscard]] NamedText read_named(const std::string& path);

/// The job of --job and the hash of what says it: a file's bytes, or the text itself. Throws
/// InputError.
[[nodiscard]] std::pair<JobFile, std::string> read_job(const std::string& file_or_text);

/// A cluster file of ours; see `zonecut topology import` for other formats. Throws InputError.
[[nodiscard]] Cluster read_cluster(const NamedText& file);

/// The path of the job file that a job of this state names; none where `work` is a text or a
/// preset.
[[nodiscard]] std::optional<std::string> work_file(const std::string& work,
                                                   const std::string& state_file);

/// Files that are at hand already, instead of those that the options name.
struct SituationTexts {
  std::optional<NamedText> cluster;
  std::optional<NamedText> state;
  std::optional<JobFile> job;  ///< what the options name it by is then only shown
};

struct NamedPath {
  std::string_view option;
  std::string_view path;
};
/// Throws InputError where two of these options would read stdin ("-"): the second would find it
/// empty.
void refuse_shared_stdin(std::initializer_list<NamedPath> paths);

/// Whether two paths lead to one file, which need not exist. "-" is only like itself.
[[nodiscard]] bool same_file(std::string_view one, std::string_view other);

/// Throws InputError where the output is one of the files that are read: it would be lost.
void refuse_overwriting(NamedPath output, std::initializer_list<std::string_view> inputs);

/// The same for the files of the jobs that a state names.
void refuse_overwriting_works(NamedPath output, const ClusterView& view,
                              const std::string& state_file);

/// The jobs of a state whose traffic is known, as their files or texts describe them, in their
/// order. Reads the files that it names. Throws InputError.
[[nodiscard]] std::vector<JobFile> read_works(const ClusterView& view,
                                              const std::string& state_file);

/// What a job asks of its placement. `only_servers`: exactly these. Throws InputError.
[[nodiscard]] Constraints read_constraints(
    const JobFile& job, const Cluster& cluster,
    const std::optional<std::string>& only_servers = std::nullopt);

/// What the jobs of a state send. Reads the files that it names. Throws InputError.
[[nodiscard]] std::vector<std::pair<JobId, RunningTraffic>> read_running(
    const ClusterView& view, const std::string& state_file);

/// The state of a file; everything is free and well without one. Throws InputError.
[[nodiscard]] ClusterView read_view(const Cluster& cluster, const std::optional<NamedText>& file);

/// A mistake that was found in a job or a fabric, with its place in the files.
[[nodiscard]] InputError placed(const InputError& error, const std::string& cluster_file,
                                const JobFile& job);

struct Situation {
  /// Throws InputError with what is wrong in the files.
  explicit Situation(const SituationOptions& options, const SituationTexts& texts = {});
  Situation(const Situation&) = delete;
  Situation& operator=(const Situation&) = delete;
  ~Situation() = default;

  /// Does the work. What it finds wrong with the job or the fabric gets its place in the files.
  template <class Work>
  auto checked(const Work& work) const {
    try {
      return work();
    } catch (const InputError& error) {
      throw placed(error);
    }
  }
  [[nodiscard]] InputError placed(const InputError& error) const {
    return cli::placed(error, cluster_file.name, job);
  }

  NamedText cluster_file;
  std::optional<NamedText> state_file;
  Cluster cluster;
  ClusterView view;
  std::string job_hash;
  JobFile job;
  Constraints constraints;
  Fabric fabric;
  /// The jobs whose traffic the state gives.
  std::vector<std::pair<JobId, RunningTraffic>> running;

  /// Those of them that are not this one.
  [[nodiscard]] std::vector<RunningTraffic> beside(std::optional<JobId> own) const;
};

/// Of these files and this job; `job_hash` is empty where there is none.
[[nodiscard]] Provenance provenance_of(const NamedText& cluster_file,
                                       const std::optional<NamedText>& state_file,
                                       const std::string& job_text, const std::string& job_hash,
                                       const MappingOptions& mapping, const Session& session);
[[nodiscard]] Provenance provenance_of(const Situation& situation, const SituationOptions& options,
                                       const MappingOptions& mapping, const Session& session);

}  // namespace zonecut::cli
