#pragma once
// --routing, --queue-pairs and --hash-seed, alike in every command that predicts.
#include <CLI/CLI.hpp>
#include <optional>

#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/routing.hpp"

namespace zonecut::cli {

/// `routing` must outlive the parsing.
void add_routing_options(CLI::App& command, Routing& routing);

/// What is wrong where queue pairs or a seed are given that this scheme has no use for.
[[nodiscard]] std::optional<InputError> unused_option(const Routing& routing);
/// Throws it.
void refuse_unused(const Routing& routing);

}  // namespace zonecut::cli
