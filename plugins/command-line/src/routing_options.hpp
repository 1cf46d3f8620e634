#pragma once
// --routing, --queue-pairs and --hash-seed, alike in every command that predicts.
#include <CLI/CLI.hpp>

#include "zonecut/scheduler/routing.hpp"

namespace zonecut::cli {

/// `routing` must outlive the parsing.
void add_routing_options(CLI::App& command, Routing& routing);

}  // namespace zonecut::cli
