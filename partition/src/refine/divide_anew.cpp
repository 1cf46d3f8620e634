#include "refine/divide_anew.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "refine/refine_cycles.hpp"
#include "traffic/subgraph.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostParts = 5;
constexpr std::int64_t kFar = 8;  // one part in so many above is too far for polishing
constexpr std::int64_t kPolishSteps = 500'000;
constexpr std::int64_t kPerEdge = 150;  // steps, to make a problem of it
constexpr std::int64_t kPerLook = 4;    // an edge of the whole graph, to see who are neighbours

class Division {
 public:
  Division(WorkingPartition& partition, Random& random, const DivideParts& divide)
      : partition_(partition),
        random_(random),
        divide_(divide),
        parts_(partition.parts()),
        between_(parts_ * parts_, 0),
        place_(partition.graph().vertices()) {
    see_neighbours();
  }

  /// A few parts anew; how many edges are within them.
  std::size_t run_once() {
    draw_parts();
    if (chosen_.size() < 2) return 0;
    gather();
    const Subgraph sub = induced(partition_.graph(), problem().coordinates, vertices_, place_);
    PartitionProblem part{sub.graph, {}, sub.coordinates};
    Shares shares;
    for (const std::uint32_t p : chosen_) {
      part.capacity.push_back(problem().capacity[p]);
      shares.push_back(static_cast<std::uint32_t>(partition_.members(p).size()));
    }
    const std::int64_t before = cut_weight(sub.graph, start_);
    Partition found = divide_(part, shares, random_.next());
    if (found.cut <= before + before / kFar) {
      WorkingPartition anew(part, std::move(found.part));
      WorkBudget polish(kPolishSteps);
      refine_by_turns(anew, polish);
      if (anew.cut() <= before) take(anew.all());
    }
    return sub.graph.edges();
  }

  [[nodiscard]] std::size_t looks() const { return looks_; }

 private:
  [[nodiscard]] const PartitionProblem& problem() const { return partition_.problem(); }

  void take(std::span<const std::uint32_t> part) {
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      if (part[i] != start_[i]) partition_.move(vertices_[i], chosen_[part[i]]);
    }
    if (!std::ranges::equal(part, start_)) see_neighbours();
  }

  void see_neighbours() {
    ++looks_;
    std::ranges::fill(between_, 0);
    for (std::size_t v = 0; v < partition_.graph().vertices(); ++v) {
      const std::size_t here = partition_.part(v) * parts_;
      for (const CommunicationGraph::Neighbour& next : partition_.graph().neighbours(v)) {
        between_[here + partition_.part(next.vertex)] += next.weight;
      }
    }
    for (std::size_t p = 0; p < parts_; ++p) between_[p * parts_ + p] = 0;
  }

  /// Any part, then those that have much to do with the ones before, the more the likelier.
  void draw_parts() {
    const std::size_t most = std::min(kMostParts, parts_ - 1);
    const std::size_t wanted = 2 + random_.below(most - 1);
    chosen_.assign(1, static_cast<std::uint32_t>(random_.below(parts_)));
    std::vector<std::int64_t> weight(parts_, 0);
    while (chosen_.size() < wanted) {
      for (std::size_t p = 0; p < parts_; ++p) weight[p] += between_[chosen_.back() * parts_ + p];
      for (const std::uint32_t p : chosen_) weight[p] = 0;
      const std::int64_t all = std::reduce(weight.begin(), weight.end());
      if (all == 0) break;
      auto left = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(all)));
      std::uint32_t next = 0;
      while (left >= weight[next]) left -= weight[next++];
      chosen_.push_back(next);
    }
    std::ranges::sort(chosen_);
  }

  void gather() {
    vertices_.clear();
    for (const std::uint32_t p : chosen_) {
      const std::span<const std::uint32_t> members = partition_.members(p);
      vertices_.insert(vertices_.end(), members.begin(), members.end());
    }
    std::ranges::sort(vertices_);
    start_.clear();
    for (const std::uint32_t v : vertices_) {
      const auto at = std::ranges::find(chosen_, partition_.part(v));
      start_.push_back(static_cast<std::uint32_t>(at - chosen_.begin()));
    }
  }

  WorkingPartition& partition_;
  Random& random_;
  const DivideParts& divide_;
  std::size_t parts_;
  std::vector<std::int64_t> between_;  // weight, by part and part
  std::size_t looks_ = 0;              // at the whole graph
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> vertices_;  // of those
  std::vector<std::uint32_t> start_;     // by them: which of the chosen ones
  std::vector<std::uint32_t> place_;     // scratch of induced()
};

}  // namespace

void divide_anew(WorkingPartition& partition, Random& random, std::int64_t steps,
                 WorkBudget& budget, std::int64_t enough, const DivideParts& divide) {
  if (partition.parts() < 3 || budget.spent()) return;
  Division division(partition, random, divide);
  const auto look = kPerLook * static_cast<std::int64_t>(partition.graph().edges());
  while (!budget.spent() && partition.cut() > enough) {
    const std::size_t before = division.looks();
    const auto edges = static_cast<std::int64_t>(division.run_once());
    const auto looks = static_cast<std::int64_t>(division.looks() - before);
    budget.spend(static_cast<std::size_t>(steps + kPerEdge * edges + look * looks));
  }
}

}  // namespace zonecut
