#include "zonecut/partition/flops.hpp"

#include <algorithm>

#include "job/job_check.hpp"
#include "zonecut/partition/encoder.hpp"

namespace zonecut {
namespace {

/// Attention is not causal there. Of what is frozen only the forward pass is computed.
double encoder_flops(const Encoder& e, double samples) {
  const double attention = 2.0 * e.layers * e.hidden * e.tokens;
  return (e.frozen ? 2 : 6) * samples * e.tokens * (static_cast<double>(e.parameters) + attention);
}

double samples(const Training& t) {
  return t.micro_batch * static_cast<double>(micro_batches(t)) * t.parallelism.dp;
}

double language_flops(const Training& t) {
  const ModelShape& model = t.model;
  double parameters = static_cast<double>(model.parameters);
  if (model.experts > 0) {
    const double used = static_cast<double>(model.experts_per_token) / model.experts;
    parameters -= static_cast<double>(model.expert_parameters) * (1 - used);
  }
  const double sequence = t.sequence;
  const int size = model.attention_size > 0 ? model.attention_size : model.head_size;
  const double attention = static_cast<double>(model.layers) * model.heads * size * sequence;
  return 6 * samples(t) * sequence * (parameters + attention);
}

}  // namespace

double iteration_flops(const Training& t) {
  return language_flops(t) + (t.encoder ? encoder_flops(*t.encoder, samples(t)) : 0);
}

double critical_flops(const Training& t) {
  const Parallelism& p = t.parallelism;
  const auto rounds = static_cast<double>(micro_batches(t));
  const double stage = language_flops(t) / p.ranks();
  const double filling = stage * (p.pp - 1) / (rounds * p.virtual_stages);
  if (!t.encoder) return stage + filling;
  const double encoder =
      encoder_flops(*t.encoder, samples(t)) / static_cast<double>(encoder_ranks(t));
  return std::max(stage, encoder) + std::min(stage, encoder) / rounds + filling;
}

}  // namespace zonecut
