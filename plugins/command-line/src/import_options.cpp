#include "import_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "choice.hpp"
#include "fabric_assumptions.hpp"
#include "kubernetes_names.hpp"
#include "number_checks.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::cli {
namespace {

/// "zone=PSW": our level, the source's column.
std::pair<std::string, std::string> parse_level(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InputError("--level",
                     fmt::format("found \"{}\", expected LEVEL=COLUMN, such as zone=PSW", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void add_import_source(CLI::App& command, const std::shared_ptr<ImportCommand>& import) {
  command
      .add_option_function<std::string>(
          "--from",
          [import](const std::string& word) {
            if (word != kSlurmLive)
              import->from = parse_topology_format("--from", word, readable_formats());
          },
          fmt::format("Format of the source: {}; or {}, the Slurm that runs here.",
                      one_of(topology_format_names(readable_formats())), kSlurmLive))
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
            import->options.level_labels = label_keys("--labels", text);
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

/// Options for some formats alone, by the formats' names.
struct FormatOption {
  std::string name;
  std::vector<std::string> formats;
};

std::vector<FormatOption> format_options() {
  // A cluster file says all of this itself.
  std::vector<std::string> foreign = topology_format_names(readable_formats());
  std::erase(foreign, topology_format_name(TopologyFormat::Zonecut));
  foreign.emplace_back(kSlurmLive);
  std::vector<FormatOption> all = {{"--server-column", {"csv"}},
                                   {"--level", {"csv"}},
                                   {"--gpu-column", {"csv"}},
                                   {"--labels", {"kubernetes-nodes"}},
                                   {"--topology", {"slurm-nodes"}},
                                   {"--state-output", {"slurm-nodes", kSlurmLive}},
                                   {"--name", foreign},
                                   {"--gpus-per-server", foreign}};
  for (const std::string& name : fabric_assumption_names()) all.push_back({name, foreign});
  return all;
}

}  // namespace

std::vector<std::string> topology_format_names(std::span<const TopologyFormat> formats) {
  std::vector<std::string> names;
  for (const TopologyFormat format : formats) names.emplace_back(topology_format_name(format));
  return names;
}

TopologyFormat parse_topology_format(std::string_view option, const std::string& word,
                                     std::span<const TopologyFormat> formats) {
  return formats[chosen(option, word, topology_format_names(formats))];
}

void add_import_options(CLI::App& command, const std::shared_ptr<ImportCommand>& import) {
  add_import_source(command, import);
  add_import_readings(command, import);
  add_import_assumptions(command, import);
}

void refuse_foreign_options(const CLI::App& command, const ImportCommand& import) {
  const std::string from(import.from ? topology_format_name(*import.from) : kSlurmLive);
  ProblemList problems;
  for (const auto& [name, formats] : format_options()) {
    if (command.get_option(name)->count() == 0 || std::ranges::count(formats, from) > 0) continue;
    problems.add(name, fmt::format("says nothing of --from {}", from),
                 "it is for " + one_of(formats));
  }
  problems.throw_if_any();
}

}  // namespace zonecut::cli
