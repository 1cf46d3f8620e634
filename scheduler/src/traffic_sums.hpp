#pragma once
// The flows of a job added up where they load something: a server's NICs, the links above a domain,
// a GPU's NVLink. Groups come in one by one; all-to-all groups are never expanded into their flows.
#include <cstdint>
#include <span>
#include <vector>

#include "positions.hpp"
#include "sparse_sums.hpp"
#include "zonecut/partition/traffic.hpp"
#include "zonecut/scheduler/prediction.hpp"

namespace zonecut {

class TrafficSums {
 public:
  /// Borrows all three. `servers` by vertex.
  TrafficSums(const Cluster& cluster, const Traffic& traffic, std::span<const ServerId> servers);

  /// Forgets what belongs to one phase and keeps what belongs to the iteration.
  void begin_phase();
  /// O(flows · levels), and O(members · levels) for all-to-all. Throws InputError when the bytes of
  /// an iteration do not fit 63 bits; as every other sum here is a part of them, none overflows.
  void add(const Group& group);

  // Of this phase.
  [[nodiscard]] std::int64_t phase_bytes() const noexcept { return phase_bytes_; }
  /// By bundle_index().
  [[nodiscard]] const SparseSums& phase_loads() const noexcept { return loads_; }
  /// The most that one GPU sends or receives over NVLink.
  [[nodiscard]] std::int64_t most_nvlink_bytes() const;
  /// The level of the highest tier that the fabric's part of the traffic touches: the innermost one
  /// that some pair of ends share. None: it never leaves a server or scale-up domain.
  [[nodiscard]] std::optional<int> highest_level() const;

  // Of all phases so far.
  [[nodiscard]] const std::vector<std::int64_t>& bytes_by_level() const noexcept {
    return by_level_;
  }
  [[nodiscard]] std::int64_t zone_bytes(std::size_t from, std::size_t to) const {
    return by_zone_[from * zones_ + to];
  }

  [[nodiscard]] std::size_t bundle_count() const noexcept {
    return 2 * (domains_.parent.size() + servers_);
  }
  [[nodiscard]] Bundle bundle(std::size_t index) const;

 private:
  enum class Direction : std::uint8_t { Outward, Inward };
  [[nodiscard]] std::size_t domain_bundle(std::size_t domain, Direction direction) const {
    return 2 * domain + static_cast<std::size_t>(direction);
  }
  [[nodiscard]] std::size_t server_bundle(std::size_t server, Direction direction) const {
    return 2 * (domains_.parent.size() + server) + static_cast<std::size_t>(direction);
  }
  [[nodiscard]] const Position& position(RankId rank) const {
    return positions_[rank.index() / traffic_.ranks_per_server];
  }
  [[nodiscard]] std::size_t levels() const { return by_level_.size() - 1; }

  void count_bytes(std::int64_t bytes);
  void add_flow(const Flow& flow);
  [[nodiscard]] std::size_t common_level(std::uint32_t rack_a, std::uint32_t rack_b) const;
  void load_path(const Position& from, const Position& to, std::int64_t bytes);

  void add_all_to_all(std::span<const RankId> members, std::int64_t bytes);
  /// Counts members by server and domain, so that pairs can be told without listing them.
  void count_members(std::span<const RankId> members);
  [[nodiscard]] std::vector<std::int64_t> pairs_by_level(std::size_t members) const;
  void load_exchange(std::int64_t members, std::int64_t bytes);
  void add_exchange_within_islands(std::span<const RankId> members, std::int64_t bytes);
  void add_exchange_between_zones(std::int64_t bytes);

  const Traffic& traffic_;
  DomainTree domains_;
  std::size_t servers_;
  std::size_t zones_;
  std::vector<std::uint32_t> zone_of_domain_position_;
  std::vector<Position> positions_;  // by vertex

  std::int64_t phase_bytes_ = 0;
  SparseSums loads_;
  SparseSums nvlink_;                        // by rank: sent at 2·rank, received at 2·rank + 1
  std::vector<std::int64_t> fabric_levels_;  // of this phase, what crosses the fabric, by level

  std::int64_t bytes_ = 0;
  std::vector<std::int64_t> by_level_;
  std::vector<std::int64_t> by_zone_;

  SparseSums server_members_;  // of the group at hand
  SparseSums domain_members_;
};

}  // namespace zonecut
