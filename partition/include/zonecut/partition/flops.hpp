#pragma once
// What an iteration computes, from the shape of the model alone: how long it takes is for those who
// know the GPUs. Recommendation, inference and explicit traffic say nothing of it.
#include "zonecut/partition/job.hpp"

namespace zonecut {

/// Floating point operations of one training iteration, all ranks together, forward and backward:
/// 6 for each token and parameter it passes (arXiv 2001.08361, section 2.1), of experts those that
/// a token is routed to, and 6 · layers · heads · attention size · sequence for each token in
/// causal attention (arXiv 2204.02311, appendix B, halved). What is computed twice to save memory
/// is no work of the model. Of an encoder likewise, whose attention is not causal; forward alone
/// where it is frozen. The job must have been read or checked.
[[nodiscard]] double iteration_flops(const Training& training);

/// What a rank could compute in the time that an iteration computes: the operations of one in the
/// busiest stage, and of others those that it waits for while the pipeline fills and empties, which
/// are (pp − 1) / (virtual stages · micro-batches) of its own (arXiv 2104.04473, section 2.2). An
/// encoder is a stage before them that may be slower or faster (arXiv 2408.04275).
[[nodiscard]] double critical_flops(const Training& training);

}  // namespace zonecut
