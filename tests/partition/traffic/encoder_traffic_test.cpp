// Encoders of multimodal jobs: bytes, and who sends to whom, worked by hand.
#include <array>

#include "partition/traffic/traffic_sums.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

using Indices = std::vector<std::size_t>;

// 4 ranks of the encoder, then 4 replicas of 2 stages; 2 micro-batches of 2 samples each.
const std::string kLanguage =
    "tp=4,pp=2,dp=4,parameters=8e9,layers=10,hidden=128,seq=1000,mbs=2,gbs=16,";
const std::string kEncoder =
    "encoder_parameters=1e9,encoder_layers=10,encoder_hidden=64,encoder_tokens=100,"
    "encoder_output_tokens=25,encoder_tp=2";

Traffic traffic(const std::string& more) {
  return traffic_of(parse_job_text(kLanguage + kEncoder + more), 4);
}

Indices members(const Traffic& traffic, const Group& group) {
  Indices indices;
  for (const RankId member : traffic.members_of(group)) indices.push_back(member.index());
  return indices;
}

/// From, to, bytes of all groups of a pattern in the phase "pp" that a rank of the encoder is in.
std::vector<std::array<std::size_t, 3>> ties(const Traffic& t, Pattern pattern,
                                             std::size_t encoder_ranks) {
  std::vector<std::array<std::size_t, 3>> found;
  for (const Group& group : phase_of(t, "pp").groups) {
    const Indices ranks = members(t, group);
    if (group.pattern == pattern && ranks.front() < encoder_ranks)
      found.push_back({ranks[0], ranks[1], static_cast<std::size_t>(group.bytes.count)});
  }
  return found;
}

std::vector<const Group*> broadcasts(const Traffic& t) {
  std::vector<const Group*> found;
  for (const Group& group : phase_of(t, "pp").groups) {
    if (group.pattern == Pattern::Broadcast) found.push_back(&group);
  }
  return found;
}

/// What is wrong with a job, as its first mistake.
std::string mistake(const std::string& text) {
  try {
    static_cast<void>(parse_job_text(text));
  } catch (const InputError& error) {
    return error.problems().front().what;
  }
  return "nothing";
}

}  // namespace

TEST_CASE("an encoder's ranks come first, and it has groups as a job of one stage has",
          "[partition]") {
  const Traffic t = traffic(",encoder_dp=2");
  REQUIRE(t.ranks == 4 + 4 * 2 * 4);

  const Phase& tp = phase_of(t, "tp");
  REQUIRE(tp.groups.size() == 8 + 2);
  CHECK(members(t, tp.groups.front()) == Indices{4, 5, 6, 7});
  CHECK(members(t, tp.groups[8]) == Indices{0, 1});
  // 8 times 1/2 of 8 samples of 100 tokens, 64 numbers of 2 bytes, in 10 layers.
  CHECK(tp.groups[8].bytes == Bytes{8 / 2 * 8 * 100 * 64 * 2 * 10});

  const Phase& dp = phase_of(t, "dp");
  REQUIRE(dp.groups.size() == 8 + 2);
  CHECK(members(t, dp.groups.front()) == Indices{4, 8, 12, 16});
  CHECK(members(t, dp.groups[8]) == Indices{0, 2});
  // Half of 5e8 parameters, gradients of 4 bytes and parameters of 2.
  CHECK(dp.groups[8].bytes == Bytes{250'000'000LL * 6});
}

TEST_CASE("one rank of an encoder sends to one of each replica it feeds, which tells the others",
          "[partition]") {
  const Traffic t = traffic(",encoder_dp=2");
  // 2 micro-batches of 2 samples, 25 tokens of 128 numbers of 2 bytes.
  constexpr std::size_t kEach = 2 * 2 * 25 * 128 * 2;
  CHECK(ties(t, Pattern::Pipeline, 4) == std::vector<std::array<std::size_t, 3>>{
                                             {1, 4, kEach},
                                             {1, 8, kEach},
                                             {3, 12, kEach},
                                             {3, 16, kEach},
                                         });
  const auto told = broadcasts(t);
  REQUIRE(told.size() == 4 + 2);
  CHECK(members(t, *told[1]) == Indices{8, 9, 10, 11});
  CHECK(told[1]->bytes == Bytes{kEach});
  // Gradients of two replicas, from the rank that got them.
  CHECK(members(t, *told[5]) == Indices{3, 2});
  CHECK(told[5]->bytes == Bytes{2 * kEach});
  // Two micro-batches through three stages, each way.
  CHECK(phase_of(t, "pp").steps == 2 * (2 + 3 - 2));
}

TEST_CASE("several encoders feed one replica, each with its part of a micro-batch", "[partition]") {
  const Traffic t = traffic(",encoder_dp=8");
  REQUIRE(t.ranks == 16 + 32);
  const auto found = ties(t, Pattern::Pipeline, 16);
  constexpr std::size_t kEach = 2 * 1 * 25 * 128 * 2;
  REQUIRE(found.size() == 8);
  CHECK(found[0] == std::array<std::size_t, 3>{1, 16, kEach});
  CHECK(found[1] == std::array<std::size_t, 3>{3, 16, kEach});
  CHECK(found[2] == std::array<std::size_t, 3>{5, 20, kEach});
  CHECK(found[7] == std::array<std::size_t, 3>{15, 28, kEach});
  CHECK(phase_of(t, "tp").groups.back().bytes == Bytes{8 / 2 * 2 * 100 * 64 * 2 * 10});
}

TEST_CASE("an encoder is as wide as its language model unless it says otherwise", "[partition]") {
  const Traffic t = traffic("");
  REQUIRE(t.ranks == 8 + 32);
  const auto found = ties(t, Pattern::Pipeline, 8);
  REQUIRE(found.size() == 4);
  CHECK(found[3] == std::array<std::size_t, 3>{7, 20, 2 * 2 * 25 * 128 * 2});
}

TEST_CASE("to a frozen encoder nothing comes back, and it reduces nothing", "[partition]") {
  const Traffic t = traffic(",encoder_dp=2,encoder_frozen=true");
  CHECK(ties(t, Pattern::Pipeline, 4).empty());
  CHECK(ties(t, Pattern::Chain, 4).size() == 4);
  CHECK(broadcasts(t).size() == 4);
  CHECK(phase_of(t, "dp").groups.size() == 8);
  CHECK(phase_of(t, "tp").groups[8].bytes == Bytes{4 / 2 * 8 * 100 * 64 * 2 * 10});
  CHECK(phase_of(t, "pp").steps == (2 + 3 - 2) + (2 + 2 - 2));
}

TEST_CASE("an encoder before a single stage makes a pipeline of two", "[partition]") {
  const Traffic t = traffic_of(
      parse_job_text("tp=4,dp=2,parameters=8e9,layers=10,hidden=128,seq=1000,micro_batches=3," +
                     kEncoder + ",encoder_frozen=true"),
      4);
  CHECK(phase_of(t, "pp").steps == 3);
  CHECK(ties(t, Pattern::Chain, 4).front() == std::array<std::size_t, 3>{1, 4, 3 * 25 * 128 * 2});
}

TEST_CASE("sharded encoders gather by layer, in shards that divide their replicas", "[partition]") {
  const Traffic t = traffic_of(
      parse_job_text("tp=4,dp=8,parameters=8e9,layers=10,hidden=128,seq=1000,micro_batches=3,"
                     "data_parallel=hsdp,shard=4," +
                     kEncoder + ",encoder_dp=2"),
      4);
  // 2 ranks of a shard hold 5e8 parameters: half of them 3 times, 2 + 2 + 4 bytes.
  CHECK(phase_of(t, "dp").groups.back().bytes == Bytes{3 * 250'000'000LL * 8});
  CHECK(phase_of(t, "dp").steps == 3 * 3 * 10 * 3);  // those of the language model's shards of 4
}

TEST_CASE("experts, too, are ranks after those of the encoder", "[partition]") {
  const Traffic t =
      traffic_of(parse_job_text("tp=2,dp=8,ep=8,model=mixtral-8x7b,mbs=4," + kEncoder), 4);
  REQUIRE(t.ranks == 16 + 16);
  CHECK(members(t, phase_of(t, "ep").groups.front()) == Indices{16, 17, 18, 19, 20, 21, 22, 23});
  CHECK(members(t, phase_of(t, "edp").groups.front()) == Indices{16, 24});
}

TEST_CASE("what is left of the GPUs is the language model's", "[partition]") {
  const std::string shape = "tp=4,pp=2,parameters=8e9,layers=10,hidden=128,seq=1000,mbs=2,";
  const auto dp = [&](const std::string& more) {
    return std::get<Training>(parse_job_text(shape + kEncoder + more).work).parallelism.dp;
  };
  CHECK(dp(",gpus=36,encoder_dp=2") == 4);
  CHECK(dp(",gpus=40") == 4);
  CHECK(mistake(shape + kEncoder + ",gpus=38,encoder_dp=2") ==
        "38 gpus are not the 4 of the encoder and a multiple of tp*cp*pp = 8");
  CHECK(mistake(shape + kEncoder + ",gpus=36") ==
        "36 gpus are no multiple of tp*cp*pp + encoder.tp = 10");
  CHECK(mistake(shape + kEncoder + ",gpus=36,encoder_dp=2,dp=8") ==
        "gpus is 36, but tp*cp*pp*dp with its encoder makes 68");
}

TEST_CASE("encoders that do not fit their language model are refused", "[partition]") {
  CHECK(mistake(kLanguage + kEncoder + ",encoder_dp=3") ==
        "encoder.dp is 3, expected a divisor or a multiple of dp = 4");
  CHECK(mistake(kLanguage + kEncoder + ",encoder_dp=16") ==
        "encoder.dp is 16, expected a divisor of micro_batch*dp = 8");
  CHECK(mistake(kLanguage + kEncoder + ",encoder_heads=15") ==
        "encoder.tp is 2, expected a divisor of the 15 attention heads of encoder");
  CHECK(mistake("tp=4,seq=20,model=llama3-8b," + kEncoder) ==
        "encoder.output_tokens is 25, expected at most sequence = 20");
}

TEST_CASE("a mistake of an encoder, or of its language model, has its place", "[partition]") {
  const auto place = [](const std::string& text) {
    try {
      static_cast<void>(parse_job_file(text, "job.yaml"));
    } catch (const InputError& error) {
      return error.problems().front().where;
    }
    return std::string();
  };
  const std::string encoder =
      "encoder: {parameters: 1e9, layers: 10, hidden: 64, tokens: 100, heads: 8, ";
  const std::string language = "model: llama3-8b\nparallelism: {tp: 8, ";
  CHECK(place(encoder + "tp: 3}\n" + language + "dp: 2}\n") == "job.yaml:1:79");
  CHECK(place(encoder + "tp: 2}\nmodel: llama3-8b\nparallelism: {dp: 2, tp: 3}\n") ==
        "job.yaml:3:26");
}

TEST_CASE("keys that an encoder lacks are named where it stands", "[partition]") {
  const auto mistakes = [](const std::string& text) {
    try {
      static_cast<void>(parse_job_file(text, "job.yaml"));
    } catch (const InputError& error) {
      std::vector<std::string> found;
      for (const Problem& problem : error.problems())
        found.push_back(problem.where + ": " + problem.what);
      return found;
    }
    return std::vector<std::string>();
  };
  CHECK(mistakes("parallelism: {dp: 2}\nencoder: {layers: 2, hidden: 64}\n") ==
        std::vector<std::string>{"job.yaml:2:10: the key \"parameters\" is missing",
                                 "job.yaml:2:10: the key \"tokens\" is missing"});
  CHECK(mistakes("parallelism: {dp: 2}\nencoder:\n").size() == 4);
  CHECK(mistakes("encoder: {parameters: 1e9, layers: 2, hidden: 64, tokens: 8, tp: 4194300}\n"
                 "parallelism: {dp: 8}\n") ==
        std::vector<std::string>{"job.yaml:1:66: the job has more than 4194304 ranks"});
}

TEST_CASE("servers of an encoder stand on a grid of their own, before the pipeline",
          "[partition]") {
  const Job job = parse_job_text(
      "tp=8,pp=2,dp=4,model=llama3-8b,mbs=4,encoder_parameters=1e9,encoder_layers=10,"
      "encoder_hidden=64,encoder_tokens=100,encoder_tp=4,encoder_dp=8");
  const auto at = vertex_coordinates(job, 8);
  REQUIRE(at.size() == 4 + 8);
  CHECK(at[0] == Coordinates{0, 0, -1});
  CHECK(at[3] == Coordinates{0, 3, -1});
  CHECK(at[4] == Coordinates{0, 0, 0});
  CHECK(at[11] == Coordinates{0, 3, 1});
  CHECK(vertex_coordinates(job, 32).size() == 1 + 2);
  CHECK(vertex_coordinates(job, 64).empty());  // a server of both
  // Of stages that share servers with their neighbours, rows.
  const auto rows = rough_coordinates(job, 8);
  REQUIRE(rows.size() == 12);
  CHECK(rows[3] == Coordinates{0, 3, 0});
  CHECK(rows[4] == Coordinates{0, 0, 1});
  CHECK(rows[11] == Coordinates{0, 3, 2});
}
