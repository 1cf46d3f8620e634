#pragma once
// Who sends what to whom at a time, over the fabric: what stands in the way of an incast.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "positions.hpp"
#include "zonecut/partition/traffic.hpp"

namespace zonecut {

/// Connections of one receiver that send messages of one size, all at a time.
struct Arrival {
  RankId to;
  std::size_t senders = 0;
  std::int64_t message = 0;  ///< of each of them
};

/// Borrows its arguments.
class Arrivals {
 public:
  Arrivals(const Cluster& cluster, const Traffic& traffic, std::span<const ServerId> servers);

  /// Calls `visit` for what a group sends, several times for one receiver; what stays on NVLink is
  /// left out. A message is what one step sends: a flow's bytes over its messages. Of a pairwise
  /// all-to-all it is the largest of all steps. O(flows), but O(members) for an all-to-all
  /// whose receivers get as much from each.
  void of(const Group& group, const std::function<void(const Arrival&)>& visit) const;

 private:
  void of_exchange(const Group& group, const std::function<void(const Arrival&)>& visit) const;
  [[nodiscard]] std::int64_t largest_share(std::span<const RankId> members,
                                           std::span<const Bytes> shares, std::size_t i) const;
  [[nodiscard]] std::uint32_t island(RankId rank) const {
    return positions_[rank.index() / traffic_.ranks_per_server].island;
  }

  const Traffic& traffic_;
  std::vector<Position> positions_;  // by vertex
};

}  // namespace zonecut
