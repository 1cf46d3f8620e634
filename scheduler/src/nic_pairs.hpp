#pragma once
// How large the flows are that are hashed apart. What ranks of a server that share a NIC, or on
// rails hand over to one, have for the same NIC elsewhere is hashed alike and is one flow. Flows
// and exchanges come in one by one: b bytes of a pair of NICs that has B already add
//
//   (B + b)² − B² = (2B + b)·b
//
// to the sum of squares, as flows of 2B + b bytes would.
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "rank_nics.hpp"
#include "zonecut/partition/traffic.hpp"

namespace zonecut {

class NicPairs {
 public:
  /// Borrows the traffic. `servers` by vertex.
  NicPairs(const Cluster& cluster, const FabricSpec& spec, const Traffic& traffic,
           std::span<const ServerId> servers);

  /// Whether any two ranks may have one pair of NICs; else flows are as they are listed.
  [[nodiscard]] bool shared() const noexcept { return relays_ || several_ranks_; }
  void clear();
  /// Adds a flow that crosses the fabric over so many channels; of what size it counts.
  double add(const Flow& flow, std::size_t channels);
  /// Adds an all-to-all whose flows are of this size in the mean; of what size they count. As if
  /// NICs and servers met whose members were as many whoever they meet; of several exchanges those
  /// over the same NICs share pairs, others none. O(members · log).
  double add_exchange(std::span<const RankId> members, double flow);
  /// How many times as large as listed the flows of one step of pairwise all-to-alls count: the
  /// mean over some steps. Forgets what was added. O(members).
  [[nodiscard]] double crowding_of_steps(const Phase& phase);

 private:
  [[nodiscard]] std::uint32_t server(RankId rank) const {
    return servers_[rank.index() / traffic_.ranks_per_server];
  }
  [[nodiscard]] std::uint32_t nic(RankId rank, std::size_t of_server) const {
    return static_cast<std::uint32_t>(server(rank) * nics_.nics_per_server() + of_server);
  }

  const Traffic& traffic_;
  RankNics nics_;
  bool relays_;                                             // GPUs hand over to each other
  bool several_ranks_ = false;                              // have one NIC
  std::vector<std::uint32_t> servers_;                      // by vertex
  std::unordered_map<std::uint64_t, double> bytes_;         // by sending and receiving NIC
  std::map<std::vector<std::uint32_t>, double> exchanges_;  // flow sizes by the members' NICs
};

}  // namespace zonecut
