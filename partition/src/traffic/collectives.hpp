#pragma once
// Collectives as the libraries run them: a buffer and an algorithm become groups of flows. The
// formulas are those of docs/traffic.md.
#include <span>
#include <vector>

#include "traffic/exact_product.hpp"
#include "traffic/traffic_builder.hpp"
#include "zonecut/partition/job.hpp"

namespace zonecut {

/// Reduce-scatters and all-gathers over one group, taken together.
struct Exchange {
  ExactProduct buffer;      ///< the sum of their buffers: an all-reduce of S counts 2·S
  bool all_reduce = false;  ///< only an all-reduce may run on trees, as in NCCL
  RingOrder order = RingOrder::Ranks;
  Bytes once = {};  ///< what a single all-reduce has as its buffer, for chosen_algorithm()
  /// How often a ring goes round with a part of the buffers: twice for each all-reduce.
  std::int64_t passes = 1;
};

/// `algorithm`, or the one that NCCL would choose where that is Automatic: rings for all but an
/// all-reduce, which runs by whichever of ring and tree takes less in the model of NCCL 2.30
/// (src/graph/tuning.cc, protocol Simple): a latency for each step, and the buffer over the
/// bandwidth, taken as 400 Gbps for each rank of the group on a server. Deterministic; O(members).
[[nodiscard]] CollectiveAlgorithm chosen_algorithm(CollectiveAlgorithm algorithm,
                                                   std::span<const RankId> members,
                                                   std::size_t ranks_per_server,
                                                   const Exchange& exchange);

/// Adds the groups of an exchange to the builder's current phase.
void add_exchange(TrafficBuilder& builder, std::span<const RankId> members,
                  const Exchange& exchange, CollectiveAlgorithm algorithm);  // not Automatic

/// Sequential messages of one reduce-scatter or all-gather (`passes` = 1) or one all-reduce (2).
[[nodiscard]] std::int64_t exchange_steps(std::span<const RankId> members,
                                          std::size_t ranks_per_server, std::int64_t passes,
                                          CollectiveAlgorithm algorithm, bool all_reduce);

/// Members by server, servers in the order in which they are first seen.
[[nodiscard]] std::vector<std::vector<RankId>> by_server(std::span<const RankId> members,
                                                         std::size_t ranks_per_server);

}  // namespace zonecut
