#pragma once
// Which ranks of a multimodal job are its encoder's: the first ones, in the job's order of axes, as
// in Megatron-LM (parallel_state.py, rank_offset). Those of the language model follow.
#include <cstdint>

#include "zonecut/partition/job.hpp"

namespace zonecut {

/// The encoder's data parallelism: as given, else that of the language model. 0 without an encoder.
[[nodiscard]] int encoder_dp(const Training& training);
/// The number of the encoder's ranks. 0 without an encoder. The job must have been read or checked.
[[nodiscard]] std::int64_t encoder_ranks(const Training& training);

}  // namespace zonecut
