// zonecut simulate: what placing by zonecut changes against what other schedulers do, for the jobs
// that came to a cluster over weeks.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>

#include "choice.hpp"
#include "commands.hpp"
#include "number_checks.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "routing_options.hpp"
#include "simulate_inputs.hpp"
#include "solver_options.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/threads.hpp"
#include "zonecut_version.hpp"

namespace zonecut::cli {
namespace {

constexpr double kTera = 1e12;

struct SimulateOptions {
  SimulateFiles files;
  SimulationOptions simulation;
  std::vector<SimulationPolicy> policies;
  double tflops = SimulationOptions{}.flops_per_gpu / kTera;
  bool undisturbed = false;
  bool json = false;
  std::string jobs_out;
};

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const SimulationPolicy& policy : all_simulation_policies())
    names.push_back(policy_name(policy));
  return names;
}

std::vector<SimulationPolicy> parse_policies(const std::string& text) {
  if (text == "all") return all_simulation_policies();
  const std::vector<std::string> names = policy_names();
  std::vector<SimulationPolicy> policies;
  for (const std::string& name : split_at_commas(text)) {
    if (find_baseline(name) && !find_policy(name)) {
      throw InputError("--policy", fmt::format("{} is a baseline of zonecut report only: {}", name,
                                               why_no_policy(*find_baseline(name))));
    }
    const SimulationPolicy policy = all_simulation_policies()[chosen("--policy", name, names)];
    if (std::ranges::find(policies, policy) != policies.end())
      throw InputError("--policy", fmt::format("{} is named twice", name));
    policies.push_back(policy);
  }
  return policies;
}

ArrivalFormat parse_format(const std::string& word) {
  std::vector<std::string> names;
  for (const ArrivalFormat format : arrival_formats())
    names.emplace_back(arrival_format_name(format));
  return arrival_formats()[chosen("--format", word, names)];
}

QueueRule parse_queue(const std::string& word) {
  const std::vector<std::string> names = {"fifo", "backfill"};
  return chosen("--queue", word, names) == 0 ? QueueRule::Fifo : QueueRule::Backfill;
}

/// The policies one after the other, or so many at a time.
std::vector<SimulatedPolicy> simulate_all(const SimulateOptions& options,
                                          const SimulateInputs& inputs,
                                          std::span<const std::optional<IdealIteration>> ideals,
                                          Progress& progress) {
  const std::size_t all = options.policies.size() * inputs.workload.jobs.size();
  std::vector<std::size_t> ended(options.policies.size(), 0);
  std::atomic<std::size_t> together = 0;
  std::vector<SimulatedPolicy> simulated(options.policies.size());
  for_each_index(
      options.policies.size(), options.simulation.placement.mapping.threads, [&](std::size_t i) {
        SimulationOptions own = options.simulation;
        own.placement.mapping.threads = 1;
        own.progress = [&, i](std::size_t count) {
          together += count - ended[i];
          ended[i] = count;
          progress.say(fmt::format("simulating {}, {} % of all", policy_name(options.policies[i]),
                                   100 * together / all));
        };
        simulated[i].policy = options.policies[i];
        simulated[i].outcome = simulate(inputs.start, inputs.start_fabric, inputs.workload, ideals,
                                        options.policies[i], own);
        simulated[i].figures = figures_of(inputs.cluster, inputs.workload, simulated[i].outcome);
      });
  return simulated;
}

/// Whole, before anything is written.
struct Texts {
  std::string out;
  std::string jobs;
};

/// Said before minutes of work, not after them.
void refuse_hopeless_target(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw IoError(path, "is a directory");
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return;
  throw IoError(path, "its folder is not there");
}

Texts simulated_texts(const SimulateOptions& options, const Session& session) {
  Progress progress(session.terminal, "reading " + options.files.trace);
  refuse_overwriting({"--jobs-out", options.jobs_out}, {options.files.cluster, options.files.trace,
                                                        options.files.work, options.files.state});
  refuse_hopeless_target(options.jobs_out);
  const SimulateInputs inputs(options.files);
  refuse_overwriting_works({"--jobs-out", options.jobs_out}, inputs.start.view,
                           options.files.state);
  for (const TracedJob& job : inputs.trace.jobs) {
    if (job.work.empty()) continue;
    if (const auto file = work_file(job.work, options.files.trace))
      refuse_overwriting({"--jobs-out", options.jobs_out}, {*file});
  }
  progress.say("placing each kind of job alone");
  const auto ideals = ideal_iterations(inputs.fabric, inputs.workload, options.simulation);
  const std::vector<SimulatedPolicy> simulated = simulate_all(options, inputs, ideals, progress);
  const SimulationReport report{
      inputs.cluster,
      inputs.trace,
      inputs.workload,
      ideals,
      options.simulation,
      simulated,
      kVersion,
      inputs.cluster_file.name,
      inputs.cluster_file.hash,
      inputs.trace_file.name,
      inputs.trace_file.hash,
      options.files.work,
      inputs.work_file ? inputs.work_file->hash : "",
      options.files.state,
      inputs.state_file ? inputs.state_file->hash : "",
      inputs.state_file ? std::optional(figures_of(inputs.start)) : std::nullopt,
      command_line(session)};
  Texts texts;
  if (!options.jobs_out.empty()) texts.jobs = write_simulated_jobs(report);
  if (options.jobs_out == "-") return texts;
  texts.out = options.json
                  ? write_simulation_json(report)
                  : write_simulation_terminal(report, {.width = session.terminal.width,
                                                       .colour = session.terminal.colour,
                                                       .unicode = session.terminal.unicode});
  return texts;
}

ExitCode run(const SimulateOptions& options, const Session& session) {
  const Texts texts = simulated_texts(options, session);  // the progress line is gone after it
  write_outputs({{options.jobs_out, texts.jobs}});
  write_stdout(texts.out);
  return ExitCode::Done;
}

void add_trace_options(CLI::App& command, SimulateOptions& options) {
  SimulateFiles& files = options.files;
  command
      .add_option_function<std::string>(
          "--format",
          [&files](const std::string& word) { files.reading.format = parse_format(word); },
          "What the trace is, where it cannot be told by looking at it: csv "
          "(submit,duration,gpus,name,work), philly or swf.")
      ->type_name("FORMAT");
  command
      .add_option("--processors-per-gpu", files.reading.processors_per_gpu,
                  "SWF counts processors: so many are a GPU, rounded up.")
      ->type_name("N")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--from", [&files](const std::string& text) { files.from = text; },
          "Leave out what arrives before: a time since the first arrival such as 36h, or a "
          "date such as 2017-10-09 where the trace has dates.")
      ->type_name("TIME");
  command
      .add_option_function<std::string>(
          "--until", [&files](const std::string& text) { files.until = text; },
          "Leave out what arrives then or later, likewise.")
      ->type_name("TIME");
  command
      .add_option_function<std::uint64_t>(
          "--jobs", [&files](std::uint64_t jobs) { files.selection.jobs = jobs; },
          "At most the first so many jobs of that time.")
      ->type_name("N")
      ->check(WholeNumber(1, 5'000'000));
  command
      .add_option("--scale-gpus", files.selection.gpu_scale,
                  "Multiply the GPUs of every job, rounded, 1 at least.")
      ->type_name("K")
      ->check(NumberBetween(0.001, 10'000))
      ->capture_default_str();
  command
      .add_option("--load", files.selection.load,
                  "Let jobs arrive so many times as fast: 2 halves the time between them.")
      ->type_name("X")
      ->check(NumberBetween(0.01, 100))
      ->capture_default_str();
}

void refuse_contradictions(const CLI::App& command, const SimulationOptions& simulation) {
  refuse_unused(simulation.routing);
  if (simulation.queue == QueueRule::Fifo && command.get_option("--backfill-depth")->count() > 0) {
    throw InputError("--backfill-depth", "with --queue fifo nobody behind the first is looked at",
                     "use --queue backfill");
  }
}

void add_model_options(CLI::App& command, SimulateOptions& options) {
  SimulationOptions& simulation = options.simulation;
  command
      .add_option(
          "--work", options.files.work,
          "What jobs send by how many GPUs they have, for those of which the trace does not "
          "say it (work/v1). Without it dense models of a usual size.")
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--queue",
          [&simulation](const std::string& word) { simulation.queue = parse_queue(word); },
          "Who starts next: fifo, first come first served; or backfill, where later jobs may start "
          "if the first in the queue starts no later for it (EASY).")
      ->type_name("RULE")
      ->default_str("backfill");
  command
      .add_option("--backfill-depth", simulation.backfill_depth,
                  "How many jobs behind the first are looked at each time.")
      ->type_name("N")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str();
  auto* tflops =
      command
          .add_option(
              "--tflops", options.tflops,
              "What a GPU computes of a model in a second, in 10^12 operations: how long the "
              "rest of an iteration takes.")
          ->type_name("X")
          ->check(NumberBetween(0.001, 1e6))
          ->capture_default_str();
  command
      .add_option_function<double>(
          "--communication-share",
          [&simulation](double share) { simulation.communication_share = share; },
          "Share of communication in an iteration where a job stands ideally, the same for all "
          "jobs, "
          "in place of what their models compute. 0: placements do not matter.")
      ->type_name("SHARE")
      ->check(NumberBetween(0, 0.99))
      ->excludes(tflops);
  command.add_flag("--no-interference", options.undisturbed,
                   "Let jobs that run beside each other take nothing of each other's links.");
}

}  // namespace

void add_simulate_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<SimulateOptions>();
  options->simulation.placement.mapping.effort = Effort::Fast;
  options->policies = parse_policies("zonecut,slurm-tree,random");
  CLI::App& command = *app.add_subcommand(
      "simulate",
      "Replay the jobs that came to a cluster, placed by zonecut and as other schedulers do. Says "
      "what that changes: how long jobs wait and take, how busy the GPUs are, and what crosses the "
      "links between zones.");
  command
      .add_option("--cluster", options->files.cluster,
                  "What stands where: a cluster file, as zonecut topology import writes it. - is "
                  "stdin. All of it is free at first, unless --state says otherwise.")
      ->type_name("FILE")
      ->required();
  command
      .add_option(
          "--trace", options->files.trace,
          "Which jobs came when: a CSV of our own, that of Microsoft's Philly, or the Standard "
          "Workload Format. - is stdin.")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--state", options->files.state,
                  "What there is at first: jobs hold their GPUs as long as ends_in says, or all "
                  "along, and what is broken stays so.")
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--policy",
          [options](const std::string& text) { options->policies = parse_policies(text); },
          fmt::format("Who chooses servers and order, commas between: {}; or all. With +order the "
                      "servers are the other's, and their order zonecut's.",
                      one_of(policy_names())))
      ->type_name("NAME,...")
      ->default_str("zonecut,slurm-tree,random");
  add_trace_options(command, *options);
  add_model_options(command, *options);
  add_routing_options(command, options->simulation.routing);
  add_solver_options(command, options->simulation.placement.mapping);
  command.get_option("--threads")
      ->description("Policies to replay at a time; their number does not change the result.");
  command
      .add_option("--jobs-out", options->jobs_out,
                  "Write a CSV with a line for each policy and job to this file. - is stdout, and "
                  "nothing else goes there.")
      ->type_name("FILE");
  command.add_flag("--json", options->json, "Print one JSON object (zonecut.simulation/v1).");
  command.footer(
      "Examples:\n"
      "  zonecut simulate --cluster cluster.yaml --trace arrivals.csv\n"
      "  zonecut simulate --cluster cluster.yaml --trace philly.csv --scale-gpus 8 \\\n"
      "    --policy zonecut,slurm-tree,best-fit --jobs-out jobs.csv");
  command.callback([options, &command, &session] {
    refuse_contradictions(command, options->simulation);
    if (options->json && options->jobs_out == "-") {
      throw InputError("--jobs-out, --json", "both go to stdout, which takes only one of them",
                       "give --jobs-out a file");
    }
    options->simulation.flops_per_gpu = options->tflops * kTera;
    options->simulation.interference = !options->undisturbed;
    session.run = [options](const Session& now) { return run(*options, now); };
  });
}

}  // namespace zonecut::cli
