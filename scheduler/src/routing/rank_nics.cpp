#include "routing/rank_nics.hpp"

#include <algorithm>

namespace zonecut {

RankNics::RankNics(const Cluster& cluster, const Traffic& traffic,
                   std::span<const ServerId> servers, std::size_t nics)
    : ranks_per_server_(traffic.ranks_per_server), nics_(nics) {
  IdMap<ServerId, std::size_t> taken(cluster.server_count(), 0);
  places_.reserve(servers.size());
  for (const ServerId server : servers) {
    places_.push_back({taken[server], static_cast<std::size_t>(cluster.server(server).gpus)});
    taken[server] += ranks_per_server_;
  }
}

std::size_t RankNics::nic_of(RankId rank, std::size_t channel, std::size_t channels) const {
  const Place& place = places_[rank.index() / ranks_per_server_];
  const std::size_t gpu = place.first_gpu + rank.index() % ranks_per_server_;
  const std::size_t own = gpu * nics_ / std::max<std::size_t>(1, place.gpus);
  return (own + channel * nics_ / channels) % nics_;
}

}  // namespace zonecut
