#pragma once
// The flows of a job added up where they load something: a server's NICs, the links above a domain,
// a GPU's NVLink. Groups come in one by one; all-to-all groups are never expanded into flows.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "all_to_all_count.hpp"
#include "bundle_index.hpp"
#include "nic_pairs.hpp"
#include "positions.hpp"
#include "rank_nics.hpp"
#include "rounds.hpp"
#include "sparse_sums.hpp"
#include "zonecut/partition/traffic.hpp"
#include "zonecut/scheduler/prediction.hpp"
#include "zonecut/scheduler/routing.hpp"

namespace zonecut {

class TrafficSums {
 public:
  /// Borrows cluster and traffic. `servers` by vertex. The routing says into how many flows a pair
  /// of NICs splits what it exchanges.
  TrafficSums(const Cluster& cluster, const FabricSpec& spec, const Traffic& traffic,
              std::span<const ServerId> servers, const Routing& routing);

  /// Forgets what belongs to one phase and keeps what belongs to the iteration.
  void begin_phase();
  /// O(flows · levels), and O(members · (levels + log) + servers · NICs) for all-to-all. Throws
  /// InputError when the bytes of an iteration do not fit 62 bits; as every other sum is a part of
  /// them, none overflows.
  void add(const Group& group);
  /// Of the group only what belongs to this round.
  void add(const Group& group, const Round& round);

  // Of this phase.
  [[nodiscard]] std::int64_t phase_bytes() const noexcept { return phase_bytes_; }
  /// By index of bundle().
  [[nodiscard]] const SparseSums& phase_loads() const noexcept { return loads_; }
  /// Σ bytes² over the flows of a bundle that has a phase load. Of an unequal all-to-all, whose
  /// flows are not listed: as if all were of the size at which the whole exchange has that sum.
  [[nodiscard]] double phase_squares(std::size_t index) const { return squares_[index]; }
  /// As many equal flows as collide alike on a bundle that has a phase load (Kish).
  [[nodiscard]] double phase_flows(std::size_t index) const {
    const auto bytes = static_cast<double>(loads_[index]);
    return squares_[index] > 0 ? bytes * bytes / squares_[index] : 1;
  }
  /// The most that one GPU sends or receives over NVLink: what stays there, and what is handed to
  /// the GPU of another rail on its way out (rank_nics.hpp).
  [[nodiscard]] std::int64_t most_scale_up_bytes() const;
  /// The level of the highest tier that the traffic climbs to. None: it never leaves a server or
  /// scale-up domain.
  [[nodiscard]] std::optional<std::size_t> highest_level() const;

  /// How long the connection takes that waits longest for its receiver, which clears `window` bytes
  /// of it at a time: a window takes at least a round trip, the request there and the bytes back,
  /// of the tier it passes (rate ≤ window / round trip, as for any window protocol). Steps of a
  /// pairwise all-to-all follow each other. Of an all-to-all no less than that: its largest pair
  /// counts as far apart as any.
  [[nodiscard]] Seconds admission_time(Bytes window, const FabricSpec& spec) const;

  // Of all phases so far.
  [[nodiscard]] std::span<const std::int64_t> bytes_by_level() const { return by_level_; }
  /// Of these, what goes from server to server over NVLink.
  [[nodiscard]] std::span<const std::int64_t> scale_up_by_level() const {
    return scale_up_by_level_;
  }
  [[nodiscard]] std::int64_t zone_bytes(std::size_t from, std::size_t to) const {
    return by_zone_[from * zones_ + to];
  }

  [[nodiscard]] std::size_t bundle_count() const noexcept { return bundles_.count(); }
  [[nodiscard]] Bundle bundle(std::size_t index) const { return bundles_.bundle(index); }

 private:
  void load(std::size_t index, std::int64_t bytes);
  void load_domain(std::uint32_t domain, std::int64_t out, std::int64_t in);
  void load_server(std::uint32_t server, std::int64_t out, std::int64_t in);
  void load_scale_up(std::size_t rank, std::int64_t sent, std::int64_t received);
  void count_bytes(std::int64_t bytes);

  void add_flow(const Flow& flow);
  void hand_over(const Flow& flow);
  [[nodiscard]] std::size_t common_level(std::uint32_t rack_a, std::uint32_t rack_b) const;
  void load_path(const Position& from, const Position& to, std::int64_t bytes);

  void add_exchange(const Group& group);
  void take_members(std::span<const RankId> ranks, std::span<const Bytes> shares, Bytes bytes);
  void add_connections_of(const Group& group);
  void load_exchange(int sign);
  void add_exchange_between_zones();
  void keep_islands_off_the_fabric();
  void hand_exchange_over();

  const Cluster& cluster_;
  const Traffic& traffic_;
  BundleIndex bundles_;
  DomainLevels domains_;
  std::vector<Position> positions_;  // by vertex
  std::size_t zones_;

  std::int64_t phase_bytes_ = 0;
  SparseSums loads_;             // by bundle
  std::vector<double> squares_;  // by bundle, 0 where loads_ was not touched
  int nics_;
  std::optional<RankNics> relays_;  // where GPUs hand over to each other
  int parts_;
  double flow_size_ = 0;                     // of the flow or exchange at hand, once it is split
  std::optional<NicPairs> pairs_;            // where ranks share them
  std::size_t channels_ = 1;                 // of the group at hand
  bool hands_over_ = false;                  // likewise
  SparseSums scale_up_;                      // sent at 2·rank, received at 2·rank + 1
  std::vector<std::int64_t> fabric_levels_;  // what crosses the fabric in this phase, by level
  std::vector<double> connections_;          // the largest one of this phase, by level

  std::int64_t bytes_ = 0;
  std::vector<std::int64_t> by_level_;
  std::vector<std::int64_t> scale_up_by_level_;
  std::vector<std::int64_t> by_zone_;

  AllToAllCount exchange_;
  std::vector<AllToAllCount::Member> members_;  // of the exchange at hand
  ShareOf weights_ = ShareOf::Sender;           // likewise
};

}  // namespace zonecut
