#include "refine/refine_distance.hpp"

#include <algorithm>
#include <compare>

#include "leaf_distance.hpp"

namespace zonecut {
namespace {

constexpr int kMostRounds = 8;

/// How much a step saves. J in floating point: it may pass 63 bits, and decides here only.
struct Saving {
  std::int64_t cut = 0;
  double cost = 0;
  [[nodiscard]] bool pays() const { return cut > 0 || (cut == 0 && cost > 0.5); }
  friend bool operator<(const Saving& x, const Saving& y) {
    return x.cut != y.cut ? x.cut < y.cut : x.cost < y.cost;
  }
};

class LeafSearch {
 public:
  LeafSearch(const CommunicationGraph& graph, const SlotTree& tree,
             std::vector<std::uint32_t>& leaf, WorkBudget& budget)
      : graph_(graph),
        tree_(tree),
        distance_(tree),
        leaf_(leaf),
        budget_(budget),
        members_(tree.leaves()) {
    for (std::uint32_t v = 0; v < leaf.size(); ++v) members_[leaf[v]].push_back(v);
  }

  /// One visit to every vertex. True if anything changed.
  bool round() {
    bool changed = false;
    for (std::uint32_t v = 0; v < leaf_.size() && !budget_.spent(); ++v) changed |= improve(v);
    return changed;
  }

 private:
  struct Step {
    Saving saving;
    std::uint32_t to = 0;
    std::int64_t partner = -1;  ///< who comes back; -1: the slot was free
  };

  bool improve(std::uint32_t v) {
    Step best;
    std::vector<std::uint32_t> targets;
    for (const auto& neighbour : graph_.neighbours(v)) targets.push_back(leaf_[neighbour.vertex]);
    std::ranges::sort(targets);
    targets.erase(std::ranges::unique(targets).begin(), targets.end());
    for (const std::uint32_t to : targets) {
      if (to != leaf_[v]) consider(v, to, best);
    }
    if (!best.saving.pays()) return false;
    const std::uint32_t from = leaf_[v];
    relocate(v, best.to);
    if (best.partner >= 0) relocate(static_cast<std::uint32_t>(best.partner), from);
    return true;
  }

  void consider(std::uint32_t v, std::uint32_t to, Step& best) {
    const Saving going = saving(v, to);
    if (members_[to].size() < tree_.free[to] && best.saving < going) best = {going, to, -1};
    for (const std::uint32_t u : members_[to]) {
      const Saving coming = saving(u, leaf_[v]);
      Saving both{going.cut + coming.cut, going.cost + coming.cost};
      correct_for_edge(v, u, both);
      if (best.saving < both) best = {both, to, u};
    }
  }

  /// Two neighbours that change places stay as far apart as they were; each alone counted as moving
  /// to where the other stands.
  void correct_for_edge(std::uint32_t v, std::uint32_t u, Saving& both) const {
    for (const auto& [w, weight] : graph_.neighbours(v)) {
      if (w != u) continue;
      const std::size_t apart = distance_.shared_levels(leaf_[v], leaf_[u]);
      const auto saved =
          static_cast<double>(tree_.distance[apart] - tree_.distance[tree_.levels()]);
      both.cost -= 2 * static_cast<double>(weight) * saved;
      if (apart <= tree_.cut_level) both.cut -= 2 * weight;
    }
  }

  Saving saving(std::uint32_t v, std::uint32_t to) {
    Saving sum;
    const std::uint32_t from = leaf_[v];
    for (const auto& [u, weight] : graph_.neighbours(v)) {
      const std::size_t before = distance_.shared_levels(from, leaf_[u]);
      const std::size_t after = distance_.shared_levels(to, leaf_[u]);
      sum.cost += static_cast<double>(weight) *
                  static_cast<double>(tree_.distance[before] - tree_.distance[after]);
      if (before <= tree_.cut_level) sum.cut += weight;
      if (after <= tree_.cut_level) sum.cut -= weight;
    }
    budget_.spend(4 * graph_.neighbours(v).size() + 4);
    return sum;
  }

  void relocate(std::uint32_t v, std::uint32_t to) {
    std::erase(members_[leaf_[v]], v);
    members_[to].push_back(v);
    leaf_[v] = to;
  }

  const CommunicationGraph& graph_;
  const SlotTree& tree_;
  LeafDistance distance_;
  std::vector<std::uint32_t>& leaf_;
  WorkBudget& budget_;
  std::vector<std::vector<std::uint32_t>> members_;
};

}  // namespace

void refine_distance(const CommunicationGraph& graph, const SlotTree& tree,
                     std::vector<std::uint32_t>& leaf, WorkBudget& budget) {
  LeafSearch search(graph, tree, leaf, budget);
  for (int round = 0; round < kMostRounds && !budget.spent() && search.round(); ++round) {
  }
}

}  // namespace zonecut
