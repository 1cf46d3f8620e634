#pragma once
// Which servers Slurm's topology/block gives a job (docs/baselines.md): one block that is large
// enough, of so many base blocks as a power of two, and in it base blocks whole. A base block is
// here a rack. Plain numbers, so that cases can be worked by hand.
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "room.hpp"

namespace zonecut {

/// How many nodes to take of each base block; none where Slurm would let the job wait: the base
/// blocks that it may join hold too few. `free` by base block, in the order of topology.conf;
/// `block_size` is BlockSizes' first value, the least that a base block has. BlockSizes says no
/// more, so that 1, 2, 4, 8 and 16 base blocks are joined. O(blocks²).
[[nodiscard]] std::optional<std::vector<std::size_t>> slurm_block_shares(
    std::span<const std::size_t> free, std::size_t block_size, std::size_t nodes);

struct RackShare {
  DomainId rack;
  std::size_t places;
};

/// The same of a cluster whose servers have room for so many vertices: what is taken of each rack,
/// in their order. The smallest rack says how large a base block is; of servers for several
/// vertices, each counts as many nodes.
[[nodiscard]] std::optional<std::vector<RackShare>> slurm_block_racks(const Cluster& cluster,
                                                                      const Room& room,
                                                                      std::size_t ranks_per_server,
                                                                      std::size_t vertices);

}  // namespace zonecut
