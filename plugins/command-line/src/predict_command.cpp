// zonecut predict: what an order that somebody else chose will cost, and what is wrong with it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "placement_text.hpp"
#include "predict_remarks.hpp"
#include "progress.hpp"
#include "server_names.hpp"
#include "situation.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/routes.hpp"

namespace zonecut::cli {
namespace {

struct PredictOptions {
  SituationOptions situation;
  std::string order;
  std::string routes;  ///< where they go; empty: nowhere
  RemarkChoice remarks;
  bool json = false;
};

std::string as_json(const PlacementProblem& problem, const Placement& placement,
                    const Remarks& remarks, const Provenance& provenance) {
  auto object = nlohmann::ordered_json::parse(write_placement_json(problem, placement, provenance));
  object["schema"] = "zonecut.prediction/v1";
  add_remarks(object, problem.fabric, remarks);
  return object.dump(2) + "\n";
}

std::string as_text(const PlacementProblem& problem, const Placement& placement,
                    const Remarks& remarks) {
  std::string text = metrics_text(problem, placement);
  text += beside_figures(problem, remarks);
  text += "\n";
  if (remarks.findings.empty()) return text + "Nothing is wrong with this order.\n";
  for (const Finding& finding : remarks.findings) {
    text += fmt::format("{}: {}\n  {}\n", finding.rule, finding.what, finding.hint);
  }
  return text;
}

/// Empty where no routes are asked for.
std::string routes_text(const PredictOptions& options, const PlacementProblem& problem,
                        std::span<const ServerId> servers) {
  if (options.routes.empty()) return {};
  const std::optional<Traffic> chosen = arranged_on(problem, servers);
  const auto routes =
      routes_of(problem.fabric, chosen ? *chosen : problem.traffic, servers, problem.routing);
  return write_routes_json(problem.fabric, problem.routing, routes);
}

Seconds period_of(const std::string& text) {
  const std::optional<Seconds> period = parse_duration(text);
  constexpr double kLongest = 86'400;
  if (period && period->count > 0 && period->count <= kLongest) return *period;
  throw InputError("--te-period", fmt::format("\"{}\" is no time above 0 and up to a day", text),
                   "a number with its unit, such as 30s or 500ms");
}

void refuse_period_of_none(const PredictOptions& options) {
  const bool engineered = options.situation.routing.scheme == RoutingScheme::Engineered;
  if (engineered || !options.remarks.controller_period) return;
  throw InputError("--te-period", "with this --routing there is no controller", "use --routing te");
}

void refuse_routes_of_none(const PredictOptions& options) {
  const Routing& routing = options.situation.routing;
  const bool follows = routing.scheme == RoutingScheme::Pinned ||
                       routing.scheme == RoutingScheme::Engineered || routing.hash_seed;
  if (options.routes.empty() || (follows && routing.scheme != RoutingScheme::Ideal)) return;
  throw InputError("--routes", "flows have no routes of their own with this --routing",
                   "use --routing te or pinned, or give a --hash-seed");
}

/// Whole, before anything is written.
struct Answer {
  ExitCode code = ExitCode::Done;
  std::string out;
  std::string error;
  std::string routes;
};

Answer refused(const PredictOptions& options, const NoFit& refusal, const Provenance& provenance) {
  return {ExitCode::NoPlacement,
          options.json ? write_refusal_json(refusal, provenance) : std::string(),
          refusal_text(refusal, "this order cannot run"),
          {}};
}

ExitCode run(const PredictOptions& options, const Session& session) {
  Answer answer;
  refuse_routes_of_none(options);
  refuse_period_of_none(options);
  refuse_overwriting(
      {"--routes", options.routes},
      {options.situation.cluster, options.situation.job, options.situation.state, options.order});
  {
    const Progress progress(session.terminal, "predicting " + options.situation.job);
    refuse_shared_stdin({{"--cluster", options.situation.cluster},
                         {"--job", options.situation.job},
                         {"--state", options.situation.state},
                         {"--order", options.order}});
    const Situation situation(options.situation);
    refuse_overwriting_works({"--routes", options.routes}, situation.view, options.situation.state);
    const auto posed_on = [&](const ClusterView& view, std::vector<RunningTraffic> beside,
                              Proof proof) {
      return situation.checked([&] {
        return pose(
            view, situation.fabric, situation.job.job, {},
            {.routing = options.situation.routing, .beside = std::move(beside), .proof = proof});
      });
    };
    const Traffic traffic = situation.checked([&] {
      const Job& job = situation.job.job;
      return traffic_of(job, ranks_per_server_of(situation.view, job));
    });
    const std::size_t each = traffic.ranks_per_server;
    const std::vector<ServerId> servers =
        read_order(situation.cluster, options.order, traffic.ranks, each);
    const GivenOrder order{situation.job.job.name, servers, each};
    // What others leave is known only now that it is known where this job runs.
    const OrderView left = view_for_order(situation.view, order);
    PlacementProblem problem =
        posed_on(left.view, situation.beside(job_with_order(situation.view, order)), Proof::None);
    // A bound of all orders is one of this order, too, whatever its servers' health.
    const ClusterView sound = well_on(left.view, servers);
    problem.bound = posed_on(sound, {}, Proof::Bound).bound;
    const Provenance provenance = provenance_of(situation, options.situation, {}, session);
    const auto judged = [&]() -> PlacementResult {
      if (auto refusal = parted(problem, servers)) return *std::move(refusal);
      return judge(problem, servers, "given order");
    };
    const PlacementResult result = situation.checked(judged);
    if (const auto* refusal = std::get_if<NoFit>(&result)) {
      answer = refused(options, *refusal, provenance);
    } else {
      const auto& placement = std::get<Placement>(result);
      Remarks remarks = situation.checked(
          [&] { return remarks_on(options.remarks, situation, problem, placement); });
      if (!left.taken.empty())
        remarks.findings.push_back(servers_held(situation.cluster, left.taken));
      answer.routes = situation.checked([&] { return routes_text(options, problem, servers); });
      answer.out = options.json ? as_json(problem, placement, remarks, provenance)
                                : as_text(problem, placement, remarks);
    }
  }
  if (!answer.routes.empty()) write_output(options.routes, answer.routes);
  write_stderr(answer.error);
  if (answer.code == ExitCode::Done) {
    write_stdout(answer.out);
  } else {
    write_failure("-", answer.out);
  }
  return answer.code;
}

}  // namespace

void add_predict_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App& command = *app.add_subcommand(
      "predict",
      "Say what a given rank order costs and what is wrong with it. The same figures as for a "
      "placement of zonecut's own, and a list of findings: rings that change zones too often, "
      "groups torn apart, zones where one would do, racks used by half, names sorted as texts.");
  add_situation_options(command, options->situation);
  command
      .add_option("--order", options->order,
                  "Host file of the order: servers in rank order, one line for a server's worth of "
                  "ranks; slots=N and one line for each rank are understood. - is stdin.")
      ->type_name("HOSTFILE")
      ->required();
  command
      .add_option(
          "--routes", options->routes,
          "Write the way of every flow, cable by cable, to this file (zonecut.routes/v1), and "
          "how many rules a controller must install for --routing te.")
      ->type_name("FILE");
  command.add_flag("--incast", options->remarks.incast,
                   "Say how many senders meet at each receiver and how many bytes they have under "
                   "way to it, see --admission-window; and which leaves that overflows, where the "
                   "cluster file says what their buffers hold.");
  command.add_flag("--frontend", options->remarks.frontend,
                   "Say how long checkpoints and training data take over the frontend network of "
                   "the cluster file, which is apart from all other figures.");
  command
      .add_option_function<std::string>(
          "--te-period",
          [options](const std::string& text) {
            options->remarks.controller_period = period_of(text);
          },
          "How long after one run of the controller of --routing te the next one begins. Until "
          "then new flows, and those whose way has failed, are hashed.")
      ->type_name("TIME")
      ->default_str("30s");
  command.add_flag("--json", options->json, "Print one JSON object (zonecut.prediction/v1).");
  command.footer(
      "Examples:\n"
      "  zonecut predict --cluster cluster.yaml --job job.yaml --order hosts.txt\n"
      "  scontrol show hostnames | zonecut predict --cluster cluster.yaml \\\n"
      "    --job tp=8,dp=16 --order -");
  command.callback([options, &session] {
    if (options->json && options->routes == "-") {
      throw InputError("--routes, --json", "both go to stdout, which takes only one of them",
                       "give --routes a file");
    }
    session.run = [options](const Session& now) { return run(*options, now); };
  });
}

}  // namespace zonecut::cli
