#include "simulation/free_room.hpp"

#include <algorithm>
#include <tuple>

#include "zonecut/base/error.hpp"

namespace zonecut {

FreeRoom::FreeRoom(const ClusterView& view)
    : cluster_(view.cluster),
      free_(cluster_->server_count(), 0),
      whole_(cluster_->domain_count(), 0) {
  const Cluster& cluster = *cluster_;
  int most = 0;
  for (const ServerId server : cluster.server_ids())
    most = std::max(most, cluster.server(server).gpus);
  servers_with_.resize(static_cast<std::size_t>(most) + 1);
  servers_with_[0] = cluster.server_count();
  for (const ServerId server : cluster.server_ids()) change(server, view.usable_gpu_count(server));
}

void FreeRoom::change(ServerId server, int by) {
  const bool was_free = is_free(server);
  const int gpus = free_[server] + by;
  ZONECUT_ENSURES(gpus >= 0 && gpus <= cluster_->server(server).gpus);
  --servers_with_[static_cast<std::size_t>(free_[server])];
  ++servers_with_[static_cast<std::size_t>(gpus)];
  free_[server] = gpus;
  free_gpus_ += by;
  const int whole = (is_free(server) ? 1 : 0) - (was_free ? 1 : 0);
  if (whole == 0) return;
  free_servers_ += whole;
  const DomainId rack = cluster_->server(server).rack;
  whole_[rack] += whole;
  const DomainId zone = cluster_->domain_of(server, cluster_->zone_level());
  if (zone != rack) whole_[zone] += whole;
}

std::size_t FreeRoom::places(std::size_t gpus_each) const {
  std::size_t places = 0;
  for (std::size_t gpus = gpus_each; gpus < servers_with_.size(); ++gpus)
    places += gpus / gpus_each * servers_with_[gpus];
  return places;
}

Room FreeRoom::places_by_server(std::size_t gpus_each) const {
  Room room(free_.size(), 0);
  for (std::size_t i = 0; i < free_.size(); ++i)
    room[ServerId{i}] = free_[ServerId{i}] / static_cast<int>(gpus_each);
  return room;
}

std::optional<ServerId> FreeRoom::best_fit(std::size_t gpus) const {
  using Key = std::tuple<bool, std::int64_t>;
  std::optional<ServerId> best;
  Key least;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const ServerId server{i};
    if (free_[server] < static_cast<int>(gpus)) continue;
    const bool whole = is_free(server);
    const Key key{whole, whole ? whole_[cluster_->server(server).rack] : free_[server]};
    if (best && key >= least) continue;
    best = server;
    least = key;
  }
  return best;
}

std::int64_t FreeRoom::largest_free_block() const {
  std::int64_t largest = 0;
  for (const DomainId zone : cluster_->domains_at(cluster_->zone_level()))
    largest = std::max(largest, whole_[zone]);
  return largest;
}

}  // namespace zonecut
