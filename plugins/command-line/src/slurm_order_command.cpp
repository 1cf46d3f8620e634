// zonecut slurm-order: the order of one step's servers, asked for by the Slurm plugin.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <variant>

#include "choice.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "placement_text.hpp"
#include "slurm_step.hpp"
#include "solver_options.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/rank_zero.hpp"
#include "zonecut/scheduler/report.hpp"
#include "zonecut_version.hpp"

namespace zonecut::cli {
namespace {

struct SlurmOrderOptions {
  SlurmStepOptions step;
  PlacementOptions placement;
  std::string rank0;  ///< the server that scripts take for rank 0's; empty: any
  bool hold_rank0 = false;
  bool json = false;
  std::string output = "-";
};

/// Whether `a` is better than `b` by more than rounding: seconds to the tolerance, then the cut,
/// then J.
bool gains(const Placement& a, const Placement& b, double tolerance) {
  const double seconds = a.prediction.communication.count;
  const double before = b.prediction.communication.count;
  if (seconds < before * (1 - tolerance)) return true;
  if (seconds > before * (1 + tolerance)) return false;
  if (a.prediction.cross_zone != b.prediction.cross_zone)
    return a.prediction.cross_zone < b.prediction.cross_zone;
  return a.cost < b.cost;
}

bool uses(const Placement& placement, ServerId server) {
  return std::find(placement.servers.begin(), placement.servers.end(), server) !=
         placement.servers.end();
}

/// Rank 0 where scripts look for it, when that costs nothing or must be.
Placement settle_rank_zero(const SlurmOrderOptions& options, const SlurmStep& step,
                           Placement placement) {
  if (options.rank0.empty() || !uses(placement, step.server(options.rank0))) return placement;
  Placement turned = with_rank_zero_on(step.problem(), placement, step.server(options.rank0));
  return options.hold_rank0 || costs_no_more(turned, placement) ? turned : placement;
}

/// What came of it: `now` is the order to use.
struct SlurmOrder {
  const SlurmStep& step;
  const Placement& before;
  const Placement& now;
  bool changed = false;
};

/// The plugin's form; docs/man/zonecut-slurm-order.1.scd describes it.
std::string answer_text(const SlurmOrder& order) {
  return fmt::format(
      "zonecut.slurm-order/v1\nchanged={}\ntasks_per_node={}\nnodelist={}\n"
      "cross_zone_bytes_before={}\ncross_zone_bytes={}\nseconds_before={:.6g}\nseconds={:.6g}\n"
      "summary=between zones {} instead of {}, predicted communication {} instead of {}\nend\n",
      order.changed ? 1 : 0, order.step.tasks_per_server(), order.step.names(order.now.servers),
      order.before.prediction.cross_zone.count, order.now.prediction.cross_zone.count,
      order.before.prediction.communication.count, order.now.prediction.communication.count,
      to_text(order.now.prediction.cross_zone), to_text(order.before.prediction.cross_zone),
      to_text(order.now.prediction.communication), to_text(order.before.prediction.communication));
}

nlohmann::ordered_json metrics_json(const Placement& placement) {
  return {{"cross_zone_bytes", placement.prediction.cross_zone.count},
          {"communication_seconds", placement.prediction.communication.count}};
}

std::string answer_json(const SlurmOrder& order) {
  nlohmann::ordered_json object;
  object["schema"] = "zonecut.slurm-order/v1";
  object["changed"] = order.changed;
  object["tasks_per_node"] = order.step.tasks_per_server();
  object["servers"] = split_at_commas(order.step.names(order.now.servers));
  object["metrics"] = metrics_json(order.now);
  object["before"] = metrics_json(order.before);
  return object.dump(2) + "\n";
}

/// Of more servers than it needs, the step takes those around the one that rank 0 must have, where
/// the best are without it.
bool must_stay_around(const SlurmOrderOptions& options, const SlurmStep& step,
                      const PlacementResult& result) {
  const auto* placement = std::get_if<Placement>(&result);
  return options.hold_rank0 && !options.rank0.empty() && placement != nullptr &&
         !uses(*placement, step.server(options.rank0));
}

ExitCode refuse(const SlurmOrderOptions& options, const NoFit& refusal, const Session& session) {
  Provenance provenance;
  provenance.version = kVersion;
  provenance.command = command_line(session);
  if (options.json) write_output(options.output, write_refusal_json(refusal, provenance));
  write_stderr(refusal_text(refusal));
  return ExitCode::NoPlacement;
}

/// `listed` is the order without us.
ExitCode order(const Session& session, const SlurmOrderOptions& options, const SlurmStep& step,
               const std::vector<ServerId>& listed) {
  PlacementResult result = place(step.problem(), step.constraints(), options.placement);
  if (must_stay_around(options, step, result)) {
    SlurmOrderOptions around = options;
    around.step.servers = step.names(step.nearest(step.server(options.rank0)));
    around.step.nodes.reset();
    return order(session, around, SlurmStep(around.step), listed);
  }
  if (const auto* refusal = std::get_if<NoFit>(&result)) return refuse(options, *refusal, session);
  const Placement after = settle_rank_zero(options, step, std::get<Placement>(std::move(result)));
  const Placement before = evaluate(step.problem(), listed, "as listed");
  const bool changed = gains(after, before, options.placement.tolerance);
  const SlurmOrder answer{step, before, changed ? after : before, changed};
  write_output(options.output, options.json ? answer_json(answer) : answer_text(answer));
  return ExitCode::Done;
}

ExitCode run(const SlurmOrderOptions& options, const Session& session) {
  const SlurmStep step(options.step);
  return order(session, options, step, step.listed());
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
      ->check(CLI::Range(1, 4'194'304).description(""))
      ->required();
  command.add_option("--nodes", step.nodes, "Servers of the step; all of --on unless given.")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""));
  command
      .add_option("--gpus-per-server", step.gpus_per_server,
                  "GPUs the job has on each server; as many as the server has unless given.")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
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
  command
      .add_option("--rank0", options->rank0,
                  "The server where scripts expect rank 0: it gets it when that costs nothing.")
      ->type_name("HOST");
  command.add_flag("--hold-rank0", options->hold_rank0,
                   "It gets it whatever that costs; the order is then the best of those found.");
  command.add_flag("--json", options->json, "Answer with one JSON object.");
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
