#pragma once
// The options of `zonecut topology import`, and which of them say something of which format.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/topology/import.hpp"

namespace zonecut::cli {

[[nodiscard]] std::vector<std::string> topology_format_names(
    std::span<const TopologyFormat> formats);

/// Throws InputError that lists the formats.
[[nodiscard]] TopologyFormat parse_topology_format(std::string_view option, const std::string& word,
                                                   std::span<const TopologyFormat> formats);

/// The format that is no file: what the Slurm that runs here knows.
inline constexpr const char* kSlurmLive = "slurm-live";

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

void add_import_options(CLI::App& command, const std::shared_ptr<ImportCommand>& import);

/// Throws InputError with all options that were given and say nothing of the source's format.
void refuse_foreign_options(const CLI::App& command, const ImportCommand& import);

}  // namespace zonecut::cli
