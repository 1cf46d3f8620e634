#include "zonecut/partition/job_file.hpp"

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/traffic.hpp"

using namespace zonecut;

namespace {

std::vector<Problem> problems(const std::string& text) {
  try {
    static_cast<void>(parse_job_file(text, "job.yaml"));
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

}  // namespace

TEST_CASE("five lines make a job", "[partition]") {
  const JobFile file = parse_job_file(R"(name: pretraining
model: llama3-405b
parallelism:
  tp: 8
  pp: 16
  dp: 128
)",
                                      "job.yaml");
  CHECK(file.job.name == "pretraining");
  CHECK(file.job.ranks() == 16384);
  CHECK(file.placement() == nullptr);
}

TEST_CASE("a file without any key is no job", "[partition]") {
  for (const char* text : {"", "{}", "---\n", "# nothing\n", "null\n"}) {
    CAPTURE(text);
    REQUIRE(problems(text).size() == 1);
    CHECK(problems(text).front().where == "job.yaml:1:1");
  }
}

TEST_CASE("parallelism may be written in one line", "[partition]") {
  const JobFile file =
      parse_job_file("model: llama3-70b\ngpus: 256\nparallelism: tp=8,pp=4\n", "job.yaml");
  CHECK(std::get<Training>(file.job.work).parallelism.dp == 8);
  const auto found = problems("parallelism: tp=8,seq=4096\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].where == "job.yaml:1:19");
}

TEST_CASE("the constraints of a placement are handed on unread", "[partition]") {
  const JobFile file = parse_job_file(
      "model: llama3-8b\nplacement: {required_level: zone, whatever: [1]}\n", "job.yaml");
  REQUIRE(file.placement() != nullptr);
  CHECK(file.placement()->entries.size() == 2);
}

TEST_CASE("all sections of a training job are read", "[partition]") {
  const JobFile file = parse_job_file(R"(format: job/v1
name: big
kind: training
ranks_per_server: 4
model: {preset: mixtral-8x7b, name: ours, layers: 16, moe_layers: 16, parameters: 23B,
        expert_parameters: 22.5e9, dispatch_bytes: 1}
parallelism: {tp: 2, cp: 2, pp: 2, dp: 4, ep: 4, etp: 2, virtual_stages: 2, order: tp-cp-ep-dp-pp,
              sequence_parallel: false}
batch: {sequence: 4096, micro_batch: 2, global_batch: 64}
data_parallel: {mode: hsdp, shard: 4, algorithm: tree, gradient_bytes: 2, parameter_bytes: 1,
                accumulation_steps: 3, replica_all_reduce: last}
overlap: {dp: 0.9, ep: 0.5}
)",
                                      "job.yaml");
  const Training& t = std::get<Training>(file.job.work);
  CHECK(file.job.ranks_per_server == 4);
  CHECK(file.job.overlap.size() == 2);
  CHECK(t.model.name == "ours");
  CHECK(t.model.parameters == 23'000'000'000);
  CHECK(t.model.expert_parameters == 22'500'000'000);
  CHECK(t.model.experts == 8);
  CHECK(t.dispatch_bytes == 1);
  CHECK(t.parallelism.etp == 2);
  CHECK_FALSE(t.sequence_parallel);
  CHECK(t.data_parallel == DataParallelMode::Hsdp);
  CHECK(t.algorithm == CollectiveAlgorithm::DoubleBinaryTree);
  CHECK(t.accumulation_steps == 3);
  CHECK(t.replicas_reduce_once);
  CHECK_NOTHROW(traffic_of(file.job, 4));
}

TEST_CASE("recommendation, inference, collectives and matrices are read", "[partition]") {
  const Job recommendation = parse_job_file(R"(gpus: 4
recommendation: {embedding: 64MiB, dense: 1GB, algorithm: ring, rank_weights: [1, 1, 2, 0.5]}
)",
                                            "job.yaml")
                                 .job;
  CHECK(std::get<Recommendation>(recommendation.work).rank_weights.size() == 4);

  const Job inference = parse_job_file(R"(model: llama3-70b
inference: {prefill_replicas: 2, decode_replicas: 4, decode_tp: 4, requests_per_second: 12.5}
)",
                                       "job.yaml")
                            .job;
  CHECK(inference.ranks() == 32);

  const Job collectives = parse_job_file(R"(gpus: 32
collectives:
  - {name: gradients, kind: all-reduce, ranks: "0-31:4", bytes: 64MiB, times: 81}
  - {kind: send-receive, ranks: [7, 9], bytes: 1KiB}
matrix:
  - [0, 31, 5MB]
)",
                                         "job.yaml")
                              .job;
  const auto& work = std::get<ExplicitTraffic>(collectives.work);
  CHECK(work.collectives[0].members.size() == 8);
  CHECK(work.collectives[1].name == "collective 2");
  CHECK(work.matrix[0].bytes == Bytes{5'000'000});
  CHECK(traffic_of(collectives, 8).phases.size() == 3);
}

TEST_CASE("all mistakes of a file are reported at once, each with its place", "[partition]") {
  const auto found = problems(R"(name: x
modle: llama3-8b
parallelism: {tp: 0, dq: 3}
batch: {sequence: many}
data_parallel: zero4
overlap: {dp: 2}
)");
  REQUIRE(found.size() == 6);
  for (const Problem& problem : found) CHECK(problem.where.starts_with("job.yaml:"));
  bool hinted = false;
  for (const Problem& problem : found) hinted |= problem.hint == "did you mean \"model\"?";
  CHECK(hinted);
}

TEST_CASE("a contradiction is reported at the figure that contradicts", "[partition]") {
  const auto found = problems("model: llama3-8b\nparallelism:\n  tp: 8\n  pp: 64\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].where == "job.yaml:4:7");
}

TEST_CASE("a contradiction within a collective is reported at its own line", "[partition]") {
  const auto found = problems(R"(gpus: 8
collectives:
  - {kind: all-reduce, ranks: "0-7", bytes: 1MB}
  - {kind: send-receive, bytes: 1MB, ranks: [1, 2, 3]}
  - kind: all-gather
    ranks: "1,2,1"
    bytes: 1MB
matrix:
  - [0, 1, 1MB]
  - [3, 3, 1MB]
overlap: {dp: 0.5}
)");
  REQUIRE(found.size() == 4);
  CHECK(found[0].where == "job.yaml:4:45");
  CHECK(found[1].where == "job.yaml:6:12");
  CHECK(found[2].where == "job.yaml:10:5");
  CHECK(found[3].where == "job.yaml:11:15");
}

TEST_CASE("a repeated key hides no other mistake of a job file", "[partition]") {
  const auto found = problems("name: a\nname: b\nparallelism: tp=8,tp=9\ngpus: 1e3\n");
  REQUIRE(found.size() == 3);
  CHECK(found[0].where == "job.yaml:2:1");
  CHECK(found[1].where == "job.yaml:3:19");
  CHECK(found[2].where == "job.yaml:4:7");
  CHECK(found[2].hint == "such a number is written 1000");
}

TEST_CASE("tensor parallelism that does not divide the attention heads is refused where it stands",
          "[partition]") {
  const auto found = problems("model: llama3-8b\nparallelism: {dp: 2,\n  tp: 12}\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].where == "job.yaml:3:7");
  CHECK(found[0].what ==
        "tp is 12, expected a divisor of the 32 attention heads of model llama3-8b");
  const auto serving = problems(
      "model: llama3-70b\ninference: {requests_per_second: 1, prefill_tp: 6,\n  decode_tp: 24}\n");
  REQUIRE(serving.size() == 2);
  CHECK(serving[0].where == "job.yaml:2:49");
  CHECK(serving[1].where == "job.yaml:3:14");
}

TEST_CASE("heads that are copied, not known or only assumed refuse no tensor parallelism",
          "[partition]") {
  for (const char* text : {
           "model: llama3-70b\nparallelism: {tp: 16}\n",  // 8 heads of keys and values
           "model: deepseek-v3\nparallelism: {tp: 8}\n",  // one
           "model: {parameters: 8B, layers: 32, hidden: 4096}\nparallelism: {tp: 6}\n",
           "parallelism: {tp: 6, dp: 2}\n",
       }) {
    INFO(text);
    CHECK_NOTHROW(parse_job_file(text, "job.yaml"));
  }
}

TEST_CASE("virtual stages take any number of micro-batches", "[partition]") {
  // Llama 3 (arXiv 2407.21783, section 3.3.2) runs fewer than stages, and numbers between.
  for (const char* batches : {"micro_batches=6", "micro_batches=2"}) {
    CHECK_NOTHROW(parse_job_text(std::string("model=llama3-8b,pp=4,vpp=2,") + batches));
  }
}

TEST_CASE("malformed files are refused, never accepted or crashed on", "[partition]") {
  for (const std::string text :
       {"[]",
        "text",
        "model: [1]",
        "model: {}",
        "parallelism: []",
        "parallelism: {tp: [8]}",
        "parallelism: tp",
        "gpus: 8\ncollectives: {}",
        "gpus: 8\ncollectives: [1]",
        "gpus: 8\ncollectives: [{kind: all-reduce, ranks: 0-8, bytes: 1B}]",
        "gpus: 8\ncollectives: [{kind: all-reduce, ranks: 7-0, bytes: 1B}]",
        "gpus: 8\ncollectives: [{kind: all-reduce, ranks: 0-7:0, bytes: 1B}]",
        "gpus: 8\ncollectives: [{kind: all-reduce, ranks: '', bytes: 1B}]",
        "gpus: 8\ncollectives: [{kind: all-reduce, ranks: [0, 0], bytes: 1B}]",
        "gpus: 8\ncollectives: [{kind: all-reduce, ranks: 0-7, bytes: -1B}]",
        "gpus: 8\ncollectives: [{kind: all-reduce, ranks: 0-7}]",
        "gpus: 8\ncollectives: [{ranks: 0-7, bytes: 1B}]",
        "collectives: []",
        "gpus: 8\nmatrix: 3",
        "gpus: 8\nmatrix: [[0, 8, 1B]]",
        "gpus: 8\nmatrix: [[0, 1]]",
        "gpus: 8\nmatrix: [[1, 1, 2B]]",
        "gpus: 4\nrecommendation: {dense: 1GB, rank_weights: [1]}",
        "gpus: 2\nrecommendation: {dense: 1GB, rank_weights: 1}",
        "gpus: 2\nrecommendation: {dense: 1GB, rank_weights: [0, 0]}",
        "recommendation: {dense: 1GB}",
        "gpus: 4\nrecommendation: {}",
        "gpus: 4\nkind: recommendation",
        "inference: {requests_per_second: 1}",
        "model: llama3-8b\ninference: {}",
        "format: job/v2",
        "overlap: 3",
        "kind: training\nmatrix: []",
        "model: {preset: llama3-8b, layers: 0}",
        "gpus: 4194305\nmatrix: []"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_job_file(text, "job.yaml"), InputError);
  }
}

TEST_CASE("of a file that says to be something else than a job no more is said", "[partition]") {
  const auto other = problems("format: cluster/v1\nlevels: [zone, rack]\ndomains: []\n");
  REQUIRE(other.size() == 1);
  CHECK(to_text(other.front()) ==
        "job.yaml:1:9: found \"cluster/v1\", expected job/v1 (this is another kind of file)");
  const auto later = problems("format: job/v2\nmodels: [llama3-8b]\n");
  REQUIRE(later.size() == 1);
  CHECK(to_text(later.front()) ==
        "job.yaml:1:9: found \"job/v2\", expected job/v1 (this program reads no other version)");
}

TEST_CASE("a job's name is of one line, as the state it is written to wants it", "[partition]") {
  const auto found = problems("name: \"a\\nb\"\nmodel: llama3-405b\n");
  REQUIRE(found.size() == 1);
  CHECK(found.front().where == "job.yaml:1:7");
  CHECK(found.front().what ==
        "found the control character 0x0A in \"name\", expected a name of one line");
}
