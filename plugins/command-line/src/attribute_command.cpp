// zonecut attribute: whether placement or fabric explains that a job communicates so long.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "asked.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "placement_text.hpp"
#include "progress.hpp"
#include "routing_options.hpp"
#include "solver_options.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/attribution_report.hpp"
#include "zonecut/scheduler/period.hpp"

namespace zonecut::cli {
namespace {

struct AttributeOptions {
  SituationOptions situation;
  PlacementOptions placement;
  std::string order;
  Seconds measured;
  std::string counters;  ///< empty: none
  bool json = false;
};

Seconds measured_time(const std::string& text) {
  const std::optional<Seconds> time = parse_duration(text);
  if (time && time->count > 0) return *time;
  throw InputError("--measured", fmt::format("\"{}\" is no time above 0", text),
                   "a number with its unit, such as 610ms or 1.2s");
}

std::vector<CounterFinding> findings_in(const NamedText& table, const Cluster& cluster,
                                        std::span<const ServerId> servers) {
  const std::vector<NicCounter> counters = parse_nic_counters(table.text, table.name, cluster);
  IdMap<ServerId, bool> ours(cluster.server_count(), false);
  for (const ServerId server : servers) ours[server] = true;
  if (std::ranges::none_of(counters, [&](const NicCounter& counter) {
        return std::ranges::any_of(
            counter.readings, [&](const CounterReading& reading) { return ours[reading.server]; });
      })) {
    throw InputError(table.name, "found no reading of a server of the job, expected one at least");
  }
  return findings_of(cluster, counters, servers);
}

struct Answer {
  ExitCode code = ExitCode::Done;
  std::string out;
  std::string error;
};

Answer answer(const AttributeOptions& options, AskedFiles& files, const Session& session) {
  std::vector<SettledJob> jobs = running_jobs(files, options.situation.state);
  const std::size_t index = add_asked(options.order, options.placement, files, jobs);
  const SettledJob asked = std::move(jobs[index]);
  jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(index));
  std::vector<CounterFinding> findings;
  if (!options.counters.empty()) {
    const NamedText table = read_named(options.counters);
    findings = findings_in(table, files.cluster, asked.running.servers);
  }
  const Provenance provenance =
      provenance_of(files.cluster_file, files.state_file, options.situation.job, files.job_hash,
                    options.placement.mapping, session);
  auto found = attribute(files.setting, asked, jobs, options.measured, options.placement);
  if (const auto* refusal = std::get_if<NoFit>(&found)) {
    return {ExitCode::NoPlacement,
            options.json ? write_refusal_json(*refusal, provenance) : std::string(),
            refusal_text(*refusal, "this order cannot have been measured in this state")};
  }
  const AttributionReport report{files.cluster,
                                 files.setting.routing,
                                 asked.running.name,
                                 asked.running.traffic.ranks,
                                 assumed_model_text(asked.job),
                                 period_of(asked.job),
                                 std::get<Attribution>(std::move(found)),
                                 !options.counters.empty(),
                                 std::move(findings),
                                 provenance};
  return {ExitCode::Done,
          options.json ? write_attribution_json(report) : write_attribution_text(report),
          {}};
}

ExitCode run(const AttributeOptions& options, const Session& session) {
  Answer found;
  {
    const SituationOptions& paths = options.situation;
    const Progress progress(session.terminal, "attributing " + paths.job);
    refuse_unused(paths.routing);
    refuse_shared_stdin({{"--cluster", paths.cluster},
                         {"--job", paths.job},
                         {"--state", paths.state},
                         {"--order", options.order},
                         {"--counters", options.counters}});
    AskedFiles files(paths);
    try {
      found = answer(options, files, session);
    } catch (const InputError& error) {
      throw placed(error, files.cluster_file.name, *files.job);
    }
  }
  write_stderr(found.error);
  if (found.code == ExitCode::Done) {
    write_stdout(found.out);
  } else {
    write_failure("-", found.out);
  }
  return found.code;
}

}  // namespace

void add_attribute_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<AttributeOptions>();
  CLI::App& command = *app.add_subcommand(
      "attribute",
      "Say whether the placement or the fabric explains how long a job communicates: what was "
      "measured, taken apart into what the best placement would take, what others hold and send, "
      "the order that it has, what is broken, collisions of flows, and what nothing explains; and "
      "where counters of NICs point.");
  add_situation_options(command, options->situation);
  command
      .add_option("--order", options->order,
                  "Host file of the order that the job runs on: servers in rank order, one line "
                  "for a server's worth of ranks. - is stdin.")
      ->type_name("HOSTFILE")
      ->required();
  command
      .add_option_function<std::string>(
          "--measured",
          [options](const std::string& text) { options->measured = measured_time(text); },
          "How long it was seen to communicate per iteration, or of a serving job per second of "
          "service, what hides behind computation left "
          "out.")
      ->type_name("TIME")
      ->required();
  command
      .add_option("--counters", options->counters,
                  "By how much the counters of NICs grew meanwhile, as a table: server, nic (or a "
                  "row for each server without it) and a column for each counter. - is stdin.")
      ->type_name("FILE");
  add_solver_options(command, options->placement.mapping);
  command.add_flag("--json", options->json, "Print one JSON object (zonecut.attribution/v1).");
  command.footer(
      "Example:\n"
      "  zonecut attribute --cluster cluster.yaml --state now.yaml --job job.yaml \\\n"
      "    --order hosts.txt --routing ecmp --measured 610ms --counters counters.csv");
  command.callback([options, &session] {
    session.run = [options](const Session& now) { return run(*options, now); };
  });
}

}  // namespace zonecut::cli
