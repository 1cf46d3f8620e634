#include <algorithm>

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/scheduler/lint.hpp"

using namespace zonecut;

namespace {

constexpr const char* kUnequalZones = R"(
  a: r1[a1 a2 a3]
  b: r2[b1 b2]
  c: r3[c1]
)";

struct Posed {
  Sketch sketch;
  Job job;
  PlacementProblem problem;
  Posed(const char* text, const std::string& work)
      : sketch(zonecut::sketch(text)),
        job(parse_job_text(work)),
        problem(pose(*sketch.view, *sketch.fabric, job, {})) {}
};

std::int64_t cut(const PlacementProblem& problem, std::span<const ServerId> servers) {
  return evaluate(problem, servers, "").prediction.cross_zone.count;
}

}  // namespace

TEST_CASE("a ring of any order goes through every zone once, wherever its ranks stand",
          "[scheduler]") {
  const Posed fixed(kUnequalZones, "tp=8,dp=6,model=llama3-8b");
  const Posed free(kUnequalZones, "tp=8,dp=6,model=llama3-8b,ring_order=any");
  const auto together = free.sketch.servers("a1 a2 a3 b1 b2 c1");
  const auto mixed = free.sketch.servers("a1 b1 a2 c1 b2 a3");
  CHECK(cut(free.problem, mixed) == cut(free.problem, together));
  CHECK(cut(free.problem, mixed) == cut(fixed.problem, fixed.sketch.servers("a1 a2 a3 b1 b2 c1")));
  CHECK(cut(fixed.problem, fixed.sketch.servers("a1 b1 a2 c1 b2 a3")) > cut(free.problem, mixed));
  CHECK(evaluate(free.problem, mixed, "").cost == evaluate(free.problem, together, "").cost);
}

TEST_CASE("the chosen rings are told, and none where the order is fixed", "[scheduler]") {
  const Posed fixed(kUnequalZones, "tp=8,dp=6,model=llama3-8b");
  CHECK(evaluate(fixed.problem, fixed.sketch.servers("a1 a2 a3 b1 b2 c1"), "").rings.empty());
  const Posed free(kUnequalZones, "tp=8,dp=6,model=llama3-8b,ring_order=any");
  const Placement placed = evaluate(free.problem, free.sketch.servers("b1 a1 b2 a2 c1 a3"), "");
  REQUIRE(placed.rings.size() == 8);
  CHECK(placed.rings.front().phase == "dp");
  std::vector<std::size_t> servers;
  for (const RankId rank : placed.rings.front().ranks) servers.push_back(rank.index() / 8);
  CHECK(servers == std::vector<std::size_t>{1, 3, 5, 0, 2, 4});
}

TEST_CASE("no warning is given of rings that can be put in order", "[scheduler]") {
  const Posed free(kUnequalZones, "tp=8,dp=6,model=llama3-8b,ring_order=any");
  for (const Finding& finding : lint(free.problem, free.sketch.servers("a1 b1 a2 c1 b2 a3")))
    CHECK(finding.rule != "zone-changes");
}

TEST_CASE("the bound of a job with free rings holds for every assignment", "[scheduler]") {
  for (const char* work :
       {"tp=8,dp=6,model=llama3-8b,ring_order=any", "tp=8,dp=3,pp=2,model=llama3-8b,ring_order=any",
        "tp=4,dp=12,model=llama3-8b,ring_order=any",
        "tp=2,dp=24,zero=hsdp,shard=8,model=llama3-8b,ring_order=any",
        "tp=4,dp=4,cp=3,model=llama3-8b,ring_order=any",
        "tp=1,etp=1,ep=8,dp=48,model=mixtral-8x7b,ring_order=any"}) {
    INFO(work);
    const Posed posed(kUnequalZones, work);
    REQUIRE(posed.problem.bound);
    std::vector<ServerId> servers = posed.sketch.servers("a1 a2 a3 b1 b2 c1");
    std::ranges::sort(servers);
    std::int64_t least = cut(posed.problem, servers);
    do {
      least = std::min(least, cut(posed.problem, servers));
    } while (std::ranges::next_permutation(servers).found);
    CHECK(posed.problem.bound->value <= least);
    const PlacementResult result = place(posed.problem, {}, {});
    REQUIRE(std::holds_alternative<Placement>(result));
    CHECK(std::get<Placement>(result).prediction.cross_zone.count >= least);
    CHECK(std::get<Placement>(result).lower_bound->count <= least);
  }
}

TEST_CASE("free rings alone are bounded tightly", "[scheduler]") {
  // One ring over three zones cuts three of its edges, in any order.
  const Posed posed(kUnequalZones, "tp=8,dp=6,model=llama3-8b,ring_order=any");
  const Placement placed = std::get<Placement>(place(posed.problem, {}, {}));
  REQUIRE(placed.gap);
  CHECK(*placed.gap == 0);
}
