#include "refine/refine_pairs.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace zonecut {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
constexpr std::uint32_t kLastVertex = std::numeric_limits<std::uint32_t>::max();
constexpr Int128 kVertices = Int128{1} << 32;

}  // namespace

PairRefinement::Entry PairRefinement::entry(std::int64_t gain, std::uint32_t vertex) {
  return gain * kVertices + (kLastVertex - vertex);
}

std::uint32_t PairRefinement::vertex_of(Entry entry) {
  return kLastVertex - static_cast<std::uint32_t>(entry);
}

PairRefinement::PairRefinement(WorkingPartition& partition, std::size_t patience)
    : partition_(partition),
      patience_(patience),
      state_(partition.graph().vertices()),
      changed_(partition.parts(), 0) {}

void PairRefinement::begin_pass() {
  ++pass_;
  journal_.clear();
  heap_a_.clear();
  heap_b_.clear();
}

void PairRefinement::insert(Heap& heap, std::uint32_t vertex, std::uint32_t other,
                            WorkBudget& budget) {
  State& state = state_[vertex];
  if (state.known == pass_) return;
  state.known = pass_;
  state.gain = partition_.gain(vertex, other);
  budget.spend(1 + partition_.graph().neighbours(vertex).size());
  heap.push_back(entry(state.gain, vertex));
}

std::optional<PairRefinement::Entry> PairRefinement::top(Heap& heap) const {
  while (!heap.empty()) {
    const Entry best = heap.front();
    // Entries are not taken out when a gain changes: the outdated ones are met here.
    const std::uint32_t vertex = vertex_of(best);
    if (best == entry(state_[vertex].gain, vertex)) return best;
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
  }
  return std::nullopt;
}

void PairRefinement::move(std::uint32_t vertex, std::uint32_t to, Heap& heap_a, std::uint32_t a,
                          Heap& heap_b, WorkBudget& budget) {
  const std::uint32_t from = partition_.part(vertex);
  journal_.push_back(partition_.move(vertex, to));
  state_[vertex].moved = pass_;
  state_[vertex].gain = kNone;
  budget.spend(4 + 2 * partition_.graph().neighbours(vertex).size());
  for (const auto& [v, weight] : partition_.graph().neighbours(vertex)) {
    const std::uint32_t side = partition_.part(v);
    if (side != from && side != to) continue;
    State& state = state_[v];
    if (state.moved == pass_) continue;
    Heap& heap = side == a ? heap_a : heap_b;
    if (state.known == pass_) {
      state.gain += side == from ? 2 * weight : -2 * weight;
      heap.push_back(entry(state.gain, v));
    } else {
      insert(heap, v, side == from ? to : from, budget);
    }
    std::push_heap(heap.begin(), heap.end());
  }
}

bool PairRefinement::improve(std::uint32_t a, std::uint32_t b, WorkBudget& budget) {
  begin_pass();
  for (const std::uint32_t v : partition_.members(a)) insert(heap_a_, v, b, budget);
  for (const std::uint32_t v : partition_.members(b)) insert(heap_b_, v, a, budget);
  return run_pass(a, b, budget);
}

bool PairRefinement::improve_near(std::uint32_t a, std::uint32_t b,
                                  std::span<const std::uint32_t> seeds, WorkBudget& budget) {
  begin_pass();
  for (const std::uint32_t v : seeds) {
    if (partition_.part(v) == a) insert(heap_a_, v, b, budget);
    if (partition_.part(v) == b) insert(heap_b_, v, a, budget);
  }
  budget.spend(seeds.size());
  return run_pass(a, b, budget);
}

bool PairRefinement::run_pass(std::uint32_t a, std::uint32_t b, WorkBudget& budget) {
  std::make_heap(heap_a_.begin(), heap_a_.end());
  std::make_heap(heap_b_.begin(), heap_b_.end());
  const std::int64_t before = partition_.cut();
  std::int64_t best = before;
  std::size_t best_length = 0;
  while (journal_.size() - best_length < patience_) {
    // One vertex more than a part has room for may stand in it between two moves.
    const std::optional<Entry> from_a = partition_.room(b) >= 0 ? top(heap_a_) : std::nullopt;
    const std::optional<Entry> from_b = partition_.room(a) >= 0 ? top(heap_b_) : std::nullopt;
    if (!from_a && !from_b) break;
    const bool take_a = !from_b || (from_a && *from_b < *from_a);
    move(vertex_of(take_a ? *from_a : *from_b), take_a ? b : a, heap_a_, a, heap_b_, budget);
    if (partition_.cut() < best && partition_.room(a) >= 0 && partition_.room(b) >= 0) {
      best = partition_.cut();
      best_length = journal_.size();
    }
  }
  while (journal_.size() > best_length) {
    partition_.take_back(journal_.back());
    journal_.pop_back();
  }
  if (best == before) return false;
  ++clock_;
  changed_[a] = clock_;
  changed_[b] = clock_;
  return true;
}

std::vector<std::uint32_t> PairRefinement::adjacent_parts(std::uint32_t part) const {
  std::vector<std::uint32_t> adjacent;
  for (const std::uint32_t v : partition_.members(part)) {
    for (const auto& neighbour : partition_.graph().neighbours(v)) {
      const std::uint32_t other = partition_.part(neighbour.vertex);
      if (other != part) adjacent.push_back(other);
    }
  }
  std::ranges::sort(adjacent);
  adjacent.erase(std::ranges::unique(adjacent).begin(), adjacent.end());
  return adjacent;
}

void PairRefinement::improve_all(WorkBudget& budget) {
  std::vector<std::uint32_t> parts(partition_.parts());
  for (std::uint32_t p = 0; p < parts.size(); ++p) parts[p] = p;
  improve_around(std::move(parts), budget);
}

bool PairRefinement::improve_if_changed(std::uint32_t a, std::uint32_t b, WorkBudget& budget) {
  std::uint64_t& in_vain = in_vain_[{a, b}];
  if (in_vain > std::max(changed_[a], changed_[b])) return false;
  if (improve(a, b, budget)) return true;
  in_vain = ++clock_;
  return false;
}

void PairRefinement::improve_around(std::vector<std::uint32_t> parts, WorkBudget& budget) {
  ++clock_;
  for (const std::uint32_t part : parts) changed_[part] = clock_;
  // Only parts that changed since their last pass can be worth another one.
  while (!parts.empty() && !budget.spent()) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const std::uint32_t p : parts) {
      for (const std::uint32_t q : adjacent_parts(p)) pairs.emplace(std::min(p, q), std::max(p, q));
    }
    parts.clear();
    for (const auto& [a, b] : pairs) {
      if (budget.spent()) break;
      if (improve_if_changed(a, b, budget)) {
        parts.push_back(a);
        parts.push_back(b);
      }
    }
    std::ranges::sort(parts);
    parts.erase(std::ranges::unique(parts).begin(), parts.end());
  }
}

}  // namespace zonecut
