// Serving with prefill and decode apart: keys and values go from every prefill replica to every
// decode replica, and each replica reduces its activations over its tensor-parallel ranks. All
// volumes are per second. Prefill replicas have the first ranks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "traffic/exact_product.hpp"
#include "traffic/work_traffic.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kActivationBytes = 2;      // bf16
constexpr std::int64_t kMostTransfers = 4 << 20;  // pairs of ranks: 150 MB
constexpr std::int64_t kPerMillion = 1'000'000;

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
        first_decode_(std::int64_t{i_.prefill_replicas} * i_.prefill_tp) {}

  void add() {
    add_cache_transfers();
    builder_.phase("tp", 0);
    add_replicas(0, i_.prefill_replicas, i_.prefill_tp, i_.prompt_tokens);
    add_replicas(first_decode_, i_.decode_replicas, i_.decode_tp, i_.output_tokens);
  }

 private:
  /// Each rank holds an equal share of the heads; a prefill rank sends to the decode ranks whose
  /// shares overlap its own. In parts of 1/lcm(tp, tp) every share is a whole number of parts.
  void add_cache_transfers() {
    const std::int64_t parts = std::lcm(std::int64_t{i_.prefill_tp}, std::int64_t{i_.decode_tp});
    const std::int64_t pairs = std::int64_t{i_.prefill_replicas} * i_.decode_replicas;
    const std::int64_t a_pair =
        i_.prefill_tp + i_.decode_tp - std::gcd(i_.prefill_tp, i_.decode_tp);
    if (pairs > kMostTransfers / a_pair) {
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
        add_transfer(p * i_.prefill_tp, first_decode_ + d * i_.decode_tp, parts, part);
      }
    }
  }

  void add_transfer(std::int64_t from, std::int64_t to, std::int64_t parts,
                    const ExactProduct& part) {
    const std::int64_t sent = parts / i_.prefill_tp;
    const std::int64_t received = parts / i_.decode_tp;
    for (std::int64_t at = 0; at < parts;) {
      const std::int64_t next = std::min((at / sent + 1) * sent, (at / received + 1) * received);
      const std::array pair = {rank(from + at / sent), rank(to + at / received)};
      builder_.add(Pattern::Direct, pair, part.times(next - at).bytes());
      at = next;
    }
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
  std::int64_t first_decode_;
};

}  // namespace

void add_traffic(TrafficBuilder& builder, const Inference& inference) {
  InferenceTraffic(builder, inference).add();
}

}  // namespace zonecut
