// Gradients reduced and parameters gathered over the data-parallel groups: all ranks of one
// pipeline stage that hold the same parameters. Dense parameters are the same along dp and cp,
// those of experts along the expert grid's dp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "job/job_check.hpp"
#include "job/rank_grid.hpp"
#include "traffic/collectives.hpp"
#include "traffic/work_traffic.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// One kind of parameters and what each rank of a group sends of them.
class Reduction {
 public:
  Reduction(TrafficBuilder& builder, const Training& training, std::string phase,
            const ExactProduct& parameters, std::int64_t shard)
      : builder_(builder),
        t_(training),
        phase_(std::move(phase)),
        parameters_(parameters),
        shard_(shard) {}

  void add(std::span<const RankId> group) const {
    const std::int64_t gradient = t_.gradient_bytes;
    switch (t_.data_parallel) {
      case DataParallelMode::Ddp:
        return exchange(phase_, group, {parameters_.times(2 * gradient), true}, 2);
      case DataParallelMode::DistributedOptimizer:
        return exchange(phase_, group, {parameters_.times(gradient + t_.parameter_bytes), false},
                        2);
      case DataParallelMode::Zero2:
        return scattered(group);
      case DataParallelMode::Zero3:
        return sharded(group);
      case DataParallelMode::Hsdp:
        return hybrid(group);
    }
  }

 private:
  /// Gradients scattered for every micro-batch, since each rank keeps its shard alone, parameters
  /// gathered once.
  void scattered(std::span<const RankId> group) const {
    const std::int64_t scatters = accumulation_steps(t_);
    exchange(phase_, group,
             {parameters_.times(scatters * t_.gradient_bytes + t_.parameter_bytes), false},
             scatters + 1);
  }

  /// Parameters gathered for forward and for backward, gradients scattered, layer by layer.
  void sharded(std::span<const RankId> group) const {
    const std::int64_t each = 2 * std::int64_t{t_.parameter_bytes} + t_.gradient_bytes;
    const std::int64_t times = accumulation_steps(t_);
    exchange(phase_, group, {parameters_.times(each).times(times), false},
             ExactProduct(3).times(layers()).times(times).rounded());
  }

  /// Consecutive members are a shard group; members of equal place in their shards are replicas,
  /// which all-reduce what a layer's backward pass has scattered (PyTorch, foreach_reduce() in
  /// _fsdp_collectives.py).
  void hybrid(std::span<const RankId> group) const {
    const auto shard = static_cast<std::size_t>(shard_);
    for (std::size_t i = 0; i < group.size(); i += shard) sharded(group.subspan(i, shard));
    const std::int64_t times = t_.replicas_reduce_once ? 1 : accumulation_steps(t_);
    const std::int64_t passes = ExactProduct(2).times(layers()).times(times).rounded();
    const ExactProduct once = parameters_.times(2 * std::int64_t{t_.gradient_bytes}).over(shard_);
    std::vector<RankId> replicas;
    for (std::size_t i = 0; i < shard; ++i) {
      replicas.clear();
      for (std::size_t j = i; j < group.size(); j += shard) replicas.push_back(group[j]);
      exchange(phase_ + "_replica", replicas, {once.times(times), true}, passes);
    }
  }

  /// Of one stage, what FSDP gathers and scatters one by one.
  [[nodiscard]] std::int64_t layers() const {
    return ExactProduct(t_.model.layers).over(t_.parallelism.pp).rounded_up();
  }

  void exchange(const std::string& phase, std::span<const RankId> members, Exchange what,
                std::int64_t passes) const {
    what.order = t_.ring_order;
    what.passes = passes;
    if (what.all_reduce) what.once = what.buffer.over(passes).bytes();
    const CollectiveAlgorithm algorithm =
        chosen_algorithm(t_.algorithm, members, builder_.ranks_per_server(), what);
    builder_.phase(phase, exchange_steps(members, builder_.ranks_per_server(), passes, algorithm,
                                         what.all_reduce));
    add_exchange(builder_, members, what, algorithm);
  }

  TrafficBuilder& builder_;
  const Training& t_;
  std::string phase_;
  ExactProduct parameters_;  ///< of one rank
  std::int64_t shard_;
};

}  // namespace

std::int64_t shard_size(const Training& t, std::int64_t ranks_per_server) {
  const std::int64_t group = std::int64_t{t.parallelism.cp} * t.parallelism.dp;
  if (t.shard > 0) return t.shard;
  const std::int64_t shard =
      std::clamp<std::int64_t>(8 * ranks_per_server / t.parallelism.tp, 1, group);
  if (group % shard != 0) {
    throw InputError(
        "shard",
        fmt::format("eight servers' worth, {} ranks, does not divide cp*dp = {}", shard, group),
        "say shard=N");
  }
  return shard;
}

void add_data_parallel(TrafficBuilder& builder, const Training& t, std::int64_t first) {
  constexpr std::array kDenseAxes = {Axis::Cp, Axis::Dp};
  constexpr std::array kExpertAxes = {Axis::Dp};
  const Parallelism& p = t.parallelism;
  const std::int64_t of_experts = t.model.experts > 0 ? t.model.expert_parameters : 0;
  const std::int64_t shard =
      t.data_parallel == DataParallelMode::Hsdp
          ? shard_size(t, static_cast<std::int64_t>(builder.ranks_per_server()))
          : 1;

  const Reduction dense(
      builder, t, "dp",
      ExactProduct(t.model.parameters - of_experts).over(std::int64_t{p.tp} * p.pp), shard);
  dense_grid(p, first).for_each_group(kDenseAxes,
                                      [&](std::span<const RankId> group) { dense.add(group); });
  if (of_experts == 0) return;

  const RankGrid grid = expert_grid(p, first);
  const Reduction experts(builder, t, "edp",
                          ExactProduct(of_experts).over(std::int64_t{p.etp} * p.ep).over(p.pp),
                          std::gcd(shard, grid.size(Axis::Dp)));
  grid.for_each_group(kExpertAxes, [&](std::span<const RankId> group) { experts.add(group); });
}

}  // namespace zonecut
