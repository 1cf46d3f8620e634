#include "coordinates/product_factors.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "zonecut/base/disjoint_sets.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMostWork = 5'000'000;  // of looking for squares
constexpr std::size_t kFewOpen = 10;  // one pair of edges in so many may close to no square

using Neighbour = CommunicationGraph::Neighbour;

class FactorSearch {
 public:
  FactorSearch(const CommunicationGraph& graph, const WeightClasses& classes, WeightSet set,
               std::span<const std::uint32_t> vertices)
      : graph_(graph), classes_(classes), set_(set), vertices_(vertices) {}

  std::optional<std::vector<Factor>> run() {
    std::vector<WeightSet> groups = groups_by_squares();
    merge_what_overlaps(groups);
    std::vector<Factor> factors;
    std::size_t product = 1;
    for (const WeightSet group : groups) {
      Factor factor{group, 0, components(graph_, classes_, set_ & ~group, vertices_)};
      for (const std::uint32_t v : vertices_) {
        factor.size = std::max(factor.size, factor.index[v] + 1);
      }
      product *= factor.size;
      if (product > vertices_.size()) return std::nullopt;
      if (factor.size < 2) continue;  // no such edge here
      factors.push_back(std::move(factor));
    }
    if (product != vertices_.size() || !places_differ(factors)) return std::nullopt;
    return factors;
  }

 private:
  [[nodiscard]] bool counts(std::int64_t weight) const {
    return weight > 0 && classes_.in(weight, set_);
  }

  /// Is there a fourth vertex, beside u, with v by an edge of w's class and with w by one of v's?
  [[nodiscard]] bool closes(std::uint32_t u, const Neighbour& v, const Neighbour& w) const {
    for (const auto& [x, across] : graph_.neighbours(v.vertex)) {
      if (x == u || across != w.weight) continue;
      const auto row = graph_.neighbours(w.vertex);
      const auto found = std::ranges::lower_bound(row, x, {}, &Neighbour::vertex);
      if (found != row.end() && found->vertex == x && found->weight == v.weight) return true;
    }
    return false;
  }

  [[nodiscard]] std::vector<WeightSet> groups_by_squares() const {
    const std::size_t count = classes_.count();
    std::vector<Squares> squares(count * count);
    look_at_pairs([&](std::uint32_t u, const Neighbour& v, const Neighbour& w) {
      const auto [x, y] = std::minmax({classes_.of(v.weight), classes_.of(w.weight)});
      ++(closes(u, v, w) ? squares[x * count + y].closed : squares[x * count + y].open);
    });
    DisjointSets joined(count);
    for (std::size_t i = 0; i < squares.size(); ++i) {
      if (squares[i].are_missing()) joined.join(i / count, i % count);
    }
    std::vector<WeightSet> by_root(count, 0);
    for (std::size_t c = 0; c < count; ++c) {
      if ((set_ >> c & 1) != 0) by_root[joined.find(c)] |= WeightSet{1} << c;
    }
    std::erase(by_root, WeightSet{0});
    return by_root;
  }

  /// Of edges of two classes that meet.
  struct Squares {
    std::size_t closed = 0;
    std::size_t open = 0;
    /// More than an edge here or there that the traffic has besides, or lacks, accounts for.
    [[nodiscard]] bool are_missing() const { return kFewOpen * open > open + closed; }
  };

  /// At the pairs of edges of two classes that meet in a vertex; where they are many, at some of
  /// every vertex.
  template <class Look>
  void look_at_pairs(const Look& look) const {
    std::int64_t work = 0;
    for (const std::uint32_t u : vertices_) work += work_at(u);
    const std::int64_t share = 1 + work / kMostWork;
    Random random(1);
    for (const std::uint32_t u : vertices_) {
      const auto row = graph_.neighbours(u);
      if (share == 1) {
        for (std::size_t a = 0; a < row.size(); ++a) {
          for (std::size_t b = a + 1; b < row.size(); ++b) look_at(u, row[a], row[b], look);
        }
        continue;
      }
      const auto degree = static_cast<std::int64_t>(row.size());
      for (std::int64_t i = 0; degree > 1 && i <= degree * degree / 2 / share; ++i) {
        look_at(u, row[random.below(row.size())], row[random.below(row.size())], look);
      }
    }
  }

  template <class Look>
  void look_at(std::uint32_t u, const Neighbour& v, const Neighbour& w, const Look& look) const {
    if (v.weight != w.weight && counts(v.weight) && counts(w.weight)) look(u, v, w);
  }

  /// Of looking at all pairs there, roughly.
  [[nodiscard]] std::int64_t work_at(std::uint32_t u) const {
    const auto degree = static_cast<std::int64_t>(graph_.neighbours(u).size());
    std::int64_t beyond = 0;
    for (const Neighbour& v : graph_.neighbours(u)) {
      beyond += static_cast<std::int64_t>(graph_.neighbours(v.vertex).size());
    }
    return degree * (1 + beyond) / 2;
  }

  /// Components of two factors meet in one vertex at most.
  void merge_what_overlaps(std::vector<WeightSet>& groups) const {
    std::vector<std::vector<std::uint32_t>> parts;
    for (const WeightSet group : groups) {
      parts.push_back(components(graph_, classes_, group, vertices_));
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t j = i + 1; j < groups.size();) {
        if (transversal(parts[i], parts[j])) {
          ++j;
          continue;
        }
        groups[i] |= groups[j];
        parts[i] = components(graph_, classes_, groups[i], vertices_);
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
        j = i + 1;
      }
    }
  }

  /// O(vertices).
  [[nodiscard]] bool transversal(std::span<const std::uint32_t> x,
                                 std::span<const std::uint32_t> y) const {
    // Vertices of one component of x, one after the other.
    std::vector<std::uint32_t> first(vertices_.size() + 1, 0);
    for (const std::uint32_t v : vertices_) ++first[x[v] + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    std::vector<std::uint32_t> met(vertices_.size());
    for (const std::uint32_t v : vertices_) met[next[x[v]]++] = y[v];
    std::vector<std::uint32_t> seen(vertices_.size(), kNone);
    for (std::uint32_t part = 0; part + 1 < first.size(); ++part) {
      for (std::uint32_t i = first[part]; i < first[part + 1]; ++i) {
        if (std::exchange(seen[met[i]], part) == part) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool places_differ(std::span<const Factor> factors) const {
    std::vector<bool> taken(vertices_.size(), false);
    for (const std::uint32_t v : vertices_) {
      std::size_t place = 0;
      for (const Factor& factor : factors) place = place * factor.size + factor.index[v];
      if (taken[place]) return false;
      taken[place] = true;
    }
    return true;
  }

  const CommunicationGraph& graph_;
  const WeightClasses& classes_;
  WeightSet set_;
  std::span<const std::uint32_t> vertices_;
};

}  // namespace

WeightClasses::WeightClasses(const CommunicationGraph& graph) {
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (u < v && weight > 0) weights_.push_back(weight);
    }
  }
  std::ranges::sort(weights_);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (i == 0 || weights_[i] != weights_[kept - 1]) {
      weights_[kept++] = weights_[i];
      edges_.push_back(0);
    }
    ++edges_.back();
  }
  weights_.resize(kept);
}

std::size_t WeightClasses::of(std::int64_t weight) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(weights_, weight) - weights_.begin());
}

std::vector<std::uint32_t> components(const CommunicationGraph& graph, const WeightClasses& classes,
                                      WeightSet set, std::span<const std::uint32_t> vertices) {
  DisjointSets sets(graph.vertices());
  for (const std::uint32_t u : vertices) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (u < v && weight > 0 && classes.in(weight, set)) sets.join(u, v);
    }
  }
  std::vector<std::uint32_t> number(graph.vertices(), kNone);
  std::vector<std::uint32_t> result(graph.vertices(), kNone);
  std::uint32_t next = 0;
  for (const std::uint32_t v : vertices) {
    std::uint32_t& root = number[sets.find(v)];
    if (root == kNone) root = next++;
    result[v] = root;
  }
  return result;
}

std::optional<std::vector<Factor>> product_factors(const CommunicationGraph& graph,
                                                   const WeightClasses& classes, WeightSet set,
                                                   std::span<const std::uint32_t> vertices) {
  const auto component = components(graph, classes, set, vertices);
  const auto elsewhere = [&](std::uint32_t v) { return component[v] != 0; };
  if (std::ranges::any_of(vertices, elsewhere)) return std::nullopt;
  return FactorSearch(graph, classes, set, vertices).run();
}

}  // namespace zonecut
