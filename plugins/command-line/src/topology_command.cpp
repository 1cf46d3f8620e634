// zonecut topology: clusters in and out of other systems' formats.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "choice.hpp"
#include "commands.hpp"
#include "fabric_assumptions.hpp"
#include "number_checks.hpp"
#include "output.hpp"
#include "situation.hpp"
#include "slurm_snapshot.hpp"
#include "slurm_view.hpp"
#include "topology_summary.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/topology/cluster_file.hpp"
#include "zonecut/topology/import.hpp"

namespace zonecut::cli {
namespace {

std::vector<std::string> names_of(std::span<const TopologyFormat> formats) {
  std::vector<std::string> names;
  for (const TopologyFormat format : formats) names.emplace_back(topology_format_name(format));
  return names;
}

TopologyFormat parse_format(std::string_view option, const std::string& word,
                            std::span<const TopologyFormat> formats) {
  return formats[chosen(option, word, names_of(formats))];
}

/// "zone=PSW": our level, the source's column.
std::pair<std::string, std::string> parse_level(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InputError("--level",
                     fmt::format("found \"{}\", expected LEVEL=COLUMN, such as zone=PSW", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The cluster file of a command, as an option or as its argument.
void add_cluster_argument(CLI::App& command, std::string& path) {
  command.add_option("--cluster,FILE", path, "Cluster file. - is stdin.")
      ->type_name("FILE")
      ->required();
}

// ---- import ----

/// The format that is no file: what the Slurm that runs here knows.
constexpr const char* kSlurmLive = "slurm-live";

struct ImportCommand {
  std::optional<TopologyFormat> from;  ///< none: kSlurmLive
  bool gpus_said = false;
  std::string file;
  std::string topology;
  std::string output = "-";
  std::string state_output;
  bool json = false;
  ImportOptions options;
};

/// A source may hold names, or an option figures, that a cluster file cannot say. Found out before
/// anything is written.
void refuse_unreadable(const std::string& text, const ImportCommand& command) {
  try {
    static_cast<void>(parse_cluster(text, "the cluster file to be written"));
  } catch (const InputError& error) {
    std::vector<Problem> problems = {
        {command.file, "what was read, with these options, makes no cluster file", ""}};
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    throw InputError(std::move(problems));
  }
}

/// What no reader can place, said of the option or file that it comes from.
Cluster imported(const ImportCommand& command, TopologyFormat from, const std::string& text) {
  try {
    return import_topology(from, text, command.file, command.options);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      if (problem.where == "levels") problem.where = command.file;
      if (problem.where == "zone_level") problem.where = "--zone-level";
    }
    throw InputError(std::move(problems));
  }
}

/// What was read; the state, where it is asked for, as text of a state file.
struct Source {
  Cluster cluster;
  std::string state;
  std::vector<std::string> left_out = {};  ///< servers that nothing places
};

/// A line on servers that are not in the cluster file; empty where all are.
std::string left_out_text(const Source& source) {
  constexpr std::size_t kMostNamed = 5;
  const std::vector<std::string>& names = source.left_out;
  if (names.empty()) return {};
  const std::size_t named = std::min(names.size(), kMostNamed);
  return fmt::format(
      "zonecut: left out {} of {} servers, which have none of the labels: {}{}\n", names.size(),
      names.size() + source.cluster.server_count(),
      fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(named), ", "),
      named < names.size() ? ", ..." : "");
}

Source read_source(const ImportCommand& command) {
  if (!command.from) {
    const SlurmSnapshot snapshot = ask_slurm(std::nullopt);
    Source source{cluster_of(snapshot, command.options, command.gpus_said), {}};
    if (!command.state_output.empty())
      source.state = write_state(view_of(source.cluster, snapshot, std::nullopt));
    return source;
  }
  // A dump of a large fabric is half a kilobyte an adapter.
  constexpr std::size_t kLargestSource = std::size_t{256} << 20;
  ImportCommand with_topology = command;
  if (!command.topology.empty()) {
    with_topology.options.topology_text = read_file(command.topology, kLargestSource);
    with_topology.options.topology_source = command.topology;
    if (with_topology.options.topology_text.empty())
      throw InputError(command.topology, "the file is empty", "expected topology.conf");
  }
  const std::string text = read_file(command.file, kLargestSource);
  Source source{imported(with_topology, *command.from, text), {}};
  source.left_out = servers_left_out(*command.from, text, command.file, with_topology.options);
  if (!command.state_output.empty()) {
    source.state = write_state(import_state(*command.from, text, command.file, source.cluster));
  }
  return source;
}

ExitCode run_import(const ImportCommand& command) {
  refuse_overwriting({"--output", command.output}, {command.file, command.topology});
  refuse_overwriting({"--state-output", command.state_output},
                     {command.file, command.topology, command.output});
  const Source source = read_source(command);
  const std::string text = write_cluster(source.cluster);
  refuse_unreadable(text, command);
  write_outputs({{command.output, text}, {command.state_output, source.state}});
  write_stderr(left_out_text(source));
  if (command.json) {
    const std::string summary = summary_json(ClusterView(source.cluster));
    if (command.output == "-") {
      write_stderr(summary);
    } else {
      write_stdout(summary);
    }
  } else if (command.output != "-") {
    write_stderr(
        fmt::format("zonecut: wrote {}: {}\n", command.output, one_line_summary(source.cluster)));
  }
  return ExitCode::Done;
}

void add_import_source(CLI::App& command, const std::shared_ptr<ImportCommand>& import) {
  command
      .add_option_function<std::string>(
          "--from",
          [import](const std::string& word) {
            if (word != kSlurmLive) import->from = parse_format("--from", word, readable_formats());
          },
          fmt::format("Format of the source: {}; or {}, the Slurm that runs here.",
                      one_of(names_of(readable_formats())), kSlurmLive))
      ->type_name("FORMAT")
      ->required();
  command.add_option("FILE", import->file, "The source. - is stdin. None for slurm-live.")
      ->type_name("FILE");
  command.add_option("-o,--output", import->output, "Where the cluster file goes. - is stdout.")
      ->type_name("FILE")
      ->capture_default_str();
  command
      .add_option("--state-output", import->state_output,
                  "slurm-nodes, slurm-live: where the state goes: what is broken, and which GPUs "
                  "are in use. Not written unless given.")
      ->type_name("FILE");
  command.add_flag("--json", import->json,
                   "Print what was imported as one JSON object (to stderr when the cluster goes to "
                   "stdout).");
}

void add_import_readings(CLI::App& command, const std::shared_ptr<ImportCommand>& import) {
  ImportOptions& options = import->options;
  command
      .add_option("--server-column", options.server_column, "csv: column of the servers' names.")
      ->type_name("COLUMN")
      ->group("How to read the source");
  command
      .add_option_function<std::vector<std::string>>(
          "--level",
          [import](const std::vector<std::string>& levels) {
            for (const std::string& level : levels) {
              import->options.level_columns.push_back(parse_level(level));
            }
          },
          "csv: a level and its column, such as zone=PSW; once for each level, outermost first.")
      ->type_name("LEVEL=COLUMN")
      ->allow_extra_args(false)
      ->group("How to read the source");
  command.add_option("--gpu-column", options.gpu_column, "csv: column of the numbers of GPUs.")
      ->type_name("COLUMN")
      ->group("How to read the source");
  command
      .add_option_function<std::string>(
          "--labels",
          [import](const std::string& text) {
            import->options.level_labels = split_at_commas(text);
          },
          "kubernetes-nodes: label keys of the levels, outermost first, commas between.")
      ->type_name("KEY,...")
      ->group("How to read the source");
  command
      .add_option("--topology", import->topology,
                  "slurm-nodes: where the nodes stand: topology.conf, topology.yaml, or what "
                  "scontrol show topology prints. Not needed where the nodes say Topology=.")
      ->type_name("FILE")
      ->group("How to read the source");
}

void add_import_assumptions(CLI::App& command, const std::shared_ptr<ImportCommand>& import) {
  constexpr const char* kGroup = "What the source does not say";
  ImportOptions& options = import->options;
  command.add_option("--name", options.cluster_name, "Name of the cluster.")
      ->type_name("NAME")
      ->group(kGroup);
  command.add_option("--gpus-per-server", options.gpus_per_server, "GPUs in a server.")
      ->type_name("N")
      ->check(WholeNumber(1, 1024))
      ->capture_default_str()
      ->group(kGroup);
  add_fabric_assumptions(command, options, kGroup);
}

void add_import(CLI::App& topology, Session& session) {
  auto import = std::make_shared<ImportCommand>();
  CLI::App& command = *topology.add_subcommand(
      "import", "Write a cluster file from what another system knows. Nothing needs to be typed.");
  add_import_source(command, import);
  add_import_readings(command, import);
  add_import_assumptions(command, import);
  command.footer(
      "Examples:\n"
      "  zonecut topology import --from slurm-conf topology.conf -o cluster.yaml\n"
      "  zonecut topology import --from slurm-nodes nodes.txt --topology topology.txt \\\n"
      "    -o cluster.yaml --state-output state.yaml\n"
      "  zonecut topology import --from csv --server-column ip --level zone=PSW \\\n"
      "    --level rack=ASW --oversubscription 3.5 lingjun.csv -o cluster.yaml");
  const CLI::Option* gpus = command.get_option("--gpus-per-server");
  command.callback([import, gpus, &session] {
    import->gpus_said = gpus->count() > 0;
    if (import->from && import->file.empty()) throw InputError("", "FILE is required");
    if (!import->from && !import->file.empty())
      throw InputError("FILE", "is given, but slurm-live reads none");
    refuse_shared_stdin({{"FILE", import->file}, {"--topology", import->topology}});
    if (!import->state_output.empty() && same_file(import->output, import->state_output)) {
      throw InputError("--output, --state-output",
                       "both name " + import->output + ", which takes one of them");
    }
    if (!import->topology.empty() && import->from != TopologyFormat::SlurmNodes)
      throw InputError("--topology", "is only for --from slurm-nodes");
    if (!import->state_output.empty() && import->from && !tells_state(*import->from))
      throw InputError("--state-output", "the source says nothing of health and occupancy",
                       "only slurm-nodes and slurm-live do");
    session.run = [import](const Session&) { return run_import(*import); };
  });
}

// ---- export ----

struct ExportCommand {
  TopologyFormat to{};  ///< --to is required
  std::string cluster;
  std::string output = "-";
};

void add_export(CLI::App& topology, Session& session) {
  auto exported = std::make_shared<ExportCommand>();
  CLI::App& command = *topology.add_subcommand(
      "export",
      "Write a cluster file in another system's format. Servers come out zone by zone, so that "
      "programs that keep the order of a file keep zones together.");
  command
      .add_option_function<std::string>(
          "--to",
          [exported](const std::string& word) {
            exported->to = parse_format("--to", word, writable_formats());
          },
          fmt::format("Format to write: {}.", one_of(names_of(writable_formats()))))
      ->type_name("FORMAT")
      ->required();
  add_cluster_argument(command, exported->cluster);
  command.add_option("-o,--output", exported->output, "Where the result goes. - is stdout.")
      ->type_name("FILE")
      ->capture_default_str();
  command.footer(
      "Example:\n  zonecut topology export --to dot cluster.yaml | dot -Tsvg > cluster.svg");
  command.callback([exported, &session] {
    session.run = [exported](const Session&) {
      refuse_overwriting({"--output", exported->output}, {exported->cluster});
      const Cluster cluster = read_cluster(read_named(exported->cluster));
      write_output(exported->output, export_topology(exported->to, cluster));
      return ExitCode::Done;
    };
  });
}

// ---- show, validate ----

struct ShowCommand {
  std::string cluster;
  std::string state;
  bool json = false;
};

ExitCode run_show(const ShowCommand& show) {
  const Cluster cluster = read_cluster(read_named(show.cluster));
  const ClusterView view =
      show.state.empty() ? ClusterView(cluster) : load_state(cluster, show.state);
  write_stdout(show.json ? summary_json(view) : summary_text(view));
  return ExitCode::Done;
}

void add_show(CLI::App& topology, Session& session) {
  auto show = std::make_shared<ShowCommand>();
  CLI::App& command = *topology.add_subcommand(
      "show",
      "Say what a cluster file describes: levels, counts, and the capacity and oversubscription of "
      "each tier. With a state, also what is free and what is broken.");
  add_cluster_argument(command, show->cluster);
  command.add_option("--state", show->state, "Who holds which GPUs and what is broken.")
      ->type_name("FILE");
  command.add_flag("--json", show->json, "Print one JSON object (zonecut.topology/v1).");
  command.footer("Example:\n  zonecut topology show cluster.yaml --state state.yaml");
  command.callback(
      [show, &session] { session.run = [show](const Session&) { return run_show(*show); }; });
}

ExitCode run_validate(const ShowCommand& validate) {
  const Cluster cluster = read_cluster(read_named(validate.cluster));
  const ClusterView view =
      validate.state.empty() ? ClusterView(cluster) : load_state(cluster, validate.state);
  // Building it checks what the state says about switches and links.
  static_cast<void>(Fabric::build(cluster, cluster.backend(), view.health));
  static_cast<void>(read_running(view, validate.state));
  if (validate.json) {
    const nlohmann::ordered_json object = {{"schema", "zonecut.validation/v1"}, {"valid", true}};
    write_stdout(object.dump(2) + "\n");
  } else {
    write_stdout(fmt::format("{}: {}\n", validate.cluster, one_line_summary(cluster)));
  }
  return ExitCode::Done;
}

void add_validate(CLI::App& topology, Session& session) {
  auto validate = std::make_shared<ShowCommand>();
  CLI::App& command =
      *topology.add_subcommand("validate",
                               "Check a cluster file, and a state file with it and the jobs it "
                               "names. Every mistake is reported with its line and "
                               "column; the exit code is 2 when there is one.");
  add_cluster_argument(command, validate->cluster);
  command.add_option("--state", validate->state, "State file to check with it.")->type_name("FILE");
  command.add_flag("--json", validate->json, "Print one JSON object, mistakes included.");
  command.footer("Example:\n  zonecut topology validate cluster.yaml --state state.yaml");
  command.callback([validate, &session] {
    session.run = [validate](const Session&) { return run_validate(*validate); };
  });
}

}  // namespace

void add_topology_command(CLI::App& app, Session& session) {
  CLI::App& topology = *app.add_subcommand(
      "topology",
      "Read, write, show and check clusters. A cluster is described once, as a rule "
      "imported, and then used by every other command.");
  topology.require_subcommand(1);
  add_import(topology, session);
  add_export(topology, session);
  add_show(topology, session);
  add_validate(topology, session);
}

}  // namespace zonecut::cli
