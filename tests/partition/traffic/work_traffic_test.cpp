// Recommendation, inference and explicit traffic.
#include <rapidcheck.h>

#include "partition/traffic/traffic_sums.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;

namespace {

Traffic traffic(std::variant<Training, Recommendation, Inference, ExplicitTraffic> work,
                int ranks_per_server = 8) {
  Job job;
  job.work = std::move(work);
  return traffic_of(job, ranks_per_server);
}

ExplicitTraffic one(Collective kind, std::size_t n, std::int64_t bytes,
                    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring) {
  ExplicitTraffic e;
  e.ranks = 16;
  ExplicitCollective c;
  c.name = "c";
  c.kind = kind;
  c.algorithm = algorithm;
  c.bytes = Bytes{bytes};
  for (std::size_t i = 0; i < n; ++i) c.members.emplace_back(i);
  e.collectives.push_back(std::move(c));
  return e;
}

Inference serving() {
  Inference i;
  i.model = *model_preset("llama3-70b");
  i.prefill_replicas = 2;
  i.prefill_tp = 8;
  i.decode_replicas = 4;
  i.decode_tp = 8;
  i.requests_per_second = 10;
  i.prompt_tokens = 1000;
  i.output_tokens = 100;
  return i;
}

}  // namespace

TEST_CASE("embeddings go all to all in equal parts, dense layers are all-reduced", "[partition]") {
  Recommendation r;
  r.ranks = 16;
  r.embedding_bytes = Bytes{15'000};
  r.dense_bytes = Bytes{16'000};
  const Traffic t = traffic(r);
  CHECK(phase_of(t, "a2a").groups.front().bytes == Bytes{1'000});
  // hierarchical: 2*7/8*16000 inside, 2*1/2*16000/8 between
  CHECK(phase_of(t, "dp").groups.front().bytes == Bytes{28'000});
  CHECK(phase_of(t, "dp").groups.back().bytes == Bytes{2'000});
}

TEST_CASE("unequal owners of embeddings send as much as equal ones, all together", "[partition]") {
  Recommendation r;
  r.ranks = 4;
  r.embedding_bytes = Bytes{3'000'000};
  r.rank_weights = {1, 1, 2, 0};
  const Traffic t = traffic(r, 2);
  // With equal weights every pair would exchange 500,000 each way in forward, as in backward.
  const Phase& forward = phase_of(t, "a2a");
  const auto there = matrix_of(t, forward);
  CHECK(there.at({0, 1}) == 500'000);
  CHECK(there.at({0, 2}) == 500'000);
  CHECK(there.at({2, 0}) == 1'000'000);
  CHECK(there.at({3, 0}) == 0);
  const Phase& backward = phase_of(t, "a2a_back");
  for (const auto& [pair, bytes] : matrix_of(t, backward))
    CHECK(bytes == there.at({pair.second, pair.first}));
  CHECK(total_of(t, forward) + total_of(t, backward) == 4 * 3'000'000);
  CHECK(forward.groups.front().bytes == Bytes{500'000});
  CHECK(forward.steps == 1);
  CHECK(backward.steps == 1);
}

TEST_CASE("keys and values go from every prefill to every decode replica", "[partition]") {
  const Traffic t = traffic(serving());
  // 10 requests/s * 1000 tokens * 80 layers * 2 * 8 heads * 128 * 2 bytes
  const std::int64_t cache = 10LL * 1000 * 80 * 2 * 8 * 128 * 2;
  const Phase& kv = phase_of(t, "kv");
  CHECK(kv.groups.size() == 2 * 4 * 8);
  CHECK(kv.groups.front().bytes == Bytes{cache / (2 * 4 * 8)});
  CHECK(total_of(t, kv) == cache);
  CHECK(matrix_of(t, kv).contains({7, 16 + 7}));
  // Two all-reduces a layer: 10 * 1000 / 2 tokens/s * 80 * 2 * 2 * 8192 * 2 bytes * 7/8
  CHECK(phase_of(t, "tp").groups.front().bytes == Bytes{5000LL * 80 * 4 * 8192 * 2 / 8 * 7});
}

TEST_CASE("caches are cut anew when decode has another tensor parallelism", "[partition]") {
  Inference i = serving();
  i.prefill_replicas = 1;
  i.decode_replicas = 1;
  i.prefill_tp = 2;
  i.decode_tp = 3;
  i.model.heads = 48;
  i.model.kv_heads = 6;
  const Traffic t = traffic(i, 5);
  const std::int64_t cache = 10LL * 1000 * 80 * 2 * 6 * 128 * 2;
  const auto matrix = matrix_of(t, phase_of(t, "kv"));
  // Shares of 1/2 against shares of 1/3, in sixths: 2, 1 | 1, 2
  REQUIRE(matrix.size() == 4);
  CHECK(static_cast<double>(matrix.at({0, 2})) == Approx(static_cast<double>(cache) / 3));
  CHECK(static_cast<double>(matrix.at({0, 3})) == Approx(static_cast<double>(cache) / 6));
  CHECK(static_cast<double>(matrix.at({1, 3})) == Approx(static_cast<double>(cache) / 6));
  CHECK(static_cast<double>(matrix.at({1, 4})) == Approx(static_cast<double>(cache) / 3));
}

TEST_CASE("decode ranks that share a head get a copy of it each", "[partition]") {
  Inference i = serving();
  i.prefill_replicas = 1;
  i.decode_replicas = 1;
  i.prefill_tp = 4;
  i.decode_tp = 16;
  const std::int64_t head = 10LL * 1000 * 80 * 2 * 128 * 2;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> expected;
  for (std::size_t d = 0; d < 16; ++d) expected[{d / 4, 4 + d}] = head;
  const Traffic t = traffic(i, 20);
  CHECK(matrix_of(t, phase_of(t, "kv")) == expected);
}

TEST_CASE("of prefill ranks that share a head as many send it as decode ranks take it",
          "[partition]") {
  Inference i = serving();
  i.prefill_replicas = 1;
  i.decode_replicas = 1;
  i.prefill_tp = 32;  // four ranks hold each of the eight heads
  const std::int64_t head = 10LL * 1000 * 80 * 2 * 128 * 2;
  const auto transfers = [&](int decode_tp) {
    i.decode_tp = decode_tp;
    const Traffic t = traffic(i, 32 + decode_tp);
    return matrix_of(t, phase_of(t, "kv"));
  };
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> expected;
  for (std::size_t h = 0; h < 8; ++h) expected[{4 * h, 32 + h / 2}] = head;
  CHECK(transfers(4) == expected);
  expected.clear();
  for (std::size_t d = 0; d < 16; ++d) expected[{2 * d, 32 + d}] = head;
  CHECK(transfers(16) == expected);
  expected.clear();
  for (std::size_t d = 0; d < 64; ++d) expected[{d / 2, 32 + d}] = head;
  CHECK(transfers(64) == expected);
}

TEST_CASE("latent attention is cached whole on every rank", "[partition]") {
  Inference i = serving();
  i.model = *model_preset("deepseek-v3");
  i.prefill_replicas = 1;
  i.decode_replicas = 1;
  i.prefill_tp = 1;
  i.decode_tp = 4;
  const std::int64_t cache = 10LL * 1000 * 61 * 2 * 288 * 2;
  const Traffic t = traffic(i, 5);
  CHECK(matrix_of(t, phase_of(t, "kv")) ==
        std::map<std::pair<std::size_t, std::size_t>, std::int64_t>{
            {{0, 1}, cache}, {{0, 2}, cache}, {{0, 3}, cache}, {{0, 4}, cache}});
}

TEST_CASE("what decode ranks get is what they hold", "[partition][property]") {
  CHECK(rc::check("copies of heads are counted", [] {
    Inference i = serving();
    i.model.kv_heads = *rc::gen::element(1, 2, 4, 8, 16);
    i.prefill_replicas = *rc::gen::inRange(1, 4);
    i.decode_replicas = *rc::gen::inRange(1, 4);
    i.prefill_tp = *rc::gen::element(1, 2, 4, 8, 16, 32);
    i.decode_tp = *rc::gen::element(1, 2, 4, 8, 16, 32);
    i.requests_per_second = 9 * 4;  // over 9 pairs at most
    const Traffic t = traffic(i, 1);
    const std::int64_t head = 36LL * 1000 * 80 * 2 * 128 * 2;
    const std::int64_t held = std::max(i.model.kv_heads, i.decode_tp);
    RC_ASSERT(total_of(t, phase_of(t, "kv")) == head * held);
  }));
}

TEST_CASE("too many pairs of replicas are refused", "[partition]") {
  Inference i = serving();
  i.prefill_replicas = 10'000;
  i.decode_replicas = 10'000;
  CHECK_THROWS_AS(traffic(i), InputError);
}

TEST_CASE("collectives count their buffers as NCCL does", "[partition]") {
  const auto sent = [](const ExplicitTraffic& e) {
    const Traffic t = traffic(e);
    return sent_by_rank(t, t.phases.front());
  };
  CHECK(sent(one(Collective::AllReduce, 4, 400))[0] == 600);
  CHECK(sent(one(Collective::AllGather, 4, 400))[0] == 300);
  CHECK(sent(one(Collective::ReduceScatter, 4, 400))[0] == 300);
  CHECK(sent(one(Collective::AllToAll, 4, 400))[0] == 300);
  const auto broadcast = sent(one(Collective::Broadcast, 4, 400));
  CHECK(broadcast[0] == 400);
  CHECK(broadcast[2] == 400);
  CHECK(broadcast[3] == 0);
  const auto message = sent(one(Collective::SendReceive, 2, 400));
  CHECK(message[0] == 400);
  CHECK(message[1] == 0);
}

TEST_CASE("steps follow the longest chain of messages", "[partition]") {
  const auto steps = [](const ExplicitTraffic& e) { return traffic(e).phases.front().steps; };
  CHECK(steps(one(Collective::AllReduce, 16, 16)) == 30);
  CHECK(steps(one(Collective::AllGather, 16, 16)) == 15);
  CHECK(steps(one(Collective::AllReduce, 16, 16, CollectiveAlgorithm::DoubleBinaryTree)) ==
        2 * (1 + 7));
  CHECK(steps(one(Collective::AllReduce, 16, 16, CollectiveAlgorithm::Hierarchical)) ==
        2 * (1 + 7));
  CHECK(steps(one(Collective::AllToAll, 16, 16)) == 1);
  CHECK(steps(one(Collective::Broadcast, 16, 16)) == 15);
  ExplicitTraffic often = one(Collective::AllGather, 16, 16);
  often.collectives.front().times = 10;
  CHECK(steps(often) == 150);
  CHECK(traffic(often).phases.front().groups.front().bytes == Bytes{150});
}

TEST_CASE("a ring passes all ranks of a server before the next, in whatever order they are named",
          "[partition]") {
  ExplicitTraffic e = one(Collective::AllGather, 0, 400);
  for (const std::size_t rank : {0u, 8u, 1u, 9u}) e.collectives.front().members.emplace_back(rank);
  const Traffic t = traffic(e);
  const auto matrix = matrix_of(t, t.phases.front());
  CHECK(matrix.contains({0, 1}));
  CHECK(matrix.contains({1, 8}));
  CHECK(matrix.contains({8, 9}));
  CHECK(matrix.contains({9, 0}));
}

TEST_CASE("collectives of one name run at the same time", "[partition]") {
  ExplicitTraffic e = one(Collective::AllGather, 4, 400);
  e.collectives.push_back(e.collectives.front());
  e.collectives.back().members = {RankId{8}, RankId{9}};
  e.collectives.push_back(e.collectives.front());
  e.collectives.back().name = "later";
  const Traffic t = traffic(e);
  REQUIRE(t.phases.size() == 2);
  CHECK(t.phases[0].groups.size() == 2);
  CHECK(t.phases[0].steps == 3);
}

TEST_CASE("collectives of one name and the same ranks go on one after the other", "[partition]") {
  ExplicitTraffic e = one(Collective::AllGather, 4, 400);
  e.collectives.front().times = 5;
  e.collectives.push_back(e.collectives.front());
  e.collectives.back().bytes = Bytes{800};
  e.collectives.push_back(e.collectives.front());
  e.collectives.back().members = {RankId{8}, RankId{9}};
  e.collectives.back().times = 40;
  const Traffic t = traffic(e);
  REQUIRE(t.phases.size() == 1);
  // Twice 5 times 3 steps in the one group, 40 in the other beside it.
  CHECK(t.phases[0].steps == 40);
  e.collectives.back().times = 7;
  CHECK(traffic(e).phases[0].steps == 30);
}

TEST_CASE("a pipeline passes messages on from hop to hop", "[partition]") {
  ExplicitTraffic e = one(Collective::Pipeline, 4, 100);
  e.collectives.front().times = 6;
  const Traffic t = traffic(e, 1);
  const Phase& phase = t.phases.front();
  CHECK(phase.groups.front().messages == 6);
  CHECK(phase.steps == 6 + 3 - 1);
  CHECK(matrix_of(t, phase) == std::map<std::pair<std::size_t, std::size_t>, std::int64_t>{
                                   {{0, 1}, 600}, {{1, 2}, 600}, {{2, 3}, 600}});
}

TEST_CASE("a library that exchanges pairwise takes a step for each other member", "[partition]") {
  Job job;
  Recommendation r;
  r.ranks = 16;
  r.embedding_bytes = Bytes{15'000};
  job.work = r;
  CHECK(traffic_of(job, 8).phases.front().steps == 2);
  CHECK_FALSE(traffic_of(job, 8).phases.front().groups.front().stepwise);
  job.all_to_all = AllToAllAlgorithm::Pairwise;
  CHECK(traffic_of(job, 8).phases.front().steps == 2 * 15);
  CHECK(traffic_of(job, 8).phases.front().groups.front().stepwise);
  // What a collective says of itself comes first.
  ExplicitTraffic e = one(Collective::AllToAll, 4, 400);
  e.collectives.front().all_to_all = AllToAllAlgorithm::Linear;
  job.work = e;
  CHECK_FALSE(traffic_of(job, 8).phases.front().groups.front().stepwise);
  e.collectives.front().all_to_all = AllToAllAlgorithm::Pairwise;
  e.collectives.front().times = 5;
  job.work = e;
  CHECK(traffic_of(job, 8).phases.front().steps == 15);
}

TEST_CASE("a matrix is taken as it is", "[partition]") {
  ExplicitTraffic e;
  e.ranks = 8;
  e.matrix = {{RankId{0}, RankId{5}, Bytes{10}},
              {RankId{5}, RankId{0}, Bytes{3}},
              {RankId{1}, RankId{1}, Bytes{0}}};
  const Traffic t = traffic(e);
  CHECK(matrix_of(t, phase_of(t, "matrix")) ==
        std::map<std::pair<std::size_t, std::size_t>, std::int64_t>{{{0, 5}, 10}, {{5, 0}, 3}});
}

TEST_CASE("members that do not exist, stand twice or send to themselves are refused",
          "[partition]") {
  ExplicitTraffic outside = one(Collective::AllReduce, 4, 400);
  outside.ranks = 3;
  CHECK_THROWS_AS(traffic(outside, 1), InputError);
  ExplicitTraffic twice = one(Collective::AllReduce, 4, 400);
  twice.collectives.front().members[1] = RankId{0};
  CHECK_THROWS_AS(traffic(twice), InputError);
  CHECK_THROWS_AS(traffic(one(Collective::SendReceive, 3, 400)), InputError);
  ExplicitTraffic loop;
  loop.ranks = 8;
  loop.matrix = {{RankId{1}, RankId{1}, Bytes{7}}};
  CHECK_THROWS_AS(traffic(loop), InputError);
  ExplicitTraffic huge = one(Collective::AllReduce, 4, std::int64_t{1} << 61);
  CHECK_THROWS_AS(traffic(huge), InputError);
}

TEST_CASE("what all ranks send is what the buffer demands, for every algorithm",
          "[partition][property]") {
  CHECK(rc::check("all-reduce moves 2(n-1) buffers in all", [] {
    const auto n = *rc::gen::inRange<std::size_t>(2, 17);
    const auto algorithm =
        *rc::gen::element(CollectiveAlgorithm::Ring, CollectiveAlgorithm::DoubleBinaryTree);
    // A multiple of 4 and of n, so that no rounding hides a mistake.
    const std::int64_t bytes = static_cast<std::int64_t>(n) * 4 * *rc::gen::inRange(1, 1'000'000);
    const Traffic t = traffic(one(Collective::AllReduce, n, bytes, algorithm));
    RC_ASSERT(total_of(t, t.phases.front()) == 2 * static_cast<std::int64_t>(n - 1) * bytes);
  }));
}

TEST_CASE("every group knows in how many messages its flows go", "[partition]") {
  const auto messages = [](const ExplicitTraffic& e) {
    const Traffic t = traffic(e, 4);
    return std::pair(t.phases[0].groups.front().messages, t.phases[0].groups.back().messages);
  };
  // Four servers of four: inside and between them 2·3 steps, not the 12 of the phase.
  ExplicitTraffic e = one(Collective::AllReduce, 16, 16'000, CollectiveAlgorithm::Hierarchical);
  CHECK(messages(e) == std::pair<std::int64_t, std::int64_t>{6, 6});
  e = one(Collective::AllReduce, 8, 16'000, CollectiveAlgorithm::Hierarchical);
  CHECK(messages(e) == std::pair<std::int64_t, std::int64_t>{6, 2});
  e = one(Collective::AllReduce, 16, 16'000, CollectiveAlgorithm::DoubleBinaryTree);
  e.collectives[0].times = 10;
  CHECK(messages(e) == std::pair<std::int64_t, std::int64_t>{10, 10});
  e = one(Collective::AllGather, 3, 16'000);
  e.collectives.push_back(one(Collective::SendReceive, 2, 1'000).collectives[0]);
  e.collectives[1].times = 7;
  CHECK(messages(e) == std::pair<std::int64_t, std::int64_t>{2, 7});

  Inference i = serving();
  i.decode_tp = 2;
  const Traffic t = traffic(i);
  const std::int64_t layers = i.model.layers;
  CHECK(phase_of(t, "tp").groups.front().messages == 4 * 7 * layers);
  CHECK(phase_of(t, "tp").groups.back().messages == 4 * layers);
}
