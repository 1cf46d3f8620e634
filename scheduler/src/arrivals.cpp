#include "arrivals.hpp"

#include <algorithm>
#include <unordered_map>

#include "rounds.hpp"

namespace zonecut {
namespace {

/// Bytes of one of so many messages, rounded up.
std::int64_t part_of(std::int64_t bytes, std::int64_t messages) {
  messages = std::max<std::int64_t>(1, messages);
  return (bytes + messages - 1) / messages;
}

}  // namespace

Arrivals::Arrivals(const Cluster& cluster, const Traffic& traffic,
                   std::span<const ServerId> servers)
    : traffic_(traffic), positions_(positions_of(cluster, servers)) {}

void Arrivals::of(const Group& group, const std::function<void(const Arrival&)>& visit) const {
  if (group.pattern == Pattern::AllToAll) return of_exchange(group, visit);
  const auto visit_flow = [&](const Flow& flow, std::int64_t messages) {
    if (island(flow.from) != island(flow.to))
      visit({flow.to, 1, part_of(flow.bytes.count, messages)});
  };
  Group hops = group;
  hops.wrap_bytes = {};
  for_each_flow(traffic_, hops, [&](const Flow& flow) { visit_flow(flow, group.messages); });
  if (group.wrap_bytes.count == 0) return;
  for (const auto way : {Round::Kind::AroundForward, Round::Kind::AroundBackward}) {
    for_each_flow_in(traffic_, group, {way, 0, group.messages, group.passes},
                     [&](const Flow& flow) {
                       visit_flow(flow, group.messages / group.passes * (group.passes - 1));
                     });
  }
}

void Arrivals::of_exchange(const Group& group,
                           const std::function<void(const Arrival&)>& visit) const {
  const std::span<const RankId> members = traffic_.members_of(group);
  const std::span<const Bytes> shares = traffic_.shares_of(group);
  const std::int64_t messages = group.messages;
  std::unordered_map<std::uint32_t, std::size_t> together;  // members of each island
  for (const RankId member : members) ++together[island(member)];
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::size_t others = members.size() - together[island(members[i])];
    if (others == 0) continue;
    if (shares.empty() || group.share_of == ShareOf::Receiver) {
      const Bytes bytes = shares.empty() ? group.bytes : shares[i];
      visit({members[i], group.stepwise ? 1 : others, part_of(bytes.count, messages)});
    } else if (group.stepwise) {
      visit({members[i], 1, part_of(largest_share(members, shares, i), messages)});
    } else {
      for (std::size_t j = 0; j < members.size(); ++j) {
        if (island(members[j]) != island(members[i]))
          visit({members[i], 1, part_of(shares[j].count, messages)});
      }
    }
  }
}

/// Of what the others of an exchange send to member i.
std::int64_t Arrivals::largest_share(std::span<const RankId> members, std::span<const Bytes> shares,
                                     std::size_t i) const {
  std::int64_t most = 0;
  for (std::size_t j = 0; j < members.size(); ++j) {
    if (island(members[j]) != island(members[i])) most = std::max(most, shares[j].count);
  }
  return most;
}

}  // namespace zonecut
