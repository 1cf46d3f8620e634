#pragma once
// What a job computes and how it is cut into ranks: enough to know who sends what to whom. A job
// says nothing about where it runs. Sizes are those of one training iteration, or of one second of
// serving for inference.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "zonecut/base/id.hpp"
#include "zonecut/base/units.hpp"

namespace zonecut {

/// The shape of a transformer. Presets: see model_preset().
struct ModelShape {
  std::string name = "custom";
  std::int64_t parameters = 0;  ///< all of them, experts included
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_size = 0;
  // Mixture of experts; experts = 0 for a dense model.
  int experts = 0;
  int experts_per_token = 0;
  int moe_layers = 0;
  /// Of all experts of all layers together, contained in `parameters`.
  std::int64_t expert_parameters = 0;
  /// Node-limited routing sends a token to at most so many servers; 0: no limit.
  int expert_node_limit = 0;
  /// Elements of a head that attention computes with, the mean of keys and values. 0: head_size.
  int attention_size = 0;
};

[[nodiscard]] std::optional<ModelShape> model_preset(std::string_view name);
[[nodiscard]] std::vector<std::string> model_preset_names();

/// Sizes of the groups. Ranks = tp·cp·pp·dp; experts are spread over ep·etp ranks of one pipeline
/// stage, on a grid of their own.
struct Parallelism {
  int tp = 1;
  int cp = 1;
  int pp = 1;
  int dp = 1;
  int ep = 1;
  int etp = 1;
  int virtual_stages = 1;  ///< V: model chunks per pipeline rank (interleaved schedule)
  /// Fastest axis first, as Megatron-Core writes it. "ep" may stand in it and has no size of its
  /// own there.
  std::string order = "tp-cp-ep-dp-pp";
  [[nodiscard]] int ranks() const noexcept { return tp * cp * pp * dp; }
};

enum class DataParallelMode {
  Ddp,                   ///< all-reduce of gradients
  DistributedOptimizer,  ///< reduce-scatter of gradients, all-gather of parameters (ZeRO-1)
  Zero2,                 ///< the same, but gradients are scattered for every micro-batch
  Zero3,  ///< FSDP: parameters gathered for forward and backward, gradients scattered
  Hsdp,   ///< Zero3 inside shards, all-reduce between replicas
};

enum class CollectiveAlgorithm {
  Ring,
  DoubleBinaryTree,
  Hierarchical,
  Automatic,  ///< the one that NCCL would choose for the size, group by group (docs/traffic.md)
};

/// Whether the order of a ring's members is given by their ranks or may be chosen. The result of
/// the collective is the same, but not every framework lets the order be chosen.
enum class RingOrder { Ranks, Any };

/// How a library runs an all-to-all.
enum class AllToAllAlgorithm {
  Linear,    ///< all messages are posted at once (NCCL, gloo)
  Pairwise,  ///< n-1 steps one after the other, member i to member i+s mod n in step s (Open MPI)
};

/// The encoder of a multimodal model, which turns images into tokens: a stage of its own before the
/// language model's first.
struct Encoder {
  std::string name = "encoder";
  std::int64_t parameters = 0;  ///< with the projection to the language model's hidden size
  int layers = 0;
  int hidden = 0;
  int heads = 0;  ///< 0: not known
  int tp = 1;
  int dp = 0;             ///< 0: as many as the language model's
  int tokens = 0;         ///< per sample, that it computes
  int output_tokens = 0;  ///< per sample, that the language model gets
  bool frozen = false;    ///< none of its parameters is trained
};

struct Training {
  ModelShape model;
  bool model_assumed = false;  ///< the job names no model: `model` is a usual one for its size
  Parallelism parallelism;
  int sequence = 8192;      ///< tokens per sample
  int micro_batch = 1;      ///< samples
  int global_batch = 0;     ///< samples of all replicas; 0: `micro_batches` says it
  int micro_batches = 0;    ///< per replica and iteration
  int parameter_bytes = 2;  ///< bf16
  int gradient_bytes = 4;   ///< of the gradients that are reduced
  int dispatch_bytes = 2;   ///< of an activation on its way to an expert; 1: FP8
  DataParallelMode data_parallel = DataParallelMode::DistributedOptimizer;
  int shard = 0;  ///< Hsdp: ranks per shard group; 0: 8 servers' worth
  /// Forward-backward passes per iteration that scatter gradients (Zero2, Zero3) and gather
  /// parameters (Zero3) again; 0: one for each micro-batch, or a single one with a pipeline, which
  /// keeps them for all of its micro-batches.
  int accumulation_steps = 0;
  /// Hsdp: replicas reduce once an iteration, not after each of the passes that scatter.
  bool replicas_reduce_once = false;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring;  ///< of the data-parallel collectives
  RingOrder ring_order = RingOrder::Ranks;                    ///< likewise
  bool sequence_parallel = true;
  std::optional<Encoder> encoder;  ///< of a multimodal model: its ranks come first
};

/// A recommendation model: embeddings exchanged all to all, dense layers all-reduced.
struct Recommendation {
  int ranks = 0;
  Bytes embedding_bytes;  ///< one rank sends to all others together, per iteration, forward and
                          ///< backward
  Bytes dense_bytes;      ///< of the dense gradients that are all-reduced
  std::vector<double> rank_weights;  ///< all-to-all-v: relative share of embeddings each rank owns;
                                     ///< empty: all equal
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::Hierarchical;
  RingOrder ring_order = RingOrder::Ranks;
};

/// Serving with prefill and decode apart. Volumes are per second of service.
struct Inference {
  ModelShape model;
  int prefill_replicas = 0;
  int prefill_tp = 8;
  int decode_replicas = 0;
  int decode_tp = 8;
  double requests_per_second = 0;  ///< of the whole service
  int prompt_tokens = 4096;
  int output_tokens = 512;
  int cache_bytes = 2;  ///< per element of the KV cache
};

enum class Collective {
  AllReduce,
  AllGather,
  ReduceScatter,
  Broadcast,
  AllToAll,
  SendReceive,
  Pipeline,  ///< `times` messages, each passed on from the first member through all to the last
};

/// One collective, given by hand.
struct ExplicitCollective {
  std::string name;
  Collective kind = Collective::AllReduce;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring;
  RingOrder ring_order = RingOrder::Ranks;
  std::optional<AllToAllAlgorithm> all_to_all = std::nullopt;  ///< AllToAll; none: as the job's
  std::vector<RankId> members;  ///< SendReceive: from, to; Broadcast: the root first
  /// The larger of one rank's send and receive buffer, as nccl-tests prints it: of an all-gather
  /// what a rank has afterwards, of a reduce-scatter what it had before.
  Bytes bytes;
  int times = 1;  ///< per iteration
};

struct ExplicitTraffic {
  int ranks = 0;
  std::vector<ExplicitCollective> collectives;
  struct Entry {
    RankId from, to;
    Bytes bytes;
  };
  std::vector<Entry> matrix;
};

struct Job {
  std::string name = "job";
  std::variant<Training, Recommendation, Inference, ExplicitTraffic> work;
  std::optional<int> ranks_per_server;  ///< none: as many as a server has GPUs
  /// Share of each phase's time that hides behind computation, by phase name ("dp": 0.9); absent
  /// means 0.
  std::vector<std::pair<std::string, double>> overlap;
  AllToAllAlgorithm all_to_all = AllToAllAlgorithm::Linear;  ///< of the library it runs on
  [[nodiscard]] int ranks() const;
};

/// For people: which model is assumed where a job names none, and how to name another. Empty where
/// nothing is assumed.
[[nodiscard]] std::string assumed_model_text(const Job& job);

/// "tp=8,pp=16,dp=128,vpp=7,model=llama3-405b,…": the same keys as a job file's, flat
/// (docs/formats/job.md). Opens no file, so the text may be a stranger's. Throws InputError; each
/// problem stands at "`where`:1:column".
[[nodiscard]] Job parse_job_text(std::string_view text, const std::string& where = "--job");

}  // namespace zonecut
