#pragma once
// Collects the groups of a job's traffic and keeps its totals within bounds: the bytes of all flows
// together fit 62 bits, and the members fit memory.
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "zonecut/partition/traffic.hpp"

namespace zonecut {

class TrafficBuilder {
 public:
  TrafficBuilder(std::int64_t ranks, std::int64_t ranks_per_server);

  [[nodiscard]] std::size_t ranks_per_server() const { return traffic_.ranks_per_server; }
  /// Groups added from here on belong to this phase. A phase of a name that was there before goes
  /// on, with the larger number of steps.
  void phase(std::string_view name, std::int64_t steps);
  /// Groups added to this phase from here on send their bytes in so many messages, and pipelines go
  /// through their stages so often.
  void pass_on(std::int64_t messages, std::int64_t passes = 1);
  /// All-to-all groups added from here on run so.
  void exchange_by(AllToAllAlgorithm algorithm) { all_to_all_ = algorithm; }
  [[nodiscard]] AllToAllAlgorithm all_to_all() const noexcept { return all_to_all_; }
  /// Sequential messages of one all-to-all of n members.
  [[nodiscard]] std::int64_t exchange_steps(std::int64_t n) const { return stepwise() ? n - 1 : 1; }
  /// Groups of one member, or without bytes, are dropped: they send nothing.
  void add(Pattern pattern, std::span<const RankId> members, Bytes bytes, Bytes wrap_bytes = {});
  void add_ring(std::span<const RankId> members, Bytes bytes, RingOrder order);
  /// All-to-all in which member i sends shares[i] to member j, or shares[j] where receivers say it.
  void add_unequal_all_to_all(std::span<const RankId> members, std::span<const Bytes> shares,
                              ShareOf share_of);
  /// Phases without a group are dropped; `overlap` is by phase name.
  [[nodiscard]] Traffic finish(std::span<const std::pair<std::string, double>> overlap);

 private:
  [[nodiscard]] bool stepwise() const { return all_to_all_ == AllToAllAlgorithm::Pairwise; }
  void append(Group group, std::span<const RankId> members);
  void count(std::int64_t flows, Bytes bytes);

  Traffic traffic_;
  std::size_t phase_ = 0;
  std::int64_t messages_ = 1;
  std::int64_t passes_ = 1;
  AllToAllAlgorithm all_to_all_ = AllToAllAlgorithm::Linear;
  std::map<std::string, std::size_t, std::less<>> phase_by_name_;
  std::int64_t total_ = 0;
};

}  // namespace zonecut
