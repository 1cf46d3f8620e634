#include <fmt/format.h>

#include <limits>

#include "job/job_check.hpp"
#include "job/job_reader.hpp"

namespace zonecut {

Recommendation read_recommendation(const JobSource& source) {
  Fields fields(source.top.document(), source.section("recommendation"), source.top.problems());
  Recommendation r;
  if (source.gpus) {
    r.ranks = *source.gpus;
  } else if (!source.top.has("gpus")) {
    source.top.problems().add(source.top.where(), "the key \"gpus\" is missing");
  }
  if (!fields.has("embedding") && !fields.has("dense")) {
    fields.problems().add(fields.where(), "neither embedding nor dense is given: nothing is sent",
                          "bytes that a rank sends to all others in an iteration, such as "
                          "embedding: 256MiB, and of dense gradients, such as dense: 1GiB");
  }
  r.embedding_bytes = fields.bytes("embedding", Bytes{});
  r.dense_bytes = fields.bytes("dense", Bytes{});
  r.algorithm = read_algorithm(fields, r.algorithm);
  r.ring_order = read_ring_order(fields);
  if (const Value* weights = fields.find("rank_weights")) {
    if (weights->kind != Value::Kind::List) {
      fields.problems().add(fields.where(*weights), "rank_weights is no list",
                            "one number for each rank");
    }
    for (const Value& weight : weights->items) {
      r.rank_weights.push_back(
          as_number(fields.document(), weight, 0, 1e9, fields.problems()).value_or(1));
    }
  }
  fields.finish();
  return r;
}

Inference read_inference(const JobSource& source) {
  Fields fields(source.top.document(), source.section("inference"), source.top.problems());
  const auto integer = [&](std::string_view key, int fallback, std::int64_t most) {
    return static_cast<int>(fields.integer(key, fallback, 1, most));
  };
  constexpr std::int64_t kMostTokens = std::numeric_limits<int>::max();
  Inference i;
  i.prefill_replicas = integer("prefill_replicas", 1, kMostRanks);
  i.prefill_tp = integer("prefill_tp", i.prefill_tp, kMostRanks);
  i.decode_replicas = integer("decode_replicas", 1, kMostRanks);
  i.decode_tp = integer("decode_tp", i.decode_tp, kMostRanks);
  i.prompt_tokens = integer("prompt_tokens", i.prompt_tokens, kMostTokens);
  i.output_tokens = integer("output_tokens", i.output_tokens, kMostTokens);
  i.cache_bytes = integer("cache_bytes", i.cache_bytes, 16);
  static_cast<void>(fields.require("requests_per_second"));
  i.requests_per_second = fields.number("requests_per_second", 0, 0, 1e9);
  fields.finish();

  static_cast<void>(source.top.require("model"));
  if (const auto model = read_model(source).shape) i.model = *model;
  const std::int64_t ranks = std::int64_t{i.prefill_replicas} * i.prefill_tp +
                             std::int64_t{i.decode_replicas} * i.decode_tp;
  if (source.gpus && ranks != *source.gpus) {
    source.top.problems().add(
        source.top.where(*source.top.find("gpus")),
        fmt::format("gpus is {}, but the replicas make {}", *source.gpus, ranks));
  }
  return i;
}

}  // namespace zonecut
