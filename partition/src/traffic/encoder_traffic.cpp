// The encoder of a multimodal job: its own groups, and what it exchanges with the language model
// as Megatron-Core does it (pipeline_parallel/bridge_communicator.py): one rank of a replica sends
// to one of another, which broadcasts to the ranks beside it. Formulas: docs/traffic.md.
#include <algorithm>
#include <array>
#include <numeric>

#include "job/job_check.hpp"
#include "job/rank_grid.hpp"
#include "traffic/exact_product.hpp"
#include "traffic/work_traffic.hpp"
#include "zonecut/partition/encoder.hpp"

namespace zonecut {
namespace {

using Replicas = std::vector<std::vector<RankId>>;  // by place along dp

class EncoderOutput {
 public:
  EncoderOutput(TrafficBuilder& builder, const Training& training, const Training& encoder)
      : builder_(builder),
        t_(training),
        messages_(micro_batches(training)),
        encoders_(replicas_of(encoder, 0)),
        languages_(replicas_of(training, encoder_ranks(training))),
        all_(ExactProduct(messages_)
                 .times(t_.micro_batch)
                 .times(t_.parallelism.dp)
                 .times(t_.encoder->output_tokens)
                 .times(t_.model.hidden)
                 .times(kActivationBytes)) {}

  void add() {
    // As many replicas of the wider side as come on one of the other, one after the other.
    const std::size_t ties = std::max(encoders_.size(), languages_.size());
    const Bytes bytes = share_of(ties);
    const Pattern pattern = t_.encoder->frozen ? Pattern::Chain : Pattern::Pipeline;
    builder_.phase("pp", steps());
    builder_.pass_on(messages_);
    for (std::size_t i = 0; i < ties; ++i) {
      const std::array ends = {encoders_[i * encoders_.size() / ties].back(),
                               languages_[i * languages_.size() / ties].front()};
      builder_.add(pattern, ends, bytes);
    }
    for (const std::vector<RankId>& replica : languages_)
      builder_.add(Pattern::Broadcast, replica, share_of(languages_.size()));
    if (t_.encoder->frozen) return;
    for (std::vector<RankId>& replica : encoders_) {
      std::ranges::rotate(replica, replica.end() - 1);  // the last one is the root
      builder_.add(Pattern::Broadcast, replica, share_of(encoders_.size()));
    }
  }

 private:
  static constexpr std::int64_t kActivationBytes = 2;  // bf16

  /// The ranks of the first stage of each replica.
  static Replicas replicas_of(const Training& t, std::int64_t first) {
    constexpr std::array kAxes = {Axis::Tp, Axis::Cp};
    const RankGrid grid = dense_grid(t.parallelism, first);
    Replicas replicas(static_cast<std::size_t>(grid.size(Axis::Dp)));
    grid.for_each_group(kAxes, [&](std::span<const RankId> group) {
      const auto rank = static_cast<std::int64_t>(group.front().index());
      if (grid.position(rank, Axis::Pp) == 0)
        replicas[static_cast<std::size_t>(grid.position(rank, Axis::Dp))] = {group.begin(),
                                                                             group.end()};
    });
    return replicas;
  }

  [[nodiscard]] Bytes share_of(std::size_t parts) const {
    return all_.over(static_cast<std::int64_t>(parts)).bytes();
  }

  /// As those of the language model, with a hop more on the way of tokens and of gradients.
  [[nodiscard]] std::int64_t steps() const {
    const bool frozen = t_.encoder->frozen;
    return pipeline_steps(t_, 1) + pipeline_steps(t_, frozen ? 0 : 1);
  }

  TrafficBuilder& builder_;
  const Training& t_;
  std::int64_t messages_;
  Replicas encoders_;
  Replicas languages_;
  ExactProduct all_;  ///< bytes of all samples
};

}  // namespace

Training encoder_alone(const Training& t, std::int64_t ranks_per_server) {
  const Encoder& e = *t.encoder;
  Training alone = t;
  alone.encoder.reset();
  alone.model = {.name = e.name,
                 .parameters = e.parameters,
                 .layers = e.layers,
                 .hidden = e.hidden,
                 .heads = e.heads};
  alone.parallelism = {.tp = e.tp, .dp = encoder_dp(t), .order = t.parallelism.order};
  alone.sequence = e.tokens;
  alone.micro_batch =
      static_cast<int>(std::int64_t{t.micro_batch} * t.parallelism.dp / alone.parallelism.dp);
  alone.global_batch = 0;
  alone.micro_batches = static_cast<int>(micro_batches(t));
  alone.accumulation_steps = static_cast<int>(accumulation_steps(t));
  if (t.data_parallel == DataParallelMode::Hsdp)
    alone.shard = static_cast<int>(std::gcd(shard_size(t, ranks_per_server), alone.parallelism.dp));
  return alone;
}

void add_encoder(TrafficBuilder& builder, const Training& t) {
  const Training encoder = encoder_alone(t, static_cast<std::int64_t>(builder.ranks_per_server()));
  const bool frozen = t.encoder->frozen;
  add_tensor_parallel(builder, encoder, 0, frozen ? Passes::Forward : Passes::ForwardAndBackward);
  if (!frozen) add_data_parallel(builder, encoder, 0);
  EncoderOutput(builder, t, encoder).add();
}

}  // namespace zonecut
