#include "zonecut/scheduler/incast.hpp"

#include <algorithm>

#include "arrivals.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

PhaseIncast incast_of(const Traffic &traffic, std::span<const ServerId> servers,
                      std::optional<Bytes> window, const Arrivals &arrivals,
                      const Phase &phase) {
  std::vector<std::size_t> senders(traffic.ranks, 0);
  std::vector<std::int64_t> bytes(traffic.ranks, 0);
  for (const Group &group : phase.groups) {
    arrivals.of(phase, group, [&](const Arrival &arrival) {
      const std::int64_t admitted =
          window ? std::min(arrival.message, window->count) : arrival.message;
      senders[arrival.to.index()] += arrival.senders;
      bytes[arrival.to.index()] +=
          admitted * static_cast<std::int64_t>(arrival.senders);
    });
  }
  PhaseIncast found{phase.name, {}};
  for (std::size_t rank = 0; rank < traffic.ranks; ++rank) {
    if (senders[rank] == 0)
      continue;
    found.receivers.push_back({RankId{rank},
                               servers[rank / traffic.ranks_per_server],
                               senders[rank],
                               {bytes[rank]}});
  }
  return found;
}

} // namespace

std::vector<PhaseIncast> incast_of(const Cluster &cluster,
                                   const Traffic &traffic,
                                   std::span<const ServerId> servers,
                                   std::optional<Bytes> window) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  const Arrivals arrivals(cluster, traffic, servers);
  std::vector<PhaseIncast> phases;
  for (const Phase &phase : traffic.phases)
    phases.push_back(incast_of(traffic, servers, window, arrivals, phase));
  return phases;
}

std::optional<Receiver> worst(const PhaseIncast &phase) {
  const auto most =
      std::max_element(phase.receivers.begin(), phase.receivers.end(),
                       [](const Receiver &a, const Receiver &b) {
                         return std::pair(a.in_flight, a.senders) <
                                std::pair(b.in_flight, b.senders);
                       });
  if (most == phase.receivers.end())
    return std::nullopt;
  return *most;
}

} // namespace zonecut
