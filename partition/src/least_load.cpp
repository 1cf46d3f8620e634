#include "least_load.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "bound/bound.hpp"
#include "evenly_loaded.hpp"
#include "grid/full_mesh.hpp"
#include "refine/refine_search.hpp"
#include "shares.hpp"
#include "starts/line_layout.hpp"
#include "starts/line_model.hpp"
#include "starts/slicing_starts.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

std::vector<Partition> starts_of(const PartitionProblem& problem, Partition least_cut,
                                 std::span<const std::int64_t> uplinks,
                                 std::span<const Shares> given, const PartitionEffort& effort,
                                 const SearchTerms& terms) {
  std::vector<Partition> starts;
  starts.push_back(std::move(least_cut));
  std::vector<Shares> choices(given.begin(), given.end());
  Shares even = evenly_loaded(problem.capacity, uplinks, problem.graph.vertices());
  const bool is_known = std::ranges::find(choices, even) != choices.end();
  if (!is_known) choices.push_back(std::move(even));
  if (problem.coordinates.empty()) {
    if (!is_known) {
      starts.push_back(find_partition(problem, std::span(choices).last(1), effort, terms));
    }
    return starts;
  }
  const LineModel model(problem.graph, lay_out_lines(problem.graph, problem.coordinates));
  std::vector<Partition> more =
      slicing_starts(problem, model, choices, {effort.anneal_steps / 4, effort.anneal_runs}, terms);
  std::ranges::move(more, std::back_inserter(starts));
  return starts;
}

/// What every two vertices exchange is the same at these shares, so the rest is divided.
Partition divided_beside_mesh(const PartitionProblem& problem, const CommunicationGraph& rest,
                              const Shares& shares, const PartitionEffort& effort,
                              const SearchTerms& terms) {
  const PartitionProblem beside{rest, shares, problem.coordinates, {}, problem.rough};
  return find_partition(beside, std::span(&shares, 1), effort, terms);
}

/// What every two vertices exchange loads the parts with, whatever else they do.
ZoneLoad load_of_mesh(std::int64_t weight, const Shares& shares,
                      std::span<const std::int64_t> uplinks) {
  const std::int64_t vertices = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  ZoneLoad largest;
  for (std::size_t p = 0; p < shares.size(); ++p)
    largest = std::max(largest, ZoneLoad{weight * shares[p] * (vertices - shares[p]), uplinks[p]});
  return largest;
}

/// Whether a search is not worth its time.
bool is_near(const ZoneLoad& load, const ZoneLoad& bound) {
  constexpr std::int64_t kNear = 1000;  // one part in so many
  return ZoneLoad{load.border - load.border / kNear, load.uplink} <= bound;
}

}  // namespace

ZoneLoad largest_load(const CommunicationGraph& graph, std::span<const std::uint32_t> part,
                      std::span<const std::int64_t> uplinks) {
  std::vector<std::int64_t> border(uplinks.size(), 0);
  for (std::size_t u = 0; u < part.size(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (part[u] != part[v]) border[part[u]] += weight;
    }
  }
  ZoneLoad largest;
  for (std::size_t p = 0; p < uplinks.size(); ++p)
    largest = std::max(largest, ZoneLoad{border[p], uplinks[p]});
  return largest;
}

Partition find_least_load(const PartitionProblem& problem, Partition least_cut,
                          std::span<const std::int64_t> uplinks, std::span<const Shares> choices,
                          const PartitionEffort& effort, const SearchTerms& terms,
                          const ZoneLoad& enough) {
  const SearchTerms open{terms.seed, 0, terms.threads};
  std::vector<Partition> starts;
  if (const auto mesh = full_mesh(problem.graph)) {
    const Shares even = evenly_loaded(problem.capacity, uplinks, problem.graph.vertices());
    Partition in_order = filled_in_order(problem, even);
    const ZoneLoad load = largest_load(problem.graph, in_order.part, uplinks);
    if (is_near(load, load_of_mesh(mesh->weight, even, uplinks))) {
      const bool is_less = load < largest_load(problem.graph, least_cut.part, uplinks);
      return is_less ? in_order : least_cut;
    }
    starts.push_back(divided_beside_mesh(problem, mesh->rest, even, effort, open));
    starts.push_back(std::move(least_cut));
    starts.push_back(std::move(in_order));
  } else {
    starts = starts_of(problem, std::move(least_cut), uplinks, choices, effort, open);
  }
  Random random(terms.seed);
  std::optional<Partition> best;
  ZoneLoad least;
  for (Partition& start : starts) {
    WorkingPartition partition(problem, std::move(start.part));
    // Balls cost more here than in the search for the cut: most are taken back.
    WorkBudget budget(8 * effort.search_steps / static_cast<std::int64_t>(starts.size()));
    search_by_balls_for_load(partition, uplinks, random, budget, enough);
    const ZoneLoad load = largest_load(partition, uplinks);
    if (best && std::pair(load, partition.cut()) >= std::pair(least, best->cut)) continue;
    least = load;
    best = {{partition.all().begin(), partition.all().end()}, partition.cut(), start.method};
    if (least <= enough) break;
  }
  ZONECUT_ENSURES(best.has_value());
  return *std::move(best);
}

std::optional<ZoneLoad> load_bound(const PartitionProblem& problem,
                                   std::span<const std::int64_t> uplinks,
                                   std::optional<std::int64_t> cut_bound,
                                   std::optional<std::int64_t> steps) {
  std::optional<ZoneLoad> bound;
  const auto take = [&](const ZoneLoad& load) {
    if (!bound || load > *bound) bound = load;
  };
  const std::int64_t all = std::accumulate(uplinks.begin(), uplinks.end(), std::int64_t{0});
  if (cut_bound) take({2 * *cut_bound, all});
  const std::size_t vertices = problem.graph.vertices();
  const auto slots =
      std::accumulate(problem.capacity.begin(), problem.capacity.end(), std::uint64_t{0});
  if (!steps || slots != vertices || problem.parts() < 2) return bound;
  std::map<std::uint32_t, std::int64_t> border_of_size;
  for (std::size_t p = 0; p < problem.parts(); ++p) {
    const std::uint32_t size = problem.capacity[p];
    if (size == 0) continue;
    const auto [known, is_new] = border_of_size.try_emplace(size, 0);
    if (is_new) {
      const PartitionProblem halves{
          problem.graph, {size, static_cast<std::uint32_t>(vertices) - size}, problem.coordinates};
      if (const auto cut = bound_of(halves, *steps)) known->second = cut->cut.value;
    }
    take({known->second, uplinks[p]});
  }
  return bound;
}

}  // namespace zonecut
