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

/// By what the compute time of an iteration exceeds its operations over the ranks' speed because
/// stages wait for the pipeline to fill: 1 + (pp − 1) / (virtual stages · micro-batches)
/// (arXiv 2104.04473, section 2.2), and 1 / micro-batches more for an encoder, a stage before them.
[[nodiscard]] double pipeline_stretch(const Training& training);

}  // namespace zonecut
