#pragma once
// What `scontrol show node` prints, as one record for each node. Both shapes are read: a record of
// several lines, those after the first indented, and the one-line shape of `-o`.
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/base/error.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut::importers {

struct SlurmNodeRecord {
  std::string name;
  std::string where;  ///< of the record
  int gpus = 0;       ///< 0: it has none, or Slurm knows none
  ServerHealth health = ServerHealth::Up;
  std::vector<int> held;    ///< GPUs in use, ascending
  bool held_whole = false;  ///< something runs, and nothing says on which GPUs
  std::string topology;     ///< "name:switch:...,name:..." of newer versions; empty: not said
};

/// Mistakes go to `problems`. Of a key that comes twice the first counts: what operators write
/// (Comment, Extra, Reason) comes behind the figures. O(bytes).
[[nodiscard]] std::vector<SlurmNodeRecord> slurm_node_records(std::string_view text,
                                                              const std::string& source,
                                                              ProblemList& problems);

}  // namespace zonecut::importers
