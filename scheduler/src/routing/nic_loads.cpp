#include "routing/nic_loads.hpp"

#include <algorithm>
#include <tuple>

#include "routing/nic_flows.hpp"

namespace zonecut {
namespace {

using Part = AllToAllCount::Part;

Part plus(const Part& a, const Part& b) { return {a.members + b.members, a.weight + b.weight}; }
Part minus(const Part& a, const Part& b) { return {a.members - b.members, a.weight - b.weight}; }

double bytes_between(const Part& from, const Part& to, const Group& group) {
  return static_cast<double>(AllToAllCount::bytes_between(from, to, group.share_of));
}

}  // namespace

NicLoads::NicLoads(const Cluster& cluster, const FabricSpec& spec, const Traffic& traffic,
                   std::span<const ServerId> servers)
    : traffic_(traffic),
      nics_(static_cast<std::size_t>(std::max(0, spec.nics_per_server))),
      rank_nics_(cluster, spec, traffic, servers),
      bytes_(2 * cluster.server_count() * nics_, 0.0) {
  const std::vector<Position> positions = positions_of(cluster, servers);
  places_.reserve(traffic.ranks);
  for (std::size_t rank = 0; rank < traffic.ranks; ++rank) {
    const Position& position = positions[rank / traffic.ranks_per_server];
    const auto first = static_cast<std::uint32_t>(position.server * nics_);
    const auto own = static_cast<std::uint32_t>(rank_nics_.own(RankId{rank}));
    places_.push_back({position, first, first + own});
  }
}

void NicLoads::clear() {
  for (const std::uint32_t index : touched_) bytes_[index] = 0;
  touched_.clear();
}

void NicLoads::add(const Group& group) {
  if (nics_ == 0) return;
  if (group.pattern == Pattern::AllToAll) return add_exchange(group);
  const std::size_t channels = channels_of(traffic_, group, static_cast<int>(nics_));
  for_each_flow(traffic_, group, [&](const Flow& flow) { add_flow(flow, channels); });
}

void NicLoads::add(const Group& group, const Round& round) {
  if (nics_ == 0) return;
  for_each_flow_in(traffic_, group, round, [&](const Flow& flow) { add_flow(flow, 1); });
}

void NicLoads::add_step(const Group& group) {
  if (nics_ == 0) return;
  const auto bytes = static_cast<double>(group.bytes.count);
  for (const RankId member : traffic_.members_of(group)) {
    load_in(places_[member.index()].own_nic, bytes);
    load_out(places_[member.index()].own_nic, bytes);
  }
}

void NicLoads::add_flow(const Flow& flow, std::size_t channels) {
  const Place& from = places_[flow.from.index()];
  const Place& to = places_[flow.to.index()];
  if (from.position.island == to.position.island) return;
  const auto bytes = static_cast<double>(flow.bytes.count);
  if (channels == 1 && !rank_nics_.on_rails()) {
    load_out(from.own_nic, bytes);
    load_in(to.own_nic, bytes);
    return;
  }
  const double each = bytes / static_cast<double>(channels);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const std::size_t sender = rank_nics_.sender(flow.from, flow.to, channel, channels);
    load_out(from.first_nic + sender, each);
    load_in(to.first_nic + rank_nics_.of_channel(flow.to, channel, channels), each);
  }
}

void NicLoads::add_exchange(const Group& group) {
  take_members(group);
  if (members_.empty() || members_.front().position.island == members_.back().position.island)
    return;
  const std::vector<Part> all = by_nic(members_);
  Part everybody;
  for (const Part& part : all) everybody = plus(everybody, part);
  for (auto first = members_.begin(); first != members_.end();) {
    const auto last = std::find_if(first, members_.end(), [&](const Member& m) {
      return m.position.island != first->position.island;
    });
    const std::span<const Member> island(first, last);
    std::vector<Part> outside = all;
    Part others = everybody;
    const std::vector<Part> inside = by_nic(island);
    for (std::size_t nic = 0; nic < nics_; ++nic) {
      outside[nic] = minus(outside[nic], inside[nic]);
      others = minus(others, inside[nic]);
    }
    for (const Member& member : island) {
      const Part self{1, member.weight};
      const std::size_t nic = places_[member.rank].own_nic;
      load_in(nic, bytes_between(others, self, group));
      if (!rank_nics_.on_rails()) load_out(nic, bytes_between(self, others, group));
    }
    if (rank_nics_.on_rails()) send_by_rail(group, island, outside);
    first = last;
  }
}

/// By where they stand.
void NicLoads::take_members(const Group& group) {
  const std::span<const RankId> ranks = traffic_.members_of(group);
  const std::span<const Bytes> shares = traffic_.shares_of(group);
  members_.clear();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t weight = shares.empty() ? group.bytes.count : shares[i].count;
    const std::size_t rank = ranks[i].index();
    members_.push_back({places_[rank].position, static_cast<std::uint32_t>(rank), weight});
  }
  std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) {
    return std::tie(a.position.island, a.position.server, a.rank) <
           std::tie(b.position.island, b.position.server, b.rank);
  });
}

/// What the members of an island have for those outside, by whose NIC it goes to.
void NicLoads::send_by_rail(const Group& group, std::span<const Member> island,
                            std::span<const Part> outside) {
  for (auto first = island.begin(); first != island.end();) {
    const auto last = std::find_if(first, island.end(), [&](const Member& m) {
      return m.position.server != first->position.server;
    });
    const std::vector<Part> senders = by_nic({first, last});
    for (std::size_t own = 0; own < nics_; ++own) {
      if (senders[own].members == 0) continue;
      const RankId sender = rank_nics_.holder(RankId{first->rank}, own).value();
      for (std::size_t rail = 0; rail < nics_; ++rail) {
        if (outside[rail].members == 0) continue;
        load_out(places_[first->rank].first_nic + rank_nics_.nic_towards(sender, rail),
                 bytes_between(senders[own], outside[rail], group));
      }
    }
    first = last;
  }
}

std::vector<Part> NicLoads::by_nic(std::span<const Member> members) const {
  std::vector<Part> parts(nics_);
  for (const Member& member : members) {
    Part& part = parts[rank_nics_.own(RankId{member.rank})];
    part = plus(part, {1, member.weight});
  }
  return parts;
}

}  // namespace zonecut
