#pragma once
// Host lists, taken apart by Slurm itself, whose words they are.
#include <string>
#include <vector>

namespace zonecut::slurm {

/// The names of a list such as "n[01-16]", in its order; empty where Slurm cannot read it.
[[nodiscard]] std::vector<std::string> names_of(const std::string& list);

/// "a,b,c"
[[nodiscard]] std::string joined(const std::vector<std::string>& names);

}  // namespace zonecut::slurm
