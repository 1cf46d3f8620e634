#pragma once
// How long a phase transfers, of which not all flows are under way together. With M messages from
// hop to hop of a pipeline
//
//   transfer = (M - 1)/M · T + Σ over hops, there and back, of T_hop / M
//
// where T is the time of the busiest link for all flows of the phase, and T_hop that for the flows
// of one hop: the first message fills the pipeline hop by hop, the others follow it, and the last
// one drains on its way back. Never less than one micro-batch takes through all its stages. A
// pairwise all-to-all takes the sum over its steps. docs/prediction.md says what was measured.
#include <memory>

#include "routing/link_times.hpp"
#include "traffic_sums.hpp"

namespace zonecut {

/// The most that one GPU sends or receives over NVLink in this phase or round, over its bandwidth.
/// Throws InputError where there is something to send and no bandwidth.
[[nodiscard]] Seconds scale_up_time(const TrafficSums& sums, const FabricSpec& spec);

/// A phase whose flows together take `whole`, with at least one pipeline; `hops` are the times of
/// its rounds. Of pipelines that pass on differently the one that takes longest.
[[nodiscard]] HashedSpan pipelined(std::span<const Round> rounds, std::span<const HashedSpan> hops,
                                   const HashedSpan& whole);

class PhaseTimes {
 public:
  /// Borrows all but the routing.
  PhaseTimes(const Fabric& fabric, const Traffic& traffic, std::span<const ServerId> servers,
             const Routing& routing);

  /// The transfer of a phase that `links` have begun, whose flows together take `whole`. Throws
  /// InputError where steps can be neither counted nor listed.
  [[nodiscard]] HashedSpan transfer(const Phase& phase, const HashedSpan& whole, LinkTimes& links);

 private:
  [[nodiscard]] HashedSpan time_of(const Phase& phase, const Round& round, LinkTimes& links);
  [[nodiscard]] HashedSpan stepwise(const Phase& phase, std::span<const Round> rounds,
                                    LinkTimes& links);
  [[nodiscard]] HashedSpan listed_steps(const Phase& phase, std::span<const Round> rounds,
                                        LinkTimes& links);

  const Cluster& cluster_;
  const FabricSpec& spec_;
  const Traffic& traffic_;
  std::span<const ServerId> servers_;
  Routing routing_;
  std::vector<Position> positions_;
  // Most phases need neither, and both are as large as the cluster.
  std::unique_ptr<TrafficSums> sums_;
  std::unique_ptr<ExchangeSteps> exchange_;
};

}  // namespace zonecut
