#include <rapidcheck.h>

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/partition/traffic.hpp"

using namespace zonecut;

namespace {

Training training(const std::string& text) { return std::get<Training>(parse_job_text(text).work); }

std::vector<Problem> problems(const std::string& text) {
  try {
    static_cast<void>(parse_job_text(text));
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

}  // namespace

TEST_CASE("a text that a terminal obeys or that is no UTF-8 is no job", "[partition]") {
  for (const char* text : {"tp=8,name=a\x1b]0;x\x07z", "tp=8,na\x07me=a", "tp=8,name=a\x7f"}) {
    REQUIRE(problems(text).size() == 1);
    CHECK(problems(text).front().where.ends_with(":1:6"));
    CHECK(problems(text).front().what.starts_with("found the control character 0x"));
  }
  REQUIRE(problems("tp=8,name=a\xff").size() == 1);
  CHECK(problems("tp=8,name=a\xff").front().what == "found the byte 0xFF, expected UTF-8 text");
  CHECK(parse_job_text("tp=8,name=\u00fcbung").name == "\u00fcbung");
}

TEST_CASE("a job is said in one line", "[partition]") {
  const Training t = training(
      "tp=8,pp=16,dp=128,vpp=7,model=llama3-405b,seq=4096,gbs=2048,mbs=2,zero=3,"
      "order=tp-cp-ep-pp-dp,gradient_bytes=2");
  CHECK(t.parallelism.tp == 8);
  CHECK(t.parallelism.pp == 16);
  CHECK(t.parallelism.dp == 128);
  CHECK(t.parallelism.virtual_stages == 7);
  CHECK(t.parallelism.order == "tp-cp-ep-pp-dp");
  CHECK(t.model.name == "llama3-405b");
  CHECK(t.sequence == 4096);
  CHECK(t.global_batch == 2048);
  CHECK(t.micro_batch == 2);
  CHECK(t.data_parallel == DataParallelMode::Zero3);
  CHECK(t.gradient_bytes == 2);
}

TEST_CASE("Megatron's names, spaces and dashes are understood", "[partition]") {
  const Training t = training(
      "tensor-model-parallel-size = 4, pipeline_model_parallel_size=2, data-parallel=ddp, "
      "micro-batch-size=3,seq-length=1024,model=llama3-8b");
  CHECK(t.parallelism.tp == 4);
  CHECK(t.parallelism.pp == 2);
  CHECK(t.data_parallel == DataParallelMode::Ddp);
  CHECK(t.micro_batch == 3);
  CHECK(t.sequence == 1024);
}

TEST_CASE("a job that names no model gets one of a usual size", "[partition]") {
  CHECK(training("tp=8,pp=16,dp=128").model.name == "llama3-405b");
  CHECK(training("tp=8,pp=4,dp=8").model.name == "llama3-70b");
  CHECK(training("dp=64").model.name == "llama3-8b");
  CHECK(training("dp=64,ep=8").model.name == "mixtral-8x7b");
  CHECK(training("dp=64,ep=64").model.name == "deepseek-v3");
  CHECK_NOTHROW(traffic_of(parse_job_text("tp=8,pp=16,dp=128"), 8));
  const std::string assumed = assumed_model_text(parse_job_text("dp=64"));
  CHECK(assumed.starts_with("llama3-8b is assumed"));
  CHECK(assumed.find("model=NAME") != std::string::npos);
  CHECK(assumed_model_text(parse_job_text("dp=64,model=llama3-8b")).empty());
  CHECK(assumed_model_text(parse_job_text("gpus=8,embedding=1MiB")).empty());
}

TEST_CASE("a pipeline is filled when no batch is given", "[partition]") {
  CHECK(training("tp=8,pp=16,dp=128").micro_batches == 16);
}

TEST_CASE("data parallelism is what the GPUs leave", "[partition]") {
  CHECK(training("tp=8,pp=16,gpus=16384").parallelism.dp == 128);
  CHECK(problems("tp=8,pp=16,gpus=1000").size() == 1);
  CHECK(problems("tp=8,pp=16,dp=2,gpus=16384").size() == 1);
}

TEST_CASE("split experts follow tensor parallelism only where experts are not spread",
          "[partition]") {
  CHECK(training("tp=2,dp=8,model=mixtral-8x7b").parallelism.etp == 2);
  CHECK(training("tp=2,dp=8,ep=8,model=mixtral-8x7b").parallelism.etp == 1);
}

TEST_CASE("mistakes in a line are reported together, with their columns", "[partition]") {
  const auto found = problems("tp=8,ppp=16,nonsense,tp=4,=3,zero=");
  REQUIRE(found.size() == 5);
  CHECK(found[0].where == "--job:1:6");
  CHECK(found[0].hint == "did you mean \"pp\"?");
  CHECK(found[1].where == "--job:1:13");
  const auto values = problems("tp=eight,pp=0,model=llama3-405,zero=9");
  REQUIRE(values.size() == 4);
  CHECK(values[0].where == "--job:1:1");
  CHECK(values[2].hint == "did you mean \"llama3-405b\"?");
}

TEST_CASE("figures that contradict each other are reported where they stand", "[partition]") {
  const auto found = problems("model=llama3-8b,tp=8,pp=64");
  REQUIRE(found.size() == 1);
  CHECK(found[0].where == "--job:1:22");
}

TEST_CASE("malformed lines are refused, never accepted or crashed on", "[partition]") {
  for (const std::string text : {"",
                                 ",",
                                 "=",
                                 "tp",
                                 "tp=",
                                 "tp==8",
                                 "tp=8,",
                                 "tp=-8",
                                 "tp=8.0",
                                 "tp=99999999999999999999",
                                 "tp=0x8",
                                 "model=",
                                 "model=\n",
                                 "overlap.=1",
                                 "overlap.dp=2",
                                 "gbs=1,gbs=1",
                                 "tp=4194304,pp=4194304,dp=4194304",
                                 "kind=nothing",
                                 "kind=inference",
                                 "kind=recommendation,gpus=4",
                                 "kind=recommendation,dense=1GB",
                                 "model=dlrm,gpus=4",
                                 "kind=matrix,gpus=4",
                                 "gpus=0",
                                 "parameters=1e400,layers=1,hidden=1",
                                 "parameters=nan",
                                 "order=",
                                 "ranks_per_server=0",
                                 "mbs=2147483648"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_job_text(text), InputError);
  }
  CHECK_THROWS_AS(parse_job_text(std::string(100'000, 'x')), InputError);
  CHECK_THROWS_AS(parse_job_text(std::string(60'000, ',')), InputError);
}

TEST_CASE("every preset is a job whose traffic can be told", "[partition]") {
  for (const std::string name :
       {"llama3-8b", "llama3-70b", "llama3-405b", "llama-65b", "gpt3-175b", "mixtral-8x7b",
        "mixtral-8x22b", "deepseek-v3", "qwen3-235b-a22b", "dlrm"}) {
    INFO(name);
    const JobFile file = load_job(name);
    CHECK(file.job.name == name);
    CHECK_FALSE(traffic_of(file.job, 8).phases.empty());
  }
  CHECK_THROWS_AS(load_job("no-such-preset"), InputError);
  CHECK_THROWS_AS(load_job("/nowhere/job.yaml"), InputError);
  CHECK(load_job("tp=8,dp=2").job.ranks() == 16);
  CHECK(load_job("name=team/run,dp=2").job.name == "team/run");
}

TEST_CASE("whatever is put together from pieces is a job with traffic or refused with a reason",
          "[partition][property]") {
  const std::vector<std::string> pieces = {"tp=",
                                           "pp=",
                                           "dp=",
                                           "cp=",
                                           "ep=",
                                           "etp=",
                                           "vpp=",
                                           "gbs=",
                                           "mbs=",
                                           "zero=",
                                           "model=",
                                           "shard=",
                                           "gpus=",
                                           "order=",
                                           "layers=",
                                           "experts=",
                                           "kind=",
                                           "embedding=",
                                           "parameters=",
                                           "hidden=",
                                           "seq=",
                                           "algorithm=",
                                           "hsdp",
                                           "tree",
                                           "hierarchical",
                                           "8",
                                           "16",
                                           "2",
                                           "3",
                                           "0",
                                           "-1",
                                           "4096",
                                           "1e17",
                                           "2147483647",
                                           "1000000000",
                                           "llama3-8b",
                                           "deepseek-v3",
                                           "mixtral-8x7b",
                                           "tp-pp-dp",
                                           "tp-cp-ep-pp-dp",
                                           "recommendation",
                                           "1GiB",
                                           ",",
                                           ",",
                                           "=",
                                           "\"",
                                           "\n",
                                           ":",
                                           "micro_batches=",
                                           "moe_layers=",
                                           "experts_per_token=",
                                           "expert_parameters=",
                                           "gradient_bytes=",
                                           "accumulation_steps=",
                                           "replica_all_reduce=",
                                           "last",
                                           "data_parallel=",
                                           "dispatch_bytes=",
                                           "expert_node_limit=",
                                           "encoder_parameters=1e9,encoder_layers=3,"
                                           "encoder_hidden=64,encoder_tokens=16,",
                                           "encoder_tp=",
                                           "encoder_dp=",
                                           "encoder_output_tokens=",
                                           "encoder_frozen=true"};
  CHECK(rc::check("no other outcome", [&] {
    const auto items = *rc::gen::inRange<std::size_t>(1, 12);
    std::string text;
    for (std::size_t i = 0; i < items; ++i) {
      text += *rc::gen::elementOf(pieces) + *rc::gen::elementOf(pieces);
      if (*rc::gen::inRange(0, 10) > 0) text += ",";
    }
    if (text.ends_with(',')) text.pop_back();
    try {
      const Job job = parse_job_text(text);
      if (job.ranks() > 100'000) return;  // sound, and slow to look at a hundred times
      const Traffic traffic = traffic_of(job, 1);
      RC_ASSERT(traffic.ranks == static_cast<std::size_t>(job.ranks()));
      static_cast<void>(vertex_coordinates(job, 8));
    } catch (const InputError& error) {
      RC_ASSERT(!error.problems().empty());
      RC_ASSERT(!error.problems().front().what.empty());
    }
  }));
}

TEST_CASE("every model preset has a shape that adds up", "[partition]") {
  for (const std::string& name : model_preset_names()) {
    INFO(name);
    const auto model = model_preset(name);
    REQUIRE(model);
    CHECK(model->name == name);
    CHECK(model->expert_parameters < model->parameters);
    if (model->experts == 0) {
      // 12·L·h² for the blocks of a plain transformer, embeddings on top, within a fifth
      const double blocks = 12.0 * model->layers * model->hidden * model->hidden;
      CHECK(static_cast<double>(model->parameters) > 0.8 * blocks);
      CHECK(static_cast<double>(model->parameters) < 1.3 * blocks);
    } else {
      CHECK(static_cast<double>(model->expert_parameters) >
            0.9 * static_cast<double>(model->parameters));
    }
  }
  CHECK_FALSE(model_preset("llama"));
}
