#include "fabric_links.hpp"

#include <algorithm>

namespace zonecut {
namespace {

/// Ports dealt out in turn to `hands`, starting at `first`: counts differ by at most one.
struct Deal {
  int ports;
  int hands;
  int first;

  [[nodiscard]] int hands_used() const { return std::min(ports, hands); }
  [[nodiscard]] int hand(int turn) const { return (first + turn) % hands; }
  [[nodiscard]] int count(int turn) const { return ports / hands + (turn < ports % hands ? 1 : 0); }
};

/// A bandwidth split over cables to the last byte: the first ones carry one byte per second more.
class CableShares {
 public:
  CableShares(BytesPerSecond total, std::int64_t cables)
      : each_(total.count / cables), rest_(total.count % cables) {}

  /// What the next `cables` carry together.
  [[nodiscard]] BytesPerSecond take(std::int64_t cables) {
    const std::int64_t extra = std::min(cables, rest_);
    rest_ -= extra;
    return {each_ * cables + extra};
  }

 private:
  std::int64_t each_;
  std::int64_t rest_;
};

BytesPerSecond bandwidth_above(const Cluster& cluster, const FabricSpec& spec, DomainId domain,
                               const TierSpec& tier, std::int64_t cables) {
  if (tier.oversubscription == 0) return tier.uplink_bandwidth * cables;
  const auto below = static_cast<long double>(nic_bandwidth_below(cluster, spec, domain).count);
  return {static_cast<std::int64_t>(below / static_cast<long double>(tier.oversubscription))};
}

class LinkMaker {
 public:
  LinkMaker(const Cluster& cluster, const FabricSpec& spec, const SwitchNumbering& switches)
      : cluster_(cluster), spec_(spec), switches_(switches) {}

  [[nodiscard]] std::vector<Link> make() && {
    for (const DomainId domain : cluster_.domain_ids()) {
      if (cluster_.domain(domain).parent) join_to_parent(domain);
      if (cluster_.domain(domain).level == cluster_.rack_level()) join_servers(domain);
    }
    return std::move(links_);
  }

 private:
  [[nodiscard]] const TierSpec& tier(int level) const {
    return spec_.tiers[static_cast<std::size_t>(level)];
  }

  void join_to_parent(DomainId id) {
    const Domain& domain = cluster_.domain(id);
    const TierSpec& here = tier(domain.level);
    const Deal deal{here.uplinks, tier(domain.level - 1).switches, 0};
    const std::int64_t cables =
        std::int64_t{spec_.planes} * std::int64_t{here.switches} * std::int64_t{here.uplinks};
    if (cables == 0 || deal.hands == 0) return;
    CableShares shares(bandwidth_above(cluster_, spec_, id, here, cables), cables);
    for (int plane = 0; plane < spec_.planes; ++plane) {
      for (int index = 0; index < here.switches; ++index) {
        for (int turn = 0; turn < deal.hands_used(); ++turn) {
          const BytesPerSecond share = shares.take(deal.count(turn));
          links_.push_back({switches_.id(id, plane, index),
                            switches_.id(*domain.parent, plane, deal.hand(turn)), domain.level,
                            deal.count(turn), share, share});
        }
      }
    }
  }

  void join_servers(DomainId rack) {
    const Domain& domain = cluster_.domain(rack);
    const int leaves = tier(domain.level).switches;
    if (leaves == 0) return;
    int first = 0;
    for (const ServerId server : domain.servers()) {
      join_server(server, rack, {spec_.nics_per_server, leaves, first});
      // On rails NIC i of every server goes to leaf i; else the next server goes on where this one
      // ended, so that the rack as a whole is even.
      if (spec_.leaves == LeafWiring::Rack) first = (first + spec_.nics_per_server) % leaves;
    }
  }

  void join_server(ServerId server, DomainId rack, const Deal& deal) {
    for (int plane = 0; plane < spec_.planes; ++plane) {
      const std::int64_t port = spec_.nic_bandwidth.count / spec_.planes +
                                (plane < spec_.nic_bandwidth.count % spec_.planes ? 1 : 0);
      for (int turn = 0; turn < deal.hands_used(); ++turn) {
        const BytesPerSecond ports = BytesPerSecond{port} * deal.count(turn);
        links_.push_back({server, switches_.id(rack, plane, deal.hand(turn)),
                          cluster_.rack_level() + 1, deal.count(turn), ports, ports});
      }
    }
  }

  const Cluster& cluster_;
  const FabricSpec& spec_;
  const SwitchNumbering& switches_;
  std::vector<Link> links_;
};

}  // namespace

std::vector<Link> make_links(const Cluster& cluster, const FabricSpec& spec,
                             const SwitchNumbering& switches) {
  return LinkMaker(cluster, spec, switches).make();
}

BytesPerSecond nic_bandwidth_below(const Cluster& cluster, const FabricSpec& spec,
                                   DomainId domain) {
  return spec.nic_bandwidth * spec.nics_per_server *
         static_cast<std::int64_t>(cluster.domain(domain).server_count);
}

}  // namespace zonecut
