#pragma once
// --routing, --queue-pairs and --hash-seed, alike in every command that predicts.
#include <CLI/CLI.hpp>

#include "zonecut/scheduler/routing.hpp"

namespace zonecut::cli {

/// `routing` must outlive the parsing.
void add_routing_options(CLI::App& command, Routing& routing);

/// Throws InputError where queue pairs or a seed are given that this scheme has no use for.
void refuse_unused(const Routing& routing);

}  // namespace zonecut::cli
