#include "grid/line_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace zonecut {
namespace {

constexpr std::size_t kMostBits = 20;                    // of a state
constexpr std::size_t kMostSums = std::size_t{1} << 23;  // of a table, for memory
constexpr std::size_t kMostSteps = std::size_t{1} << 62;
constexpr std::size_t kTooMany = std::numeric_limits<std::size_t>::max();

bool has_too_many_open(const LinePart& part) { return part.open.size() > kMostBits; }

/// In order, each once.
void make_distinct(std::vector<std::uint32_t>& vertices) {
  std::ranges::sort(vertices);
  const auto twice = std::ranges::unique(vertices);
  vertices.erase(twice.begin(), twice.end());
}

class Taking {
 public:
  Taking(std::size_t length, std::span<const LineEdge> edges)
      : length_(static_cast<std::uint32_t>(length)), first_(length), last_(length), ahead_(length) {
    std::iota(first_.begin(), first_.end(), 0U);
    std::iota(last_.begin(), last_.end(), 0U);
    for (const LineEdge& edge : edges) {
      if (edge.weight == 0) continue;
      first_[edge.high] = std::min(first_[edge.high], edge.low);
      last_[edge.low] = std::max(last_[edge.low], edge.high);
      ahead_[edge.low].push_back(edge);
    }
  }

  std::vector<LinePart> run() {
    std::vector<LinePart> parts{part(0, length_)};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].size() < 2) continue;
      const std::uint32_t middle = place_to_divide(parts[i]);
      const std::size_t first = parts.size();
      parts.push_back(part(parts[i].low, middle));
      parts.push_back(part(middle, parts[i].high));
      if (has_too_many_open(parts[first]) || has_too_many_open(parts[first + 1])) break;
      join(parts[i], parts[first]);
      for (std::size_t half = 0; half < 2; ++half) {
        parts[i].halves[half] = seen_by(parts[i], parts[first + half]);
        parts[i].halves[half].index = first + half;
      }
    }
    return parts;
  }

 private:
  [[nodiscard]] bool is_open(std::uint32_t v, std::uint32_t low, std::uint32_t high) const {
    return first_[v] < low || last_[v] >= high;
  }

  [[nodiscard]] LinePart part(std::uint32_t low, std::uint32_t high) const {
    LinePart part;
    part.low = low;
    part.high = high;
    for (std::uint32_t v = low; v < high; ++v) {
      if (is_open(v, low, high)) part.open.push_back(v);
    }
    return part;
  }

  /// Adds one to the count at every place from `begin` to `end`, both included.
  void count_between(std::vector<std::int32_t>& change, std::uint32_t begin, std::uint32_t end) {
    if (begin > end) return;
    ++change[begin];
    --change[end + 1];
  }

  std::uint32_t place_to_divide(const LinePart& part) {
    const auto size = static_cast<std::uint32_t>(part.size());
    // By place to divide at, what changes there in the number of open vertices.
    left_.assign(size + 2, 0);
    right_.assign(size + 2, 0);
    for (std::uint32_t v = part.low; v < part.high; ++v) {
      const std::uint32_t at = v - part.low;
      const bool open_before = first_[v] < part.low;
      const bool open_after = last_[v] >= part.high;
      count_between(left_, at + 1, open_before || open_after ? size : last_[v] - part.low);
      count_between(right_, open_before || open_after ? 0 : first_[v] + 1 - part.low, at);
    }
    // Whether states of both halves' open vertices are more than a join looks at; then what there
    // is of states, and of entries by state and size.
    using Cost = std::tuple<bool, double, std::uint32_t>;
    Cost least{true, std::numeric_limits<double>::infinity(), 0};
    std::uint32_t best = size / 2;
    std::int32_t left = left_[0];
    std::int32_t right = right_[0];
    for (std::uint32_t at = 1; at < size; ++at) {
      left += left_[at];
      right += right_[at];
      const double work =
          std::ldexp(at, left) + std::ldexp(size - at, right) + std::ldexp(1, left + right);
      const std::uint32_t uneven = std::max(at, size - at) - std::min(at, size - at);
      const bool too_many = static_cast<std::size_t>(left + right) > kMostBits;
      const Cost cost{too_many, work, uneven};
      if (cost >= least) continue;
      least = cost;
      best = at;
    }
    return part.low + best;
  }

  void join(LinePart& part, const LinePart& left) const {
    // Ends of edges of which neither is open, by half: all of either half's cover these edges.
    std::array<std::vector<std::uint32_t>, 2> closed;
    for (const std::uint32_t v : left.open) {
      for (const LineEdge& edge : ahead_[v]) {
        if (edge.high < left.high || edge.high >= part.high) continue;
        part.joined.push_back(edge);
        if (is_open(v, part.low, part.high) || is_open(edge.high, part.low, part.high)) continue;
        closed[0].push_back(edge.low);
        closed[1].push_back(edge.high);
      }
    }
    for (auto& ends : closed) make_distinct(ends);
    const auto& fewer = closed[0].size() <= closed[1].size() ? closed[0] : closed[1];
    std::ranges::merge(part.open, fewer, std::back_inserter(part.known));
  }

  [[nodiscard]] static LinePart::Half seen_by(const LinePart& part, const LinePart& half) {
    const auto is_known = [&](std::uint32_t v) {
      return std::ranges::binary_search(part.known, v);
    };
    LinePart::Half result;
    std::ranges::copy_if(half.open, std::back_inserter(result.hidden), std::not_fn(is_known));
    for (const std::uint32_t v : part.known) {
      if (v >= half.low && v < half.high) result.seen.push_back(v);
    }
    for (const LineEdge& edge : part.joined) {
      if (is_known(edge.low) && is_known(edge.high)) continue;
      const bool is_left = edge.low >= half.low;
      if (!is_known(is_left ? edge.low : edge.high)) {
        result.seen.push_back(is_left ? edge.high : edge.low);
      }
    }
    make_distinct(result.seen);
    return result;
  }

  std::uint32_t length_;
  std::vector<std::uint32_t> first_;  // by vertex, its first neighbour or itself
  std::vector<std::uint32_t> last_;
  std::vector<std::vector<LineEdge>> ahead_;  // edges by their earlier vertex
  std::vector<std::int32_t> left_;
  std::vector<std::int32_t> right_;
};

}  // namespace

std::vector<LinePart> take_apart(std::size_t length, std::span<const LineEdge> edges) {
  return length == 0 ? std::vector<LinePart>{} : Taking(length, edges).run();
}

std::size_t join_steps(std::span<const LinePart> parts, std::span<const std::uint32_t> widths,
                       std::size_t most) {
  std::vector<std::size_t> before{0};  // by vertex, what those before it count as
  for (const std::uint32_t width : widths) before.push_back(before.back() + width);
  std::size_t steps = 0;
  if (std::ranges::any_of(parts, has_too_many_open)) return kTooMany;
  for (const LinePart& part : parts) {
    if (part.size() < 2) continue;
    if (part.known.size() > kMostBits) return kTooMany;
    std::size_t pairs = std::size_t{1} << part.known.size();
    for (const LinePart::Half& half : part.halves) {
      const LinePart& of = parts[half.index];
      const std::size_t counts = std::min(before[of.high] - before[of.low], most) + 1;
      const std::size_t bits = half.seen.size() + half.hidden.size();
      const std::size_t most_states = std::max(of.open.size(), half.seen.size());
      if (bits > kMostBits || counts > kMostSums >> most_states) return kTooMany;
      steps += counts << bits;
      if (pairs > kMostSteps / counts) return kTooMany;
      pairs *= counts;
    }
    if (steps > kMostSteps - pairs) return kTooMany;
    steps += pairs;
  }
  return steps;
}

std::size_t edges_to_join(std::size_t length, std::span<const LineEdge> by_reach, std::size_t most,
                          std::size_t most_steps) {
  const std::vector<std::uint32_t> widths(length, 1);
  const auto fits = [&](std::size_t edges) {
    return join_steps(take_apart(length, by_reach.first(edges)), widths, most) <= most_steps;
  };
  if (fits(by_reach.size())) return by_reach.size();
  std::size_t kept = 0;
  for (std::size_t too_many = by_reach.size(); too_many - kept > 1;) {
    const std::size_t half = kept + (too_many - kept) / 2;
    (fits(half) ? kept : too_many) = half;
  }
  return kept;
}

}  // namespace zonecut
