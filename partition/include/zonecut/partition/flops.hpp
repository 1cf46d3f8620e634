#pragma once
// How much an iteration of a training job computes, from the shape of the model alone. How long
// that takes depends on the GPUs. For training jobs only: others do not say what they compute.
#include "zonecut/partition/job.hpp"

namespace zonecut {

/// Floating point operations of one training iteration, forward and backward, of all ranks
/// together. Per token: 6 for each parameter that it passes, of experts only those it is routed to
/// (arXiv 2001.08361, section 2.1), and 6 · layers · heads · attention size · sequence for causal
/// attention (arXiv 2204.02311, appendix B, halved). Recomputation to save memory is not counted.
/// An encoder's attention is not causal, and a frozen encoder computes forward only. The job must
/// have been read or checked.
[[nodiscard]] double iteration_flops(const Training& training);

/// Operations on the critical path of an iteration: those of a rank of a stage, and
/// (pp − 1) / (virtual stages · micro-batches) as many for the time in which it waits while the
/// pipeline fills and empties (arXiv 2104.04473, section 2.2). An encoder is one more stage at the
/// front, faster or slower than the others (arXiv 2408.04275): the slower of the two counts for all
/// micro-batches, the faster for one. Over the FLOP/s of a GPU, the compute time of the iteration.
[[nodiscard]] double critical_flops(const Training& training);

}  // namespace zonecut
