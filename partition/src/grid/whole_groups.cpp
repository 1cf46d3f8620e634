#include "grid/whole_groups.hpp"

#include <algorithm>
#include <vector>

namespace zonecut {
namespace {

/// Sizes alike, short of whole groups.
struct Residue {
  std::size_t value = 0;
  std::size_t count = 0;
  std::size_t stride = 0;  ///< of one of them in the number of a set
};

/// Takes out every two that add up to a group, and says how many groups those are. `residues`: in
/// order, and they stay so.
std::size_t take_pairs(std::vector<std::size_t>& residues, std::size_t length) {
  std::size_t pairs = 0;
  std::vector<std::size_t> rest;
  std::size_t low = 0;
  std::size_t high = residues.size();
  while (low < high) {
    const std::size_t sum = residues[low] + residues[high - 1];
    if (low + 1 < high && sum == length) {
      ++pairs;
      ++low;
      --high;
    } else {
      rest.push_back(sum < length ? residues[low++] : residues[--high]);
    }
  }
  std::ranges::sort(rest);
  residues = std::move(rest);
  return pairs;
}

std::vector<Residue> kinds_of(std::span<const std::size_t> residues) {
  std::vector<Residue> kinds;
  for (const std::size_t value : residues) {
    if (kinds.empty() || kinds.back().value != value) kinds.push_back({value});
    ++kinds.back().count;
  }
  return kinds;
}

/// Numbers the sets that take some of each kind; none where there are more of them than `most`.
std::size_t number_sets(std::vector<Residue>& kinds, std::size_t most) {
  std::size_t sets = 1;
  for (Residue& kind : kinds) {
    kind.stride = sets;
    if (kind.count + 1 > most / sets) return 0;
    sets *= kind.count + 1;
  }
  return sets;
}

/// most[set] over all sets: the best that taking one away leaves, and one more if the set itself
/// adds up.
std::size_t groups_exactly(std::span<const Residue> kinds, std::size_t sets, std::size_t length) {
  std::vector<std::uint32_t> most(sets, 0);
  std::vector<std::size_t> taken(kinds.size(), 0);
  std::size_t sum = 0;
  for (std::size_t set = 1; set < sets; ++set) {
    // One more of the first kind that is not all taken, and none of those before it.
    std::size_t k = 0;
    for (; taken[k] == kinds[k].count; ++k) {
      sum += taken[k] * (length - kinds[k].value);
      taken[k] = 0;
    }
    ++taken[k];
    sum = (sum + kinds[k].value) % length;
    std::uint32_t best = 0;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (taken[i] > 0) best = std::max(best, most[set - kinds[i].stride]);
    }
    most[set] = best + (sum == 0 ? 1 : 0);
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
  std::ranges::sort(residues);
  // Two that add up may as well be together: what else was with them adds up without them.
  groups += take_pairs(residues, length);
  std::vector<Residue> kinds = kinds_of(residues);
  const std::size_t sets = number_sets(kinds, std::size_t{1} << exact);
  return groups + (sets > 0 ? groups_exactly(kinds, sets, length) : residues.size() / 3);
}

}  // namespace zonecut
