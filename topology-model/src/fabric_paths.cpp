// Paths go up, turn once and come down (valley-free), as routing in a folded Clos does. So two
// breadth-first searches upwards, one from either server and tier by tier, meet where the shortest
// paths turn:
//
//   tier 0            ATSW
//   tier 1     CTSW …      … CTSW      reached from a: CTSW of its zone     from b: those of its
//   own tier 2     RTSW          RTSW
//               a              b
#include <algorithm>
#include <limits>

#include "fabric_impl.hpp"

namespace zonecut {
namespace {

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max()
                                                : product;
}

/// All ways up from one server.
class Climb {
 public:
  Climb(const FabricParts& fabric, ServerId server) : fabric_(fabric), server_(server) {
    DomainId domain = fabric.cluster->server(server).rack;
    for (std::size_t level = fabric.cluster->levels().size(); level-- > 0;) {
      tiers_.push_back({domain, std::vector<std::uint64_t>(fabric.numbering.count(domain), 0)});
      if (level > 0) domain = *fabric.cluster->domain(domain).parent;
    }
    std::reverse(tiers_.begin(), tiers_.end());
    // The sender picks the NIC, not a hash: the cables to one leaf are one way.
    for_each_live_link_up(server_, [&](const Link& link, LinkId) { paths_to(link) = 1; });
    for (std::size_t level = tiers_.size(); level-- > 1;) climb_from(level);
  }

  [[nodiscard]] DomainId domain(std::size_t level) const { return tiers_[level].domain; }
  /// Ways up to each switch of the domain at `level`; 0: not reached.
  [[nodiscard]] const std::vector<std::uint64_t>& paths(std::size_t level) const {
    return tiers_[level].paths;
  }

  /// The links of all ways up to those switches of `level` that `turns` marks; from the server
  /// upwards, one hop each.
  [[nodiscard]] std::vector<std::vector<LinkId>> hops_to(std::size_t level,
                                                         std::vector<bool> turns) const {
    std::vector<std::vector<LinkId>> hops;
    std::vector<bool> wanted = std::move(turns);
    for (std::size_t below = level + 1; below < tiers_.size(); ++below) {
      std::vector<bool> wanted_below(tiers_[below].paths.size(), false);
      std::vector<LinkId>& hop = hops.emplace_back();
      for (std::size_t i = 0; i < wanted_below.size(); ++i) {
        if (tiers_[below].paths[i] == 0) continue;
        for_each_live_link_up(switch_at(below, i), [&](const Link& link, LinkId id) {
          if (!wanted[position(link)]) return;
          wanted_below[i] = true;
          hop.push_back(id);
        });
      }
      wanted = std::move(wanted_below);
    }
    std::vector<LinkId>& last = hops.emplace_back();
    for_each_live_link_up(server_, [&](const Link& link, LinkId id) {
      if (wanted[position(link)]) last.push_back(id);
    });
    std::reverse(hops.begin(), hops.end());
    return hops;
  }

 private:
  struct Tier {
    DomainId domain;
    std::vector<std::uint64_t> paths;
  };

  template <class Visit>
  void for_each_live_link_up(Endpoint lower, const Visit& visit) const {
    for (const LinkId id : fabric_.graph.links_of(lower)) {
      const Link& link = fabric_.links[id.index()];
      if (link.lower != lower) break;  // those that lead up come first
      if (link.capacity.count > 0) visit(link, id);
    }
  }

  void climb_from(std::size_t level) {
    for (std::size_t i = 0; i < tiers_[level].paths.size(); ++i) {
      const std::uint64_t ways = tiers_[level].paths[i];
      if (ways == 0) continue;
      for_each_live_link_up(switch_at(level, i), [&](const Link& link, LinkId) {
        const auto cables = static_cast<std::uint64_t>(link.cables);
        paths_to(link) = saturating_add(paths_to(link), saturating_multiply(ways, cables));
      });
    }
  }

  [[nodiscard]] SwitchId switch_at(std::size_t level, std::size_t position) const {
    return SwitchId{fabric_.numbering.first(tiers_[level].domain) + position};
  }
  /// Of a link's upper end within its domain.
  [[nodiscard]] std::size_t position(const Link& link) const {
    const DomainId domain = fabric_.switches[link.upper.index()].place.domain;
    return link.upper.index() - fabric_.numbering.first(domain);
  }
  [[nodiscard]] std::uint64_t& paths_to(const Link& link) {
    const int level = fabric_.switches[link.upper.index()].level;
    return tiers_[static_cast<std::size_t>(level)].paths[position(link)];
  }

  const FabricParts& fabric_;
  ServerId server_;
  std::vector<Tier> tiers_;  // by level
};

BytesPerSecond least_hop(const FabricParts& fabric, const std::vector<std::vector<LinkId>>& hops) {
  BytesPerSecond least{std::numeric_limits<std::int64_t>::max()};
  for (const std::vector<LinkId>& hop : hops) {
    BytesPerSecond total;
    for (const LinkId id : hop) total += fabric.links[id.index()].capacity;
    least = std::min(least, total);
  }
  return least;
}

/// The paths that turn at `level`; none when no switch there is reached from both.
std::optional<EqualCostPaths> paths_turning_at(const FabricParts& fabric, std::size_t level,
                                               const Climb& from, const Climb& to) {
  EqualCostPaths found;
  std::vector<bool> turns(from.paths(level).size(), false);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const std::uint64_t ways = saturating_multiply(from.paths(level)[i], to.paths(level)[i]);
    turns[i] = ways > 0;
    found.count = saturating_add(found.count, ways);
  }
  if (found.count == 0) return std::nullopt;
  found.hops = from.hops_to(level, turns);
  std::vector<std::vector<LinkId>> down = to.hops_to(level, std::move(turns));
  std::move(down.rbegin(), down.rend(), std::back_inserter(found.hops));
  found.bottleneck = least_hop(fabric, found.hops);
  return found;
}

}  // namespace

std::optional<EqualCostPaths> Fabric::equal_cost_paths(ServerId from, ServerId to) const {
  if (from == to) return EqualCostPaths{{}, 1, injection_capacity(from)};
  const Climb up(*impl_, from);
  const Climb down(*impl_, to);
  for (auto level = static_cast<std::size_t>(impl_->cluster->common_level(from, to)) + 1;
       level-- > 0;) {
    if (auto found = paths_turning_at(*impl_, level, up, down)) return found;
  }
  return std::nullopt;
}

}  // namespace zonecut
