#pragma once
// Who hands a flow over to whom on rail-optimised leaves, as plainly as it can be said.
#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "zonecut/partition/traffic.hpp"
#include "zonecut/topology/cluster.hpp"

namespace zonecut {

class PlainRails {
 public:
  /// Borrows everything. `servers` by vertex.
  PlainRails(const Cluster& cluster, const Traffic& traffic, std::span<const ServerId> servers)
      : cluster_(cluster), traffic_(traffic), servers_(servers) {
    std::map<ServerId, std::size_t> gpus_taken;
    for (std::size_t rank = 0; rank < traffic.ranks; ++rank)
      nics_.push_back(nic_of_gpu(server_of(rank), gpus_taken[server_of(rank)]++));
  }

  [[nodiscard]] ServerId server_of(std::size_t rank) const {
    return servers_[rank / traffic_.ranks_per_server];
  }
  [[nodiscard]] bool over_scale_up(std::size_t a, std::size_t b) const {
    const auto& of_a = cluster_.server(server_of(a)).scale_up;
    return server_of(a) == server_of(b) || (of_a && of_a == cluster_.server(server_of(b)).scale_up);
  }

  /// The first rank on the sender's server whose GPU has the NIC on the receiver's rail: the last
  /// own one of a GPU there up to it. O(ranks).
  [[nodiscard]] std::optional<std::size_t> relay(const Flow& flow) const {
    const std::size_t from = flow.from.index();
    const std::size_t to = flow.to.index();
    if (cluster_.backend().leaves == LeafWiring::Rack || over_scale_up(from, to))
      return std::nullopt;
    std::size_t wanted = 0;
    for (int gpu = 0; gpu < cluster_.server(server_of(from)).gpus; ++gpu) {
      const std::size_t nic = nic_of_gpu(server_of(from), static_cast<std::size_t>(gpu));
      if (nic <= nics_[to]) wanted = std::max(wanted, nic);
    }
    if (wanted == nics_[from]) return std::nullopt;
    for (std::size_t rank = 0; rank < traffic_.ranks; ++rank) {
      if (server_of(rank) == server_of(from) && nics_[rank] == wanted) return rank;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::size_t nic_of_gpu(ServerId server, std::size_t gpu) const {
    const auto nics = static_cast<std::size_t>(cluster_.backend().nics_per_server);
    return gpu * nics / static_cast<std::size_t>(cluster_.server(server).gpus) % nics;
  }

  const Cluster& cluster_;
  const Traffic& traffic_;
  std::span<const ServerId> servers_;
  std::vector<std::size_t> nics_;  // by rank
};

}  // namespace zonecut
