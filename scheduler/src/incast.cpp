#include "zonecut/scheduler/incast.hpp"

#include <algorithm>
#include <unordered_map>

#include "positions.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

class Arrivals {
 public:
  Arrivals(const Cluster& cluster, const Traffic& traffic, std::span<const ServerId> servers,
           std::optional<Bytes> window)
      : traffic_(traffic),
        servers_(servers),
        window_(window),
        positions_(positions_of(cluster, servers)) {}

  [[nodiscard]] PhaseIncast of(const Phase& phase) {
    senders_.assign(traffic_.ranks, 0);
    bytes_.assign(traffic_.ranks, 0);
    for (const Group& group : phase.groups) {
      if (group.pattern == Pattern::AllToAll) {
        add_exchange(phase, group);
      } else {
        const std::int64_t messages = messages_of(phase, group);
        for_each_flow(traffic_, group, [&](const Flow& flow) {
          if (island(flow.from) != island(flow.to))
            add(flow.to, 1, admitted(flow.bytes.count, messages));
        });
      }
    }
    PhaseIncast found{phase.name, {}};
    for (std::size_t rank = 0; rank < traffic_.ranks; ++rank) {
      if (senders_[rank] == 0) continue;
      found.receivers.push_back({RankId{rank},
                                 servers_[rank / traffic_.ranks_per_server],
                                 senders_[rank],
                                 {bytes_[rank]}});
    }
    return found;
  }

 private:
  [[nodiscard]] std::uint32_t island(RankId rank) const {
    return positions_[rank.index() / traffic_.ranks_per_server].island;
  }

  void add(RankId to, std::size_t senders, std::int64_t bytes) {
    senders_[to.index()] += senders;
    bytes_[to.index()] += bytes;
  }

  /// Of one connection that carries `bytes` in so many messages.
  [[nodiscard]] std::int64_t admitted(std::int64_t bytes, std::int64_t messages) const {
    const std::int64_t message = (bytes + messages - 1) / messages;
    return window_ ? std::min(message, window_->count) : message;
  }

  [[nodiscard]] static std::int64_t messages_of(const Phase& phase, const Group& group) {
    switch (group.pattern) {
      case Pattern::Pipeline:
      case Pattern::Chain:
        return std::max<std::int64_t>(1, phase.messages);
      case Pattern::Tree:
        return 1;
      case Pattern::AllToAll: {
        const std::int64_t steps = group.stepwise ? std::max<std::int64_t>(1, group.size - 1) : 1;
        return std::max<std::int64_t>(1, phase.steps / steps);
      }
      case Pattern::Ring:
      case Pattern::Direct:
        break;
    }
    return std::max<std::int64_t>(1, phase.steps);
  }

  void add_exchange(const Phase& phase, const Group& group) {
    const std::span<const RankId> members = traffic_.members_of(group);
    const std::span<const Bytes> shares = traffic_.shares_of(group);
    const std::int64_t messages = messages_of(phase, group);
    std::unordered_map<std::uint32_t, std::size_t> together;  // members of each island
    for (const RankId member : members) ++together[island(member)];
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::size_t others = members.size() - together[island(members[i])];
      if (others == 0) continue;
      if (group.stepwise) {
        add(members[i], 1, largest_from(members, shares, group, i, messages));
      } else if (shares.empty()) {
        const std::int64_t each = admitted(group.bytes.count, messages);
        add(members[i], others, each * static_cast<std::int64_t>(others));
      } else {
        add_unequal(members, shares, i, messages);
      }
    }
  }

  /// Of the messages to member i of an exchange in steps.
  [[nodiscard]] std::int64_t largest_from(std::span<const RankId> members,
                                          std::span<const Bytes> shares, const Group& group,
                                          std::size_t i, std::int64_t messages) const {
    if (shares.empty()) return admitted(group.bytes.count, messages);
    std::int64_t most = 0;
    for (std::size_t j = 0; j < members.size(); ++j) {
      if (island(members[j]) != island(members[i]))
        most = std::max(most, shares[j].count + shares[i].count);
    }
    return admitted(most, messages);
  }

  void add_unequal(std::span<const RankId> members, std::span<const Bytes> shares, std::size_t i,
                   std::int64_t messages) {
    for (std::size_t j = 0; j < members.size(); ++j) {
      if (island(members[j]) != island(members[i]))
        add(members[i], 1, admitted(shares[j].count + shares[i].count, messages));
    }
  }

  const Traffic& traffic_;
  std::span<const ServerId> servers_;
  std::optional<Bytes> window_;
  std::vector<Position> positions_;   // by vertex
  std::vector<std::size_t> senders_;  // by rank, of the phase at hand
  std::vector<std::int64_t> bytes_;   // likewise
};

}  // namespace

std::vector<PhaseIncast> incast_of(const Cluster& cluster, const Traffic& traffic,
                                   std::span<const ServerId> servers, std::optional<Bytes> window) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  Arrivals arrivals(cluster, traffic, servers, window);
  std::vector<PhaseIncast> phases;
  for (const Phase& phase : traffic.phases) phases.push_back(arrivals.of(phase));
  return phases;
}

std::optional<Receiver> worst(const PhaseIncast& phase) {
  const auto most = std::max_element(
      phase.receivers.begin(), phase.receivers.end(), [](const Receiver& a, const Receiver& b) {
        return std::pair(a.in_flight, a.senders) < std::pair(b.in_flight, b.senders);
      });
  if (most == phase.receivers.end()) return std::nullopt;
  return *most;
}

}  // namespace zonecut
