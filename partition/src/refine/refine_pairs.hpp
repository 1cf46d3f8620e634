#pragma once
// Local search between two parts at a time, after Kernighan & Lin (1970) with the gains of Fiduccia
// & Mattheyses (1982): vertices change sides one by one, each once, even at a loss; the best prefix
// that respects the capacities is kept. Never makes the cut worse.
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "partition_problem.hpp"
#include "refine/working_partition.hpp"
#include "zonecut/base/int128.hpp"

namespace zonecut {

class PairRefinement {
 public:
  static constexpr std::size_t kPatience = 32;  ///< for whole partitions

  /// `patience`: moves without a new best after which a pass ends.
  PairRefinement(WorkingPartition& partition, std::size_t patience);

  /// One pass between two parts. True if the cut fell.
  bool improve(std::uint32_t a, std::uint32_t b, WorkBudget& budget);
  /// One pass that begins at `seeds` only and spreads from the vertices it moves: its cost does not
  /// depend on the parts' sizes.
  bool improve_near(std::uint32_t a, std::uint32_t b, std::span<const std::uint32_t> seeds,
                    WorkBudget& budget);
  /// Passes over all adjacent pairs until none improves or the budget is spent.
  void improve_all(WorkBudget& budget);
  /// The same, where others have changed no parts but these since it was last done.
  void improve_around(std::vector<std::uint32_t> parts, WorkBudget& budget);

 private:
  /// A vertex and its gain as one number: of two gains the larger comes first, of two vertices
  /// that gain as much the one before.
  using Entry = Int128;
  using Heap = std::vector<Entry>;
  struct State {              ///< of a vertex
    std::int64_t gain = 0;    ///< by changing sides; once it has moved, no gain there is
    std::uint32_t known = 0;  ///< pass in which that was computed
    std::uint32_t moved = 0;  ///< pass in which it moved
  };

  [[nodiscard]] static Entry entry(std::int64_t gain, std::uint32_t vertex);
  [[nodiscard]] static std::uint32_t vertex_of(Entry entry);

  void begin_pass();
  /// Puts a vertex on the heap of its part, its gain computed anew.
  void insert(Heap& heap, std::uint32_t vertex, std::uint32_t other, WorkBudget& budget);
  /// Moves vertices of the two heaps while that promises something; keeps the best prefix.
  bool run_pass(std::uint32_t a, std::uint32_t b, WorkBudget& budget);
  /// The best of the heap whose vertex has not moved yet, none where there is no such.
  [[nodiscard]] std::optional<Entry> top(Heap& heap) const;
  void move(std::uint32_t vertex, std::uint32_t to, Heap& heap_a, std::uint32_t a, Heap& heap_b,
            WorkBudget& budget);
  std::vector<std::uint32_t> adjacent_parts(std::uint32_t part) const;
  bool improve_if_changed(std::uint32_t a, std::uint32_t b, WorkBudget& budget);

  WorkingPartition& partition_;
  std::size_t patience_;
  std::vector<State> state_;  // by vertex
  std::uint32_t pass_ = 0;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> changed_;  // by part, when last
  // When a pass between two parts last found nothing: while both are as they were there is nothing.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> in_vain_;
  std::vector<WorkingPartition::Record> journal_;
  Heap heap_a_, heap_b_;
};

}  // namespace zonecut
