#include <algorithm>
#include <numeric>

#include "zonecut/base/document.hpp"

namespace zonecut {
namespace {

/// Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other
/// (optimal string alignment). O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kLongest = 64;  // longer ones are no slip, and cost their square
  if (word.empty() || word.size() > kLongest) return std::nullopt;
  const std::size_t tolerated = std::max<std::size_t>(1, (word.size() + 1) / 3);
  std::size_t best = tolerated + 1;
  std::optional<std::string> nearest;
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (longer - shorter >= best) continue;  // saves the square for most of a long list
    const std::size_t distance = edit_distance(word, candidate);
    // A word of which nothing is left over is not near.
    if (distance < best && distance < candidate.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace zonecut
