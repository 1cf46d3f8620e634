// Serving with prefill and decode apart: keys and values go from every prefill replica to every
// decode replica, and each replica reduces its activations over its tensor-parallel ranks. All
// volumes are per second. Prefill replicas have the first ranks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "traffic/exact_product.hpp"
#include "traffic/work_traffic.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kActivationBytes = 2;      // bf16
constexpr std::int64_t kMostTransfers = 4 << 20;  // pairs of ranks: 150 MB
constexpr std::int64_t kPerMillion = 1'000'000;

/// How the ranks of one replica hold the cache, as in vLLM (GQA weights of QKVParallelLinear; which
/// rank a decode rank reads from: TransferTopology of its NIXL connector): each an equal share of
/// the heads, or, where there are more ranks than heads, one head, and consecutive ranks the same.
class CacheShares {
 public:
  CacheShares(std::int64_t ranks, std::int64_t heads)
      : ranks_(ranks), shares_(std::min(ranks, heads)) {}

  [[nodiscard]] std::int64_t shares() const { return shares_; }
  [[nodiscard]] std::int64_t share_of(std::int64_t rank) const { return rank * shares_ / ranks_; }
  [[nodiscard]] std::int64_t first_rank(std::int64_t share) const {
    return (share * ranks_ + shares_ - 1) / shares_;
  }
  [[nodiscard]] std::int64_t copies(std::int64_t share) const {
    return first_rank(share + 1) - first_rank(share);
  }

 private:
  std::int64_t ranks_;
  std::int64_t shares_;
};

/// Requests per second as a whole number of millionths.
ExactProduct requests(const Inference& i) {
  return ExactProduct(std::llround(i.requests_per_second * static_cast<double>(kPerMillion)))
      .over(kPerMillion);
}

RankId rank(std::int64_t index) { return RankId{static_cast<std::size_t>(index)}; }

class InferenceTraffic {
 public:
  InferenceTraffic(TrafficBuilder& builder, const Inference& inference)
      : builder_(builder),
        i_(inference),
        prefill_(inference.prefill_tp, inference.model.kv_heads),
        decode_(inference.decode_tp, inference.model.kv_heads),
        first_decode_(std::int64_t{i_.prefill_replicas} * i_.prefill_tp) {}

  void add() {
    add_cache_transfers();
    builder_.phase("tp", 0);
    add_replicas(0, i_.prefill_replicas, i_.prefill_tp, i_.prompt_tokens);
    add_replicas(first_decode_, i_.decode_replicas, i_.decode_tp, i_.output_tokens);
  }

 private:
  struct Transfer {
    std::int64_t from, to;  ///< ranks of their replicas
    std::int64_t parts;     ///< of the cache
  };

  void add_cache_transfers() {
    const std::int64_t parts = std::lcm(prefill_.shares(), decode_.shares());
    const std::int64_t pairs = std::int64_t{i_.prefill_replicas} * i_.decode_replicas;
    const std::vector<Transfer> transfers = transfers_of_pair(parts);
    if (pairs > kMostTransfers / static_cast<std::int64_t>(transfers.size())) {
      throw InputError("inference.prefill_replicas",
                       fmt::format("more than {} pairs of ranks exchange caches", kMostTransfers));
    }
    const ExactProduct part = requests(i_)
                                  .times(i_.prompt_tokens)
                                  .times(i_.model.layers)
                                  .times(2)
                                  .times(i_.model.kv_heads)
                                  .times(i_.model.head_size)
                                  .times(i_.cache_bytes)
                                  .over(pairs)
                                  .over(parts);
    builder_.phase("kv", 1);
    for (std::int64_t p = 0; p < i_.prefill_replicas; ++p) {
      for (std::int64_t d = 0; d < i_.decode_replicas; ++d) {
        for (const Transfer& t : transfers) {
          const std::array pair = {rank(p * i_.prefill_tp + t.from),
                                   rank(first_decode_ + d * i_.decode_tp + t.to)};
          builder_.add(Pattern::Direct, pair, part.times(t.parts).bytes());
        }
      }
    }
  }

  /// Every decode rank gets the share that it holds from the prefill ranks whose shares overlap it;
  /// where both are copies, the copies of one side spread over those of the other. In parts of
  /// 1/lcm(shares, shares) every share is a whole number of parts.
  [[nodiscard]] std::vector<Transfer> transfers_of_pair(std::int64_t parts) const {
    const std::int64_t sent = parts / prefill_.shares();
    const std::int64_t received = parts / decode_.shares();
    std::vector<Transfer> transfers;
    for (std::int64_t to = 0; to < i_.decode_tp; ++to) {
      const std::int64_t share = decode_.share_of(to);
      const std::int64_t copy = to - decode_.first_rank(share);
      const std::int64_t end = (share + 1) * received;
      for (std::int64_t at = share * received; at < end;) {
        const std::int64_t source = at / sent;
        const std::int64_t next = std::min((source + 1) * sent, end);
        const std::int64_t from =
            prefill_.first_rank(source) + copy * prefill_.copies(source) / decode_.copies(share);
        transfers.push_back({from, to, next - at});
        at = next;
      }
    }
    return transfers;
  }

  /// Two all-reduces of a token's activations per layer.
  void add_replicas(std::int64_t first, std::int64_t replicas, std::int64_t tp,
                    std::int64_t tokens) {
    const ExactProduct buffer = requests(i_)
                                    .times(tokens)
                                    .over(replicas)
                                    .times(i_.model.layers)
                                    .times(4 * kActivationBytes)
                                    .times(i_.model.hidden);
    const Bytes bytes = buffer.times(tp - 1).over(tp).bytes();
    const std::int64_t steps = ExactProduct(4 * (tp - 1)).times(i_.model.layers).rounded();
    builder_.phase("tp", steps);
    builder_.pass_on(steps);
    std::vector<RankId> members;
    for (std::int64_t replica = 0; replica < replicas; ++replica) {
      members.clear();
      for (std::int64_t i = 0; i < tp; ++i) members.push_back(rank(first + replica * tp + i));
      builder_.add(Pattern::Ring, members, bytes);
    }
  }

  TrafficBuilder& builder_;
  const Inference& i_;
  CacheShares prefill_;
  CacheShares decode_;
  std::int64_t first_decode_;
};

}  // namespace

void add_traffic(TrafficBuilder& builder, const Inference& inference) {
  InferenceTraffic(builder, inference).add();
}

}  // namespace zonecut
