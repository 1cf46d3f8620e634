#include "zonecut/partition/mend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "leaf_distance.hpp"
#include "partition_problem.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/int128.hpp"

namespace zonecut {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMostExhaustiveSteps = 1'000'000;
constexpr int kMostRounds = 100;
/// Ties that are looked at for one exchange of two that stay so far.
constexpr std::size_t kMostLooks = 10'000'000;
/// Of all exchanges, and of the moves after the first of them, whose number grows with those moved.
constexpr std::int64_t kMostLooksInAll = 1'000'000'000;

/// What one more vertex, or a step, costs.
struct Burden {
  std::int64_t cut = 0;
  Int128 cost = 0;
  friend auto operator<=>(const Burden&, const Burden&) = default;
  friend Burden operator+(Burden a, const Burden& b) { return {a.cut + b.cut, a.cost + b.cost}; }
  friend Burden operator-(Burden a, const Burden& b) { return {a.cut - b.cut, a.cost - b.cost}; }
};

/// Who stands in which leaf, and what is left there.
class Standing {
 public:
  Standing(const CommunicationGraph& graph, const SlotTree& tree)
      : graph_(graph),
        tree_(tree),
        distance_(tree),
        leaf_(graph.vertices(), kNowhere),
        left_(tree.free.begin(), tree.free.end()) {}

  [[nodiscard]] std::uint32_t leaf(std::uint32_t v) const { return leaf_[v]; }
  [[nodiscard]] std::uint32_t left(std::uint32_t leaf) const { return left_[leaf]; }
  [[nodiscard]] std::size_t leaves() const { return left_.size(); }

  void put(std::uint32_t v, std::uint32_t leaf) {
    leaf_[v] = leaf;
    --left_[leaf];
  }
  void take(std::uint32_t v) {
    ++left_[leaf_[v]];
    leaf_[v] = kNowhere;
  }

  /// Of v in `leaf` towards all neighbours that stand somewhere.
  [[nodiscard]] Burden burden(std::uint32_t v, std::uint32_t leaf) const {
    Burden sum;
    for (const auto& [u, weight] : graph_.neighbours(v)) {
      if (leaf_[u] == kNowhere) continue;
      const std::size_t shared = distance_.shared_levels(leaf, leaf_[u]);
      if (shared <= tree_.cut_level) sum.cut += weight;
      sum.cost += static_cast<Int128>(weight) * tree_.distance[shared];
    }
    return sum;
  }

  /// The leaf with room where v costs least; the first of equals.
  [[nodiscard]] std::uint32_t best_leaf(std::uint32_t v) const {
    std::uint32_t best = kNowhere;
    Burden least;
    for (std::uint32_t leaf = 0; leaf < left_.size(); ++leaf) {
      if (left_[leaf] == 0) continue;
      const Burden here = burden(v, leaf);
      if (best == kNowhere || here < least) {
        best = leaf;
        least = here;
      }
    }
    return best;
  }

  /// What the whole costs less when v goes to `leaf`, room or not.
  [[nodiscard]] Burden saving(std::uint32_t v, std::uint32_t leaf) const {
    return burden(v, leaf_[v]) - burden(v, leaf);
  }

  /// What it costs less when two change places.
  [[nodiscard]] Burden exchange_saving(std::uint32_t u, std::uint32_t v) {
    const std::uint32_t at_u = leaf_[u];
    const std::uint32_t at_v = leaf_[v];
    const Burden before = burden(u, at_u) + burden(v, at_v);
    exchange(u, v);
    const Burden after = burden(u, at_v) + burden(v, at_u);
    exchange(u, v);
    return before - after;
  }
  void exchange(std::uint32_t u, std::uint32_t v) { std::swap(leaf_[u], leaf_[v]); }

 private:
  const CommunicationGraph& graph_;
  const SlotTree& tree_;
  LeafDistance distance_;
  std::vector<std::uint32_t> leaf_;  // by vertex
  std::vector<std::uint32_t> left_;  // by leaf: slots nobody holds
};

/// The strongest tie to those who stand goes first: its place says most about the others'.
void place_greedily(const CommunicationGraph& graph, Standing& standing,
                    std::vector<std::uint32_t> lost) {
  const auto tie = [&](std::uint32_t v) {
    std::int64_t sum = 0;
    for (const auto& [u, weight] : graph.neighbours(v)) {
      if (standing.leaf(u) != kNowhere) sum += weight;
    }
    return sum;
  };
  while (!lost.empty()) {
    const auto next =
        std::max_element(lost.begin(), lost.end(), [&](auto a, auto b) { return tie(a) < tie(b); });
    standing.put(*next, standing.best_leaf(*next));
    lost.erase(next);
  }
}

/// Lost vertices move to free slots and change places with each other while it pays.
void improve_lost(Standing& standing, std::span<const std::uint32_t> lost) {
  bool changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) {
    changed = false;
    for (std::size_t i = 0; i < lost.size(); ++i) {
      const std::uint32_t v = lost[i];
      const std::uint32_t from = standing.leaf(v);
      standing.take(v);
      const std::uint32_t best = standing.best_leaf(v);
      const bool moves = standing.burden(v, best) < standing.burden(v, from);
      standing.put(v, moves ? best : from);
      changed |= moves;
      for (std::size_t j = i + 1; j < lost.size(); ++j) {
        if (standing.exchange_saving(v, lost[j]) <= Burden{}) continue;
        standing.exchange(v, lost[j]);
        changed = true;
      }
    }
  }
}

/// Every way to give the lost vertices leaves, cut off where it costs as much as the best.
class Exhaustion {
 public:
  Exhaustion(Standing& standing, std::span<const std::uint32_t> lost)
      : standing_(standing), lost_(lost) {
    for (std::uint32_t leaf = 0; leaf < standing.leaves(); ++leaf) {
      if (standing.left(leaf) > 0) open_.push_back(leaf);
    }
  }

  [[nodiscard]] bool is_small() const {
    double ways = 1;
    for (std::size_t i = 0; i < lost_.size(); ++i) ways *= static_cast<double>(open_.size());
    return ways <= static_cast<double>(kMostExhaustiveSteps);
  }

  void run() {
    choose(0, {});
    for (std::size_t i = 0; i < lost_.size(); ++i) standing_.put(lost_[i], best_[i]);
  }

 private:
  void choose(std::size_t index, const Burden& so_far) {
    if (!best_.empty() && so_far >= least_) return;
    if (index == lost_.size()) {
      best_ = chosen_;
      least_ = so_far;
      return;
    }
    for (const std::uint32_t leaf : open_) {
      if (standing_.left(leaf) == 0) continue;
      const Burden more = standing_.burden(lost_[index], leaf);
      standing_.put(lost_[index], leaf);
      chosen_.push_back(leaf);
      choose(index + 1, so_far + more);
      chosen_.pop_back();
      standing_.take(lost_[index]);
    }
  }

  Standing& standing_;
  std::span<const std::uint32_t> lost_;
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> best_;
  Burden least_;
};

/// The one step that saves most, of those that lower the cut: a vertex to a free slot, or in
/// exchange with one that moves anyway.
struct Step {
  Burden saving;
  std::uint32_t vertex = kNowhere;
  std::uint32_t leaf = kNowhere;     ///< where to, if the slot is free
  std::uint32_t partner = kNowhere;  ///< or who gives its place
};

Step best_step(Standing& standing, const std::vector<bool>& moved) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t leaf = 0; leaf < standing.leaves(); ++leaf) {
    if (standing.left(leaf) > 0) open.push_back(leaf);
  }
  std::vector<std::uint32_t> movers;
  for (std::uint32_t v = 0; v < moved.size(); ++v) {
    if (moved[v]) movers.push_back(v);
  }
  Step best;
  for (std::uint32_t v = 0; v < moved.size(); ++v) {
    if (moved[v]) continue;
    for (const std::uint32_t leaf : open) {
      const Burden saving = standing.saving(v, leaf);
      if (saving.cut > 0 && saving > best.saving) best = {saving, v, leaf, kNowhere};
    }
    for (const std::uint32_t partner : movers) {
      if (standing.leaf(partner) == standing.leaf(v)) continue;
      const Burden saving = standing.exchange_saving(v, partner);
      if (saving.cut > 0 && saving > best.saving) best = {saving, v, kNowhere, partner};
    }
  }
  return best;
}

/// Those that stay and send to other domains, who sends most first; as many as can be compared with
/// all others.
std::vector<std::uint32_t> busiest(const CommunicationGraph& graph, const Standing& standing,
                                   const std::vector<bool>& moved, WorkBudget& budget) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> by_cut;
  for (std::uint32_t v = 0; v < moved.size(); ++v) {
    if (moved[v]) continue;
    if (const std::int64_t cut = standing.burden(v, standing.leaf(v)).cut; cut > 0)
      by_cut.emplace_back(-cut, v);
  }
  std::ranges::sort(by_cut);
  std::vector<std::uint32_t> vertices;
  std::size_t looks = 0;
  for (const auto& [cut, v] : by_cut) {
    const std::size_t more =
        2 * (graph.vertices() * (1 + graph.neighbours(v).size()) + 2 * graph.edges());
    if (looks + more > kMostLooks) continue;
    looks += more;
    vertices.push_back(v);
  }
  budget.spend(looks);
  return vertices;
}

/// The exchange of two that stay so far which saves most, of those that lower the cut: where all
/// slots are taken there is no other way.
Step best_exchange(const CommunicationGraph& graph, Standing& standing,
                   const std::vector<bool>& moved, WorkBudget& budget) {
  Step best;
  for (const std::uint32_t u : busiest(graph, standing, moved, budget)) {
    for (std::uint32_t v = 0; v < moved.size(); ++v) {
      if (moved[v] || standing.leaf(u) == standing.leaf(v)) continue;
      const Burden saving = standing.exchange_saving(u, v);
      if (saving.cut > 0 && saving > best.saving) best = {saving, u, kNowhere, v};
    }
  }
  return best;
}

/// Ties that best_step looks at because of those who have moved.
std::size_t looks_at_moved(const CommunicationGraph& graph, const std::vector<bool>& moved) {
  const auto movers = static_cast<std::size_t>(std::ranges::count(moved, true));
  return 2 * movers * (graph.vertices() + 2 * graph.edges());
}

/// Up to `most_moves` vertices beyond those marked move, one after the other, while it pays; or two
/// at once where that saves more than twice as much, which ends with kMostLooksInAll.
void move_more(const CommunicationGraph& graph, Standing& standing, std::size_t most_moves,
               std::vector<bool>& moved) {
  WorkBudget budget(kMostLooksInAll);
  bool has_exchanged = false;
  for (std::size_t left = most_moves; left > 0 && !(has_exchanged && budget.spent()); --left) {
    Step step = best_step(standing, moved);
    if (has_exchanged) budget.spend(looks_at_moved(graph, moved));
    if (left > 1 && !budget.spent()) {
      const Step two = best_exchange(graph, standing, moved, budget);
      if (two.saving > step.saving + step.saving) {
        step = two;
        moved[two.partner] = true;
        has_exchanged = true;
        --left;
      }
    }
    if (step.vertex == kNowhere) return;
    if (step.partner != kNowhere) {
      standing.exchange(step.vertex, step.partner);
    } else {
      standing.take(step.vertex);
      standing.put(step.vertex, step.leaf);
    }
    moved[step.vertex] = true;
  }
}

/// Puts those with a place where they stand; the others are lost.
std::vector<std::uint32_t> stand_as_before(const SlotTree& tree,
                                           std::span<const std::optional<std::uint32_t>> previous,
                                           Standing& standing) {
  const std::vector<std::uint32_t> leaf_of_slot = tree.leaf_of_slot();
  std::vector<bool> used(leaf_of_slot.size(), false);
  std::vector<std::uint32_t> lost;
  for (std::uint32_t v = 0; v < previous.size(); ++v) {
    const std::optional<std::uint32_t> slot = previous[v];
    if (!slot) {
      lost.push_back(v);
      continue;
    }
    ZONECUT_ENSURES(*slot < used.size() && !used[*slot]);
    used[*slot] = true;
    standing.put(v, leaf_of_slot[*slot]);
  }
  return lost;
}

/// True when every way was tried.
bool place_lost(const CommunicationGraph& graph, Standing& standing,
                const std::vector<std::uint32_t>& lost) {
  Exhaustion all(standing, lost);
  if (all.is_small()) {
    all.run();
    return true;
  }
  place_greedily(graph, standing, lost);
  improve_lost(standing, lost);
  return false;
}

/// Slots stay where leaves did; those who moved take the first ones left in their leaf.
std::vector<std::uint32_t> slots_of(const SlotTree& tree, const Standing& standing,
                                    std::span<const std::optional<std::uint32_t>> previous) {
  const std::vector<std::uint32_t> leaf_of_slot = tree.leaf_of_slot();
  std::vector<std::uint32_t> slot(previous.size(), kNowhere);
  std::vector<bool> used(leaf_of_slot.size(), false);
  for (std::uint32_t v = 0; v < slot.size(); ++v) {
    const std::optional<std::uint32_t> before = previous[v];
    if (!before || leaf_of_slot[*before] != standing.leaf(v)) continue;
    slot[v] = *before;
    used[slot[v]] = true;
  }
  std::vector<std::uint32_t> next(tree.leaves(), 0);
  for (std::size_t l = 1; l < next.size(); ++l) next[l] = next[l - 1] + tree.free[l - 1];
  for (std::uint32_t v = 0; v < slot.size(); ++v) {
    if (slot[v] != kNowhere) continue;
    std::uint32_t& here = next[standing.leaf(v)];
    while (used[here]) ++here;
    slot[v] = here++;
  }
  return slot;
}

}  // namespace

MendedMapping mend_mapping(const CommunicationGraph& graph, const SlotTree& tree,
                           std::span<const std::optional<std::uint32_t>> previous,
                           std::size_t most_moves) {
  check(tree);
  const std::size_t vertices = graph.vertices();
  ZONECUT_ENSURES(previous.size() == vertices);
  if (tree.slots() < vertices) {
    throw InputError("tree", fmt::format("{} slots for {} vertices", tree.slots(), vertices),
                     "free some servers or make the job smaller");
  }
  Standing standing(graph, tree);
  const std::vector<std::uint32_t> lost = stand_as_before(tree, previous, standing);
  MendedMapping mended;
  mended.optimal = place_lost(graph, standing, lost) && most_moves == 0;
  std::vector<bool> moved(vertices, false);
  for (const std::uint32_t v : lost) moved[v] = true;
  move_more(graph, standing, most_moves, moved);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (moved[v]) mended.moved.push_back(v);
  }
  mended.slot = slots_of(tree, standing, previous);
  mended.cost = measure(graph, tree, mended.slot);
  return mended;
}

}  // namespace zonecut
