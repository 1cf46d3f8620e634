#include "importers/block_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace zonecut::importers {
namespace {

void check_unique(const std::vector<Block>& blocks, ProblemList& problems) {
  std::unordered_map<std::string_view, const Block*> seen;
  for (const Block& block : blocks) {
    const auto [entry, is_new] = seen.try_emplace(block.name, &block);
    if (!is_new) {
      problems.add(block.where, fmt::format("block {} is described twice, first at {}", block.name,
                                            entry->second->where));
    }
  }
}

/// How many blocks stand together at each level outside the blocks, outermost first.
std::vector<std::size_t> joined_blocks(const std::vector<std::int64_t>& sizes, std::size_t blocks,
                                       const std::string& where, ProblemList& problems) {
  std::vector<std::size_t> joined;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool grows = i == 0 || (sizes[i] > sizes[i - 1] && sizes[i] % sizes[i - 1] == 0);
    if (!grows || sizes[i] < 1) {
      problems.add(where, fmt::format("found the block size {}, expected multiples of one another, "
                                      "smallest first",
                                      sizes[i]));
      return {};
    }
    const auto count = static_cast<std::size_t>(sizes[i] / sizes[0]);
    if (count > 1 && count < blocks) joined.push_back(count);
  }
  std::reverse(joined.begin(), joined.end());
  return joined;
}

}  // namespace

Outline outline_of_blocks(std::vector<Block> blocks, const std::vector<std::int64_t>& sizes,
                          const std::string& where_sizes, ProblemList& problems) {
  Outline outline;
  outline.order = Outline::Order::AsListed;
  check_unique(blocks, problems);
  const std::vector<std::size_t> joined =
      joined_blocks(sizes, blocks.size(), where_sizes, problems);
  if (joined.size() >= kMaxLevels) {
    problems.add(where_sizes, fmt::format("found {} block sizes, expected at most {}", sizes.size(),
                                          kMaxLevels));
    return outline;
  }
  for (const std::size_t count : joined) {
    outline.levels.push_back(
        fmt::format("blocks-of-{}", static_cast<std::int64_t>(count) * sizes[0]));
  }
  outline.levels.emplace_back("block");
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    DomainPath path;
    for (const std::size_t count : joined) path.push_back(blocks[i / count * count].name);
    path.push_back(blocks[i].name);
    outline.domains.push_back(path);
    for (std::string& host : blocks[i].hosts)
      outline.servers.push_back({path, std::move(host), 0, {}, blocks[i].where_hosts});
  }
  return outline;
}

}  // namespace zonecut::importers
