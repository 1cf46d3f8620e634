#include "grid/whole_groups.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

namespace zonecut {
namespace {

/// Pairs first, then three at a time: at least as many groups as there can be.
std::size_t groups_at_most(std::span<const std::size_t> each, std::size_t length) {
  std::map<std::size_t, std::size_t> residues;
  for (const std::size_t residue : each) ++residues[residue];
  std::size_t pairs = 0;
  std::size_t rest = 0;
  for (const auto& [residue, count] : residues) {
    const std::size_t other = length - residue;
    const auto partner = residues.find(other);
    const std::size_t there = partner == residues.end() ? 0 : partner->second;
    if (residue == other) {
      pairs += count / 2;
      rest += count % 2;
    } else {
      if (residue < other) pairs += std::min(count, there);
      rest += count - std::min(count, there);
    }
  }
  return pairs + rest / 3;
}

/// most[set] over all subsets: the best that taking one away leaves, and one more if the set itself
/// adds up.
std::size_t groups_exactly(const std::vector<std::size_t>& residues, std::size_t length) {
  const std::size_t sets = std::size_t{1} << residues.size();
  std::vector<std::uint8_t> most(sets, 0);
  std::vector<std::size_t> sum(sets, 0);
  for (std::size_t set = 1; set < sets; ++set) {
    std::uint8_t best = 0;
    for (std::size_t i = 0; i < residues.size(); ++i) {
      const std::size_t without = set & ~(std::size_t{1} << i);
      if (without != set) best = std::max(best, most[without]);
    }
    const auto last = static_cast<std::size_t>(std::countr_zero(set));
    sum[set] = (sum[set & (set - 1)] + residues[last]) % length;
    most[set] = static_cast<std::uint8_t>(best + (sum[set] == 0 ? 1 : 0));
  }
  return most.back();
}

}  // namespace

std::size_t most_whole_groups(std::span<const std::uint32_t> sizes, std::size_t length,
                              std::size_t exact) {
  std::size_t groups = 0;
  std::vector<std::size_t> residues;
  for (const std::uint32_t size : sizes) {
    if (size == 0) continue;
    if (size % length == 0) {
      ++groups;
    } else {
      residues.push_back(size % length);
    }
  }
  if (residues.empty()) return groups;
  return groups + (residues.size() <= exact ? groups_exactly(residues, length)
                                            : groups_at_most(residues, length));
}

}  // namespace zonecut
