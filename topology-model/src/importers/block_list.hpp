#pragma once
// The blocks of Slurm's topology/block: groups of servers with a fast interconnect, and the sizes
// at which neighbouring blocks are taken together.
#include <cstdint>
#include <string>
#include <vector>

#include "importers/outline.hpp"

namespace zonecut::importers {

struct Block {
  std::string name;
  std::string where;
  std::vector<std::string> hosts;
  std::string where_hosts;
};

/// The innermost level is "block". Each further size of `sizes` that is a multiple of the first one
/// and joins at least two blocks, but not all, gives a level outside it ("blocks-of-36"), in which
/// neighbours in the list stand together: that is how Slurm forms its larger blocks. Such a domain
/// bears the name of its first block.
[[nodiscard]] Outline outline_of_blocks(std::vector<Block> blocks,
                                        const std::vector<std::int64_t>& sizes,
                                        const std::string& where_sizes, ProblemList& problems);

}  // namespace zonecut::importers
