#include "situation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "routing_options.hpp"
#include "server_names.hpp"
#include "sha256.hpp"
#include "solver_options.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/percentage.hpp"
#include "zonecut/partition/job_size.hpp"
#include "zonecut/scheduler/frontend.hpp"
#include "zonecut/topology/cluster_file.hpp"
#include "zonecut_version.hpp"

namespace zonecut::cli {
namespace {

bool is_file(const std::string& path) {
  std::error_code error;
  return path == "-" || std::filesystem::is_regular_file(path, error);
}

/// A file that stands alone: no allocation says what it leaves out.
JobFile parse_sized(const NamedText& file) {
  JobFile job = parse_job_file(file.text, file.name);
  if (says_any_size(job)) return job;
  throw InputError(file.name + ":1:1",
                   "says nothing of the job's size, expected parallelism or gpus",
                   "such as parallelism: {tp: 8, pp: 16}");
}

std::optional<NamedText> read_optional(const std::string& path) {
  if (path.empty()) return std::nullopt;
  return read_named(path);
}

/// A mistake in a text that stands in the state is one of the state.
InputError in_state(const RunningJob& running, const InputError& error) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    problem.what = problem.where.empty() ? problem.what : problem.where + ": " + problem.what;
    problem.where = running.where;
  }
  return InputError(std::move(problems));
}

/// What a job of the state runs: a file beside the state's own, or a text.
JobFile read_work(const RunningJob& running, const std::string& state_file) {
  if (const auto file = work_file(running.work, state_file)) return parse_sized(read_named(*file));
  try {
    const bool is_text = running.work.find('=') != std::string::npos;
    return is_text ? parse_job_words(running.work, running.work) : load_job(running.work);
  } catch (const InputError& error) {
    throw in_state(running, error);
  } catch (const IoError& error) {
    throw InputError(running.where, error.what(),
                     "a job file by its path from the state's folder, a preset, or a job's sizes");
  }
}

/// Of the mistakes in all jobs that run none hides another.
template <class Read>
void read_each(const ClusterView& view, Read read) {
  ProblemList problems;
  for (const RunningJob& running : view.running) {
    try {
      read(running);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        problems.add(problem.where, problem.what, problem.hint);
    }
  }
  problems.throw_if_any();
}

}  // namespace

Constraints read_constraints(const JobFile& job, const Cluster& cluster,
                             const std::optional<std::string>& only_servers) {
  ProblemList problems;
  Constraints constraints = parse_constraints(job.document, job.placement(), cluster, problems);
  static_cast<void>(read_storage(job.document, job.job, problems));  // is right or refused
  problems.throw_if_any();
  if (!only_servers) return constraints;
  std::vector<ServerId> servers = read_servers(cluster, *only_servers, "--on");
  std::sort(servers.begin(), servers.end());
  servers.erase(std::unique(servers.begin(), servers.end()), servers.end());
  constraints.only = std::move(servers);
  return constraints;
}

std::pair<JobFile, std::string> read_job(const std::string& file_or_text) {
  if (!is_file(file_or_text)) return {load_job(file_or_text), sha256(file_or_text)};
  const NamedText file = read_named(file_or_text);
  return {parse_sized(file), file.hash};
}

ClusterView read_view(const Cluster& cluster, const std::optional<NamedText>& file) {
  return file ? parse_state(cluster, file->text, file->name) : ClusterView(cluster);
}

std::vector<JobFile> read_works(const ClusterView& view, const std::string& state_file) {
  std::vector<JobFile> works;
  works.reserve(view.running.size());
  read_each(view,
            [&](const RunningJob& running) { works.push_back(read_work(running, state_file)); });
  return works;
}

std::vector<std::pair<JobId, RunningTraffic>> read_running(const ClusterView& view,
                                                           const std::string& state_file) {
  std::vector<std::pair<JobId, RunningTraffic>> running;
  running.reserve(view.running.size());
  read_each(view, [&](const RunningJob& job) {
    running.emplace_back(job.job, running_traffic(view, job, read_work(job, state_file).job));
  });
  return running;
}

void add_situation_options(CLI::App& command, SituationOptions& options, JobOption job) {
  command
      .add_option("--cluster", options.cluster,
                  "What stands where: a cluster file, as zonecut topology import writes it. - is "
                  "stdin.")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--job", options.job,
                  "What the job sends: a job file, the name of a preset, or its sizes, such as "
                  "tp=8,pp=16,dp=128,model=llama3-405b.")
      ->type_name("FILE|TEXT")
      ->required(job == JobOption::Required);
  command
      .add_option("--state", options.state,
                  "Who holds which GPUs and what is broken. Without it everything is free and "
                  "well.")
      ->type_name("FILE");
  add_routing_options(command, options.routing);
}

void add_time_tolerance_option(CLI::App& command, SituationOptions& options) {
  command
      .add_option_function<std::string>(
          "--time-tolerance",
          [&options](const std::string& text) {
            options.time_tolerance = parse_percentage(text);
            if (options.time_tolerance) return;
            throw InputError(
                "--time-tolerance",
                fmt::format("found \"{}\", expected a percentage from 0% to 100%", text),
                "such as 2%");
          },
          "How much longer than the fastest one found a placement may be predicted to communicate "
          "where it sends less between zones. 100% asks for the least cut, and nearly always gets "
          "it. Default: what the job file says, else 0.5%.")
      ->type_name("PERCENT");
}

NamedText read_named(const std::string& path) {
  NamedText file{path, read_file(path), {}};
  file.hash = sha256(file.text);
  return file;
}

Cluster read_cluster(const NamedText& file) { return parse_cluster(file.text, file.name); }

std::optional<std::string> work_file(const std::string& work, const std::string& state_file) {
  const std::filesystem::path beside = std::filesystem::path(state_file).parent_path() / work;
  return is_file(beside.string()) ? std::optional(beside.string()) : std::nullopt;
}

void refuse_shared_stdin(std::initializer_list<NamedPath> paths) {
  std::string first;
  for (const auto& [option, path] : paths) {
    if (path != "-") continue;
    if (!first.empty())
      throw InputError(std::string(option), "reads stdin, which " + first + " reads already");
    first = option;
  }
}

bool same_file(std::string_view one, std::string_view other) {
  if (one == other) return true;
  for (const std::string_view path : {one, other}) {
    if (path.empty() || path == "-") return false;
  }
  std::error_code error;
  if (std::filesystem::equivalent(one, other, error) && !error) return true;
  const std::filesystem::path path =
      std::filesystem::weakly_canonical(std::filesystem::absolute(one, error), error);
  if (error) return false;
  return path == std::filesystem::weakly_canonical(std::filesystem::absolute(other, error), error);
}

void refuse_overwriting(NamedPath output, std::initializer_list<std::string_view> inputs) {
  if (output.path.empty() || output.path == "-") return;
  for (const std::string_view input : inputs) {
    std::error_code error;
    if (input != "-" && std::filesystem::is_regular_file(input, error) &&
        same_file(output.path, input))
      throw InputError(std::string(output.option),
                       "names " + std::string(output.path) + ", which is read and would be lost");
  }
}

void refuse_overwriting_works(NamedPath output, const ClusterView& view,
                              const std::string& state_file) {
  for (const RunningJob& running : view.running) {
    if (const auto file = work_file(running.work, state_file)) refuse_overwriting(output, {*file});
  }
}

Situation::Situation(const SituationOptions& options, const SituationTexts& texts)
    : cluster_file([&] {
        refuse_unused(options.routing);
        refuse_shared_stdin(
            {{"--cluster", options.cluster}, {"--job", options.job}, {"--state", options.state}});
        return texts.cluster ? *texts.cluster : read_named(options.cluster);
      }()),
      state_file(texts.state ? texts.state : read_optional(options.state)),
      cluster(read_cluster(cluster_file)),
      view(read_view(cluster, state_file)),
      job([&] {
        if (texts.job) {
          job_hash = sha256(options.job);
          return *texts.job;
        }
        auto [read, hash] = read_job(options.job);
        job_hash = std::move(hash);
        return std::move(read);
      }()),
      constraints(read_constraints(job, cluster, options.only_servers)),
      fabric(Fabric::build(cluster, cluster.backend(), view.health)),
      running(read_running(view, options.state)) {
  if (options.time_tolerance) constraints.time_tolerance = options.time_tolerance;
}

std::vector<RunningTraffic> Situation::beside(std::optional<JobId> own) const {
  std::vector<RunningTraffic> others;
  for (const auto& [id, traffic] : running) {
    if (id != own) others.push_back(traffic);
  }
  return others;
}

InputError placed(const InputError& error, const std::string& cluster_file, const JobFile& job) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    if (problem.where == "fabric") {
      problem.where = cluster_file;
    } else if (const auto where = job.where(problem.where)) {
      problem.where = *where;
    } else if (problem.where == "traffic" || problem.where == "ranks_per_server") {
      problem.where = job.where("job").value_or(problem.where);
    }
  }
  return InputError(std::move(problems));
}

Provenance provenance_of(const NamedText& cluster_file, const std::optional<NamedText>& state_file,
                         const std::string& job_text, const std::string& job_hash,
                         const MappingOptions& mapping, const Session& session) {
  Provenance provenance;
  provenance.version = kVersion;
  provenance.cluster_file = cluster_file.name;
  provenance.cluster_hash = cluster_file.hash;
  provenance.job_text = job_text;
  provenance.job_hash = job_hash;
  if (state_file) {
    provenance.state_file = state_file->name;
    provenance.state_hash = state_file->hash;
  }
  provenance.seed = mapping.seed;
  provenance.effort = effort_name(mapping.effort);
  provenance.command = command_line(session);
  return provenance;
}

Provenance provenance_of(const Situation& situation, const SituationOptions& options,
                         const MappingOptions& mapping, const Session& session) {
  return provenance_of(situation.cluster_file, situation.state_file, options.job,
                       situation.job_hash, mapping, session);
}

}  // namespace zonecut::cli
