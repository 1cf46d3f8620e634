#include "traffic_sums.hpp"

#include <algorithm>
#include <limits>

#include "rail_exchange.hpp"
#include "routing/nic_flows.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max() / 2;

[[noreturn]] void too_much_traffic() {
  throw InputError("traffic", "the bytes of one iteration do not fit 62 bits");
}

std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > kMostBytes) too_much_traffic();
  return product;
}

std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum) || sum > kMostBytes) too_much_traffic();
  return sum;
}

/// Σ bytes² over Σ bytes, of all flows of an exchange: each member has as many of its weight.
double mean_flow_by_bytes(std::span<const AllToAllCount::Member> members) {
  double sum = 0;
  double squares = 0;
  for (const AllToAllCount::Member& member : members) {
    const auto weight = static_cast<double>(member.weight);
    sum += weight;
    squares += weight * weight;
  }
  return sum > 0 ? squares / sum : 0;
}

}  // namespace

TrafficSums::TrafficSums(const Cluster& cluster, const FabricSpec& spec, const Traffic& traffic,
                         std::span<const ServerId> servers, const Routing& routing)
    : cluster_(cluster),
      traffic_(traffic),
      bundles_(cluster),
      domains_(cluster),
      positions_(positions_of(cluster, servers)),
      zones_(cluster.domains_at(cluster.zone_level()).size()),
      loads_(bundle_count()),
      squares_(bundle_count(), 0.0),
      nics_(spec.nics_per_server),
      relays_(nics_that_relay(cluster, spec, traffic, servers)),
      parts_(flows_of_a_pair(routing, spec.planes)),
      scale_up_(2 * traffic.ranks),
      fabric_levels_(cluster.levels().size(), 0),
      connections_(cluster.levels().size(), 0),
      by_level_(cluster.levels().size() + 1, 0),
      scale_up_by_level_(cluster.levels().size() + 1, 0),
      by_zone_(zones_ * zones_, 0),
      exchange_(cluster.server_count(), domains_) {
  if (!goes_by_distribution(routing)) return;
  pairs_.emplace(cluster, spec, traffic, servers);
  if (!pairs_->shared()) pairs_.reset();
}

void TrafficSums::begin_phase() {
  phase_bytes_ = 0;
  for (const std::uint32_t index : loads_.touched()) squares_[index] = 0;
  loads_.clear();
  scale_up_.clear();
  std::fill(fabric_levels_.begin(), fabric_levels_.end(), 0);
  std::fill(connections_.begin(), connections_.end(), 0);
  if (pairs_) pairs_->clear();
}

void TrafficSums::add(const Group& group) {
  if (group.pattern == Pattern::AllToAll) {
    add_exchange(group);
    add_connections_of(group);
  } else {
    channels_ = channels_of(traffic_, group, nics_);
    // A channel passes a server's ranks in such an order that the GPU of its NIC comes last.
    hands_over_ = relays_ && channels_ == 1;
    for_each_flow(traffic_, group, [this](const Flow& flow) { add_flow(flow); });
  }
}

void TrafficSums::add(const Group& group, const Round& round) {
  channels_ = 1;
  hands_over_ = relays_.has_value();
  for_each_flow_in(traffic_, group, round, [this](const Flow& flow) { add_flow(flow); });
}

std::int64_t TrafficSums::most_scale_up_bytes() const {
  std::int64_t most = 0;
  for (const std::uint32_t index : scale_up_.touched()) most = std::max(most, scale_up_[index]);
  return most;
}

std::optional<std::size_t> TrafficSums::highest_level() const {
  const auto highest = std::find_if(fabric_levels_.begin(), fabric_levels_.end(),
                                    [](std::int64_t bytes) { return bytes > 0; });
  if (highest == fabric_levels_.end()) return std::nullopt;
  return static_cast<std::size_t>(highest - fabric_levels_.begin());
}

Seconds TrafficSums::admission_time(Bytes window, const FabricSpec& spec) const {
  Seconds longest;
  for (std::size_t level = 0; level < connections_.size(); ++level) {
    const double windows = connections_[level] / static_cast<double>(window.count);
    longest = std::max(longest, spec.tiers[level].latency * (2 * windows));
  }
  return longest;
}

void TrafficSums::load(std::size_t index, std::int64_t bytes) {
  if (bytes == 0) return;
  loads_.add(index, bytes);
  squares_[index] += static_cast<double>(bytes) * flow_size_;
}

void TrafficSums::load_server(std::uint32_t server, std::int64_t out, std::int64_t in) {
  load(bundles_.of(ServerId{server}, false), in);
  load(bundles_.of(ServerId{server}, true), out);
}

void TrafficSums::load_domain(std::uint32_t domain, std::int64_t out, std::int64_t in) {
  load(bundles_.of(DomainId{domain}, false), in);
  load(bundles_.of(DomainId{domain}, true), out);
}

void TrafficSums::load_scale_up(std::size_t rank, std::int64_t sent, std::int64_t received) {
  if (sent != 0) scale_up_.add(2 * rank, sent);
  if (received != 0) scale_up_.add(2 * rank + 1, received);
}

void TrafficSums::count_bytes(std::int64_t bytes) {
  bytes_ = checked_sum(bytes_, bytes);
  phase_bytes_ += bytes;
}

void TrafficSums::add_flow(const Flow& flow) {
  const std::int64_t bytes = flow.bytes.count;
  if (bytes == 0) return;
  count_bytes(bytes);
  const Position& from = positions_[flow.from.index() / traffic_.ranks_per_server];
  const Position& to = positions_[flow.to.index() / traffic_.ranks_per_server];
  by_zone_[from.zone * zones_ + to.zone] += bytes;
  const std::size_t level =
      from.server == to.server ? cluster_.levels().size() : common_level(from.rack, to.rack);
  by_level_[level] += bytes;
  if (from.island == to.island) {
    if (from.server != to.server) scale_up_by_level_[level] += bytes;
    load_scale_up(flow.from.index(), bytes, 0);
    load_scale_up(flow.to.index(), 0, bytes);
  } else {
    fabric_levels_[level] += bytes;
    const double connection = static_cast<double>(bytes) / static_cast<double>(channels_);
    connections_[level] = std::max(connections_[level], connection);
    flow_size_ = (pairs_ ? pairs_->add(flow, channels_) : connection) / parts_;
    load_path(from, to, bytes);
    if (hands_over_) hand_over(flow);
  }
}

void TrafficSums::hand_over(const Flow& flow) {
  const std::optional<RankId> relay = relays_->relay(flow.from, flow.to);
  if (!relay) return;
  load_scale_up(flow.from.index(), flow.bytes.count, 0);
  load_scale_up(relay->index(), 0, flow.bytes.count);
}

std::size_t TrafficSums::common_level(std::uint32_t rack_a, std::uint32_t rack_b) const {
  while (rack_a != rack_b) {
    rack_a = domains_.parent[rack_a];
    rack_b = domains_.parent[rack_b];
  }
  return domains_.level[rack_a];
}

void TrafficSums::load_path(const Position& from, const Position& to, std::int64_t bytes) {
  load_server(from.server, bytes, 0);
  load_server(to.server, 0, bytes);
  std::uint32_t up = from.rack;
  std::uint32_t down = to.rack;
  while (up != down) {
    load_domain(up, bytes, 0);
    load_domain(down, 0, bytes);
    up = domains_.parent[up];
    down = domains_.parent[down];
  }
}

void TrafficSums::add_exchange(const Group& group) {
  const std::span<const RankId> ranks = traffic_.members_of(group);
  if (ranks.size() < 2) return;
  take_members(ranks, traffic_.shares_of(group), group.bytes);
  const double flow = mean_flow_by_bytes(members_);
  flow_size_ = (pairs_ ? pairs_->add_exchange(ranks, flow) : flow) / parts_;
  weights_ = group.share_of;
  exchange_.count(members_, weights_);
  const std::vector<std::int64_t> levels = exchange_.bytes_by_level(cluster_.levels().size());
  for (std::size_t level = 0; level < levels.size(); ++level) by_level_[level] += levels[level];
  add_exchange_between_zones();
  load_exchange(+1);
  keep_islands_off_the_fabric();
  if (relays_) hand_exchange_over();
}

/// As if the largest pair were as far apart as any. O(members · levels).
void TrafficSums::add_connections_of(const Group& group) {
  const std::span<const RankId> ranks = traffic_.members_of(group);
  const std::span<const Bytes> shares = traffic_.shares_of(group);
  if (ranks.size() < 2) return;
  const auto place = [&](RankId rank) -> const Position& {
    return positions_[rank.index() / traffic_.ranks_per_server];
  };
  std::optional<std::size_t> highest;
  std::int64_t pair = shares.empty() ? group.bytes.count : 0;  // the largest
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (place(ranks[i]).island != place(ranks[0]).island) {
      const std::size_t level = common_level(place(ranks[i]).rack, place(ranks[0]).rack);
      highest = std::min(highest.value_or(level), level);
    }
    if (!shares.empty()) pair = std::max(pair, shares[i].count);
  }
  if (!highest) return;
  const auto steps = static_cast<double>(group.stepwise ? group.size - 1 : 1);
  connections_[*highest] = std::max(connections_[*highest], steps * static_cast<double>(pair));
}

void TrafficSums::take_members(std::span<const RankId> ranks, std::span<const Bytes> shares,
                               Bytes bytes) {
  members_.clear();
  std::int64_t weight = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t own = shares.empty() ? bytes.count : shares[i].count;
    weight = checked_sum(weight, own);
    members_.push_back({positions_[ranks[i].index() / traffic_.ranks_per_server],
                        static_cast<std::uint32_t>(ranks[i].index()), own});
  }
  count_bytes(checked_product(weight, static_cast<std::int64_t>(ranks.size() - 1)));
}

void TrafficSums::load_exchange(int sign) {
  for (const std::uint32_t server : exchange_.servers()) {
    const AllToAllCount::Part part = exchange_.server(server);
    load_server(server, sign * exchange_.bytes_out_of(part), sign * exchange_.bytes_into(part));
  }
  for (const std::uint32_t domain : exchange_.domains()) {
    const AllToAllCount::Part part = exchange_.domain(domain);
    load_domain(domain, sign * exchange_.bytes_out_of(part), sign * exchange_.bytes_into(part));
  }
  const std::vector<std::int64_t> levels = exchange_.bytes_by_level(cluster_.levels().size());
  for (std::size_t level = 0; level < fabric_levels_.size(); ++level)
    fabric_levels_[level] += sign * levels[level];
}

void TrafficSums::add_exchange_between_zones() {
  struct Zone {
    std::size_t position;
    AllToAllCount::Part part;
  };
  std::vector<Zone> zones;
  for (const std::uint32_t domain : exchange_.domains()) {
    if (domains_.level[domain] != cluster_.zone_level()) continue;
    zones.push_back({cluster_.position_in_level(DomainId{domain}), exchange_.domain(domain)});
  }
  for (const Zone& from : zones) {
    for (const Zone& to : zones) {
      by_zone_[from.position * zones_ + to.position] +=
          from.position == to.position ? AllToAllCount::bytes_within(from.part)
                                       : AllToAllCount::bytes_between(from.part, to.part, weights_);
    }
  }
}

/// Members that NVLink joins exchange over it: their part is taken from the links again.
void TrafficSums::keep_islands_off_the_fabric() {
  std::stable_sort(members_.begin(), members_.end(), [](const auto& a, const auto& b) {
    return a.position.island < b.position.island;
  });
  for (auto first = members_.begin(); first != members_.end();) {
    AllToAllCount::Part island;
    bool one_server = true;
    auto last = first;
    for (; last != members_.end() && last->position.island == first->position.island; ++last) {
      island.members += 1;
      island.weight += last->weight;
      one_server = one_server && last->position.server == first->position.server;
    }
    for (auto member = first; member != last; ++member) {
      const AllToAllCount::Part self{1, member->weight};
      const AllToAllCount::Part others{island.members - 1, island.weight - member->weight};
      load_scale_up(member->rank, AllToAllCount::bytes_between(self, others, weights_),
                    AllToAllCount::bytes_between(others, self, weights_));
    }
    if (!one_server) {
      exchange_.count(std::span<const AllToAllCount::Member>(first, last), weights_);
      load_exchange(-1);
      const std::size_t domain_levels = cluster_.levels().size();
      const std::vector<std::int64_t> levels = exchange_.bytes_by_level(domain_levels);
      for (std::size_t level = 0; level < domain_levels; ++level)
        scale_up_by_level_[level] += levels[level];
    }
    first = last;
  }
}

void TrafficSums::hand_exchange_over() {
  for (const HandedOver& over : handed_over(members_, weights_, *relays_))
    load_scale_up(over.rank, over.sent, over.received);
}

}  // namespace zonecut
