#pragma once
// What other partitioners reach on the zones of a tree, their answers brought to exact capacities
// by our repair, in their favour. None where a tool is not built in, or where more slots are free
// than needed, which these tools cannot express.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {

/// Recursive bisection and direct k-way by turns.
[[nodiscard]] std::optional<std::int64_t> metis_best_of(const CommunicationGraph& graph,
                                                        const SlotTree& tree, int seeds);

/// SCOTCH_graphMap on a complete graph of the zones, weighted by their sizes.
[[nodiscard]] std::optional<std::int64_t> scotch_cut(const CommunicationGraph& graph,
                                                     const SlotTree& tree);

/// By a Python module, "mtkahypar" or "kahip", with so many seeds (partition_by_module.py). None
/// where it is not installed, or where zones differ and it takes equal ones only.
[[nodiscard]] std::vector<std::int64_t> module_cuts(const std::string& module,
                                                    const std::filesystem::path& graph_file,
                                                    const CommunicationGraph& graph,
                                                    const SlotTree& tree, int seeds);

}  // namespace zonecut
