// The groups of a training job in Megatron-Core's numbering, and the bytes of each; the formulas
// and their sources stand in docs/traffic.md under the names of the functions below.
#include <algorithm>
#include <array>

#include "job/job_check.hpp"
#include "job/rank_grid.hpp"
#include "traffic/exact_product.hpp"
#include "traffic/work_traffic.hpp"
#include "zonecut/partition/encoder.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kActivationBytes = 2;  // bf16

class TrainingTraffic {
 public:
  TrainingTraffic(TrafficBuilder& builder, const Training& training, std::int64_t first)
      : builder_(builder),
        t_(training),
        p_(training.parallelism),
        first_(first),
        dense_(dense_grid(training.parallelism, first)),
        layer_passes_(ExactProduct(micro_batches(training)).over(p_.pp)) {}

  void add() {
    add_tensor_parallel(Passes::ForwardAndBackward);
    add_context_parallel();
    if (t_.model.experts > 0) {
      add_expert_tensor_parallel();
      add_expert_parallel();
    }
    add_pipeline();
  }

  void add_tensor_parallel(Passes ways) {
    // A dense layer gathers and scatters its activations around attention and around the MLP, in
    // forward and in backward: four times each. The experts of an MoE layer have collectives of
    // their own.
    const std::int64_t layers = t_.model.layers;
    const std::int64_t moe = t_.model.experts > 0 ? t_.model.moe_layers : 0;
    const ExactProduct times =
        passes(4 * (layers - moe) + 2 * moe).times(ways == Passes::Forward ? 1 : 2);
    const ExactProduct buffer = times.times(activations(p_.cp));
    begin_phase("tp", times.times(p_.tp - 1));
    add_to_groups(dense_, Axis::Tp, Pattern::Ring, buffer.times(p_.tp - 1).over(p_.tp).bytes());
  }

 private:
  /// Micro-batches times `layers` spread evenly over the stages: what one rank goes through.
  [[nodiscard]] ExactProduct passes(std::int64_t layers) const {
    return layer_passes_.times(layers);
  }
  /// Activations of one rank's tokens of one micro-batch, split over `split` ranks.
  [[nodiscard]] ExactProduct activations(std::int64_t split) const {
    return ExactProduct(t_.sequence)
        .times(t_.micro_batch)
        .times(t_.model.hidden)
        .times(kActivationBytes)
        .over(split);
  }
  [[nodiscard]] ExactProduct expert_activations() const {
    return ExactProduct(t_.sequence)
        .times(t_.micro_batch)
        .times(t_.model.hidden)
        .over(std::int64_t{p_.cp} * p_.tp);
  }
  void add_to_groups(const RankGrid& grid, Axis axis, Pattern pattern, Bytes bytes,
                     Bytes wrap_bytes = {}) {
    const std::array axes = {axis};
    grid.for_each_group(axes, [&](std::span<const RankId> members) {
      builder_.add(pattern, members, bytes, wrap_bytes);
    });
  }

  /// Of rings that send a message in each step.
  void begin_phase(std::string_view name, const ExactProduct& steps) {
    builder_.phase(name, steps.rounded_up());
    builder_.pass_on(steps.rounded_up());
  }

  void add_context_parallel() {
    const std::int64_t heads = std::max(t_.model.kv_heads, p_.tp);  // copied where there are fewer
    const ExactProduct keys_and_values = ExactProduct(t_.sequence)
                                             .times(t_.micro_batch)
                                             .times(heads)
                                             .times(t_.model.head_size)
                                             .times(2 * kActivationBytes)
                                             .over(std::int64_t{p_.cp} * p_.tp);
    const ExactProduct times = passes(t_.model.layers).times(p_.cp - 1);
    begin_phase("cp", times.times(2));
    add_to_groups(dense_, Axis::Cp, Pattern::Ring, times.times(3).times(keys_and_values).bytes());
  }

  void add_expert_parallel() {
    const ModelShape& m = t_.model;
    const std::int64_t copies = m.expert_node_limit > 0
                                    ? std::min(m.experts_per_token, m.expert_node_limit)
                                    : m.experts_per_token;
    // Dispatch and combine, forward and backward.
    const ExactProduct times = passes(m.moe_layers);
    const ExactProduct bytes = times.times(2)
                                   .times(t_.dispatch_bytes + kActivationBytes)
                                   .times(copies)
                                   .times(expert_activations());
    builder_.phase("ep", times.times(4 * builder_.exchange_steps(p_.ep)).rounded_up());
    builder_.pass_on(times.times(4).rounded_up());
    add_to_groups(expert_grid(p_, first_), Axis::Ep, Pattern::AllToAll, bytes.over(p_.ep).bytes());
  }

  void add_expert_tensor_parallel() {
    const ModelShape& m = t_.model;
    const ExactProduct times = passes(m.moe_layers).times(4).times(p_.etp - 1);
    begin_phase("etp", times);
    add_to_groups(expert_grid(p_, first_), Axis::Tp, Pattern::Ring,
                  times.times(m.experts_per_token)
                      .times(kActivationBytes)
                      .times(expert_activations())
                      .bytes());
  }

  void add_pipeline() {
    const std::int64_t m = micro_batches(t_);
    const std::int64_t chunks = p_.virtual_stages;
    const ExactProduct once = activations(std::int64_t{p_.cp} * (t_.sequence_parallel ? p_.tp : 1));
    builder_.phase("pp", ExactProduct(pipeline_steps(t_, 0)).times(2).rounded());
    builder_.pass_on(ExactProduct(m).times(chunks).rounded(), chunks);
    add_to_groups(dense_, Axis::Pp, Pattern::Pipeline, once.times(m).times(chunks).bytes(),
                  once.times(m).times(chunks - 1).bytes());
  }

  TrafficBuilder& builder_;
  const Training& t_;
  const Parallelism& p_;
  std::int64_t first_;
  RankGrid dense_;
  ExactProduct layer_passes_;
};

}  // namespace

std::int64_t pipeline_steps(const Training& t, int stages_before) {
  const std::int64_t stages = t.parallelism.pp + stages_before;
  if (stages == 1) return 0;
  const std::int64_t chunks = t.parallelism.virtual_stages;
  const std::int64_t slots = ExactProduct(micro_batches(t)).times(chunks).rounded() + stages - 2;
  const std::int64_t hops = std::int64_t{t.parallelism.pp} * chunks - 1 + stages_before;
  return std::max(slots, hops);
}

void add_tensor_parallel(TrafficBuilder& builder, const Training& training, std::int64_t first,
                         Passes passes) {
  TrainingTraffic(builder, training, first).add_tensor_parallel(passes);
}

void add_traffic(TrafficBuilder& builder, const Training& training) {
  const std::int64_t first = encoder_ranks(training);
  TrainingTraffic(builder, training, first).add();
  add_data_parallel(builder, training, first);
  if (training.encoder) add_encoder(builder, training);
}

}  // namespace zonecut
