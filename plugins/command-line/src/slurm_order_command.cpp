// zonecut slurm-order: the order of one step's servers, asked for by the Slurm plugin.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <variant>

#include "choice.hpp"
#include "commands.hpp"
#include "number_checks.hpp"
#include "output.hpp"
#include "placement_text.hpp"
#include "schemas.hpp"
#include "server_names.hpp"
#include "situation.hpp"
#include "slurm_step.hpp"
#include "solver_options.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/report.hpp"
#include "zonecut_version.hpp"

namespace zonecut::cli {
namespace {

struct SlurmOrderOptions {
  SlurmStepOptions step;
  PlacementOptions placement;
  bool json = false;
  std::string output = "-";
};

/// What is better than in Slurm's order, for people.
std::string summary_of(const SlurmStep& step, const StepOrder& order) {
  const Prediction& now = order.now.prediction;
  const Prediction& before = order.before.prediction;
  const std::string time = to_text(now.communication);
  const std::string time_before = to_text(before.communication);
  std::string text =
      fmt::format("between zones {} instead of {}, predicted communication {} instead of {}",
                  to_text(now.cross_zone), to_text(before.cross_zone), time, time_before);
  if (!order.changed || now.cross_zone != before.cross_zone || time != time_before) return text;
  if (order.now.cost != order.before.cost) {
    return fmt::format("{}, cost J {} instead of {}", text, grouped(order.now.cost),
                       grouped(order.before.cost));
  }
  return fmt::format("{}, rank 0 on {}", text, step.names(std::span(order.now.servers).first(1)));
}

/// The plugin's form; docs/man/zonecut-slurm-order.1.scd describes it.
std::string answer_text(const SlurmStep& step, const StepOrder& order) {
  const Prediction& now = order.now.prediction;
  const Prediction& before = order.before.prediction;
  return fmt::format(
      "{}\nchanged={}\ntasks_per_node={}\nnodelist={}\n"
      "cross_zone_bytes_before={}\ncross_zone_bytes={}\nseconds_before={:.6g}\nseconds={:.6g}\n"
      "cost_before={}\ncost={}\nsummary={}\nend\n",
      slurm::kOrderSchema, order.changed ? 1 : 0, step.tasks_per_server,
      step.names(order.now.servers), before.cross_zone.count, now.cross_zone.count,
      before.communication.count, now.communication.count, order.before.cost, order.now.cost,
      summary_of(step, order));
}

nlohmann::ordered_json metrics_json(const Placement& placement) {
  return {{"cross_zone_bytes", placement.prediction.cross_zone.count},
          {"communication_seconds", placement.prediction.communication.count},
          {"cost", placement.cost}};
}

std::string answer_json(const SlurmStep& step, const StepOrder& order) {
  nlohmann::ordered_json object;
  object["schema"] = slurm::kOrderSchema;
  object["changed"] = order.changed;
  object["tasks_per_node"] = step.tasks_per_server;
  object["servers"] = split_at_commas(step.names(order.now.servers));
  object["metrics"] = metrics_json(order.now);
  object["before"] = metrics_json(order.before);
  return object.dump(2) + "\n";
}

ExitCode refuse(const SlurmOrderOptions& options, const NoFit& refusal, const Session& session) {
  Provenance provenance;
  provenance.version = kVersion;
  provenance.command = command_line(session);
  write_stderr(refusal_text(refusal));
  if (options.json) write_failure(options.output, write_refusal_json(refusal, provenance));
  return ExitCode::NoPlacement;
}

ExitCode run(const SlurmOrderOptions& options, const Session& session) {
  refuse_overwriting({"--output", options.output},
                     {options.step.cluster, options.step.topology, options.step.job,
                      file_of_servers(options.step.servers)});
  const SlurmStep step(options.step);
  const auto result =
      order_step(step.view, step.fabric, step.job.job, step.servers, options.placement);
  if (const auto* refusal = std::get_if<NoFit>(&result)) return refuse(options, *refusal, session);
  const auto& order = std::get<StepOrder>(result);
  write_output(options.output, options.json ? answer_json(step, order) : answer_text(step, order));
  return ExitCode::Done;
}

void add_step_options(CLI::App& command, SlurmStepOptions& step) {
  auto* cluster =
      command.add_option("--cluster", step.cluster, "What stands where: a cluster file.")
          ->type_name("FILE");
  auto* topology = command
                       .add_option("--topology", step.topology,
                                   "The same from Slurm's own topology.conf, or topology.yaml.")
                       ->type_name("FILE");
  cluster->excludes(topology);
  command
      .add_option("--job", step.job,
                  "What the job sends: a job file, the name of a preset, or its sizes. A size that "
                  "is not said is what the step leaves for it. Without it a ring over all ranks.")
      ->type_name("FILE|TEXT");
  command
      .add_option("--on", step.servers,
                  "The servers the step may use, in Slurm's order: a list or a range such as "
                  "gpu[001-016].")
      ->type_name("HOSTS")
      ->required();
  command.add_option("--tasks", step.tasks, "Tasks of the step.")
      ->type_name("N")
      ->check(WholeNumber(1, 4'194'304))
      ->required();
  command.add_option("--nodes", step.nodes, "Servers of the step; all of --on unless given.")
      ->type_name("N")
      ->check(WholeNumber(1, 1'000'000));
  command
      .add_option("--gpus-per-server", step.gpus_per_server,
                  "GPUs the job has on each server; as many as the server has unless given.")
      ->type_name("N")
      ->check(WholeNumber(1, 1024));
}

}  // namespace

void add_slurm_order_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<SlurmOrderOptions>();
  options->placement.mapping.effort = Effort::Fast;
  CLI::App& command = *app.add_subcommand(
      "slurm-order",
      "Order the servers of one step of a Slurm job. Slurm's plugin asks this for every step; it "
      "is of use by hand to see what the plugin would do. Of more servers than the step needs it "
      "also chooses which.");
  add_step_options(command, options->step);
  auto* rank_zero =
      command
          .add_option("--rank0", options->step.rank_zero,
                      "The server where scripts expect rank 0: it gets it when that costs nothing.")
          ->type_name("HOST");
  command
      .add_flag("--hold-rank0", options->step.hold_rank_zero,
                "It gets it whatever that costs; the order is then the best of those found.")
      ->needs(rank_zero);
  command.add_flag("--json", options->json,
                   "Answer with one JSON object (zonecut.slurm-order/v1).");
  command.add_option("-o,--output", options->output, "Where the answer goes. - is stdout.")
      ->type_name("FILE")
      ->capture_default_str();
  add_solver_options(command, options->placement.mapping);
  command.footer(
      "Example:\n"
      "  zonecut slurm-order --topology /etc/slurm/topology.conf --job tp=8,pp=4 \\\n"
      "    --on \"$SLURM_JOB_NODELIST\" --tasks \"$SLURM_NTASKS\"");
  command.callback([options, &session] {
    if (options->step.cluster.empty() && options->step.topology.empty())
      throw InputError("--cluster", "neither --cluster nor --topology is given");
    session.run = [options](const Session& now) { return run(*options, now); };
  });
}

}  // namespace zonecut::cli
