#pragma once
// Slurm's files of topology before they are a cluster: the tree, and the places where it is said.
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "importers/outline.hpp"

namespace zonecut::importers {

/// topology.conf, or what `scontrol show topology` prints.
[[nodiscard]] Outline slurm_conf_outline(std::string_view text, const std::string& source,
                                         ProblemList& problems);
[[nodiscard]] Outline slurm_yaml_outline(std::string_view text, const std::string& source,
                                         ProblemList& problems);

/// Keeps these servers, with so many GPUs, and leaves the others out, with racks that hold nothing
/// else: a rack of none but login nodes is none of this fabric's. One that the file leaves empty
/// is.
void keep_servers(const std::map<std::string, int, std::less<>>& gpus, Outline& outline);

}  // namespace zonecut::importers
