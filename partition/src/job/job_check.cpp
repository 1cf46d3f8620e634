#include "job/job_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "job/rank_count.hpp"
#include "job/rank_grid.hpp"

namespace zonecut {
namespace {

class Check {
 public:
  Check(const Locate& locate, ProblemList& problems) : locate_(locate), problems_(problems) {}

  /// Returns whether it holds.
  bool require(bool holds, std::string_view field, std::string what, std::string hint = {}) {
    if (!holds) {
      problems_.add(locate_(field), std::move(what), std::move(hint));
      good_ = false;
    }
    return holds;
  }
  bool at_least(std::int64_t value, std::int64_t least, std::string_view field) {
    return require(value >= least, field,
                   fmt::format("{} is {}, expected at least {}", field, value, least));
  }
  [[nodiscard]] bool good() const { return good_; }

 private:
  const Locate& locate_;
  ProblemList& problems_;
  bool good_ = true;
};

void check_ranks(std::int64_t ranks, std::string_view field, Check& check) {
  check.require(ranks <= kMostRanks, field,
                fmt::format("the job has more than {} ranks", kMostRanks));
}

void check_model(const ModelShape& model, Check& check) {
  check.at_least(model.parameters, 1, "parameters");
  check.at_least(model.layers, 1, "layers");
  check.at_least(model.hidden, 1, "hidden");
  check.at_least(model.heads, 0, "heads");
  check.at_least(model.kv_heads, 0, "kv_heads");
  check.at_least(model.head_size, 0, "head_size");
  check.at_least(model.attention_size, 0, "attention_size");
  check.at_least(model.experts, 0, "experts");
  check.at_least(model.expert_node_limit, 0, "expert_node_limit");
  if (model.experts == 0) return;
  check.require(model.experts_per_token >= 1 && model.experts_per_token <= model.experts,
                "experts_per_token",
                fmt::format("experts_per_token is {}, expected 1 to experts ({})",
                            model.experts_per_token, model.experts));
  check.require(
      model.moe_layers >= 1 && model.moe_layers <= model.layers, "moe_layers",
      fmt::format("moe_layers is {}, expected 1 to layers ({})", model.moe_layers, model.layers));
  check.require(model.expert_parameters >= 1 && model.expert_parameters <= model.parameters,
                "expert_parameters",
                fmt::format("expert_parameters is {}, expected 1 to parameters ({})",
                            model.expert_parameters, model.parameters));
}

/// Each tensor-parallel rank computes as many attention heads as every other (Megatron-Core's
/// TransformerConfig, vLLM's ModelConfig). Heads of keys and values may be fewer: they are copied.
void check_heads(int heads, std::string_view whose, int tp, std::string_view field, Check& check) {
  check.require(tp < 1 || heads % tp == 0, field,
                fmt::format("{} is {}, expected a divisor of the {} attention heads of {}", field,
                            tp, heads, whose));
}

void check_heads(const ModelShape& model, int tp, std::string_view field, Check& check) {
  check_heads(model.heads, "model " + model.name, tp, field, check);
}

bool check_sizes(const Training& t, Check& check) {
  const Parallelism& p = t.parallelism;
  std::vector<std::pair<std::string_view, int>> sizes = {
      {"tp", p.tp},
      {"cp", p.cp},
      {"pp", p.pp},
      {"dp", p.dp},
      {"ep", p.ep},
      {"etp", p.etp},
      {"virtual_stages", p.virtual_stages},
  };
  if (t.encoder) {
    sizes.emplace_back("encoder.tp", t.encoder->tp);
    sizes.emplace_back("encoder.dp", encoder_dp(t));
  }
  bool good = true;
  for (const auto& [field, size] : sizes) {
    good = check.at_least(size, 1, field) && good;
    good = check.require(size <= kMostRanks, field,
                         fmt::format("{} is {}, expected at most {}", field, size, kMostRanks)) &&
           good;
  }
  if (!good) return false;
  const std::int64_t ranks = rank_count(t);
  check_ranks(ranks, 2 * encoder_ranks(t) > ranks ? "encoder.tp" : "dp", check);
  return ranks <= kMostRanks;
}

void check_expert_grid(const Training& t, Check& check) {
  const Parallelism& p = t.parallelism;
  check.require(t.model.experts > 0, "ep",
                fmt::format("ep is {}, but model {} has no experts", p.ep, t.model.name));
  if (t.model.experts > 0) {
    check.require(t.model.experts % p.ep == 0, "ep",
                  fmt::format("ep {} does not divide the {} experts of model {}", p.ep,
                              t.model.experts, t.model.name));
  }
  check.require(names_axis(p.order, Axis::Ep), "order",
                fmt::format("order {} has no ep, but ep is {}", p.order, p.ep));
}

void check_grids(const Training& t, Check& check) {
  const Parallelism& p = t.parallelism;
  if (!check.require(parse_axis_order(p.order).has_value(), "order",
                     fmt::format("order \"{}\" is not understood", p.order),
                     "each of tp, cp, ep, dp, pp at most once, joined by '-'")) {
    return;
  }
  if (p.ep > 1) check_expert_grid(t, check);
  if (t.model.experts == 0) return;
  const std::int64_t stage = std::int64_t{p.tp} * p.cp * p.dp;
  const std::int64_t experts = std::int64_t{p.etp} * p.ep;
  if (!check.require(stage % experts == 0, "ep",
                     fmt::format("etp*ep = {} does not divide tp*cp*dp = {}", experts, stage))) {
    return;
  }
  check.require(p.pp == 1 || expert_grid(p).stride(Axis::Pp) == dense_grid(p).stride(Axis::Pp),
                "order",
                fmt::format("with order {} the pipeline stages of experts and dense layers are "
                            "different ranks",
                            p.order),
                "put pp last");
}

void check_batch(const Training& t, Check& check) {
  check.at_least(t.sequence, 1, "sequence");
  check.at_least(t.micro_batch, 1, "micro_batch");
  check.at_least(t.global_batch, 0, "global_batch");
  check.at_least(t.micro_batches, 0, "micro_batches");
  if (!check.good()) return;
  if (t.global_batch == 0) {
    check.require(t.micro_batches > 0, "global_batch",
                  "neither global_batch nor micro_batches is given");
    return;
  }
  const std::int64_t at_once = std::int64_t{t.micro_batch} * t.parallelism.dp;
  check.require(t.global_batch % at_once == 0, "global_batch",
                fmt::format("global_batch {} is no multiple of micro_batch*dp = {}", t.global_batch,
                            at_once));
  check.require(t.micro_batches == 0 || t.global_batch / at_once == t.micro_batches,
                "micro_batches",
                fmt::format("micro_batches is {}, but global_batch {} makes {}", t.micro_batches,
                            t.global_batch, t.global_batch / at_once));
}

/// A replica of one side serves as many whole ones of the other as any other replica
/// (Megatron-Core, BridgeCommunicator.build_comm_map).
void check_encoder(const Training& t, Check& check) {
  const Encoder& e = *t.encoder;
  check.at_least(e.parameters, 1, "encoder.parameters");
  check.at_least(e.layers, 1, "encoder.layers");
  check.at_least(e.hidden, 1, "encoder.hidden");
  check.at_least(e.heads, 0, "encoder.heads");
  check.at_least(e.tokens, 1, "encoder.tokens");
  check.at_least(e.output_tokens, 1, "encoder.output_tokens");
  if (!check.good()) return;
  check.require(e.output_tokens <= t.sequence, "encoder.output_tokens",
                fmt::format("encoder.output_tokens is {}, expected at most sequence = {}",
                            e.output_tokens, t.sequence),
                "without it, all encoder.tokens go to the language model");
  check_heads(e.heads, e.name, e.tp, "encoder.tp", check);
  const int wide = t.parallelism.dp;
  const int dp = encoder_dp(t);
  check.require(
      wide % dp == 0 || dp % wide == 0, "encoder.dp",
      fmt::format("encoder.dp is {}, expected a divisor or a multiple of dp = {}", dp, wide));
  const std::int64_t samples = std::int64_t{t.micro_batch} * wide;
  check.require(
      samples % dp == 0 && samples / dp <= std::numeric_limits<int>::max(), "encoder.dp",
      fmt::format("encoder.dp is {}, expected a divisor of micro_batch*dp = {}", dp, samples),
      "each replica of the encoder has as many samples of a micro-batch");
}

void check_training(const Training& t, Check& check) {
  const Parallelism& p = t.parallelism;
  check_model(t.model, check);
  if (!check_sizes(t, check)) return;
  check.require(std::int64_t{p.pp} * p.virtual_stages <= t.model.layers, "pp",
                fmt::format("pp*virtual_stages = {} stages for {} layers of model {}",
                            std::int64_t{p.pp} * p.virtual_stages, t.model.layers, t.model.name),
                "a stage needs at least one layer");
  check.require(
      p.virtual_stages == 1 || p.pp > 1, "virtual_stages",
      fmt::format("virtual_stages is {}, but there is one pipeline stage", p.virtual_stages));
  check.require(
      p.cp == 1 || (t.model.kv_heads > 0 && t.model.head_size > 0), "cp",
      fmt::format("cp is {}, but model {} says no kv_heads and head_size", p.cp, t.model.name));
  if (!t.model_assumed) check_heads(t.model, p.tp, "tp", check);
  check_grids(t, check);
  check_batch(t, check);
  if (t.encoder) check_encoder(t, check);
  check.at_least(t.parameter_bytes, 1, "parameter_bytes");
  check.at_least(t.gradient_bytes, 1, "gradient_bytes");
  check.at_least(t.dispatch_bytes, 1, "dispatch_bytes");
  check.at_least(t.accumulation_steps, 0, "accumulation_steps");
  check.at_least(t.shard, 0, "shard");
  if (t.data_parallel == DataParallelMode::Hsdp && t.shard > 0) {
    const std::int64_t group = std::int64_t{p.cp} * p.dp;
    check.require(group % t.shard == 0, "shard",
                  fmt::format("shard {} does not divide cp*dp = {}", t.shard, group));
  }
}

void check_recommendation(const Recommendation& r, Check& check) {
  check.at_least(r.ranks, 1, "ranks");
  check_ranks(r.ranks, "ranks", check);
  check.at_least(r.embedding_bytes.count, 0, "embedding_bytes");
  check.at_least(r.dense_bytes.count, 0, "dense_bytes");
  if (r.rank_weights.empty()) return;
  check.require(r.rank_weights.size() == static_cast<std::size_t>(std::max(r.ranks, 0)),
                "rank_weights",
                fmt::format("{} rank_weights for {} ranks", r.rank_weights.size(), r.ranks));
  double sum = 0;
  for (const double weight : r.rank_weights) {
    if (!check.require(std::isfinite(weight) && weight >= 0 && weight <= 1e9, "rank_weights",
                       fmt::format("weight {} is not a number from 0 to 1e9", weight))) {
      return;
    }
    sum += weight;
  }
  check.require(sum > 0, "rank_weights", "all rank_weights are 0");
}

void check_inference(const Inference& i, Check& check) {
  check_model(i.model, check);
  check.require(i.model.kv_heads > 0 && i.model.head_size > 0, "model",
                fmt::format("model {} says no kv_heads and head_size", i.model.name));
  const std::pair<std::string_view, int> sizes[] = {
      {"prefill_replicas", i.prefill_replicas}, {"prefill_tp", i.prefill_tp},
      {"decode_replicas", i.decode_replicas},   {"decode_tp", i.decode_tp},
      {"prompt_tokens", i.prompt_tokens},       {"output_tokens", i.output_tokens},
      {"cache_bytes", i.cache_bytes},
  };
  for (const auto& [field, size] : sizes) check.at_least(size, 1, field);
  check_heads(i.model, i.prefill_tp, "prefill_tp", check);
  check_heads(i.model, i.decode_tp, "decode_tp", check);
  check.require(i.requests_per_second >= 0 && i.requests_per_second <= 1e9, "requests_per_second",
                fmt::format("requests_per_second is {}, expected 0 to 1e9", i.requests_per_second));
  if (!check.good()) return;
  for (const auto& [replicas, tp, field] :
       {std::tuple{i.prefill_replicas, i.prefill_tp, "prefill_replicas"},
        std::tuple{i.decode_replicas, i.decode_tp, "decode_replicas"}}) {
    check_ranks(std::int64_t{replicas} * tp, field, check);
  }
  check_ranks(std::int64_t{i.prefill_replicas} * i.prefill_tp +
                  std::int64_t{i.decode_replicas} * i.decode_tp,
              "decode_replicas", check);
}

void check_members(const ExplicitCollective& c, const std::string& at, int ranks, Check& check) {
  std::set<RankId> seen;
  for (const RankId member : c.members) {
    if (!check.require(member.index() < static_cast<std::size_t>(ranks), at,
                       fmt::format("collective {}: member {} is not one of the {} ranks", c.name,
                                   member.index(), ranks)) ||
        !check.require(
            seen.insert(member).second, at,
            fmt::format("collective {}: member {} stands twice", c.name, member.index()))) {
      return;
    }
  }
}

void check_collective(const ExplicitCollective& c, const std::string& at, int ranks, Check& check) {
  check_members(c, at + ".ranks", ranks, check);
  check.require(c.bytes.count >= 0, at + ".bytes",
                fmt::format("collective {}: bytes is {}", c.name, c.bytes.count));
  check.require(c.times >= 0, at + ".times",
                fmt::format("collective {}: times is {}", c.name, c.times));
  check.require(!c.members.empty(), at + ".ranks",
                fmt::format("collective {} has no members", c.name));
  check.require(c.kind != Collective::SendReceive || c.members.size() == 2, at + ".ranks",
                fmt::format("collective {}: send-receive has {} members, expected two (from, to)",
                            c.name, c.members.size()));
}

void check_entry(const ExplicitTraffic::Entry& entry, const std::string& at, int ranks,
                 Check& check) {
  const auto count = static_cast<std::size_t>(ranks);
  check.require(entry.from.index() < count && entry.to.index() < count, at,
                fmt::format("entry {} to {} names no rank of {}", entry.from.index(),
                            entry.to.index(), ranks));
  check.require(entry.from != entry.to || entry.bytes.count == 0, at,
                fmt::format("rank {} sends to itself", entry.from.index()));
  check.require(entry.bytes.count >= 0, at, fmt::format("{} bytes", entry.bytes.count));
}

void check_explicit(const ExplicitTraffic& e, Check& check) {
  if (!check.at_least(e.ranks, 1, "ranks")) return;
  check_ranks(e.ranks, "ranks", check);
  for (std::size_t i = 0; i < e.collectives.size(); ++i)
    check_collective(e.collectives[i], fmt::format("collectives[{}]", i), e.ranks, check);
  for (std::size_t i = 0; i < e.matrix.size(); ++i)
    check_entry(e.matrix[i], fmt::format("matrix[{}]", i), e.ranks, check);
}

/// Names of the phases a job of this kind can have.
struct PhaseNames {
  std::vector<std::string> operator()(const Training&) const {
    return {"tp", "cp", "etp", "ep", "pp", "dp", "dp_replica", "edp", "edp_replica"};
  }
  std::vector<std::string> operator()(const Recommendation& r) const {
    if (r.rank_weights.empty()) return {"a2a", "dp"};
    return {"a2a", "a2a_back", "dp"};
  }
  std::vector<std::string> operator()(const Inference&) const { return {"kv", "tp"}; }
  std::vector<std::string> operator()(const ExplicitTraffic& work) const {
    std::set<std::string> names{"matrix"};
    for (const ExplicitCollective& c : work.collectives) names.insert(c.name);
    return {names.begin(), names.end()};
  }
};

void check_overlap(const Job& job, Check& check) {
  if (job.overlap.empty()) return;
  constexpr std::size_t kMostListed = 12;
  const std::vector<std::string> names = std::visit(PhaseNames{}, job.work);
  const std::string known = fmt::format(
      "{}{}", fmt::join(std::span(names).first(std::min(names.size(), kMostListed)), ", "),
      names.size() > kMostListed ? ", ..." : "");
  for (const auto& [phase, share] : job.overlap) {
    const std::string at = fmt::format("overlap.{}", phase);
    check.require(share >= 0 && share <= 1, at,
                  fmt::format("overlap of {} is {}, expected 0 to 1", phase, share));
    check.require(std::find(names.begin(), names.end(), phase) != names.end(), at,
                  fmt::format("no phase of this job is called \"{}\"", phase),
                  fmt::format("phases: {}", known));
  }
}

struct CheckWork {
  Check& check;
  void operator()(const Training& work) const { check_training(work, check); }
  void operator()(const Recommendation& work) const { check_recommendation(work, check); }
  void operator()(const Inference& work) const { check_inference(work, check); }
  void operator()(const ExplicitTraffic& work) const { check_explicit(work, check); }
};

}  // namespace

std::string field_name(std::string_view name) { return std::string(name); }

void check_job(const Job& job, const Locate& locate, ProblemList& problems) {
  Check check(locate, problems);
  std::visit(CheckWork{check}, job.work);
  if (job.ranks_per_server) check.at_least(*job.ranks_per_server, 1, "ranks_per_server");
  check_overlap(job, check);
}

std::int64_t micro_batches(const Training& t) {
  if (t.global_batch == 0) return t.micro_batches;
  return t.global_batch / (std::int64_t{t.micro_batch} * t.parallelism.dp);
}

std::int64_t accumulation_steps(const Training& t) {
  if (t.accumulation_steps > 0) return t.accumulation_steps;
  return t.parallelism.pp > 1 ? 1 : micro_batches(t);
}

}  // namespace zonecut
