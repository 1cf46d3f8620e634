// The pipeline of map_vertices; docs/mapping.md explains it step by step.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "bound/bound.hpp"
#include "coordinates/near_places.hpp"
#include "coordinates/recover_coordinates.hpp"
#include "effort_plan.hpp"
#include "few_vertices.hpp"
#include "grid/full_mesh.hpp"
#include "least_load.hpp"
#include "nearest_zones.hpp"
#include "place_levels.hpp"
#include "refine/exchange_zones.hpp"
#include "refine/order_twins.hpp"
#include "refine/refine_distance.hpp"
#include "shares.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut {
namespace {

/// The work for a bound that nobody asks for is divided by this, where there is no plain one.
constexpr std::int64_t kUnasked = 8;

void require_room(std::size_t vertices, std::size_t slots) {
  if (slots >= vertices) return;
  throw InputError("tree", fmt::format("{} free slots for {} vertices", slots, vertices),
                   "free some servers or make the job smaller");
}

/// A vertex in the leaf of its slot `before` keeps that slot; the others get what is left of their
/// leaf in the order of the vertices. `before`: by vertex, or empty.
std::vector<std::uint32_t> slots_in_leaves(const SlotTree& tree,
                                           std::span<const std::uint32_t> leaf,
                                           std::span<const std::uint32_t> before) {
  const std::vector<std::uint32_t> leaf_of_slot = tree.leaf_of_slot();
  std::vector<bool> taken(leaf_of_slot.size(), false);
  const auto keeps = [&](std::size_t v) {
    return !before.empty() && leaf_of_slot[before[v]] == leaf[v];
  };
  for (std::size_t v = 0; v < leaf.size(); ++v) {
    if (keeps(v)) taken[before[v]] = true;
  }
  std::vector<std::uint32_t> next(tree.leaves(), 0);
  for (std::size_t l = 1; l < next.size(); ++l) next[l] = next[l - 1] + tree.free[l - 1];
  std::vector<std::uint32_t> slot;
  slot.reserve(leaf.size());
  for (std::size_t v = 0; v < leaf.size(); ++v) {
    if (keeps(v)) {
      slot.push_back(before[v]);
      continue;
    }
    std::uint32_t& free = next[leaf[v]];
    while (taken[free]) ++free;
    slot.push_back(free++);
  }
  return slot;
}

/// The vertices of each zone, and what is proven of their cut.
struct Zones {
  Partition partition;
  std::optional<CutBound> bound;
};

bool are_equal(std::span<const std::uint32_t> capacity) {
  return std::ranges::adjacent_find(capacity, std::ranges::not_equal_to{}) == capacity.end();
}

/// Whether a plain cut along the axes often meets a plain bound: equal zones that groups divide,
/// and zones with so much room to spare that they are filled as it suits the job.
bool is_often_plain(const PartitionProblem& problem) {
  if (problem.capacity.empty()) return false;
  const std::size_t room =
      std::accumulate(problem.capacity.begin(), problem.capacity.end(), std::size_t{0});
  return room > problem.graph.vertices() || are_equal(problem.capacity);
}

/// A plain cut and a plain bound, both of which take a fraction of what follows.
struct PlainAnswer {
  Partition partition;
  PartitionBound bound;
};

std::optional<PlainAnswer> plain_answer(const PartitionProblem& problem, const SearchTerms& terms) {
  if (!is_often_plain(problem)) return std::nullopt;
  auto bound = bound_of(problem, 0);
  if (!bound) return std::nullopt;
  const PartitionEffort plain{.metis_starts = 0, .kept = 1};
  Partition zones = find_partition(problem, share_choices(problem, bound), plain,
                                   {terms.seed, bound->cut.value, terms.threads});
  return PlainAnswer{std::move(zones), *std::move(bound)};
}

/// Searches of rising effort, up to one that reaches what is enough.
Partition search(const PartitionProblem& problem, std::span<const Shares> choices,
                 const EffortPlan& plan, SearchTerms terms) {
  Partition best = find_partition(problem, choices, plan.zones.front(), terms);
  for (std::size_t i = 1; i < plan.zones.size() && best.cut > terms.enough; ++i) {
    ++terms.seed;
    Partition next = find_partition(problem, choices, plan.zones[i], terms);
    if (next.cut < best.cut) best = std::move(next);
  }
  return best;
}

/// So few vertices that branch and bound may prove a partition to be the best. Where half of the
/// steps do not get it done, the searches come first and then the other half.
Zones divide_few(const PartitionProblem& problem, std::span<const Shares> choices,
                 const EffortPlan& plan, std::int64_t steps, std::optional<CutBound> bound,
                 const SearchTerms& terms) {
  FewVertices few(problem, choices, std::move(bound), terms);
  few.prove(steps / 2);
  if (!few.is_proven()) {
    few.take_if_better(search(problem, choices, plan, terms));
    few.prove(steps - steps / 2);
  }
  return {few.partition(), few.bound()};
}

/// `bound_steps`: none where nobody asks for the bound.
Zones divide_into_zones(const PartitionProblem& problem, const EffortPlan& plan,
                        std::optional<std::int64_t> bound_steps, SearchTerms terms) {
  std::int64_t known = std::numeric_limits<std::int64_t>::max();
  std::optional<PlainAnswer> plain = plain_answer(problem, terms);
  if (plain) known = plain->partition.cut;
  if (plain && known <= plain->bound.cut.value) {
    return {std::move(plain->partition), std::move(plain->bound.cut)};
  }
  const std::optional<PartitionBound> bound =
      plain && !bound_steps
          ? std::move(plain->bound)
          : bound_of(problem, bound_steps.value_or(plan.bound_steps / kUnasked), known);
  if (plain && bound && known <= bound->cut.value) return {std::move(plain->partition), bound->cut};
  terms.enough = bound ? bound->cut.value : 0;
  const bool plainer = plain && bound_steps;
  const std::vector<Shares> choices =
      share_choices(problem, bound, plainer ? plain->bound.shares : std::nullopt);
  std::optional<CutBound> proven;
  if (bound) proven = bound->cut;
  if (problem.graph.vertices() > kMostExactVertices) {
    return {search(problem, choices, plan, terms), std::move(proven)};
  }
  const std::int64_t exact_steps = bound_steps ? plan.exact_steps : plan.exact_steps / kUnasked;
  return divide_few(problem, choices, plan, exact_steps, std::move(proven), terms);
}

/// What every two vertices exchange cuts the same at given shares, so the rest alone is divided, at
/// those at which that is least. Where there are others, that may not be the least in all.
Zones divide_beside_mesh(const PartitionProblem& problem, const FullMesh& mesh,
                         const EffortPlan& plan, std::optional<std::int64_t> bound_steps,
                         const SearchTerms& terms) {
  constexpr std::int64_t kNear = 1000;  // to the bound, one part in so many
  MeshCut cut = least_mesh_cut(problem.graph.vertices(), problem.capacity);
  const bool only = cut.shares == problem.capacity;
  const std::int64_t of_mesh = mesh.weight * cut.edges;
  const PartitionProblem rest{mesh.rest, std::move(cut.shares), problem.coordinates,
                              only ? problem.start : std::span<const std::uint32_t>{},
                              problem.rough};
  Zones found = divide_into_zones(rest, plan, bound_steps, terms);
  found.partition.cut += of_mesh;
  if (only) {
    const bool adds = found.bound && found.bound->value > 0;
    found.bound = adds
                      ? CutBound{of_mesh + found.bound->value, "full mesh + " + found.bound->method}
                      : CutBound{of_mesh, "full mesh"};
    return found;
  }
  const std::int64_t steps = bound_steps.value_or(plan.bound_steps / kUnasked);
  found.bound = bound_of(problem, steps, found.partition.cut)->cut;
  if (found.partition.cut - found.bound->value <= found.bound->value / kNear) return found;
  Zones other = divide_into_zones(problem, plan, bound_steps, terms);
  if (other.partition.cut < found.partition.cut) found.partition = std::move(other.partition);
  if (other.bound && other.bound->value > found.bound->value) found.bound = other.bound;
  return found;
}

std::vector<std::int64_t> checked_uplinks(const MappingOptions& options, std::size_t zones) {
  if (options.uplinks.empty()) return std::vector<std::int64_t>(zones, 1);
  if (options.uplinks.size() != zones) {
    throw InputError("uplinks", fmt::format("{} given for {} zones, expected one for each",
                                            options.uplinks.size(), zones));
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  constexpr std::int64_t kMostTogether = std::int64_t{1} << 62;
  std::int64_t together = 0;
  for (const std::int64_t uplink : options.uplinks) {
    if (uplink < 1 || uplink > kMost)
      throw InputError("uplinks", fmt::format("found {}, expected 1 to 2^50", uplink));
    if (uplink > kMostTogether - together)
      throw InputError("uplinks", "all together do not fit 62 bits", "give them in a larger unit");
    together += uplink;
  }
  return options.uplinks;
}

/// The zones for the least largest load; the bound of the cut stays what it is.
std::optional<ZoneLoad> ease_busiest_zone(const PartitionProblem& problem, const EffortPlan& plan,
                                          std::span<const std::int64_t> uplinks,
                                          const SearchTerms& terms, bool prove, Zones& zones) {
  std::optional<std::int64_t> cut_bound;
  if (zones.bound) cut_bound = zones.bound->value;
  std::optional<std::int64_t> steps;
  if (prove) steps = plan.bound_steps / static_cast<std::int64_t>(problem.parts());
  const auto bound = load_bound(problem, uplinks, cut_bound, steps);
  const ZoneLoad enough = bound.value_or(ZoneLoad{});
  if (largest_load(problem.graph, zones.partition.part, uplinks) <= enough) return bound;
  PartitionEffort effort = plan.zones.back();
  // Few vertices are soon through with their exchanges, but a load is seldom proven to be enough.
  constexpr std::int64_t kOfPair = 250;
  const auto vertices = static_cast<std::int64_t>(problem.graph.vertices());
  if (!prove) effort.search_steps = std::min(effort.search_steps, kOfPair * vertices * vertices);
  zones.partition =
      find_least_load(problem, std::move(zones.partition), uplinks,
                      share_choices(problem, bound_of(problem, 0)), effort, terms, enough);
  return bound;
}

std::vector<std::uint32_t> zones_of(const SlotTree& tree, std::span<const std::uint32_t> leaf) {
  const std::vector<std::uint32_t> domain = tree.domain_of_leaf(tree.cut_level);
  std::vector<std::uint32_t> zone;
  zone.reserve(leaf.size());
  for (const std::uint32_t l : leaf) zone.push_back(domain[l]);
  return zone;
}

std::vector<std::uint32_t> checked_start(const MappingOptions& options, const SlotTree& tree,
                                         std::size_t vertices) {
  if (options.start.empty()) return {};
  if (options.start.size() != vertices) {
    throw InputError("start", fmt::format("{} slots for {} vertices, expected one for each",
                                          options.start.size(), vertices));
  }
  const std::vector<std::uint32_t> leaf_of_slot = tree.leaf_of_slot();
  std::vector<bool> taken(leaf_of_slot.size(), false);
  std::vector<std::uint32_t> leaf;
  leaf.reserve(vertices);
  for (const std::uint32_t slot : options.start) {
    if (slot >= taken.size() || taken[slot]) {
      throw InputError(
          "start",
          fmt::format("slot {} {}, expected slots from 0 to {}, each once", slot,
                      slot < taken.size() ? "is given twice" : "does not exist", taken.size() - 1));
    }
    taken[slot] = true;
    leaf.push_back(leaf_of_slot[slot]);
  }
  return leaf;
}

/// One run of map_vertices.
class Mapper {
 public:
  Mapper(const CommunicationGraph& graph, const SlotTree& tree,
         std::span<const Coordinates> coordinates, bool rough, const EffortPlan& plan,
         const MappingOptions& options)
      : graph_(graph),
        tree_(tree),
        plan_(plan),
        options_(options),
        start_(checked_start(options, tree, graph.vertices())),
        start_zone_(zones_of(tree, start_)),
        problem_{graph, room_of_zones(tree, graph.vertices()), coordinates, start_zone_, rough},
        uplinks_(checked_uplinks(options, problem_.parts())),
        terms_{options.seed, 0, options.threads} {}

  Mapping run() {
    const bool are_few = graph_.vertices() <= kMostExactVertices;
    const std::optional<FullMesh> mesh = are_few ? std::nullopt : full_mesh(graph_);
    Zones zones = mesh ? divide_beside_mesh(problem_, *mesh, plan_, bound_steps(), terms_)
                       : divide_into_zones(problem_, plan_, bound_steps(), terms_);
    if (!mesh && !eases() && start_.empty() && may_lie_nearer(zones)) {
      zones.partition = nearest_zones(problem_, tree_, plan_.zones.front(), plan_.nearer_tries,
                                      terms_, std::move(zones.partition));
    }
    std::optional<ZoneLoad> busiest_bound;
    if (eases()) {
      busiest_bound = ease_busiest_zone(problem_, plan_, uplinks_, terms_, options_.prove, zones);
    }
    Mapping mapping = settle(below(zones.partition.part), zones.partition.method);
    if (!start_.empty()) {
      Mapping kept = settle(start_, "given mapping");
      if (rank(kept) <= rank(mapping)) mapping = std::move(kept);
    }
    mapping.bound = std::move(zones.bound);
    mapping.busiest_bound = busiest_bound;
    if (mapping.bound) ZONECUT_ENSURES(mapping.cost.zone_cut >= mapping.bound->value);
    if (mapping.busiest_bound) ZONECUT_ENSURES(mapping.busiest >= *mapping.busiest_bound);
    return mapping;
  }

 private:
  [[nodiscard]] std::optional<std::int64_t> bound_steps() const {
    return options_.prove ? std::optional(plan_.bound_steps) : std::nullopt;
  }
  /// Equal zones are exchanged as one likes. The least cut there is is found again soon; elsewhere
  /// a search may take its whole time, which is little beside a longer one's where vertices are
  /// few.
  [[nodiscard]] bool may_lie_nearer(const Zones& zones) const {
    constexpr std::size_t kFew = 2048;
    if (are_equal(problem_.capacity)) return false;
    const bool is_least = zones.bound && zones.partition.cut == zones.bound->value;
    return is_least || (plan_.zones.size() > 1 && graph_.vertices() <= kFew);
  }
  [[nodiscard]] bool eases() const { return options_.objective == Objective::Bottleneck; }
  [[nodiscard]] ZoneLoad load(std::span<const std::uint32_t> zone) const {
    return largest_load(graph_, zone, uplinks_);
  }
  [[nodiscard]] std::pair<ZoneLoad, MappingCost> rank(const Mapping& mapping) const {
    return {eases() ? mapping.busiest : ZoneLoad{}, mapping.cost};
  }

  // Steps that lower J do not ask whose uplinks they load; where that counts they are taken back.

  /// The leaf of each vertex.
  [[nodiscard]] std::vector<std::uint32_t> below(const std::vector<std::uint32_t>& chosen) const {
    std::vector<std::uint32_t> zone = chosen;
    exchange_zones(graph_, tree_, zone);
    if (eases() && load(zone) > load(chosen)) zone = chosen;
    return place_below_zones(graph_, tree_, problem_.coordinates, zone, plan_.below, terms_);
  }

  [[nodiscard]] Mapping settle(const std::vector<std::uint32_t>& placed, std::string method) const {
    std::vector<std::uint32_t> leaf = placed;
    WorkBudget budget(plan_.distance_steps);
    refine_distance(graph_, tree_, leaf, budget);
    if (eases() && load(zones_of(tree_, leaf)) > load(zones_of(tree_, placed))) leaf = placed;
    // Beside a given mapping nothing moves for nothing.
    if (start_.empty()) order_twins(graph_, leaf);
    Mapping mapping;
    mapping.slot = slots_in_leaves(tree_, leaf, options_.start);
    mapping.cost = measure(graph_, tree_, mapping.slot);
    mapping.busiest = load(zones_of(tree_, leaf));
    mapping.method = std::move(method);
    return mapping;
  }

  const CommunicationGraph& graph_;
  const SlotTree& tree_;
  const EffortPlan& plan_;
  const MappingOptions& options_;
  std::vector<std::uint32_t> start_;       ///< leaves, or none
  std::vector<std::uint32_t> start_zone_;  ///< their zones
  PartitionProblem problem_;
  std::vector<std::int64_t> uplinks_;
  SearchTerms terms_;
};

}  // namespace

Mapping map_vertices(const CommunicationGraph& graph, const SlotTree& tree,
                     std::span<const Coordinates> coordinates, const MappingOptions& options) {
  return map_by_plan(graph, tree, coordinates, effort_plan(options.effort, graph.vertices()),
                     options);
}

Mapping map_by_plan(const CommunicationGraph& graph, const SlotTree& tree,
                    std::span<const Coordinates> given, const EffortPlan& plan,
                    const MappingOptions& options) {
  check(tree);
  ZONECUT_ENSURES(given.empty() || given.size() == graph.vertices());
  ZONECUT_ENSURES(options.rough.empty() || options.rough.size() == graph.vertices());
  require_room(graph.vertices(), tree.slots());

  std::vector<Coordinates> coordinates =
      given.empty() ? recover_coordinates(graph) : near_places(given);
  const bool rough = coordinates.empty();
  if (rough) coordinates = near_places(options.rough);
  return Mapper(graph, tree, coordinates, rough, plan, options).run();
}

}  // namespace zonecut
