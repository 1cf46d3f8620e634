#pragma once
// GPUs in Slurm's words for generic resources: "gpu:a100:8(S:0-1),nic:2" of a node, and
// "gpu:a100:2(IDX:0,3)" of what is in use. Includes no other part of zonecut, so that the plugins
// for Slurm can be compiled with it.
#include <string_view>
#include <vector>

namespace zonecut {

/// How many GPUs there are, at most 1,024; 0 where the text names none or cannot be read.
[[nodiscard]] int gres_gpu_count(std::string_view gres);
/// Which GPUs are in use, ascending. Where only their number is said, the first ones.
[[nodiscard]] std::vector<int> gres_gpu_indices(std::string_view detail);

}  // namespace zonecut
