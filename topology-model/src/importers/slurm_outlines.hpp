#pragma once
// Slurm's files of topology before they are a cluster: the tree, and the places where it is said.
#include <string>
#include <string_view>

#include "importers/outline.hpp"

namespace zonecut::importers {

/// topology.conf, or what `scontrol show topology` prints.
[[nodiscard]] Outline slurm_conf_outline(std::string_view text, const std::string& source,
                                         ProblemList& problems);
[[nodiscard]] Outline slurm_yaml_outline(std::string_view text, const std::string& source,
                                         ProblemList& problems);

}  // namespace zonecut::importers
