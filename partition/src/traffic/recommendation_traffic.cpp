// A recommendation model: every rank owns a part of the embedding tables and sends what it looked
// up to every other rank, gets the gradients back, and all reduce the dense layers.
#include <cmath>
#include <numeric>

#include "traffic/collectives.hpp"
#include "traffic/work_traffic.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

std::vector<RankId> all_ranks(int ranks) {
  std::vector<RankId> members;
  members.reserve(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < static_cast<std::size_t>(ranks); ++i) members.emplace_back(i);
  return members;
}

/// What each rank sends to one other in forward, and gets from it in backward: half of what one of
/// mean weight exchanges with another, scaled by its weight.
std::vector<Bytes> shares_of_weights(const Recommendation& r) {
  const double sum = std::accumulate(r.rank_weights.begin(), r.rank_weights.end(), 0.0);
  const double others = static_cast<double>(r.ranks) - 1;
  const double scale =
      static_cast<double>(r.embedding_bytes.count) / 2 / others * static_cast<double>(r.ranks);
  std::vector<Bytes> shares;
  shares.reserve(r.rank_weights.size());
  for (const double weight : r.rank_weights) {
    const double share = scale * (weight / sum);
    if (share > static_cast<double>(kMostBytes) / 2) {
      throw InputError("recommendation.embedding",
                       "the embedding traffic of one rank does not fit 62 bits");
    }
    shares.push_back(Bytes{std::llround(share)});
  }
  return shares;
}

}  // namespace

void add_traffic(TrafficBuilder& builder, const Recommendation& r) {
  const std::vector<RankId> members = all_ranks(r.ranks);
  if (r.ranks > 1) {
    if (r.rank_weights.empty()) {
      builder.phase("a2a", 2 * builder.exchange_steps(r.ranks));  // forward and backward
      builder.pass_on(2);
      builder.add(Pattern::AllToAll, members,
                  ExactProduct(r.embedding_bytes.count).over(r.ranks - 1).bytes());
    } else {
      // The busiest link is another on the way back.
      const std::vector<Bytes> shares = shares_of_weights(r);
      builder.phase("a2a", builder.exchange_steps(r.ranks));
      builder.add_unequal_all_to_all(members, shares, ShareOf::Sender);
      builder.phase("a2a_back", builder.exchange_steps(r.ranks));
      builder.add_unequal_all_to_all(members, shares, ShareOf::Receiver);
    }
  }
  const Exchange dense{ExactProduct(r.dense_bytes.count).times(2), true, r.ring_order,
                       r.dense_bytes, 2};
  const CollectiveAlgorithm algorithm =
      chosen_algorithm(r.algorithm, members, builder.ranks_per_server(), dense);
  builder.phase("dp", exchange_steps(members, builder.ranks_per_server(), 2, algorithm, true));
  add_exchange(builder, members, dense, algorithm);
}

}  // namespace zonecut
