#include "refusal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "place_noun.hpp"
#include "spread.hpp"
#include "zonecut/base/counts.hpp"

namespace zonecut {
namespace {

/// What a constraint is worth is found by asking the whole question again without it.
class Refusal {
 public:
  Refusal(const PlacementProblem& problem, const Constraints& constraints,
          std::span<const VertexSlice> slices)
      : problem_(problem),
        cluster_(*problem.view.cluster),
        constraints_(constraints),
        slices_(slices),
        needed_(problem.graph.vertices()) {}

  [[nodiscard]] std::optional<NoFit> find() {
    given_servers();
    if (blockers_.empty() && fits(constraints_)) return std::nullopt;
    if (blockers_.empty()) {
      if (!constraints_.only) capacity();
      single_constraints();
      slices();
      required_level();
    }
    if (blockers_.empty()) together();
    return NoFit{std::move(blockers_)};
  }

 private:
  [[nodiscard]] std::string places(std::size_t count) const {
    return fmt::format("{} with {}", counted(count, place_noun(problem_)),
                       counted(problem_.traffic.ranks_per_server, "GPU"));
  }
  [[nodiscard]] const std::string& level_name(int level) const {
    return cluster_.levels()[static_cast<std::size_t>(level)];
  }

  [[nodiscard]] RoomiestDomain largest(const Constraints& constraints) const {
    return roomiest_domain(problem_, constraints);
  }
  [[nodiscard]] bool fits(const Constraints& constraints) const {
    return largest(constraints).room >= needed_;
  }

  [[nodiscard]] std::size_t places_of(const Constraints& constraints) const {
    const Room room =
        room_under(problem_.view, constraints, problem_.traffic.ranks_per_server, needed_);
    return room_in(cluster_, room, Cluster::root());
  }

  /// Too few places on the given servers, or more servers than can all be used.
  void given_servers() {
    if (!constraints_.only) return;
    Constraints bare;
    bare.only = constraints_.only;
    const std::size_t unrestricted = places_of(bare);
    bare.excluded = constraints_.excluded;
    bare.whole_racks = constraints_.whole_racks;
    const std::size_t all = places_of(bare);
    if (all == needed_ || (all < needed_ && unrestricted >= needed_)) return;
    const std::size_t given = constraints_.only->size();
    blockers_.push_back(
        {"the given servers",
         fmt::format("the job needs {}; the {} given {} room for {}", places(needed_),
                     grouped(given), given == 1 ? "one has" : "ones have", grouped(all)),
         all > needed_
             ? fmt::format("give {} of them", grouped(needed_))
             : fmt::format("give {} more, or check their health", grouped(needed_ - all))});
  }

  void capacity() {
    const RoomiestDomain reached = largest({});
    if (reached.room >= needed_) return;
    const std::size_t room = places_of({});
    if (room >= needed_) return failed_links(room, reached);
    std::size_t unhealthy = 0;
    for (const ServerHealth health : problem_.view.health.servers)
      unhealthy += health != ServerHealth::Up;
    std::string what = fmt::format("the job needs {}; {} free", places(needed_), are(room));
    if (unhealthy > 0) {
      what += fmt::format(", and {} {} drained or down", counted(unhealthy, "server"),
                          unhealthy == 1 ? "is" : "are");
    }
    if (const std::size_t held = held_by_namesake(); held > 0)
      what += fmt::format("; a job called {} holds {}", problem_.job.name, counted(held, "GPU"));
    const std::size_t gpus = room * problem_.traffic.ranks_per_server;
    blockers_.push_back(
        {"free capacity", what, room == 0 ? "" : counted(gpus, "GPU") + " would fit now"});
  }

  /// The job may be running already.
  [[nodiscard]] std::size_t held_by_namesake() const {
    const Occupancy& occupancy = problem_.view.occupancy;
    const std::optional<JobId> namesake = occupancy.find_job(problem_.job.name);
    return namesake ? occupancy.held(*namesake).size() : 0;
  }

  void failed_links(std::size_t room, const RoomiestDomain& reached) {
    std::string what = fmt::format(
        "the job needs {} that reach each other; {} free, but failed switches and links "
        "leave at most {} together",
        places(needed_), are(room), grouped(reached.room));
    if (reached.room > 0 && reached.domain != Cluster::root())
      what += ", in " + cluster_.path(reached.domain);
    blockers_.push_back({"failed links", what, "repair the links, or exclude the parted domains"});
  }

  /// "1 is", "62 are"
  [[nodiscard]] static std::string are(std::size_t count) {
    return grouped(count) + (count == 1 ? " is" : " are");
  }

  /// Each of exclusion, whole racks and spread whose absence alone would make room.
  void single_constraints() {
    const auto blocks = [&](const Constraints& without, const std::string& name,
                            const auto& nearest) {
      if (!fits(without)) return;
      blockers_.push_back({name,
                           fmt::format("the job needs {}; with it {} left", places(needed_),
                                       are(largest(constraints_).room)),
                           nearest()});
    };
    if (!constraints_.excluded.empty()) {
      Constraints without = constraints_;
      without.excluded.clear();
      blocks(without, "exclude: " + counted(constraints_.excluded.size(), "server"),
             [] { return std::string("it fits without the exclusion"); });
    }
    if (constraints_.whole_racks) {
      Constraints without = constraints_;
      without.whole_racks = false;
      blocks(without, "whole_racks",
             [] { return std::string("it fits when racks may be shared with other jobs"); });
    }
    if (constraints_.spread) {
      Constraints without = constraints_;
      without.spread.reset();
      blocks(without, "spread: " + spread_name(constraints_.spread->servers),
             [&] { return nearest_spread(); });
    }
  }

  [[nodiscard]] std::string spread_name(int servers) const {
    return fmt::format("{} per {}", counted(servers, "server"),
                       level_name(constraints_.spread->level));
  }

  [[nodiscard]] std::string nearest_spread() const {
    const auto would_fit = [&](int servers) {
      Constraints wider = constraints_;
      wider.spread->servers = servers;
      return fits(wider);
    };
    int too_few = constraints_.spread->servers;
    int enough = static_cast<int>(needed_);
    if (too_few >= enough || !would_fit(enough)) return "";
    while (enough - too_few > 1) {
      const int middle = too_few + (enough - too_few) / 2;
      (would_fit(middle) ? enough : too_few) = middle;
    }
    return spread_name(enough) + " would fit";
  }

  /// The constraints with the slices of these sizes instead.
  [[nodiscard]] Constraints with_slices(std::span<const VertexSlice> slices) const {
    Constraints constraints = constraints_;
    constraints.slices.clear();
    for (const VertexSlice& slice : slices) {
      const std::size_t gpus = slice.vertices * problem_.traffic.ranks_per_server;
      constraints.slices.push_back({slice.level, static_cast<int>(gpus)});
    }
    return constraints;
  }

  void slices() {
    if (slices_.empty() || !fits(with_slices({}))) return;
    const std::size_t room = largest(constraints_).room;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      const VertexSlice& slice = slices_[i];
      std::vector<VertexSlice> others(slices_.begin(), slices_.end());
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      if (!fits(with_slices(others))) continue;
      const std::size_t gpus = slice.vertices * problem_.traffic.ranks_per_server;
      const std::size_t wanted = needed_ / slice.vertices;
      blockers_.push_back(
          {fmt::format("slice: {} per {}", counted(gpus, "GPU"), level_name(slice.level)),
           fmt::format("the job is {}; there is room for {}", counted(wanted, "such slice"),
                       grouped(room / slice.vertices)),
           nearest_slice(i)});
    }
  }

  /// The largest smaller slice of the same level that divides the job and fits.
  [[nodiscard]] std::string nearest_slice(std::size_t index) const {
    std::vector<VertexSlice> smaller(slices_.begin(), slices_.end());
    const std::size_t inner = index + 1 < slices_.size() ? slices_[index + 1].vertices : 1;
    for (std::size_t size = slices_[index].vertices - 1; size >= inner; --size) {
      if (needed_ % size != 0 || size % inner != 0) continue;
      if (index > 0 && slices_[index - 1].vertices % size != 0) continue;
      smaller[index].vertices = size;
      if (fits(with_slices(smaller))) {
        return fmt::format("slices of {} would fit",
                           counted(size * problem_.traffic.ranks_per_server, "GPU"));
      }
    }
    return "";
  }

  void required_level() {
    if (!constraints_.required_level) return;
    Constraints wider = constraints_;
    std::string nearest;
    for (int level = *constraints_.required_level - 1; level >= 0 && nearest.empty(); --level) {
      wider.required_level = level;
      const RoomiestDomain outer = largest(wider);
      if (outer.room < needed_) continue;
      nearest = fmt::format(
          "{} has room for {}",
          level == 0 ? "the whole cluster" : level_name(level) + " " + cluster_.path(outer.domain),
          grouped(outer.room));
    }
    if (nearest.empty()) return;
    const std::string& level = level_name(*constraints_.required_level);
    const RoomiestDomain best = largest(constraints_);
    std::string what = fmt::format("the job needs {} in one {}", places(needed_), level);
    if (best.room == 0) {
      what += "; none has room for any";
    } else {
      what +=
          fmt::format("; the most are {} in {}", grouped(best.room), cluster_.path(best.domain));
    }
    blockers_.push_back({"required level: " + level, what, nearest});
  }

  /// No constraint alone is to blame.
  void together() {
    std::string names;
    const auto add = [&](bool given, const std::string& name) {
      if (given) names += (names.empty() ? "" : ", ") + name;
    };
    add(constraints_.only.has_value(), "the given servers");
    add(constraints_.required_level.has_value(), "required level");
    add(!slices_.empty(), "slices");
    add(!constraints_.excluded.empty(), "exclude");
    add(constraints_.whole_racks, "whole_racks");
    add(constraints_.spread.has_value(), "spread");
    blockers_.push_back({names + " together",
                         fmt::format("the job needs {}; together they leave room for {}",
                                     places(needed_), grouped(largest(constraints_).room)),
                         "it fits when more than one of them gives way"});
  }

  const PlacementProblem& problem_;
  const Cluster& cluster_;
  const Constraints& constraints_;
  std::span<const VertexSlice> slices_;
  std::size_t needed_;
  std::vector<Blocker> blockers_;
};

}  // namespace

std::optional<NoFit> refusal(const PlacementProblem& problem, const Constraints& constraints,
                             std::span<const VertexSlice> slices) {
  return Refusal(problem, constraints, slices).find();
}

RoomiestDomain roomiest_domain(const PlacementProblem& problem, const Constraints& constraints) {
  const Cluster& cluster = *problem.view.cluster;
  const std::size_t ranks = problem.traffic.ranks_per_server;
  const std::size_t needed = problem.graph.vertices();
  const Room room = room_under(problem.view, constraints, ranks, needed);
  const auto slices = vertex_slices(cluster, constraints, ranks, needed);
  RoomiestDomain best;
  for (int level = constraints.required_level.value_or(0); level <= cluster.rack_level(); ++level) {
    Room reaching = room_reaching(room, problem.reach, level);
    cap_spread(cluster, constraints, ranks, needed, level, Kept::Roomiest, reaching);
    for (const DomainId domain : cluster.domains_at(level)) {
      const std::size_t here = sliced_room_in(cluster, reaching, domain, slices);
      if (here > best.room) best = {domain, here};
    }
  }
  return best;
}

RoomiestDomain roomiest_zone(const PlacementProblem& problem, Constraints constraints) {
  constraints.required_level =
      std::max(constraints.required_level.value_or(0), problem.view.cluster->zone_level());
  return roomiest_domain(problem, constraints);
}

}  // namespace zonecut
