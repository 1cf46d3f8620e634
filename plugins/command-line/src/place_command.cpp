// zonecut place: the servers and the rank order for one job, in the words of who starts it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>

#include "choice.hpp"
#include "commands.hpp"
#include "number_checks.hpp"
#include "output.hpp"
#include "placement_text.hpp"
#include "progress.hpp"
#include "server_names.hpp"
#include "situation.hpp"
#include "solver_options.hpp"
#include "zonecut/scheduler/lint.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut::cli {
namespace {

enum class Format { Text, Json, Hostfile, Rankfile, Slurm, State };

const std::array<std::string, 6>& format_names() {
  static const std::array<std::string, 6> names = {"text",     "json",  "hostfile",
                                                   "rankfile", "slurm", "state"};
  return names;
}

struct PlaceOptions {
  SituationOptions situation;
  PlacementOptions placement;
  Format format = Format::Text;
  std::string output = "-";
  std::string keep;  ///< host file of the order that runs; empty: place anew
  std::size_t moves = 0;
};

std::string moves_text(const PlaceOptions& options, const Placement& placement) {
  if (options.keep.empty()) return {};
  std::string text;
  for (const std::string& reason : placement.reasons) text += reason + "\n";
  return text;
}

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

/// What a state says of job files is relative to its folder, and the one that is written may be
/// read anywhere.
void lead_from_anywhere(ClusterView& view, const std::string& state_file) {
  for (RunningJob& running : view.running) {
    if (const auto file = work_file(running.work, state_file)) running.work = absolute_path(*file);
  }
}

/// A state names the file of a job, which must be there when the state is read.
void refuse_passing_job(const std::string& job) {
  std::error_code error;
  const bool passes = job == "-" || job.starts_with("/dev/") || job.starts_with("/proc/") ||
                      std::filesystem::is_other(job, error);
  if (!passes) return;
  throw InputError("--job", fmt::format("is {}, which a state cannot name", job),
                   "with --format state give the job as a file");
}

/// The job under a name of its own, which the state does not have yet.
JobId new_job(Occupancy& occupancy, const std::string& name) {
  if (occupancy.find_job(name)) {
    throw InputError("--format state", "the state has a job called " + name + " already",
                     "give this one another name");
  }
  return occupancy.add_job(name);
}

/// The state once the job has started, or goes on where it is kept: it holds its GPUs, and its
/// traffic is known. `own` is the job of the state that is kept; what that says of it stays, but
/// for its servers.
ClusterView with_job(const PlacementProblem& problem, const Placement& placement,
                     const SituationOptions& files, std::optional<JobId> own) {
  ClusterView view = problem.view;
  lead_from_anywhere(view, files.state);
  const JobId id = own ? *own : new_job(view.occupancy, problem.job.name);
  for (const GpuId gpu : placement.gpus) view.occupancy.hold(id, gpu);
  const auto known = std::ranges::find(view.running, id, &RunningJob::job);
  if (known != view.running.end()) {
    known->order = placement.servers;
    return view;
  }
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(files.job, error);
  view.running.push_back(
      {id, is_file ? absolute_path(files.job) : files.job, placement.servers, std::nullopt, {}});
  return view;
}

/// Empty where every tensor-parallel group stays on NVLink.
std::string split_text(const PlacementProblem& problem, const Placement& placement) {
  const auto split = split_tensor_groups(problem, placement.servers);
  if (!split) return {};
  return fmt::format("split groups   {}\n               {}\n", split->what, split->hint);
}

std::string written(const PlaceOptions& options, const PlacementProblem& problem,
                    const Placement& placement, const Provenance& provenance,
                    std::optional<JobId> own) {
  const Cluster& cluster = *problem.view.cluster;
  switch (options.format) {
    case Format::Text:
      return metrics_text(problem, placement) + split_text(problem, placement) +
             moves_text(options, placement) + servers_text(problem, placement);
    case Format::Json:
      return write_placement_json(problem, placement, provenance);
    case Format::Hostfile:
      return write_hostfile(cluster, placement);
    case Format::Rankfile:
      return write_rankfile(cluster, placement);
    case Format::Slurm:
      return write_slurm_options(cluster, placement);
    case Format::State:
      return write_state(with_job(problem, placement, options.situation, own));
  }
  throw InternalError("no such format");
}

ExitCode refuse(const PlaceOptions& options, const NoFit& refusal, const Provenance& provenance) {
  write_stderr(refusal_text(refusal));
  if (options.format == Format::Json) write_failure("-", write_refusal_json(refusal, provenance));
  return ExitCode::NoPlacement;
}

ClusterView without(const ClusterView& view, std::span<const GpuId> held) {
  ClusterView released = view;
  for (const GpuId gpu : held) released.occupancy.release(gpu);
  return released;
}

/// What is asked for, and what comes of it.
struct Answer {
  std::optional<NoFit> refusal;
  std::string text;
};

Answer place_anew(const PlaceOptions& options, const Situation& situation,
                  const Provenance& provenance) {
  const PlacementProblem problem = situation.checked([&] {
    return pose(situation.view, situation.fabric, situation.job.job, situation.constraints,
                {.routing = options.situation.routing,
                 .beside = situation.beside(job_on(
                     situation.view, situation.constraints.only.value_or(std::vector<ServerId>{}))),
                 .proof = proof_for(options.placement.mapping.effort)});
  });
  PlacementResult result =
      situation.checked([&] { return place(problem, situation.constraints, options.placement); });
  if (auto* refusal = std::get_if<NoFit>(&result)) return {std::move(*refusal), {}};
  const auto& placement = std::get<Placement>(result);
  return {std::nullopt, written(options, problem, placement, provenance, std::nullopt)};
}

Answer place_keeping(const PlaceOptions& options, const Situation& situation,
                     const Provenance& provenance) {
  const auto posed_on = [&](const ClusterView& view, std::vector<RunningTraffic> beside) {
    return situation.checked([&] {
      return pose(view, situation.fabric, situation.job.job, situation.constraints,
                  {.routing = options.situation.routing,
                   .beside = std::move(beside),
                   .proof = proof_for(options.placement.mapping.effort)});
    });
  };
  const Traffic traffic = posed_on(situation.view, {}).traffic;
  const std::vector<ServerId> before =
      read_order(situation.cluster, options.keep, traffic.ranks, traffic.ranks_per_server);
  const HeldOrder own =
      held_order(situation.view, {situation.job.job.name, before, traffic.ranks_per_server});
  const ClusterView view = without(situation.view, own.gpus);
  const PlacementProblem problem = posed_on(view, situation.beside(own.job));
  PlacementResult result = situation.checked([&] {
    return keep(problem, situation.constraints, before, {.most_moves = options.moves}, own.gpus);
  });
  if (auto* refusal = std::get_if<NoFit>(&result)) return {std::move(*refusal), {}};
  return {std::nullopt,
          written(options, problem, std::get<Placement>(result), provenance, own.job)};
}

/// What must be said where srun cannot be given this option, as Linux starts no program with it.
std::string remark_on_length(std::string_view slurm_options) {
  constexpr std::size_t kLongestWord = 131'071;
  const std::size_t word = slurm_options.find(' ');
  if (word <= kLongestWord) return {};
  return fmt::format(
      "zonecut: --nodelist has {} bytes, and Linux passes words of {} at most: take --format "
      "rankfile, write the server of each task into a file, and name that in SLURM_HOSTFILE "
      "(man zonecut-place)\n",
      word, kLongestWord);
}

ExitCode run(const PlaceOptions& options, const Session& session) {
  std::optional<Progress> progress(std::in_place, session.terminal,
                                   "placing " + options.situation.job);
  const SituationOptions& files = options.situation;
  if (options.format == Format::State) refuse_passing_job(files.job);
  const std::string listed = file_of_servers(files.only_servers.value_or(""));
  refuse_overwriting({"--output", options.output},
                     {files.cluster, files.job, files.state, options.keep, listed});
  refuse_shared_stdin({{"--cluster", files.cluster},
                       {"--job", files.job},
                       {"--state", files.state},
                       {"--keep", options.keep}});
  const Situation situation(options.situation);
  refuse_overwriting_works({"--output", options.output}, situation.view, files.state);
  const Provenance provenance =
      provenance_of(situation, options.situation, options.placement.mapping, session);
  const Answer answer = options.keep.empty() ? place_anew(options, situation, provenance)
                                             : place_keeping(options, situation, provenance);
  progress.reset();  // its line must be gone before anything is printed
  if (answer.refusal) return refuse(options, *answer.refusal, provenance);
  write_output(options.output, answer.text);
  if (options.format == Format::Slurm) write_stderr(remark_on_length(answer.text));
  return ExitCode::Done;
}

}  // namespace

void add_place_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<PlaceOptions>();
  CLI::App& command = *app.add_subcommand(
      "place",
      "Choose the servers of a job and the order of its ranks. Takes free, healthy servers so that "
      "communication is predicted to take least, and of what is within half a percent of that, "
      "or --time-tolerance, sends least over the scarce links between zones; says how far that is "
      "from a proven bound.");
  add_situation_options(command, options->situation);
  command
      .add_option("--on", options->situation.only_servers,
                  "Use exactly these servers, as in an allocation that already exists, and choose "
                  "only the order: a list, a range such as gpu[001-016], or @FILE. The other "
                  "constraints of the job hold for them too.")
      ->type_name("HOSTS");
  auto* keep =
      command
          .add_option(
              "--keep", options->keep,
              "Host file of the order that the job runs on. Its ranks stay, but for those whose "
              "server is down, drained, excluded or taken: these go where the cut is least, but "
              "over whole links where that is faster. The job of the state of this name that holds "
              "GPUs there is taken to be this one, else one that holds no more than it needs.")
          ->type_name("HOSTFILE");
  command
      .add_option("--moves", options->moves,
                  "With --keep: how many more servers' worths of ranks may move, where that lowers "
                  "the cut. Two that exchange their servers are two.")
      ->type_name("N")
      ->check(WholeNumber(0, 4'194'304))
      ->capture_default_str()
      ->needs(keep);
  auto* format =
      command
          .add_option_function<std::string>(
              "--format",
              [options](const std::string& word) {
                options->format = static_cast<Format>(chosen("--format", word, format_names()));
              },
              "text for people; json (zonecut.placement/v1); hostfile, a line for each server in "
              "rank order with its ranks (slots=8), for Open MPI and DeepSpeed; rankfile for Open "
              "MPI; slurm, options for srun; state, the state file with this job in it, so that "
              "the "
              "next one is placed beside its traffic.")
          ->type_name("FORMAT")
          ->default_str("text");
  command
      .add_flag_callback(
          "--json", [options] { options->format = Format::Json; }, "The same as --format json.")
      ->excludes(format);
  command.add_option("-o,--output", options->output, "Where the result goes. - is stdout.")
      ->type_name("FILE")
      ->capture_default_str();
  add_time_tolerance_option(command, options->situation);
  add_solver_options(command, options->placement.mapping);
  command.footer(
      "Examples:\n"
      "  zonecut place --cluster cluster.yaml --job job.yaml --state state.yaml\n"
      "  zonecut place --cluster cluster.yaml --job tp=8,pp=4,dp=8 --format hostfile\n"
      "  srun $(zonecut place --cluster cluster.yaml --job job.yaml \\\n"
      "    --on \"$SLURM_JOB_NODELIST\" --format slurm) train.sh\n"
      "  zonecut place --cluster cluster.yaml --job job.yaml --state now.yaml \\\n"
      "    --keep hosts.txt --format hostfile\n"
      "\n"
      "When nothing fits it exits with 3 and says which constraint stands in the way.");
  command.callback([options, &session] {
    session.run = [options](const Session& now) { return run(*options, now); };
  });
}

}  // namespace zonecut::cli
