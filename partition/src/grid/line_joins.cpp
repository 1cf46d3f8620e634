#include "grid/line_joins.hpp"

#include <algorithm>
#include <iterator>

namespace zonecut {
namespace {

using Vertices = std::span<const std::uint32_t>;

/// Which bit of a state stands for a vertex.
std::size_t bit_of(std::uint32_t v, Vertices vertices) {
  const auto at = std::ranges::lower_bound(vertices, v) - vertices.begin();
  return std::size_t{1} << static_cast<std::size_t>(at);
}

bool is_among(std::uint32_t v, Vertices vertices) {
  return std::ranges::binary_search(vertices, v);
}

/// For every state of some vertices that of others, of which each is among them.
std::vector<std::uint32_t> states_of(Vertices others, Vertices vertices) {
  std::vector<std::uint32_t> result(std::size_t{1} << vertices.size(), 0);
  for (const std::uint32_t v : others) {
    const std::size_t bit = bit_of(v, vertices);
    const auto other = static_cast<std::uint32_t>(bit_of(v, others));
    for (std::size_t state = 0; state < result.size(); ++state) {
      if ((state & bit) != 0) result[state] |= other;
    }
  }
  return result;
}

/// By state of some vertices, the weight of edges among them of which one end is taken.
std::vector<std::int64_t> cuts_of(std::span<const LineEdge> edges, Vertices vertices) {
  std::vector<std::int64_t> result(std::size_t{1} << vertices.size(), 0);
  for (const LineEdge& edge : edges) {
    const std::size_t low = bit_of(edge.low, vertices);
    const std::size_t high = bit_of(edge.high, vertices);
    for (std::size_t state = 0; state < result.size(); ++state) {
      if (((state & low) != 0) != ((state & high) != 0)) result[state] += edge.weight;
    }
  }
  return result;
}

std::vector<LineJoin::Way> ways_of(const LinePart& part, const LinePart::Half& half,
                                   Vertices open) {
  std::vector<std::uint32_t> all;
  std::ranges::merge(half.seen, half.hidden, std::back_inserter(all));
  std::vector<LineEdge> edges;
  std::ranges::copy_if(part.joined, std::back_inserter(edges), [&](const LineEdge& edge) {
    return is_among(edge.low, half.hidden) || is_among(edge.high, half.hidden);
  });
  const std::vector<std::uint32_t> to = states_of(half.seen, all);
  const std::vector<std::uint32_t> from = states_of(open, all);
  const std::vector<std::int64_t> cut = cuts_of(edges, all);
  std::vector<LineJoin::Way> ways;
  ways.reserve(to.size());
  for (std::size_t state = 0; state < to.size(); ++state) {
    ways.push_back({to[state], from[state], cut[state]});
  }
  std::ranges::stable_sort(ways, {}, &LineJoin::Way::to);
  return ways;
}

std::vector<LineJoin::Pair> pairs_of(const LinePart& part) {
  std::vector<LineEdge> edges;
  std::ranges::copy_if(part.joined, std::back_inserter(edges), [&](const LineEdge& edge) {
    return is_among(edge.low, part.known) && is_among(edge.high, part.known);
  });
  const std::vector<std::uint32_t> to = states_of(part.open, part.known);
  const std::vector<std::uint32_t> left = states_of(part.halves[0].seen, part.known);
  const std::vector<std::uint32_t> right = states_of(part.halves[1].seen, part.known);
  const std::vector<std::int64_t> cut = cuts_of(edges, part.known);
  std::vector<LineJoin::Pair> pairs;
  pairs.reserve(to.size());
  for (std::size_t state = 0; state < to.size(); ++state) {
    pairs.push_back({to[state], {left[state], right[state]}, cut[state]});
  }
  std::ranges::stable_sort(pairs, {}, &LineJoin::Pair::to);
  return pairs;
}

}  // namespace

std::vector<LineJoin> line_joins(std::span<const LinePart> parts) {
  std::vector<LineJoin> joins(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].size() < 2) continue;
    for (std::size_t half = 0; half < 2; ++half) {
      const LinePart::Half& of = parts[i].halves[half];
      joins[i].ways[half] = ways_of(parts[i], of, parts[of.index].open);
    }
    joins[i].pairs = pairs_of(parts[i]);
  }
  return joins;
}

}  // namespace zonecut
