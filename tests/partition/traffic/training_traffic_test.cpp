// The formulas of docs/traffic.md, with figures worked by hand.
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "partition/traffic/traffic_sums.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;

namespace {

Job job(const std::string& text) { return parse_job_text(text); }

Traffic traffic(const std::string& text, int ranks_per_server = 8) {
  return traffic_of(job(text), ranks_per_server);
}

std::vector<std::size_t> members(const Traffic& traffic, const Group& group) {
  std::vector<std::size_t> indices;
  for (const RankId member : traffic.members_of(group)) indices.push_back(member.index());
  return indices;
}

using Indices = std::vector<std::size_t>;

}  // namespace

TEST_CASE("the 405B job on 16,384 GPUs sends what was worked out by hand", "[partition]") {
  const Traffic t = traffic("tp=8,pp=16,dp=128,vpp=7,model=llama3-405b,seq=8192,gbs=2048,mbs=1");
  REQUIRE(t.ranks == 16384);

  // (127/128) * 405e9/128 * (4 + 2) = 18,835,983,276 bytes per rank
  const Phase& dp = phase_of(t, "dp");
  REQUIRE(dp.groups.size() == 128);
  CHECK(dp.groups.front().size == 128);
  CHECK(dp.groups.front().bytes == Bytes{18'836'059'570});
  CHECK(static_cast<double>(dp.groups.front().bytes.count) * 128 == Approx(2.41e12).epsilon(0.001));
  CHECK(dp.steps == 2 * 127);

  // 16 micro-batches * 2 bytes * 8192 * 16384 / 8 = 536,870,912 for one chunk
  const Phase& pp = phase_of(t, "pp");
  CHECK(pp.groups.front().bytes == Bytes{7 * 536'870'912LL});
  CHECK(pp.groups.front().wrap_bytes == Bytes{6 * 536'870'912LL});
  CHECK(pp.steps == 2 * (16 * 7 + 16 - 2));
  const Traffic plain = traffic("tp=8,pp=16,dp=128,model=llama3-405b,seq=8192,gbs=2048");
  CHECK(phase_of(plain, "pp").groups.front().bytes == Bytes{536'870'912});
  CHECK(phase_of(plain, "pp").groups.front().wrap_bytes == Bytes{0});
}

TEST_CASE("tensor parallelism sends eight parts of the activations per layer and micro-batch",
          "[partition]") {
  // 8 * 7/8 * 8192 * 16384 * 2 bytes, 126/16 layers, 16 micro-batches
  const Traffic t = traffic("tp=8,pp=16,dp=128,model=llama3-405b,seq=8192,gbs=2048");
  CHECK(phase_of(t, "tp").groups.front().bytes == Bytes{7LL * 8192 * 16384 * 2 * 126});
  CHECK(phase_of(t, "tp").groups.size() == 2048);
  CHECK(phase_of(t, "tp").steps == 8 * 7 * 126);
  const Traffic cp = traffic("tp=8,cp=2,pp=16,dp=64,model=llama3-405b,seq=8192,gbs=1024");
  CHECK(phase_of(cp, "tp").groups.front().bytes == Bytes{7LL * 8192 * 16384 * 126});
}

TEST_CASE("a ring of keys and values costs three passes, heads shared by tensor ranks",
          "[partition]") {
  // 15 hops * 2 * (131072/16) tokens * 1 head of 128 * 2 bytes, three times, 126/16 * 16 layers
  const Traffic t = traffic("tp=8,cp=16,pp=16,dp=8,vpp=4,model=llama3-405b,seq=131072,gbs=128");
  CHECK(phase_of(t, "cp").groups.front().bytes == Bytes{15LL * 2 * 8192 * 128 * 2 * 3 * 126});
  CHECK(phase_of(t, "cp").groups.front().size == 16);
  SECTION("with more tensor ranks than heads, heads are copied") {
    const Traffic more = traffic("tp=16,cp=2,model=llama3-405b,seq=8192,gbs=1", 16);
    CHECK(phase_of(more, "cp").groups.front().bytes == Bytes{2LL * 4096 * 128 * 2 * 3 * 126});
  }
}

TEST_CASE("without sequence parallelism every tensor rank sends whole activations onward",
          "[partition]") {
  const std::string text = "tp=4,pp=2,dp=1,model=llama3-8b,gbs=4,sp=";
  CHECK(phase_of(traffic(text + "false"), "pp").groups.front().bytes ==
        phase_of(traffic(text + "true"), "pp").groups.front().bytes * 4);
}

TEST_CASE("messages have the sizes that a logged Llama-65B iteration has", "[partition]") {
  // AICB's log of TP 2, PP 8 without sequence parallelism: all-reduces over tp and messages over pp
  // are 33,554,432 bytes each, four all-reduces per layer, 8 micro-batches each way.
  constexpr std::int64_t kLogged = 33'554'432;
  const Traffic t = traffic(
      "tp=2,pp=8,dp=8,model=llama-65b,seq=2048,mbs=1,micro_batches=8,sequence_parallel=false");
  CHECK(phase_of(t, "pp").groups.front().bytes == Bytes{8 * kLogged});
  // A ring all-reduce over two ranks sends its buffer once from each; ten layers a stage.
  CHECK(phase_of(t, "tp").groups.front().bytes == Bytes{4 * 10 * 8 * kLogged});
}

TEST_CASE("steps beyond 62 bits are refused, not wrapped", "[partition]") {
  CHECK_THROWS_AS(traffic("dp=4096,parameters=1,layers=1073741824,hidden=1,zero=3,"
                          "accumulation_steps=2147483647"),
                  InputError);
}

TEST_CASE("the ways of data parallelism send what their formulas say", "[partition]") {
  // 16 ranks, 8e9 parameters: 15/16 * 8e9 = 7.5e9 per byte of a parameter
  const std::string text = "dp=16,parameters=8e9,layers=10,hidden=64,gbs=16,";
  CHECK(phase_of(traffic(text + "data_parallel=ddp"), "dp").groups.front().bytes ==
        Bytes{7'500'000'000LL * 2 * 4});
  CHECK(phase_of(traffic(text + "zero=1"), "dp").groups.front().bytes ==
        Bytes{7'500'000'000LL * (4 + 2)});
  // Each of four micro-batches scatters sharded gradients, but for those of a pipeline.
  const std::string zero2 = "dp=16,parameters=8e9,layers=10,hidden=64,gbs=64,zero=2";
  CHECK(phase_of(traffic(zero2), "dp").groups.front().bytes ==
        Bytes{7'500'000'000LL * (4 * 4 + 2)});
  CHECK(phase_of(traffic(zero2), "dp").steps == 15 * (4 + 1));
  CHECK(phase_of(traffic(zero2), "dp").groups.front().messages == 15 * (4 + 1));
  CHECK(phase_of(traffic(zero2 + ",pp=2"), "dp").groups.front().bytes ==
        Bytes{7'500'000'000LL / 2 * (4 + 2)});
  CHECK(phase_of(traffic(zero2 + ",accumulation_steps=1"), "dp").groups.front().bytes ==
        phase_of(traffic("dp=16,parameters=8e9,layers=10,hidden=64,gbs=64,zero=1"), "dp")
            .groups.front()
            .bytes);
  const Traffic zero3 = traffic(text + "zero=3,accumulation_steps=2,gradient_bytes=2");
  CHECK(phase_of(zero3, "dp").groups.front().bytes == Bytes{7'500'000'000LL * 2 * (2 + 2 + 2)});
  CHECK(phase_of(zero3, "dp").steps == 15 * 3 * 10 * 2);
  // Each of four micro-batches gathers parameters again, but for those of a pipeline.
  const std::string four = "dp=16,parameters=8e9,layers=10,hidden=64,gbs=64,zero=3";
  CHECK(phase_of(traffic(four), "dp").groups.front().bytes ==
        Bytes{7'500'000'000LL * 4 * (2 + 2 + 4)});
  CHECK(phase_of(traffic(four + ",pp=2"), "dp").groups.front().bytes ==
        Bytes{7'500'000'000LL / 2 * (2 + 2 + 4)});

  // Shards of 4: 3/4 * 8e9 * (2+2+4) inside; 4 replicas reduce a quarter: 2 * 3/4 * 2e9 * 4
  const Traffic hsdp = traffic(text + "data_parallel=hsdp,shard=4", 4);
  CHECK(phase_of(hsdp, "dp").groups.front().bytes == Bytes{48'000'000'000});
  CHECK(phase_of(hsdp, "dp_replica").groups.front().bytes == Bytes{12'000'000'000});
  CHECK(members(hsdp, phase_of(hsdp, "dp").groups[1]) == Indices{4, 5, 6, 7});
  CHECK(members(hsdp, phase_of(hsdp, "dp_replica").groups[1]) == Indices{1, 5, 9, 13});
}

TEST_CASE("replicas reduce what each of four micro-batches has scattered, layer by layer, or once",
          "[partition]") {
  const auto replicas = [](const std::string& more) {
    return phase_of(traffic("dp=16,parameters=8e9,layers=10,hidden=64,data_parallel=hsdp,shard=4,"
                            "gbs=64" +
                                more,
                            4),
                    "dp_replica");
  };
  // As above, 12 GB each time; six messages a layer go round four replicas.
  const Phase each = replicas("");
  CHECK(each.groups.front().bytes == Bytes{4 * 12'000'000'000LL});
  CHECK(each.steps == 4 * 10 * 6);
  CHECK(each.groups.front().messages == 4 * 10 * 6);
  CHECK(replicas(",accumulation_steps=2").groups.front().bytes == Bytes{2 * 12'000'000'000LL});
  CHECK(replicas(",accumulation_steps=2,replica_all_reduce=last").groups.front().bytes ==
        Bytes{12'000'000'000LL});
  const Phase last = replicas(",replica_all_reduce=last");
  CHECK(last.groups.front().bytes == Bytes{12'000'000'000LL});
  CHECK(last.steps == 10 * 6);
  // A pipeline keeps gradients for all of its micro-batches: half of the parameters, reduced once.
  CHECK(replicas(",pp=2").groups.front().bytes == Bytes{12'000'000'000LL / 2});
}

TEST_CASE("gradients are reduced over context and data parallel ranks together", "[partition]") {
  const Traffic t = traffic("tp=2,cp=2,dp=2,model=llama3-8b,gbs=2");
  CHECK(members(t, phase_of(t, "dp").groups.front()) == Indices{0, 2, 4, 6});
}

TEST_CASE("the order of the axes decides who is in a group", "[partition]") {
  const Traffic t = traffic("tp=2,pp=2,dp=2,order=tp-pp-dp,model=llama3-8b,gbs=4");
  CHECK(members(t, phase_of(t, "tp").groups.front()) == Indices{0, 1});
  CHECK(members(t, phase_of(t, "pp").groups.front()) == Indices{0, 2});
  CHECK(members(t, phase_of(t, "dp").groups.front()) == Indices{0, 4});
}

TEST_CASE("experts have a grid of their own and gradients of their own", "[partition]") {
  // 8 ranks: etp 1, ep 4, expert replicas 2; dense gradients over all 8 ranks of a stage.
  const Traffic t = traffic(
      "tp=2,dp=4,ep=4,parameters=10e9,layers=4,hidden=1024,experts=8,experts_per_token=2,"
      "moe_layers=4,expert_parameters=8e9,seq=4096,gbs=8");
  CHECK(members(t, phase_of(t, "ep").groups.front()) == Indices{0, 1, 2, 3});
  // 2 micro-batches, 4 layers, 2048 tokens * 2 copies * 1024 * (2+2) bytes, twice, a quarter each
  CHECK(phase_of(t, "ep").groups.front().bytes == Bytes{2LL * 4 * 2048 * 2 * 1024 * 4 * 2 / 4});
  CHECK(phase_of(t, "ep").steps == 4 * 4 * 2);
  CHECK(members(t, phase_of(t, "dp").groups.front()) == Indices{0, 2, 4, 6});
  CHECK(phase_of(t, "dp").groups.front().bytes == Bytes{2'000'000'000LL / 2 * 3 / 4 * 6});
  CHECK(members(t, phase_of(t, "edp").groups.front()) == Indices{0, 4});
  CHECK(phase_of(t, "edp").groups.front().bytes == Bytes{8'000'000'000LL / 4 / 2 * 6});
  // Only attention is left to the tensor-parallel collectives: 4 * 1/2 * 4096 * 1024 * 2, 8 times
  CHECK(phase_of(t, "tp").groups.front().bytes == Bytes{4LL * 4096 * 1024 * 8});
}

TEST_CASE("experts split over ranks gather their tokens", "[partition]") {
  const Traffic t = traffic(
      "tp=2,dp=4,ep=2,etp=2,parameters=10e9,layers=1,hidden=1024,experts=8,experts_per_token=2,"
      "moe_layers=1,expert_parameters=8e9,seq=4096,gbs=4");
  CHECK(members(t, phase_of(t, "etp").groups.front()) == Indices{0, 1});
  CHECK(members(t, phase_of(t, "ep").groups.front()) == Indices{0, 2});
  // four times (2-1) * 2048 tokens * 2 copies * 1024 * 2 bytes
  CHECK(phase_of(t, "etp").groups.front().bytes == Bytes{4LL * 2048 * 2 * 1024 * 2});
}

TEST_CASE("node-limited routing caps the copies of a token, and FP8 halves dispatch",
          "[partition]") {
  const std::string text = "model=deepseek-v3,pp=16,ep=64,dp=128,seq=4096,gbs=15360,";
  const Bytes limited = phase_of(traffic(text + "vpp=1"), "ep").groups.front().bytes;
  const Bytes unlimited =
      phase_of(traffic(text + "expert_node_limit=0"), "ep").groups.front().bytes;
  const Bytes eight_bit = phase_of(traffic(text + "dispatch_bytes=1"), "ep").groups.front().bytes;
  CHECK(unlimited == limited * 2);  // 8 experts, 4 servers
  CHECK(eight_bit.count * 4 == limited.count * 3);
}

TEST_CASE("trees carry all-reduces only", "[partition]") {
  const std::string text = "dp=64,model=llama3-8b,gbs=64,algorithm=tree,data_parallel=";
  CHECK(phase_of(traffic(text + "ddp"), "dp").groups.front().pattern == Pattern::Tree);
  CHECK(phase_of(traffic(text + "1"), "dp").groups.front().pattern == Pattern::Ring);
  CHECK(phase_of(traffic(text + "ddp"), "dp").steps == 2 * (3 + 7));
}

TEST_CASE("a hierarchical all-reduce rings inside servers and between them", "[partition]") {
  // S = 16e9 bytes of gradients, 4 servers of 8: 2*7/8*S inside, 2*3/4*S/8 between.
  const Traffic t = traffic(
      "dp=32,parameters=4e9,layers=1,hidden=64,gbs=32,algorithm=hierarchical,data_parallel=ddp");
  const Phase& dp = phase_of(t, "dp");
  REQUIRE(dp.groups.size() == 4 + 8);
  CHECK(dp.groups[0].bytes == Bytes{28'000'000'000});
  CHECK(members(t, dp.groups[5]) == Indices{1, 9, 17, 25});
  CHECK(dp.groups[5].bytes == Bytes{3'000'000'000});
  CHECK(dp.steps == 2 * (7 + 3));
}

TEST_CASE("uneven layers are a mean, not a mistake", "[partition]") {
  CHECK_NOTHROW(traffic("tp=8,pp=16,vpp=7,model=llama3-405b"));
  CHECK_THROWS_AS(traffic("tp=8,pp=16,vpp=8,model=llama3-405b"), InputError);
}

TEST_CASE("figures that do not fit together are refused, all at once", "[partition]") {
  Job bad;
  Training t;
  t.model = *model_preset("llama3-8b");
  t.parallelism.tp = 0;
  t.sequence = 0;
  t.accumulation_steps = -1;
  bad.work = t;
  try {
    static_cast<void>(traffic_of(bad, 8));
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(error.problems().size() >= 1);
    CHECK(error.problems().front().where == "tp");
  }
  for (const char* text : {
           "tp=8,pp=64,model=llama3-8b",                      // more stages than layers
           "tp=2,dp=2,ep=4,model=llama3-8b",                  // no experts
           "tp=1,dp=6,ep=3,model=mixtral-8x7b",               // 3 does not divide 8 experts
           "tp=1,dp=4,ep=8,model=mixtral-8x7b",               // 8 does not divide 4 ranks
           "dp=8,ep=8,order=tp-cp-dp-pp,model=mixtral-8x7b",  // no ep in the order
           "tp=2,pp=2,dp=8,ep=8,etp=1,order=tp-pp-dp-ep,model=mixtral-8x7b",  // pp differs
           "order=tp-tp,model=llama3-8b",
           "order=tp-xx,model=llama3-8b",
           "dp=3,gbs=4,model=llama3-8b",
           "gbs=4,micro_batches=3,model=llama3-8b",
           "vpp=2,model=llama3-8b",
           "tp=3,model=llama3-8b",  // does not divide 32 heads
           "dp=8,data_parallel=hsdp,shard=3,model=llama3-8b",
           "tp=2048,pp=2048,dp=2048,model=llama3-8b",
       }) {
    INFO(text);
    CHECK_THROWS_AS(traffic(text), InputError);
  }
}

TEST_CASE("traffic beyond 62 bits is refused, not wrapped", "[partition]") {
  CHECK_THROWS_AS(
      traffic("tp=2,pp=2,parameters=1e17,layers=1000000000,hidden=1000000000,seq=2147483647"),
      InputError);
  CHECK_THROWS_AS(traffic("dp=4096,parameters=1e17,layers=1,hidden=1,gbs=4096"), InputError);
}

TEST_CASE("a last server that is not full is refused, a job smaller than a server is not",
          "[partition]") {
  CHECK_THROWS_AS(traffic("dp=12,model=llama3-8b"), InputError);
  CHECK(traffic("dp=4,model=llama3-8b").vertices() == 1);
  CHECK(traffic("dp=4,model=llama3-8b").ranks_per_server == 4);
  CHECK_THROWS_AS(traffic("dp=4,model=llama3-8b", 0), InputError);
}

TEST_CASE("what hides behind computation is noted by phase", "[partition]") {
  const Traffic t = traffic("tp=2,dp=2,model=llama3-8b,overlap.dp=0.9");
  CHECK(phase_of(t, "dp").overlap == 0.9);
  CHECK(phase_of(t, "tp").overlap == 0);
  const auto left = exposed(t);
  REQUIRE(left);
  CHECK(phase_of(*left, "tp").groups.front().bytes == phase_of(t, "tp").groups.front().bytes);
  const auto whole = static_cast<double>(phase_of(t, "dp").groups.front().bytes.count);
  CHECK(phase_of(*left, "dp").groups.front().bytes == Bytes{std::llround(0.1 * whole)});
  CHECK_FALSE(exposed(traffic("tp=2,dp=2,model=llama3-8b")));
}

TEST_CASE("every group of an axis partitions the ranks, in every order", "[partition][property]") {
  CHECK(rc::check("groups partition the ranks", [] {
    std::vector<std::string> axes = {"tp", "cp", "dp", "pp", "ep"};
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 120);
    for (std::uint64_t i = 0; i < seed; ++i) std::next_permutation(axes.begin(), axes.end());
    std::string order = axes[0];
    for (std::size_t i = 1; i < axes.size(); ++i) order += "-" + axes[i];
    const int tp = *rc::gen::element(1, 2, 4), cp = *rc::gen::inRange(1, 4);
    const int pp = *rc::gen::inRange(1, 4), dp = *rc::gen::inRange(1, 5);
    const Job j =
        job("tp=" + std::to_string(tp) + ",cp=" + std::to_string(cp) + ",pp=" + std::to_string(pp) +
            ",dp=" + std::to_string(dp) + ",order=" + order + ",model=llama3-8b");
    const Traffic t = traffic_of(j, 1);
    for (const Phase& phase : t.phases) {
      std::set<std::size_t> seen;
      std::size_t count = 0;
      for (const Group& group : phase.groups) {
        for (const RankId member : t.members_of(group)) seen.insert(member.index());
        count += group.size;
      }
      RC_ASSERT(count == t.ranks);
      RC_ASSERT(seen.size() == t.ranks);
    }
  }));
}

TEST_CASE("every rank of a symmetric job sends the same bytes around its rings",
          "[partition][property]") {
  CHECK(rc::check("ring traffic is what the formula says, for every rank", [] {
    const int tp = *rc::gen::inRange(1, 5), dp = *rc::gen::inRange(2, 9);
    const int g = *rc::gen::element(2, 4);
    const std::int64_t parameters = *rc::gen::inRange<std::int64_t>(1'000'000, 1'000'000'000);
    const Job j = job("tp=" + std::to_string(tp) + ",dp=" + std::to_string(dp) +
                      ",parameters=" + std::to_string(parameters) +
                      ",layers=1,hidden=8,gradient_bytes=" + std::to_string(g));
    const Traffic t = traffic_of(j, 1);
    const double expected = static_cast<double>(parameters) / tp * (dp - 1) / dp * (g + 2);
    for (const std::int64_t sent : sent_by_rank(t, phase_of(t, "dp")))
      RC_ASSERT(std::abs(static_cast<double>(sent) - expected) <= 1);
  }));
}
