#include "refusal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zonecut {
namespace {

/// The domain of a level with the most room.
struct Largest {
  DomainId domain = Cluster::root();
  std::size_t room = 0;
};

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
    if (constraints_.only) {
      allocation();
    } else if (fits(problem_.room, slices_, constraints_.required_level.value_or(0))) {
      return std::nullopt;
    } else {
      capacity();
      single_constraints();
      slices();
      required_level();
    }
    if (blockers_.empty() && !fits(problem_.room, slices_, constraints_.required_level.value_or(0)))
      together();
    if (blockers_.empty()) return std::nullopt;
    return NoFit{std::move(blockers_)};
  }

 private:
  [[nodiscard]] std::string places(std::size_t count) const {
    return fmt::format("{} server{} with {} GPUs", count, count == 1 ? "" : "s",
                       problem_.traffic.ranks_per_server);
  }
  [[nodiscard]] const std::string& level_name(int level) const {
    return cluster_.levels()[static_cast<std::size_t>(level)];
  }

  [[nodiscard]] Largest largest(const Room& room, std::span<const VertexSlice> slices,
                                int level) const {
    Largest best;
    for (const DomainId domain : cluster_.domains_at(level)) {
      std::span<const VertexSlice> inner = slices;
      while (!inner.empty() && inner.front().level < level) inner = inner.subspan(1);
      const std::size_t here = sliced_room_in(cluster_, room, domain, inner);
      if (here > best.room) best = {domain, here};
    }
    return best;
  }
  [[nodiscard]] bool fits(const Room& room, std::span<const VertexSlice> slices, int level) const {
    return largest(room, slices, level).room >= needed_;
  }
  [[nodiscard]] Room room_with(const Constraints& other) const {
    return room_under(problem_.view, other, problem_.traffic.ranks_per_server, needed_);
  }

  void allocation() {
    const std::size_t room = room_in(cluster_, problem_.room, Cluster::root());
    if (room == needed_) return;
    const std::size_t servers = constraints_.only->size();
    blockers_.push_back({"the given servers",
                         fmt::format("the job needs {}; the {} given ones have room for {}",
                                     places(needed_), servers, room),
                         room > needed_
                             ? fmt::format("give {} of them", needed_)
                             : fmt::format("give {} more, or check their health", needed_ - room)});
  }

  void capacity() {
    Constraints bare;
    const std::size_t room = room_in(cluster_, room_with(bare), Cluster::root());
    if (room >= needed_) return;
    std::size_t unhealthy = 0;
    for (const ServerHealth health : problem_.view.health.servers)
      unhealthy += health != ServerHealth::Up;
    std::string what = fmt::format("the job needs {}; {} are free", places(needed_), room);
    if (unhealthy > 0) what += fmt::format(", and {} servers are drained or down", unhealthy);
    blockers_.push_back({"free capacity", what,
                         room == 0 ? ""
                                   : fmt::format("{} GPUs would fit now",
                                                 room * problem_.traffic.ranks_per_server)});
  }

  /// Each of exclusion, whole racks and spread whose absence alone would make room.
  void single_constraints() {
    const int level = constraints_.required_level.value_or(0);
    const auto blocks = [&](Constraints without, const std::string& name,
                            const std::string& nearest) {
      if (!fits(room_with(without), slices_, level)) return;
      blockers_.push_back({name,
                           fmt::format("the job needs {}; with it {} are left", places(needed_),
                                       room_in(cluster_, problem_.room, Cluster::root())),
                           nearest});
    };
    if (!constraints_.excluded.empty()) {
      Constraints without = constraints_;
      without.excluded.clear();
      blocks(without, fmt::format("exclude: {} servers", constraints_.excluded.size()),
             "it fits without the exclusion");
    }
    if (constraints_.whole_racks) {
      Constraints without = constraints_;
      without.whole_racks = false;
      blocks(without, "whole_racks", "it fits when racks may be shared with other jobs");
    }
    if (constraints_.spread) {
      Constraints without = constraints_;
      without.spread.reset();
      blocks(without,
             fmt::format("spread: {} servers per {}", constraints_.spread->servers,
                         level_name(constraints_.spread->level)),
             nearest_spread());
    }
  }

  [[nodiscard]] std::string nearest_spread() const {
    const auto would_fit = [&](int servers) {
      Constraints wider = constraints_;
      wider.spread->servers = servers;
      return fits(room_with(wider), slices_, constraints_.required_level.value_or(0));
    };
    int too_few = constraints_.spread->servers;
    int enough = static_cast<int>(needed_);
    if (too_few >= enough || !would_fit(enough)) return "";
    while (enough - too_few > 1) {
      const int middle = too_few + (enough - too_few) / 2;
      (would_fit(middle) ? enough : too_few) = middle;
    }
    return fmt::format("{} servers per {} would fit", enough,
                       level_name(constraints_.spread->level));
  }

  void slices() {
    if (slices_.empty()) return;
    const int level = constraints_.required_level.value_or(0);
    if (!fits(problem_.room, {}, level)) return;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      const VertexSlice& slice = slices_[i];
      std::vector<VertexSlice> without(slices_.begin(), slices_.end());
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (slices_.size() > 1 && !fits(problem_.room, without, level)) continue;
      const std::size_t gpus = slice.vertices * problem_.traffic.ranks_per_server;
      const std::size_t room =
          sliced_room_in(cluster_, problem_.room, Cluster::root(), std::span(&slice, 1));
      blockers_.push_back({fmt::format("slice: {} GPUs per {}", gpus, level_name(slice.level)),
                           fmt::format("the job is {} such slices; there is room for {}",
                                       needed_ / slice.vertices, room / slice.vertices),
                           nearest_slice(i, level)});
    }
  }

  /// The largest smaller slice of the same level that divides the job and fits.
  [[nodiscard]] std::string nearest_slice(std::size_t index, int level) const {
    std::vector<VertexSlice> smaller(slices_.begin(), slices_.end());
    const std::size_t inner = index + 1 < slices_.size() ? slices_[index + 1].vertices : 1;
    for (std::size_t size = slices_[index].vertices - 1; size >= inner; --size) {
      if (needed_ % size != 0 || size % inner != 0) continue;
      if (index > 0 && slices_[index - 1].vertices % size != 0) continue;
      smaller[index].vertices = size;
      if (fits(problem_.room, smaller, level)) {
        return fmt::format("slices of {} GPUs would fit", size * problem_.traffic.ranks_per_server);
      }
    }
    return "";
  }

  void required_level() {
    if (!constraints_.required_level) return;
    const int level = *constraints_.required_level;
    if (!fits(problem_.room, slices_, 0)) return;
    const Largest best = largest(problem_.room, slices_, level);
    std::string nearest;
    for (int outer = level - 1; outer >= 0 && nearest.empty(); --outer) {
      const Largest wider = largest(problem_.room, slices_, outer);
      if (wider.room < needed_) continue;
      nearest = outer == 0 ? fmt::format("the whole cluster has room for {}", wider.room)
                           : fmt::format("{} {} has room for {}", level_name(outer),
                                         cluster_.path(wider.domain), wider.room);
    }
    std::string what =
        fmt::format("the job needs {} in one {}", places(needed_), level_name(level));
    what += best.room == 0
                ? "; none has any"
                : fmt::format("; the most are {} in {}", best.room, cluster_.path(best.domain));
    blockers_.push_back({"required level: " + level_name(level), what, nearest});
  }

  /// No constraint alone is to blame.
  void together() {
    std::string names;
    const auto add = [&](bool given, const std::string& name) {
      if (given) names += (names.empty() ? "" : ", ") + name;
    };
    add(constraints_.required_level.has_value(), "required level");
    add(!slices_.empty(), "slices");
    add(!constraints_.excluded.empty(), "exclude");
    add(constraints_.whole_racks, "whole_racks");
    add(constraints_.spread.has_value(), "spread");
    const std::size_t room =
        largest(problem_.room, slices_, constraints_.required_level.value_or(0)).room;
    blockers_.push_back(
        {names.empty() ? "free capacity" : names + " together",
         fmt::format("the job needs {}; together they leave room for {}", places(needed_), room),
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

}  // namespace zonecut
