#include "coordinates/product_factors.hpp"

#include <algorithm>
#include <limits>

#include "zonecut/base/disjoint_sets.hpp"

namespace zonecut {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kSamples = 96;

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
  [[nodiscard]] bool closes(std::uint32_t u, const CommunicationGraph::Neighbour& v,
                            const CommunicationGraph::Neighbour& w) const {
    for (const auto& [x, across] : graph_.neighbours(v.vertex)) {
      if (x == u || across != w.weight) continue;
      const auto row = graph_.neighbours(w.vertex);
      const auto found =
          std::ranges::lower_bound(row, x, {}, &CommunicationGraph::Neighbour::vertex);
      if (found != row.end() && found->vertex == x && found->weight == v.weight) return true;
    }
    return false;
  }

  [[nodiscard]] std::vector<WeightSet> groups_by_squares() const {
    DisjointSets joined(classes_.count());
    const std::size_t step = std::max<std::size_t>(1, vertices_.size() / kSamples);
    for (std::size_t i = 0; i < vertices_.size(); i += step) {
      const std::uint32_t u = vertices_[i];
      const auto row = graph_.neighbours(u);
      for (std::size_t a = 0; a < row.size(); ++a) {
        for (std::size_t b = a + 1; b < row.size(); ++b) {
          if (!counts(row[a].weight) || !counts(row[b].weight)) continue;
          const std::size_t x = classes_.of(row[a].weight);
          const std::size_t y = classes_.of(row[b].weight);
          if (joined.find(x) != joined.find(y) && !closes(u, row[a], row[b])) joined.join(x, y);
        }
      }
    }
    std::vector<WeightSet> by_root(classes_.count(), 0);
    for (std::size_t c = 0; c < classes_.count(); ++c) {
      if ((set_ >> c & 1) != 0) by_root[joined.find(c)] |= WeightSet{1} << c;
    }
    std::erase(by_root, WeightSet{0});
    return by_root;
  }

  /// Components of two factors meet in one vertex at most.
  void merge_what_overlaps(std::vector<WeightSet>& groups) const {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t j = i + 1; j < groups.size();) {
        if (transversal(groups[i], groups[j])) {
          ++j;
          continue;
        }
        groups[i] |= groups[j];
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
        j = i + 1;
      }
    }
  }

  [[nodiscard]] bool transversal(WeightSet a, WeightSet b) const {
    const auto x = components(graph_, classes_, a, vertices_);
    const auto y = components(graph_, classes_, b, vertices_);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> meeting;
    for (const std::uint32_t v : vertices_) meeting.emplace_back(x[v], y[v]);
    std::ranges::sort(meeting);
    return std::ranges::adjacent_find(meeting) == meeting.end();
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
  weights_.erase(std::ranges::unique(weights_).begin(), weights_.end());
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
