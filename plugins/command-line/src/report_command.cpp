// zonecut report: one placement in full, beside what other schedulers would have done.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "choice.hpp"
#include "commands.hpp"
#include "number_checks.hpp"
#include "output.hpp"
#include "placement_text.hpp"
#include "progress.hpp"
#include "situation.hpp"
#include "slurm_situation.hpp"
#include "solver_options.hpp"

namespace zonecut::cli {
namespace {

struct ReportOptions {
  SituationOptions situation;
  PlacementOptions placement;
  std::vector<Baseline> against{all_baselines().begin(), all_baselines().end()};
  std::string html;
  std::string json;
  std::optional<std::uint32_t> slurm_job;  ///< takes the place of the files
};

std::vector<std::string> baseline_names() {
  std::vector<std::string> names;
  for (const Baseline baseline : all_baselines()) names.emplace_back(baseline_name(baseline));
  return names;
}

std::vector<Baseline> parse_baselines(const std::string& text) {
  if (text == "all") return {all_baselines().begin(), all_baselines().end()};
  if (text == "none") return {};
  std::vector<std::string> words = baseline_names();
  words.emplace_back("all");
  words.emplace_back("none");
  std::vector<Baseline> baselines;
  for (const std::string& name : split_at_commas(text)) {
    const std::size_t index = chosen("--against", name, words);
    if (index >= all_baselines().size())
      throw InputError("--against", fmt::format("{} stands beside other names", name));
    const Baseline baseline = all_baselines()[index];
    if (std::find(baselines.begin(), baselines.end(), baseline) != baselines.end())
      throw InputError("--against", fmt::format("{} is named twice", name));
    baselines.push_back(baseline);
  }
  return baselines;
}

ComparedPlacement compare(Baseline baseline, const PlacementProblem& problem,
                          const Placement& chosen_placement, std::uint64_t seed) {
  ComparedPlacement compared{std::string(baseline_name(baseline)),
                             std::string(baseline_summary(baseline)), std::nullopt};
  if (const auto servers = baseline_order(baseline, problem, chosen_placement.servers, seed)) {
    PlacementResult result = judge(problem, *servers, compared.name);
    if (auto* placement = std::get_if<Placement>(&result))
      compared.placement = std::move(*placement);
  }
  return compared;
}

/// All the texts that were asked for, made before any is written.
struct Texts {
  std::string html;
  std::string json;
  std::string terminal;
};

Texts write_texts(const ReportOptions& options, const Report& report, const Terminal& terminal) {
  Texts texts;
  if (!options.html.empty()) texts.html = write_html(report);
  if (!options.json.empty()) texts.json = write_json(report);
  if (options.json != "-" && options.html != "-") {
    texts.terminal = write_terminal(
        report, {.width = terminal.width, .colour = terminal.colour, .unicode = terminal.unicode});
  }
  return texts;
}

ExitCode refuse(const ReportOptions& options, const NoFit& refusal, const Provenance& provenance) {
  write_stderr(refusal_text(refusal));
  if (!options.json.empty()) write_failure(options.json, write_refusal_json(refusal, provenance));
  return ExitCode::NoPlacement;
}

/// Orders of a job that runs: the one it has, and the best of its own servers.
std::vector<ComparedPlacement> compare_running(const SlurmSituation& slurm,
                                               const Situation& situation,
                                               const PlacementProblem& problem,
                                               const PlacementOptions& options) {
  std::vector<ComparedPlacement> compared;
  if (!slurm.running) return compared;
  compared.push_back({"as-it-runs", "the servers and the order that it has", std::nullopt});
  if (!slurm.remark.empty()) compared.back().summary = slurm.remark;
  if (slurm.servers.size() != problem.traffic.vertices()) {
    compared.back().summary = slurm.unknown.empty()
                                  ? "unknown: its ranks are not one server's worth a server"
                                  : "unknown: " + slurm.unknown;
    return compared;
  }
  Constraints same = situation.constraints;
  std::vector<ServerId> servers;
  for (const std::string& name : slurm.servers) {
    const auto server = situation.cluster.find_server(name);
    if (!server) throw InputError("--cluster", "the cluster has no server \"" + name + "\"");
    servers.push_back(*server);
  }
  PlacementResult as_it_runs = judge(problem, servers, "as it runs");
  if (auto* placement = std::get_if<Placement>(&as_it_runs)) {
    compared.back().placement = std::move(*placement);
  } else {
    compared.back().summary = "unknown: " + std::get<NoFit>(as_it_runs).blockers.front().what;
  }
  same.only = servers;
  std::sort(same.only->begin(), same.only->end());
  const PlacementProblem own =
      pose(situation.view, situation.fabric, situation.job.job, same, {.routing = problem.routing});
  const PlacementResult result = place(own, same, options);
  if (const auto* placement = std::get_if<Placement>(&result)) {
    compared.push_back({"reordered", "its own servers in their best order",
                        evaluate(problem, placement->servers, "its own servers, reordered")});
  }
  return compared;
}

Report make_report(const ReportOptions& options, const PlacementProblem& problem,
                   Placement placement, const Provenance& provenance,
                   std::vector<ComparedPlacement> running) {
  Report report{problem, std::move(placement), std::move(running), provenance};
  for (const Baseline baseline : options.against) {
    report.baselines.push_back(
        compare(baseline, problem, report.placement, options.placement.mapping.seed));
  }
  return report;
}

/// What Slurm says need not be given, and what is occupied cannot be.
void require_files(const ReportOptions& options) {
  if (options.slurm_job) {
    if (!options.situation.state.empty())
      throw InputError("--state", "is given, but with --from-slurm it is Slurm that says this");
    return;
  }
  if (options.situation.cluster.empty()) throw InputError("", "--cluster is required");
  if (options.situation.job.empty()) throw InputError("", "--job is required");
}

ExitCode run(const ReportOptions& options, const Session& session) {
  std::optional<Progress> progress(std::in_place, session.terminal,
                                   "placing and comparing " + options.situation.job);
  const SituationOptions& files = options.situation;
  refuse_overwriting({"--html", options.html}, {files.cluster, files.job, files.state});
  refuse_overwriting({"--json", options.json}, {files.cluster, files.job, files.state});
  const SlurmSituation slurm = options.slurm_job
                                   ? situation_of(*options.slurm_job, options.situation)
                                   : SlurmSituation{options.situation, {}, {}, {}, {}, false};
  const Situation situation(slurm.options, slurm.texts);
  refuse_overwriting_works({"--html", options.html}, situation.view, files.state);
  refuse_overwriting_works({"--json", options.json}, situation.view, files.state);
  const Provenance provenance =
      provenance_of(situation, slurm.options, options.placement.mapping, session);
  const PlacementProblem problem = situation.checked([&] {
    const std::vector<ServerId> given =
        situation.constraints.only.value_or(std::vector<ServerId>{});
    return pose(situation.view, situation.fabric, situation.job.job, situation.constraints,
                {.routing = options.situation.routing,
                 .beside = situation.beside(job_on(situation.view, given))});
  });
  PlacementResult result =
      situation.checked([&] { return place(problem, situation.constraints, options.placement); });
  if (const auto* refusal = std::get_if<NoFit>(&result)) {
    progress.reset();  // its line must be gone before anything is printed
    return refuse(options, *refusal, provenance);
  }
  const Report report = situation.checked([&] {
    return make_report(options, problem, std::get<Placement>(std::move(result)), provenance,
                       compare_running(slurm, situation, problem, options.placement));
  });
  const Texts texts = write_texts(options, report, session.terminal);
  progress.reset();
  write_outputs({{options.html, texts.html}, {options.json, texts.json}});
  write_stdout(texts.terminal);
  return ExitCode::Done;
}

}  // namespace

void add_report_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App& command = *app.add_subcommand(
      "report",
      "Place a job and show where, why and what it costs. Compares with what other schedulers "
      "would have done on the same free servers, in the terminal, as one HTML page or as JSON.");
  add_situation_options(command, options->situation);
  command.get_option("--cluster")->required(false);
  command.get_option("--job")->required(false);
  command
      .add_option(
          "--from-slurm", options->slurm_job,
          "A job of the Slurm that runs here: how good its placement is and what would have "
          "been better. Slurm then says what is free, and the cluster and the job where "
          "--cluster and --job do not.")
      ->type_name("JOBID")
      ->check(WholeNumber(1, 4'294'967'290));
  command
      .add_option_function<std::string>(
          "--against",
          [options](const std::string& text) { options->against = parse_baselines(text); },
          fmt::format("What to compare with, commas between: {}; all or none. The first is the "
                      "\"before\" of the pictures.",
                      one_of(baseline_names())))
      ->type_name("NAME,...")
      ->default_str("all");
  command
      .add_option("--html", options->html,
                  "Write the report as one HTML page that needs nothing else. - is stdout.")
      ->type_name("FILE");
  command
      .add_option("--json", options->json,
                  "Write the report as JSON (zonecut.report/v1). With - nothing else goes to "
                  "stdout.")
      ->type_name("FILE");
  add_time_tolerance_option(command, options->situation);
  add_solver_options(command, options->placement.mapping);
  command.footer(
      "Example:\n"
      "  zonecut report --cluster cluster.yaml --job job.yaml --state state.yaml \\\n"
      "    --against slurm-tree,zone-sorted --html report.html");
  command.callback([options, &session] {
    if (options->html == "-" && options->json == "-") {
      throw InputError("--html, --json", "both name stdout, which takes only one of them");
    }
    if (!options->html.empty() && same_file(options->html, options->json)) {
      throw InputError("--html, --json",
                       "both name " + options->html + ", which takes one of them");
    }
    require_files(*options);
    session.run = [options](const Session& now) { return run(*options, now); };
  });
}

}  // namespace zonecut::cli
