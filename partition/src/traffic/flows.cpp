#include "traffic/binary_tree.hpp"
#include "traffic/collectives.hpp"
#include "zonecut/partition/traffic.hpp"

namespace zonecut {
namespace {

using Visit = std::function<void(const Flow&)>;

void both_ways(RankId a, RankId b, Bytes bytes, const Visit& visit) {
  if (bytes.count == 0) return;
  visit({a, b, bytes});
  visit({b, a, bytes});
}

void ring_flows(std::span<const RankId> members, Bytes bytes, const Visit& visit) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    visit({members[i], members[(i + 1) % members.size()], bytes});
  }
}

void tree_flows(std::span<const RankId> members, std::size_t ranks_per_server, Bytes bytes,
                const Visit& visit) {
  const auto servers = by_server(members, ranks_per_server);
  const std::size_t n = servers.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto parent : {tree_parent(i, n), second_tree_parent(i, n)}) {
      if (parent) both_ways(servers[i].front(), servers[*parent].front(), bytes, visit);
    }
  }
  for (const std::vector<RankId>& server : servers) {
    for (std::size_t i = 1; i < server.size(); ++i) {
      both_ways(server[i - 1], server[i], bytes * 2, visit);
    }
  }
}

void all_to_all_flows(std::span<const RankId> members, std::span<const Bytes> shares,
                      const Group& group, const Visit& visit) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t j = 0; j < members.size(); ++j) {
      if (i == j) continue;
      const std::size_t owner = group.share_of == ShareOf::Sender ? i : j;
      visit({members[i], members[j], shares.empty() ? group.bytes : shares[owner]});
    }
  }
}

void chain_flows(std::span<const RankId> members, Bytes bytes, const Visit& visit) {
  for (std::size_t i = 1; i < members.size(); ++i) visit({members[i - 1], members[i], bytes});
}

void pipeline_flows(std::span<const RankId> members, const Group& group, const Visit& visit) {
  for (std::size_t i = 1; i < members.size(); ++i) {
    both_ways(members[i - 1], members[i], group.bytes, visit);
  }
  both_ways(members.back(), members.front(), group.wrap_bytes, visit);
}

}  // namespace

void for_each_flow(const Traffic& traffic, const Group& group, const Visit& visit) {
  const std::span<const RankId> members = traffic.members_of(group);
  if (members.size() < 2) return;
  switch (group.pattern) {
    case Pattern::Ring:
      return ring_flows(members, group.bytes, visit);
    case Pattern::Tree:
      return tree_flows(members, traffic.ranks_per_server, group.bytes, visit);
    case Pattern::AllToAll:
      return all_to_all_flows(members, traffic.shares_of(group), group, visit);
    case Pattern::Pipeline:
      return pipeline_flows(members, group, visit);
    case Pattern::Chain:
    case Pattern::Broadcast:
      return chain_flows(members, group.bytes, visit);
    case Pattern::Direct:
      return visit({members[0], members[1], group.bytes});
  }
}

}  // namespace zonecut
