#pragma once
// The traffic of each kind of work. Every job here has passed check_job.
#include "traffic/traffic_builder.hpp"
#include "zonecut/partition/job.hpp"

namespace zonecut {

void add_traffic(TrafficBuilder& builder, const Training& training);
void add_traffic(TrafficBuilder& builder, const Recommendation& recommendation);
void add_traffic(TrafficBuilder& builder, const Inference& inference);
void add_traffic(TrafficBuilder& builder, const ExplicitTraffic& traffic);

/// The part of a training job's traffic that reduces gradients and gathers parameters.
void add_data_parallel(TrafficBuilder& builder, const Training& training);

/// Ranks in one shard group of HSDP: as given, or eight servers' worth, or all where that is less.
/// Throws InputError where it does not divide the data-parallel group.
[[nodiscard]] std::int64_t shard_size(const Training& training, std::int64_t ranks_per_server);

}  // namespace zonecut
