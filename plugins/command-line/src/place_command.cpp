// zonecut place: the servers and the rank order for one job, in the words of who starts it.
#include <array>
#include <memory>
#include <optional>

#include "choice.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "placement_text.hpp"
#include "progress.hpp"
#include "situation.hpp"
#include "solver_options.hpp"

namespace zonecut::cli {
namespace {

enum class Format { Text, Json, Hostfile, Rankfile, Slurm };

const std::array<std::string, 5>& format_names() {
  static const std::array<std::string, 5> names = {"text", "json", "hostfile", "rankfile", "slurm"};
  return names;
}

struct PlaceOptions {
  SituationOptions situation;
  PlacementOptions placement;
  Format format = Format::Text;
  std::string output = "-";
};

std::string written(const PlaceOptions& options, const PlacementProblem& problem,
                    const Placement& placement, const Provenance& provenance) {
  const Cluster& cluster = *problem.view.cluster;
  switch (options.format) {
    case Format::Text:
      return metrics_text(problem, placement) + servers_text(problem, placement);
    case Format::Json:
      return write_placement_json(problem, placement, provenance);
    case Format::Hostfile:
      return write_hostfile(cluster, placement);
    case Format::Rankfile:
      return write_rankfile(cluster, placement);
    case Format::Slurm:
      return write_slurm_options(cluster, placement);
  }
  throw InternalError("no such format");
}

ExitCode refuse(const PlaceOptions& options, const NoFit& refusal, const Provenance& provenance) {
  if (options.format == Format::Json) write_stdout(write_refusal_json(refusal, provenance));
  write_stderr(refusal_text(refusal));
  return ExitCode::NoPlacement;
}

ExitCode run(const PlaceOptions& options, const Session& session) {
  std::optional<Progress> progress(std::in_place, session.terminal,
                                   "placing " + options.situation.job);
  const SituationOptions& files = options.situation;
  refuse_overwriting({"--output", options.output}, {files.cluster, files.job, files.state});
  const Situation situation(options.situation);
  const Provenance provenance =
      provenance_of(situation, options.situation, options.placement.mapping, session);
  const PlacementProblem problem = situation.checked([&] {
    return pose(situation.view, situation.fabric, situation.job.job, situation.constraints,
                options.situation.routing);
  });
  const PlacementResult result =
      situation.checked([&] { return place(problem, situation.constraints, options.placement); });
  const auto* placement = std::get_if<Placement>(&result);
  const std::string text =
      placement != nullptr ? written(options, problem, *placement, provenance) : std::string();
  progress.reset();  // its line must be gone before anything is printed
  if (placement == nullptr) return refuse(options, std::get<NoFit>(result), provenance);
  write_output(options.output, text);
  return ExitCode::Done;
}

}  // namespace

void add_place_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<PlaceOptions>();
  CLI::App& command = *app.add_subcommand(
      "place",
      "Choose the servers of a job and the order of its ranks. Takes free, healthy servers so that "
      "the traffic over the scarce links between zones is the least that can be had, and says how "
      "far from a proven bound it is.");
  add_situation_options(command, options->situation);
  command
      .add_option("--on", options->situation.only_servers,
                  "Use exactly these servers, as in an allocation that already exists, and choose "
                  "only the order: a list, a range such as gpu[001-016], or @FILE. The other "
                  "constraints of the job hold for them too.")
      ->type_name("HOSTS");
  command
      .add_option_function<std::string>(
          "--format",
          [options](const std::string& word) {
            options->format = static_cast<Format>(chosen("--format", word, format_names()));
          },
          "text for people; json (zonecut.placement/v1); hostfile, one server a line in rank "
          "order; "
          "rankfile for Open MPI; slurm, options for srun.")
      ->type_name("FORMAT")
      ->default_str("text");
  command.add_flag_callback(
      "--json", [options] { options->format = Format::Json; }, "The same as --format json.");
  command.add_option("-o,--output", options->output, "Where the result goes. - is stdout.")
      ->type_name("FILE")
      ->capture_default_str();
  add_solver_options(command, options->placement.mapping);
  command.footer(
      "Examples:\n"
      "  zonecut place --cluster cluster.yaml --job job.yaml --state state.yaml\n"
      "  zonecut place --cluster cluster.yaml --job tp=8,pp=4,dp=8 --format hostfile\n"
      "  srun $(zonecut place --cluster cluster.yaml --job job.yaml \\\n"
      "    --on \"$SLURM_JOB_NODELIST\" --format slurm) train.sh\n"
      "\n"
      "When nothing fits it exits with 3 and says which constraint stands in the way.");
  command.callback([options, &session] {
    session.run = [options](const Session& now) { return run(*options, now); };
  });
}

}  // namespace zonecut::cli
