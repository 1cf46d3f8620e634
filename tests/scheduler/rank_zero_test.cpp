#include "zonecut/scheduler/rank_zero.hpp"

#include <algorithm>
#include <random>

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

Constraints on_all(const Sketch& sketch) {
  Constraints constraints;
  constraints.only.emplace();
  for (std::size_t i = 0; i < sketch.cluster->server_count(); ++i)
    constraints.only->push_back(ServerId{i});
  return constraints;
}

constexpr const char* kThreeZones = R"(
  a: r1[s1 s2 s3] r2[s4 s5]
  b: r3[s6 s7] r4[s8 s9]
  c: r5[s10 s11 s12]
)";

bool same_servers(std::vector<ServerId> a, std::vector<ServerId> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

}  // namespace

TEST_CASE("a ring begins anywhere at no cost", "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  const Job job = parse_job_text("gpus=96,model=llama3-8b");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, on_all(cluster));
  const auto placed = place(problem, on_all(cluster), {});
  const Placement& best = std::get<Placement>(placed);
  for (std::size_t i = 0; i < cluster.cluster->server_count(); ++i) {
    const Placement turned = with_rank_zero_on(problem, best, ServerId{i});
    INFO(cluster.cluster->server(ServerId{i}).name);
    CHECK(turned.servers.front() == ServerId{i});
    CHECK(same_servers(turned.servers, best.servers));
    CHECK(costs_no_more(turned, best));
  }
}

TEST_CASE("an encoder is turned with the replicas that it feeds, and no server stands twice",
          "[scheduler]") {
  // Two or four encoders in front of four replicas of two stages.
  const auto [encoders, drawing] = GENERATE(
      std::pair{4, kThreeZones}, std::pair{2, "a: r1[s1 s2 s3 s4 s5]\n b: r2[s6 s7 s8 s9 s10]"});
  const Sketch cluster = sketch(drawing);
  const Job job = parse_job_text(
      "tp=8,pp=2,dp=4,gbs=64,model=llama3-8b,encoder_parameters=1e9,encoder_layers=4,"
      "encoder_hidden=512,encoder_tokens=64,encoder_tp=8,encoder_dp=" +
      std::to_string(encoders));
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, on_all(cluster));
  const auto placed = place(problem, on_all(cluster), {});
  const Placement& best = std::get<Placement>(placed);
  for (std::size_t i = 0; i < cluster.cluster->server_count(); ++i) {
    const Placement turned = with_rank_zero_on(problem, best, ServerId{i});
    INFO(cluster.cluster->server(ServerId{i}).name << ": " << cluster.names(turned.servers));
    CHECK(turned.servers.front() == ServerId{i});
    CHECK(same_servers(turned.servers, best.servers));
  }
  for (std::size_t encoder = 0; encoder < static_cast<std::size_t>(encoders); ++encoder) {
    INFO("encoder " << encoder << " of " << cluster.names(best.servers));
    CHECK(costs_no_more(with_rank_zero_on(problem, best, best.servers[encoder]), best));
  }
}

TEST_CASE("pipelines are turned by replica and mirrored by stage", "[scheduler]") {
  const Sketch cluster = sketch(R"(
    a: r1[s1 s2 s3 s4]
    b: r2[s5 s6 s7 s8]
  )");
  // Two replicas of four stages: each replica has a zone, and either end of the pipeline can be
  // first.
  const Job job = parse_job_text("tp=8,pp=4,gpus=64,gbs=4096,model=llama3-8b");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, on_all(cluster));
  const auto placed = place(problem, on_all(cluster), {});
  const Placement& best = std::get<Placement>(placed);
  for (const char* name : {"s1", "s4", "s5", "s8"}) {
    const Placement turned = with_rank_zero_on(problem, best, cluster.server(name));
    INFO(name << ": " << cluster.names(turned.servers));
    CHECK(turned.servers.front() == cluster.server(name));
    CHECK(costs_no_more(turned, best));
  }
}

TEST_CASE("where rank 0 has a price, the order is there and the price is told", "[scheduler]") {
  const Sketch cluster = sketch(R"(
    a: r1[lone]
    b: r2[s1 s2 s3]
  )");
  // Only the last server's ranks send nothing.
  const JobFile file = parse_job_file(
      "gpus: 32\ncollectives: [{kind: all-reduce, ranks: 0-23, bytes: 1GiB}]\n", "job.yaml");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, file.job, on_all(cluster));
  const auto placed = place(problem, on_all(cluster), {});
  const Placement& best = std::get<Placement>(placed);
  REQUIRE(best.servers.back() == cluster.server("lone"));
  const Placement turned = with_rank_zero_on(problem, best, cluster.server("lone"));
  CHECK(turned.servers.front() == cluster.server("lone"));
  CHECK_FALSE(costs_no_more(turned, best));
  CHECK(costs_no_more(best, turned));
}

TEST_CASE("a server that the placement does not use is refused", "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  const Job job = parse_job_text("gpus=16,model=llama3-8b");
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
  const Placement two = evaluate(problem, cluster.servers("s1 s2"), "given");
  CHECK_THROWS_AS(with_rank_zero_on(problem, two, cluster.server("s12")), InputError);
}

TEST_CASE("any order of any job is turned to a permutation of itself", "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  std::mt19937 random(7);
  for (const char* text : {"tp=8,pp=3,gpus=96", "tp=4,cp=2,pp=2,gpus=96", "gpus=96,zero=3",
                           "tp=2,pp=2,ep=8,gpus=96,model=mixtral-8x7b",
                           "tp=4,pp=2,gpus=96,encoder_parameters=1e9,encoder_layers=2,"
                           "encoder_hidden=64,encoder_tokens=8,encoder_tp=4,encoder_dp=8"}) {
    INFO(text);
    const Job job = parse_job_text(text);
    const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, on_all(cluster));
    std::vector<ServerId> order = *on_all(cluster).only;
    for (int round = 0; round < 5; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      const Placement given = evaluate(problem, order, "given");
      const ServerId first = order[static_cast<std::size_t>(round) * 2 + 1];
      const Placement turned = with_rank_zero_on(problem, given, first);
      CHECK(turned.servers.front() == first);
      CHECK(same_servers(turned.servers, order));
    }
  }
}
