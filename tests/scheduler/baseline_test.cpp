#include "zonecut/scheduler/baseline.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/sketch.hpp"

using namespace zonecut;

namespace {

/// Names interleave over the racks, as they do when racks are cabled round robin.
constexpr const char* kInterleaved = R"(
  a: r1[n1 n4] r2[n7 n10]
  b: r3[n2 n5 n8] r4[n11]
  c: r5[n3 n6] r6[n9]
)";

std::string order_of(const Sketch& sketch, const PlacementProblem& problem, Baseline baseline,
                     std::span<const ServerId> chosen = {}) {
  const auto order = baseline_order(baseline, problem, chosen, 1);
  return order ? sketch.names(*order) : "none";
}

}  // namespace

TEST_CASE("Slurm's block joins racks as they stand and numbers by name", "[scheduler]") {
  const Sketch cluster = sketch(kInterleaved);
  const Job two = parse_job_text("tp=8,dp=2,model=llama3-8b");
  const PlacementProblem small = pose(*cluster.view, *cluster.fabric, two, {});
  // The smallest rack, r4 of one server, says the size of a base block, so two servers are looked
  // for in two racks: r1 r2 have four, r3 r4 four, r5 r6 three.
  CHECK(order_of(cluster, small, Baseline::SlurmBlock) == "n3 n6");
  const Job four = parse_job_text("tp=8,dp=4,model=llama3-8b");
  const PlacementProblem large = pose(*cluster.view, *cluster.fabric, four, {});
  // In four racks: r1 to r4 have eight, r5 and r6 are alone and have too few. r3, then for the one
  // that is left the tightest, r4.
  CHECK(order_of(cluster, large, Baseline::SlurmBlock) == "n2 n5 n8 n11");
}

TEST_CASE("Kubernetes scatters pods over the zones", "[scheduler]") {
  const Sketch cluster = sketch(kInterleaved);
  const Job job = parse_job_text("tp=8,dp=3,model=llama3-8b");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
  const auto order = baseline_order(Baseline::Kubernetes, problem, {}, 1);
  REQUIRE(order);
  CHECK(cluster.cluster->common_level((*order)[0], (*order)[1]) == 0);
  CHECK(cluster.cluster->common_level((*order)[1], (*order)[2]) == 0);
  CHECK(cluster.cluster->common_level((*order)[0], (*order)[2]) == 0);
}

TEST_CASE("Arnold gives each stage a zone of its own where a zone holds one", "[scheduler]") {
  const Sketch cluster = sketch(R"(
    a: r1[a1 a2*] r2[a3 a4]
    b: r3[b1 b2 b3]
  )");
  const Job job = parse_job_text("tp=8,pp=2,dp=3,order=tp-pp-dp,model=llama3-8b");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
  // Ranks go stage by stage within a replica.
  CHECK(order_of(cluster, problem, Baseline::Arnold) == "a1 b1 a3 b2 a4 b3");
}

TEST_CASE("linear takes the first servers by number, not by letter", "[scheduler]") {
  const Sketch cluster = sketch(kInterleaved);
  const Job job = parse_job_text("tp=8,dp=11,model=llama3-8b");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
  CHECK(order_of(cluster, problem, Baseline::Linear) == "n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11");
}

TEST_CASE("Slurm's tree takes the smallest switch that fits and numbers by name", "[scheduler]") {
  const Sketch cluster = sketch(kInterleaved);
  const Job three = parse_job_text("tp=8,dp=3,model=llama3-8b");
  const PlacementProblem small = pose(*cluster.view, *cluster.fabric, three, {});
  CHECK(order_of(cluster, small, Baseline::SlurmTree) == "n2 n5 n8");  // rack r3 holds it
  const Job five = parse_job_text("tp=8,dp=5,model=llama3-8b");
  const PlacementProblem large = pose(*cluster.view, *cluster.fabric, five, {});
  // No zone holds five: the largest leaf r3 whole, then the tightest leaf that holds the two left,
  // r1.
  CHECK(order_of(cluster, large, Baseline::SlurmTree) == "n1 n2 n4 n5 n8");
}

TEST_CASE(
    "zone-sorted and best-fit fill whole zones, the one from the largest, the other from the "
    "smallest",
    "[scheduler]") {
  const Sketch cluster = sketch(kInterleaved);
  const Job job = parse_job_text("tp=8,dp=6,model=llama3-8b");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
  // Rooms: a 4, b 4, c 3. The largest first (a), then the smallest zone that holds the two left
  // (c).
  CHECK(order_of(cluster, problem, Baseline::ZoneSorted) == "n1 n4 n7 n10 n3 n6");
  CHECK(order_of(cluster, problem, Baseline::BestFit) == "n3 n6 n9 n1 n4 n7");
}

TEST_CASE("random orders differ by seed and use every place once", "[scheduler]") {
  const Sketch cluster = sketch(kInterleaved);
  const Job job = parse_job_text("tp=8,dp=11,model=llama3-8b");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
  auto one = *baseline_order(Baseline::Random, problem, {}, 1);
  auto two = *baseline_order(Baseline::Random, problem, {}, 2);
  CHECK(one != two);
  std::sort(one.begin(), one.end());
  CHECK(std::adjacent_find(one.begin(), one.end()) == one.end());
}

TEST_CASE("the framework's order sorts the chosen servers by name", "[scheduler]") {
  const Sketch cluster = sketch(kInterleaved);
  const Job job = parse_job_text("tp=8,dp=3,model=llama3-8b");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
  const auto chosen = cluster.servers("n10 n2 n1");
  CHECK(order_of(cluster, problem, Baseline::Framework, chosen) == "n1 n2 n10");
}

TEST_CASE("DLRover's rule gives whole pipeline columns to the group with most slots",
          "[scheduler]") {
  const Sketch cluster = sketch(R"(
    a: r1[a1 a2] r2[a3 a4]
    b: r3[b1 b2]
  )");
  // Two stages of three replicas, rank = replica + 3·stage. Pipeline traffic is made to outweigh
  // the ring's by many micro batches: columns {a1 a2} {a3 a4} {b1 b2} then cut less than contiguous
  // groups.
  const Job job = parse_job_text("tp=8,pp=2,dp=3,gbs=3072,mbs=1,seq=8192,model=llama3-8b");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
  const auto chosen = cluster.servers("a1 a2 a3 a4 b1 b2");
  CHECK(order_of(cluster, problem, Baseline::DlroverRerank, chosen) == "a1 a3 b1 a2 a4 b2");
}

TEST_CASE("a rule that finds no room says so", "[scheduler]") {
  const Sketch cluster = sketch("a: r1[a1 a2*]");
  const Job job = parse_job_text("tp=8,dp=2,model=llama3-8b");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
  for (const Baseline baseline :
       {Baseline::SlurmTree, Baseline::Linear, Baseline::BestFit, Baseline::Random,
        Baseline::ZoneSorted, Baseline::SlurmBlock, Baseline::Kubernetes, Baseline::Arnold}) {
    CHECK_FALSE(baseline_order(baseline, problem, {}, 1));
  }
}

TEST_CASE("every rule is found by its name", "[scheduler]") {
  for (const Baseline baseline : all_baselines()) {
    CHECK(find_baseline(baseline_name(baseline)) == baseline);
    CHECK_FALSE(baseline_summary(baseline).empty());
  }
  CHECK_FALSE(find_baseline("slurm"));
}
