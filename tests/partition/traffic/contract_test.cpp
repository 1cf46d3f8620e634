#include <rapidcheck.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "partition/traffic/traffic_sums.hpp"
#include "support/catch.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/communication_graph.hpp"

using namespace zonecut;

namespace {

using Step = std::array<int, 3>;

/// Weights of the edges by the step their ends are apart in the grid, each the same for all edges
/// of that step to within rounding; wrapped steps are negative.
std::map<Step, double> weights_by_step(const CommunicationGraph& graph,
                                       const std::vector<Coordinates>& at) {
  std::map<Step, std::pair<double, int>> sums;
  for (std::size_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      Step step{};
      for (std::size_t i = 0; i < 3; ++i) step[i] = at[v][i] - at[u][i];
      if (step < Step{}) continue;
      auto& [sum, count] = sums[step];
      sum += static_cast<double>(weight);
      ++count;
    }
  }
  std::map<Step, double> means;
  for (const auto& [step, entry] : sums) means[step] = entry.first / entry.second;
  return means;
}

struct Published {
  CommunicationGraph graph;
  std::vector<Coordinates> coordinates;
};

std::optional<Published> published(const std::string& name) {
  const std::string stem = std::string(ZONECUT_SHARED_DATA) + "/mapping/" + name;
  if (!std::filesystem::exists(stem + ".graph")) {
    WARN("skipped: " << stem << ".graph is absent");
    return std::nullopt;
  }
  Published result{parse_metis_graph(read_file(stem + ".graph"), name), {}};
  result.coordinates =
      parse_coordinates(read_file(stem + ".coords"), name, result.graph.vertices());
  return result;
}

std::vector<std::int64_t> expand(const Traffic& traffic) {
  const std::size_t n = traffic.vertices();
  std::vector<std::int64_t> matrix(n * n, 0);
  for (const Phase& phase : traffic.phases) {
    for (const Group& group : phase.groups) {
      for_each_flow(traffic, group, [&](const Flow& flow) {
        const std::size_t a = flow.from.index() / traffic.ranks_per_server;
        const std::size_t b = flow.to.index() / traffic.ranks_per_server;
        if (a == b) return;
        matrix[a * n + b] += flow.bytes.count;
        matrix[b * n + a] += flow.bytes.count;
      });
    }
  }
  return matrix;
}

std::vector<std::int64_t> dense(const CommunicationGraph& graph) {
  std::vector<std::int64_t> matrix(graph.vertices() * graph.vertices(), 0);
  for (std::size_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) matrix[u * graph.vertices() + v] = weight;
  }
  return matrix;
}

}  // namespace

TEST_CASE("contraction adds up the flows between servers", "[partition]") {
  for (const auto& [text, ranks_per_server] : std::vector<std::pair<std::string, int>>{
           {"tp=2,cp=2,pp=2,dp=4,model=llama3-8b", 4},
           {"tp=4,pp=4,dp=4,vpp=2,model=llama3-8b,algorithm=tree,zero=0", 2},
           {"tp=2,pp=2,dp=8,ep=8,model=mixtral-8x7b", 4},
           {"tp=1,dp=8,ep=8,model=mixtral-8x7b", 3 - 1},
           {"dp=32,model=llama3-8b,data_parallel=hsdp,shard=8", 4},
           {"kind=recommendation,gpus=12,embedding=1MB,dense=2MB", 3},
           {"kind=inference,prefill_replicas=2,decode_replicas=3,decode_tp=4,rps=5,"
            "model=llama3-8b",
            4},
       }) {
    INFO(text);
    const Traffic t = traffic_of(parse_job_text(text), ranks_per_server);
    CHECK(dense(contract(t)) == expand(t));
    // Parts of servers, brought together again.
    for (const std::size_t ranks : {std::size_t{1}, t.ranks_per_server / 2}) {
      const CommunicationGraph parts = contract(t, ranks);
      std::vector<CommunicationGraph::Edge> edges;
      for (std::uint32_t u = 0; u < parts.vertices(); ++u) {
        for (const CommunicationGraph::Neighbour& to : parts.neighbours(u)) {
          const auto server = [&](std::uint32_t part) {
            return static_cast<std::uint32_t>(part * ranks / t.ranks_per_server);
          };
          if (u < to.vertex) edges.push_back({server(u), server(to.vertex), to.weight});
        }
      }
      if (t.ranks_per_server % ranks != 0) continue;
      CHECK(CommunicationGraph::from_edges(t.vertices(), std::move(edges)) == contract(t));
    }
  }
}

TEST_CASE("contraction of unequal all-to-all groups equals that of their flows",
          "[partition][property]") {
  CHECK(rc::check("pairs of servers stand for pairs of ranks", [] {
    Recommendation r;
    const int servers = *rc::gen::inRange(1, 6), local = *rc::gen::inRange(1, 4);
    r.ranks = servers * local;
    r.embedding_bytes = Bytes{*rc::gen::inRange<std::int64_t>(0, 1'000'000)};
    for (int i = 0; i < r.ranks; ++i) r.rank_weights.push_back(*rc::gen::inRange(1, 10));
    Job job;
    job.work = r;
    const Traffic t = traffic_of(job, local);
    RC_ASSERT(dense(contract(t)) == expand(t));
  }));
}

TEST_CASE("a dense job is a ring times a pipeline of constant weights, as published",
          "[partition]") {
  const auto data = published("l405_1k");
  if (!data) return;
  const Job job = parse_job_text("tp=8,pp=16,dp=64,model=llama3-405b,seq=8192,micro_batches=32");
  const CommunicationGraph graph = contract(traffic_of(job, 8));
  CHECK(graph.vertices() == data->graph.vertices());
  CHECK(graph.edges() == data->graph.edges());
  const auto ours = weights_by_step(graph, vertex_coordinates(job, 8));
  const auto theirs = weights_by_step(data->graph, data->coordinates);
  REQUIRE(ours.size() == theirs.size());
  for (const auto& [step, weight] : theirs) REQUIRE(ours.contains(step));
  CHECK(ours.at({0, 1, 0}) / ours.at({0, 0, 1}) ==
        Approx(theirs.at({0, 1, 0}) / theirs.at({0, 0, 1})).epsilon(0.005));
}

TEST_CASE("context parallelism and virtual stages have the published weights", "[partition]") {
  const auto data = published("l405cp_2k");
  if (!data) return;
  const Job job =
      parse_job_text("tp=8,cp=16,pp=16,dp=8,vpp=4,model=llama3-405b,seq=131072,micro_batches=16");
  const CommunicationGraph graph = contract(traffic_of(job, 8));
  CHECK(graph.edges() == data->graph.edges());
  const auto ours = weights_by_step(graph, vertex_coordinates(job, 8));
  const auto theirs = weights_by_step(data->graph, data->coordinates);
  REQUIRE(ours.size() == theirs.size());
  const double scale = theirs.at({1, 0, 0}) / ours.at({1, 0, 0});
  for (const auto& [step, weight] : theirs) {
    INFO(step[0] << ' ' << step[1] << ' ' << step[2]);
    REQUIRE(ours.contains(step));
    CHECK(ours.at(step) * scale == Approx(weight).epsilon(0.01));
  }
}

TEST_CASE("a mixture of experts has the published structure", "[partition]") {
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"moe_256", "model=deepseek-v3,pp=16,ep=64,dp=128,micro_batches=60,dispatch_bytes=1"},
           {"moe_4k", "model=deepseek-v3,pp=16,ep=64,dp=2048,micro_batches=60,dispatch_bytes=1"}}) {
    INFO(name);
    const auto data = published(name);
    if (!data) return;
    const Job job = parse_job_text(text);
    const CommunicationGraph graph = contract(traffic_of(job, 8));
    CHECK(graph.vertices() == data->graph.vertices());
    CHECK(graph.edges() == data->graph.edges());
    const auto ours = weights_by_step(graph, vertex_coordinates(job, 8));
    const auto theirs = weights_by_step(data->graph, data->coordinates);
    REQUIRE(ours.size() == theirs.size());
    for (const auto& [step, weight] : theirs) CHECK(ours.contains(step));
  }
}

TEST_CASE("hybrid sharding is a torus, as published", "[partition]") {
  const auto data = published("hsdp_512");
  if (!data) return;
  const Job job = parse_job_text("dp=4096,model=llama3-8b,data_parallel=hsdp,shard=128");
  const CommunicationGraph graph = contract(traffic_of(job, 8));
  CHECK(graph.edges() == data->graph.edges());
  const auto ours = weights_by_step(graph, vertex_coordinates(job, 8));
  const auto theirs = weights_by_step(data->graph, data->coordinates);
  REQUIRE(ours.size() == theirs.size());
  for (const auto& [step, weight] : theirs) CHECK(ours.contains(step));
}

TEST_CASE("an all-to-all over too many servers is refused", "[partition]") {
  Recommendation r;
  r.ranks = 131'072;
  r.embedding_bytes = Bytes{1 << 20};
  Job job;
  job.work = r;
  CHECK_THROWS_AS(contract(traffic_of(job, 8)), InputError);
}
