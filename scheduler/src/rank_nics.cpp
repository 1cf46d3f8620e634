#include "rank_nics.hpp"

#include <algorithm>

namespace zonecut {

RankNics::RankNics(const Cluster& cluster, const FabricSpec& spec, const Traffic& traffic,
                   std::span<const ServerId> servers)
    : nics_(static_cast<std::size_t>(std::max(0, spec.nics_per_server))),
      on_rails_(spec.leaves == LeafWiring::Rail),
      hands_over_(spec.scale_up_bandwidth.count > 0) {
  find_places(cluster, traffic, servers);
  for (std::size_t rank = 0; rank < traffic.ranks; ++rank) {
    const Place& place = places_[rank / traffic.ranks_per_server];
    own_.push_back(nic_of_gpu(place, place.first_gpu + rank % traffic.ranks_per_server));
    row_.push_back(place.server * nics_);
  }
  if (on_rails_ && nics_ > 0) find_rails();
}

void RankNics::find_places(const Cluster& cluster, const Traffic& traffic,
                           std::span<const ServerId> servers) {
  struct Taken {
    std::size_t first_vertex = 0;
    std::size_t gpus = 0;
  };
  IdMap<ServerId, Taken> taken(cluster.server_count(), Taken{});
  for (const ServerId server : servers) {
    Taken& here = taken[server];
    if (here.gpus == 0) here.first_vertex = places_.size();
    places_.push_back({here.first_vertex, here.gpus,
                       static_cast<std::size_t>(std::max(1, cluster.server(server).gpus))});
    here.gpus += traffic.ranks_per_server;
  }
}

void RankNics::find_rails() {
  nic_on_.resize(places_.size() * nics_);
  holder_.resize(places_.size() * nics_);
  for (std::size_t vertex = 0; vertex < places_.size(); ++vertex) {
    const Place& place = places_[vertex];
    if (place.server != vertex) continue;
    // The last GPU whose own NIC is this one or before it.
    for (std::size_t rail = 0; rail < nics_; ++rail)
      nic_on_[vertex * nics_ + rail] = nic_of_gpu(place, ((rail + 1) * place.gpus - 1) / nics_);
  }
  for (std::size_t rank = 0; rank < own_.size(); ++rank) {
    std::optional<RankId>& holder = holder_[row_[rank] + own_[rank]];
    if (!holder) holder = RankId{rank};
  }
}

std::uint32_t RankNics::nic_of_gpu(const Place& place, std::size_t gpu) const {
  return nics_ == 0 ? 0 : static_cast<std::uint32_t>(gpu * nics_ / place.gpus % nics_);
}

std::optional<RankId> RankNics::relay(RankId from, RankId to) const { return relay(from, own(to)); }

std::optional<RankId> RankNics::relay(RankId from, std::size_t rail) const {
  const std::size_t nic = nic_on(from, rail);
  if (!hands_over_ || nic == own(from)) return std::nullopt;
  return holder(from, nic);
}

std::size_t RankNics::nic_towards(RankId from, std::size_t rail) const {
  const bool has_it = nic_on(from, rail) == own(from);
  return has_it || relay(from, rail) ? rail : own(from);
}

std::size_t RankNics::sender(RankId from, RankId to, std::size_t channel,
                             std::size_t channels) const {
  if (!on_rails_) return of_channel(from, channel, channels);
  return channels > 1 ? of_channel(to, channel, channels) : nic_towards(from, own(to));
}

std::optional<RankNics> nics_that_relay(const Cluster& cluster, const FabricSpec& spec,
                                        const Traffic& traffic, std::span<const ServerId> servers) {
  if (spec.leaves == LeafWiring::Rack || spec.scale_up_bandwidth.count <= 0 ||
      spec.nics_per_server <= 0)
    return std::nullopt;
  return RankNics(cluster, spec, traffic, servers);
}

}  // namespace zonecut
