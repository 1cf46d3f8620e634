#pragma once
// GPUs in Slurm's words for generic resources: "gpu:a100:8(S:0-1),nic:2" of a node, and
// "gpu:a100:2(IDX:0,3)" of a job on one node.
#include <string_view>
#include <vector>

namespace zonecut::slurm {

/// How many GPUs a node has; 0 where the text names none or cannot be read.
[[nodiscard]] int gpu_count(std::string_view gres);
/// Which GPUs a job holds on a node, ascending. Where only their number is said, the first ones.
[[nodiscard]] std::vector<int> gpu_indices(std::string_view detail);

}  // namespace zonecut::slurm
