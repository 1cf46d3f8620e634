#pragma once
// What must be assumed of a fabric where its source names domains and no links, alike in every
// command that reads such a source.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "zonecut/topology/import.hpp"

namespace zonecut::cli {

/// --zone-level, --oversubscription and --nic-bandwidth. `options` must outlive the parsing.
void add_fabric_assumptions(CLI::App& command, ImportOptions& options, const std::string& group);

/// --zone-level, --oversubscription and --nic-bandwidth.
[[nodiscard]] std::vector<std::string> fabric_assumption_names();

/// What check_kubernetes_levels() finds, said of the options: `labels` gave the levels' keys.
void check_levels(const ImportOptions& options, const std::string& labels);

}  // namespace zonecut::cli
