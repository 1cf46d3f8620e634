#pragma once
// --effort, --seed and --threads, alike in every command that searches.
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "zonecut/partition/mapping.hpp"

namespace zonecut::cli {

/// `options` must outlive the parsing.
void add_solver_options(CLI::App& command, MappingOptions& options);

[[nodiscard]] std::string_view effort_name(Effort effort);

}  // namespace zonecut::cli
