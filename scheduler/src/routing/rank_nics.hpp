#pragma once
// Which NIC of its server a rank uses, and which ones the channels of a ring through it do.
#include <span>
#include <vector>

#include "zonecut/partition/traffic.hpp"
#include "zonecut/topology/cluster.hpp"

namespace zonecut {

/// Rank i of a server's r ranks uses NIC ⌊i·nics/r⌋, r being the server's GPUs. Vertices that share
/// a server take its GPUs in the order of the ranks.
class RankNics {
 public:
  /// `nics` of each server. O(vertices + servers).
  RankNics(const Cluster& cluster, const Traffic& traffic, std::span<const ServerId> servers,
           std::size_t nics);

  /// NIC n of a server is n. Channels go over the NICs in turn, from the rank's own one on. Must
  /// not be called where servers have no NICs.
  [[nodiscard]] std::size_t nic_of(RankId rank, std::size_t channel, std::size_t channels) const;

 private:
  /// Of a vertex within its server.
  struct Place {
    std::size_t first_gpu;
    std::size_t gpus;
  };

  std::size_t ranks_per_server_;
  std::size_t nics_;
  std::vector<Place> places_;  // by vertex
};

}  // namespace zonecut
