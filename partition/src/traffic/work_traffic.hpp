#pragma once
// The traffic of each kind of work. Every job here has passed check_job.
#include "traffic/traffic_builder.hpp"
#include "zonecut/partition/job.hpp"

namespace zonecut {

void add_traffic(TrafficBuilder& builder, const Training& training);
void add_traffic(TrafficBuilder& builder, const Recommendation& recommendation);
void add_traffic(TrafficBuilder& builder, const Inference& inference);
void add_traffic(TrafficBuilder& builder, const ExplicitTraffic& traffic);

/// What the ranks of a tensor-parallel group exchange. The job's ranks begin with `first`.
enum class Passes { ForwardAndBackward, Forward };
void add_tensor_parallel(TrafficBuilder& builder, const Training& training, std::int64_t first,
                         Passes passes = Passes::ForwardAndBackward);

/// The part of a training job's traffic that reduces gradients and gathers parameters. Its ranks
/// begin with `first`.
void add_data_parallel(TrafficBuilder& builder, const Training& training, std::int64_t first);

/// Sequential messages each way through the stages, and through so many before them.
[[nodiscard]] std::int64_t pipeline_steps(const Training& training, int stages_before);

/// The traffic of a multimodal job's encoder, and between it and the language model.
void add_encoder(TrafficBuilder& builder, const Training& training);

/// The encoder of a job as if it were trained by itself: one stage, as many micro-batches.
[[nodiscard]] Training encoder_alone(const Training& training, std::int64_t ranks_per_server);

/// Ranks in one shard group of HSDP: as given, or eight servers' worth, or all where that is less.
/// Throws InputError where it does not divide the data-parallel group.
[[nodiscard]] std::int64_t shard_size(const Training& training, std::int64_t ranks_per_server);

}  // namespace zonecut
