#include "zonecut/partition/flops.hpp"

#include "job/job_check.hpp"

namespace zonecut {
namespace {

/// Attention is not causal there. Of what is frozen only the forward pass is computed.
double encoder_flops(const Encoder& e, double samples) {
  const double attention = 2.0 * e.layers * e.hidden * e.tokens;
  return (e.frozen ? 2 : 6) * samples * e.tokens * (static_cast<double>(e.parameters) + attention);
}

}  // namespace

double iteration_flops(const Training& t) {
  const ModelShape& model = t.model;
  double parameters = static_cast<double>(model.parameters);
  if (model.experts > 0) {
    const double used = static_cast<double>(model.experts_per_token) / model.experts;
    parameters -= static_cast<double>(model.expert_parameters) * (1 - used);
  }
  const double sequence = t.sequence;
  const int size = model.attention_size > 0 ? model.attention_size : model.head_size;
  const double attention = static_cast<double>(model.layers) * model.heads * size * sequence;
  const double samples = t.micro_batch * static_cast<double>(micro_batches(t)) * t.parallelism.dp;
  const double flops = 6 * samples * sequence * (parameters + attention);
  return flops + (t.encoder ? encoder_flops(*t.encoder, samples) : 0);
}

double pipeline_stretch(const Training& t) {
  const auto rounds = static_cast<double>(micro_batches(t));
  const double encoder = t.encoder ? 1 / rounds : 0;
  return 1 + (t.parallelism.pp - 1) / (rounds * t.parallelism.virtual_stages) + encoder;
}

}  // namespace zonecut
