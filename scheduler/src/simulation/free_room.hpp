#pragma once
// How many GPUs each server has free, counted so that whether a job fits needs no look at servers.
#include <cstdint>
#include <optional>
#include <vector>

#include "room.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut {

class FreeRoom {
 public:
  /// What the view leaves free and well.
  explicit FreeRoom(const ClusterView& view);

  void take(ServerId server, int gpus) { change(server, -gpus); }
  void give(ServerId server, int gpus) { change(server, gpus); }

  /// Places for so many GPUs each on one server. O(GPUs of a server).
  [[nodiscard]] std::size_t places(std::size_t gpus_each) const;
  [[nodiscard]] Room places_by_server(std::size_t gpus_each) const;
  /// The server in use with the fewest free GPUs that suffice, else a free one in the rack with the
  /// fewest: what is left is as large as can be. None where no server has so many. O(servers).
  [[nodiscard]] std::optional<ServerId> best_fit(std::size_t gpus) const;

  [[nodiscard]] std::int64_t free_gpus() const noexcept { return free_gpus_; }
  [[nodiscard]] std::int64_t free_servers() const noexcept { return free_servers_; }
  [[nodiscard]] std::int64_t largest_free_block() const;  ///< O(zones)

 private:
  void change(ServerId server, int by);
  [[nodiscard]] bool is_free(ServerId server) const {
    return free_[server] == cluster_->server(server).gpus;
  }

  const Cluster* cluster_;
  IdMap<ServerId, int> free_;
  std::vector<std::size_t> servers_with_;  // by number of free GPUs
  IdMap<DomainId, std::int64_t> whole_;    // wholly free servers, of racks and zones
  std::int64_t free_gpus_ = 0;
  std::int64_t free_servers_ = 0;
};

}  // namespace zonecut
