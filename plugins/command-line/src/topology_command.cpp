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
#include "import_options.hpp"
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

/// The cluster file of a command, as an option or as its argument.
void add_cluster_argument(CLI::App& command, std::string& path) {
  command.add_option("--cluster,FILE", path, "Cluster file. - is stdin.")
      ->type_name("FILE")
      ->required();
}

// ---- import ----

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
template <class Import>
Cluster imported(const ImportCommand& command, Import import) {
  try {
    return import();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      if (problem.where == "levels" && command.from) problem.where = command.file;
      if (problem.where == "zone_level") problem.where = "--zone-level";
    }
    throw InputError(std::move(problems));
  }
}

/// What was read; the state, where it is asked for, as text of a state file.
struct Source {
  Cluster cluster;
  std::string state;
  std::vector<std::string> left_out = {};  ///< what of it is no server of the cluster
};

/// A line on what is not in the cluster file; empty where all is.
std::string left_out_text(const Source& source, const ImportCommand& command) {
  constexpr std::size_t kMostNamed = 5;
  const std::vector<std::string>& names = source.left_out;
  if (names.empty()) return {};
  const std::size_t named = std::min(names.size(), kMostNamed);
  const bool by_label = command.from == TopologyFormat::KubernetesNodes;
  return fmt::format(
      "zonecut: left out {} of {} {}: {}{}\n", names.size(),
      names.size() + source.cluster.server_count(),
      by_label ? "servers, which have none of the labels" : "nodes, which have no GPUs",
      fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(named), ", "),
      named < names.size() ? ", ..." : "");
}

Source read_source(const ImportCommand& command) {
  if (!command.options.level_labels.empty()) check_levels(command.options, "--labels");
  if (!command.from) {
    const SlurmSnapshot snapshot = ask_slurm(std::nullopt);
    const auto read = [&] { return cluster_of(snapshot, command.options, command.gpus_said); };
    Source source{imported(command, read), {}};
    if (!command.gpus_said) source.left_out = nodes_without_gpus(snapshot);
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
  const auto read = [&] {
    return import_topology(*command.from, text, command.file, with_topology.options);
  };
  Source source{imported(command, read), {}};
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
  write_stderr(left_out_text(source, command));
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

void add_import(CLI::App& topology, Session& session) {
  auto import = std::make_shared<ImportCommand>();
  CLI::App& command = *topology.add_subcommand(
      "import", "Write a cluster file from what another system knows. Nothing needs to be typed.");
  add_import_options(command, import);
  command.footer(
      "Examples:\n"
      "  zonecut topology import --from slurm-conf topology.conf -o cluster.yaml\n"
      "  zonecut topology import --from slurm-nodes nodes.txt --topology topology.txt \\\n"
      "    -o cluster.yaml --state-output state.yaml\n"
      "  zonecut topology import --from csv --server-column ip --level zone=PSW \\\n"
      "    --level rack=ASW --oversubscription 3.5 lingjun.csv -o cluster.yaml");
  command.callback([import, &command, &session] {
    import->gpus_said = command.get_option("--gpus-per-server")->count() > 0;
    if (import->from && import->file.empty()) throw InputError("", "FILE is required");
    if (!import->from && !import->file.empty())
      throw InputError("FILE", "is given, but slurm-live reads none");
    refuse_shared_stdin({{"FILE", import->file}, {"--topology", import->topology}});
    if (!import->state_output.empty() && same_file(import->output, import->state_output)) {
      throw InputError("--output, --state-output",
                       "both name " + import->output + ", which takes one of them");
    }
    refuse_foreign_options(command, *import);
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
            exported->to = parse_topology_format("--to", word, writable_formats());
          },
          fmt::format("Format to write: {}.", one_of(topology_format_names(writable_formats()))))
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
