#pragma once
// Which NIC the GPU of each rank has, and on rail-optimised leaves which GPU sends what another one
// has for its rail (PXN, NCCL 2.12):
//
//   sender --NVLink--> GPU with the NIC on the receiver's rail --leaf of that rail--> receiver
//
// A rail is the number of a NIC. The GPU in between must run a rank of the job on the sender's
// server, as NCCL hands over to processes of its own only; where none does, and where there is no
// NVLink, the sender uses its own NIC and the flow changes rails above the leaves.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "zonecut/partition/traffic.hpp"
#include "zonecut/topology/cluster.hpp"

namespace zonecut {

class RankNics {
 public:
  /// `servers` by vertex. O(servers of the cluster + ranks + servers of the job · NICs).
  RankNics(const Cluster& cluster, const FabricSpec& spec, const Traffic& traffic,
           std::span<const ServerId> servers);

  [[nodiscard]] std::size_t nics_per_server() const noexcept { return nics_; }
  [[nodiscard]] bool on_rails() const noexcept { return on_rails_; }
  /// GPU i of a server's g GPUs has NIC ⌊i·nics/g⌋. Vertices that share a server take its GPUs in
  /// the order of the ranks.
  [[nodiscard]] std::size_t own(RankId rank) const { return own_[rank.index()]; }
  /// Channels of a ring, tree or broadcast go over the NICs in turn, from the rank's own one on.
  /// Must not be called where servers have no NICs.
  [[nodiscard]] std::size_t of_channel(RankId rank, std::size_t channel,
                                       std::size_t channels) const {
    return (own(rank) + channel * nics_ / channels) % nics_;
  }

  // On rails only.
  /// Which of the own() NICs of the rank's server is on a rail. Where a GPU has several NICs, the
  /// first of them stands for all.
  [[nodiscard]] std::size_t nic_on(RankId rank, std::size_t rail) const {
    return nic_on_[row_[rank.index()] + rail];
  }
  /// The first rank of the job whose GPU has this NIC of the rank's server.
  [[nodiscard]] std::optional<RankId> holder(RankId rank, std::size_t nic) const {
    return holder_[row_[rank.index()] + nic];
  }
  /// Whom `from` hands what it has for `to`, of another server. None: it sends that itself.
  [[nodiscard]] std::optional<RankId> relay(RankId from, RankId to) const;
  /// The NIC by which leaves the server what `from` has for receivers with this NIC elsewhere.
  [[nodiscard]] std::size_t nic_towards(RankId from, std::size_t rail) const;

  /// The NIC by which one channel of what `from` has for `to` leaves the server. On rails several
  /// channels pass a server's ranks in such an order that the last one has the NIC; a lone one is
  /// handed over.
  [[nodiscard]] std::size_t sender(RankId from, RankId to, std::size_t channel,
                                   std::size_t channels) const;

 private:
  /// Of a vertex.
  struct Place {
    std::size_t server;  ///< vertices that share one have the number of the first of them
    std::size_t first_gpu;
    std::size_t gpus;
  };
  void find_places(const Cluster& cluster, const Traffic& traffic,
                   std::span<const ServerId> servers);
  void find_rails();
  [[nodiscard]] std::optional<RankId> relay(RankId from, std::size_t rail) const;
  [[nodiscard]] std::uint32_t nic_of_gpu(const Place& place, std::size_t gpu) const;

  std::size_t nics_;
  bool on_rails_;
  bool hands_over_;
  std::vector<Place> places_;                  // by vertex
  std::vector<std::uint32_t> own_;             // by rank
  std::vector<std::size_t> row_;               // by rank, into the following
  std::vector<std::uint32_t> nic_on_;          // by server of a place and rail
  std::vector<std::optional<RankId>> holder_;  // by server of a place and NIC
};

/// Where GPUs hand flows over to each other: none on leaves of racks, and without NVLink.
[[nodiscard]] std::optional<RankNics> nics_that_relay(const Cluster& cluster,
                                                      const FabricSpec& spec,
                                                      const Traffic& traffic,
                                                      std::span<const ServerId> servers);

}  // namespace zonecut
