#include "zonecut/scheduler/incast.hpp"

#include <algorithm>

#include "arrivals.hpp"
#include "routing/nic_flows.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// Of one message over so many channels, each with a window of its own.
std::int64_t admitted_of(std::int64_t message, std::int64_t channels, std::optional<Bytes> window) {
  if (!window || message / channels < window->count) return message;
  return std::min(message, window->count * channels);
}

PhaseIncast incast_of(const Traffic& traffic, std::span<const ServerId> servers,
                      std::optional<Bytes> window, int nics, const Arrivals& arrivals,
                      const Phase& phase) {
  std::vector<std::size_t> senders(traffic.ranks, 0);
  std::vector<std::int64_t> bytes(traffic.ranks, 0);
  for (const Group& group : phase.groups) {
    const auto channels = static_cast<std::int64_t>(channels_of(traffic, group, nics));
    arrivals.of(group, [&](const Arrival& arrival) {
      const std::int64_t admitted = admitted_of(arrival.message, channels, window);
      senders[arrival.to.index()] += arrival.senders;
      bytes[arrival.to.index()] += admitted * static_cast<std::int64_t>(arrival.senders);
    });
  }
  PhaseIncast found{phase.name, {}};
  for (std::size_t rank = 0; rank < traffic.ranks; ++rank) {
    if (senders[rank] == 0) continue;
    found.receivers.push_back(
        {RankId{rank}, servers[rank / traffic.ranks_per_server], senders[rank], {bytes[rank]}});
  }
  return found;
}

}  // namespace

std::vector<PhaseIncast> incast_of(const Fabric& fabric, const Traffic& traffic,
                                   std::span<const ServerId> servers, std::optional<Bytes> window) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  const Arrivals arrivals(fabric.cluster(), traffic, servers);
  const int nics = fabric.spec().nics_per_server;
  std::vector<PhaseIncast> phases;
  for (const Phase& phase : traffic.phases)
    phases.push_back(incast_of(traffic, servers, window, nics, arrivals, phase));
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
