#pragma once
// The traffic of each kind of work. Every job here has passed check_job.
#include "traffic/traffic_builder.hpp"
#include "zonecut/partition/job.hpp"

namespace zonecut {

void add_traffic(TrafficBuilder& builder, const Training& training);
void add_traffic(TrafficBuilder& builder, const Recommendation& recommendation);
void add_traffic(TrafficBuilder& builder, const Inference& inference);
void add_traffic(TrafficBuilder& builder, const ExplicitTraffic& traffic);

/// What the ranks of each tensor-parallel group exchange. `first`: the first rank of this part of
/// the job, here and below.
enum class Passes { ForwardAndBackward, Forward };
void add_tensor_parallel(TrafficBuilder& builder, const Training& training, std::int64_t first,
                         Passes passes = Passes::ForwardAndBackward);

/// The part of a training job's traffic that reduces gradients and gathers parameters.
void add_data_parallel(TrafficBuilder& builder, const Training& training, std::int64_t first);

/// Sequential messages of an iteration in one direction, forward or backward, through all stages
/// and `stages_before` more in front of them.
[[nodiscard]] std::int64_t pipeline_steps(const Training& training, int stages_before);

/// The traffic of a multimodal job's encoder, and between it and the language model.
void add_encoder(TrafficBuilder& builder, const Training& training);

/// The encoder of a job as a training job of its own: one stage, with as many micro-batches.
[[nodiscard]] Training encoder_alone(const Training& training, std::int64_t ranks_per_server);

/// Ranks in one shard group of HSDP: as given, or eight servers' worth, or all where that is less.
/// Throws InputError where it does not divide the data-parallel group.
[[nodiscard]] std::int64_t shard_size(const Training& training, std::int64_t ranks_per_server);

}  // namespace zonecut
