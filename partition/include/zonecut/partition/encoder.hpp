#pragma once
// Which ranks of a multimodal job are its encoder's: the first ones, in the job's order of axes, as
// in Megatron-LM (parallel_state.py, rank_offset). Those of the language model follow.
#include <cstdint>

#include "zonecut/partition/job.hpp"

namespace zonecut {

/// As given, or as wide as the language model's. 0 for a job without an encoder.
[[nodiscard]] int encoder_dp(const Training& training);
/// 0 for a job without an encoder. The job must have been read or checked.
[[nodiscard]] std::int64_t encoder_ranks(const Training& training);

}  // namespace zonecut
