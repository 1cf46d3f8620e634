#include "zonecut/partition/flops.hpp"

#include "job/job_check.hpp"

namespace zonecut {

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
  const double tokens =
      sequence * t.micro_batch * static_cast<double>(micro_batches(t)) * t.parallelism.dp;
  return 6 * tokens * (parameters + attention);
}

double pipeline_stretch(const Training& t) {
  const double rounds = static_cast<double>(micro_batches(t)) * t.parallelism.virtual_stages;
  return 1 + (t.parallelism.pp - 1) / rounds;
}

}  // namespace zonecut
