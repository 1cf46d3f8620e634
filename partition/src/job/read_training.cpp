#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "job/job_check.hpp"
#include "job/job_reader.hpp"
#include "job/rank_count.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();

int read_int(Fields& fields, std::string_view key, int fallback, std::int64_t least,
             std::int64_t most = kMostInt) {
  return static_cast<int>(fields.integer(key, fallback, least, most));
}

std::optional<Encoder> read_encoder(const JobSource& source) {
  const Value* value = source.top.find("encoder");
  if (value == nullptr) return std::nullopt;
  Fields fields(source.top.document(), *value, source.top.problems());
  Encoder e;
  for (const std::string_view key : {"parameters", "layers", "hidden", "tokens"})
    static_cast<void>(fields.require(key));
  e.name = fields.text("name", e.name);
  e.parameters = read_count(fields, "parameters", 0);
  e.layers = read_int(fields, "layers", 0, 1);
  e.hidden = read_int(fields, "hidden", 0, 1);
  e.heads = read_int(fields, "heads", 0, 1);
  e.tp = read_int(fields, "tp", 1, 1, kMostRanks);
  e.dp = read_int(fields, "dp", 0, 1, kMostRanks);
  e.tokens = read_int(fields, "tokens", 0, 1);
  e.output_tokens = read_int(fields, "output_tokens", e.tokens, 1);
  e.frozen = fields.boolean("frozen", false);
  fields.finish();
  return e;
}

void check_gpus(const JobSource& source, const Training& t) {
  if (!source.gpus || !source.top.problems().empty()) return;
  const std::int64_t ranks = rank_count(t);
  if (ranks == *source.gpus) return;
  const char* encoder = t.encoder ? " with its encoder" : "";
  source.top.problems().add(
      source.top.where(*source.top.find("gpus")),
      fmt::format("gpus is {}, but tp*cp*pp*dp{} makes {}", *source.gpus, encoder, ranks));
}

void read_parallelism(const JobSource& source, Training& t) {
  Fields fields(source.top.document(), source.section("parallelism"), source.top.problems());
  Parallelism& p = t.parallelism;
  p.tp = read_int(fields, "tp", 1, 1, kMostRanks);
  p.cp = read_int(fields, "cp", 1, 1, kMostRanks);
  p.pp = read_int(fields, "pp", 1, 1, kMostRanks);
  p.ep = read_int(fields, "ep", 1, 1, kMostRanks);
  p.etp = read_int(fields, "etp", p.ep > 1 ? 1 : p.tp, 1, kMostRanks);
  p.virtual_stages = read_int(fields, "virtual_stages", 1, 1, kMostRanks);
  p.order = fields.text("order", p.order);
  t.sequence_parallel = fields.boolean("sequence_parallel", true);
  const Value* dp = fields.find("dp");
  if (dp != nullptr) {
    p.dp = read_int(fields, "dp", 1, 1, kMostRanks);
  } else if (source.gpus) {
    const auto left = dp_of_ranks(*source.gpus, t);
    if (left) {
      p.dp = *left;
    } else {
      fields.problems().add(fields.where(),
                            fmt::format("{} gpus are {}", *source.gpus, uneven_ranks_text(t)));
    }
  }
  fields.finish();
}

bool says_replicas(const JobSource& source) {
  const Value& parallelism = source.section("parallelism");
  return source.gpus || std::ranges::any_of(parallelism.entries, [](const Value::Entry& entry) {
           return entry.key == "dp";
         });
}

/// A job that names no model gets one of a size that such a replica usually trains.
std::string_view usual_model(const Parallelism& p) {
  const std::int64_t parts = std::int64_t{p.tp} * p.pp;
  if (p.ep > 8) return "deepseek-v3";
  if (p.ep > 1) return parts < 8 ? "mixtral-8x7b" : "mixtral-8x22b";
  if (parts >= 64) return "llama3-405b";
  return parts >= 8 ? "llama3-70b" : "llama3-8b";
}

void read_batch(const JobSource& source, Training& t) {
  Fields fields(source.top.document(), source.section("batch"), source.top.problems());
  t.sequence = read_int(fields, "sequence", t.sequence, 1);
  t.micro_batch = read_int(fields, "micro_batch", 1, 1);
  t.global_batch = read_int(fields, "global_batch", 0, 1);
  t.micro_batches = read_int(fields, "micro_batches", 0, 1);
  // The least that fills the pipeline.
  if (t.global_batch == 0 && t.micro_batches == 0) t.micro_batches = t.parallelism.pp;
  fields.finish();
}

DataParallelMode read_mode(Fields& fields, std::string_view key) {
  using enum DataParallelMode;
  struct Mode {
    std::string_view name;
    DataParallelMode mode;
  };
  // A number is a ZeRO stage.
  constexpr std::array kModes = {
      Mode{"ddp", Ddp},     Mode{"distributed-optimizer", DistributedOptimizer},
      Mode{"fsdp", Zero3},  Mode{"hsdp", Hsdp},
      Mode{"zero2", Zero2}, Mode{"zero3", Zero3},
      Mode{"0", Ddp},       Mode{"1", DistributedOptimizer},
      Mode{"2", Zero2},     Mode{"3", Zero3},
  };
  std::array<std::string_view, kModes.size()> names;
  std::transform(kModes.begin(), kModes.end(), names.begin(),
                 [](const Mode& mode) { return mode.name; });
  return kModes[fields.choice(key, names, 1)].mode;
}

void read_data_parallel(const JobSource& source, Training& t) {
  const Value& value = source.section("data_parallel");
  if (value.kind == Value::Kind::Scalar) {
    t.data_parallel = read_mode(source.top, "data_parallel");
    return;
  }
  Fields fields(source.top.document(), value, source.top.problems());
  t.data_parallel = read_mode(fields, "mode");
  t.shard = read_int(fields, "shard", 0, 1, kMostRanks);
  t.algorithm = read_algorithm(fields, t.algorithm);
  t.ring_order = read_ring_order(fields);
  t.gradient_bytes = read_int(fields, "gradient_bytes", t.gradient_bytes, 1, 16);
  t.parameter_bytes = read_int(fields, "parameter_bytes", t.parameter_bytes, 1, 16);
  t.accumulation_steps = read_int(fields, "accumulation_steps", 0, 1);
  constexpr std::array<std::string_view, 2> kReductions = {"each", "last"};
  t.replicas_reduce_once = fields.choice("replica_all_reduce", kReductions, 0) == 1;
  fields.finish();
}

}  // namespace

Training read_training(const JobSource& source) {
  Training t;
  t.encoder = read_encoder(source);
  read_parallelism(source, t);
  const ModelChoice model = read_model(source);
  // Every usual model is a preset. NOLINTNEXTLINE(bugprone-unchecked-optional-access)
  t.model = model.shape ? *model.shape : *model_preset(usual_model(t.parallelism));
  t.model_assumed = !model.shape;
  t.dispatch_bytes = model.dispatch_bytes;
  read_batch(source, t);
  read_data_parallel(source, t);
  if (!says_replicas(source)) t.parallelism.dp = fewest_replicas(t);
  check_gpus(source, t);
  return t;
}

}  // namespace zonecut
