// How long the fabric takes to build and a prediction to make, by size. Budgets: the fabric of
// 16,384 servers 500 ms; a prediction of 16,384 GPUs 100 ms, also flow by flow; of 131,072 GPUs
// 700 ms; an exchange of two servers of 512 and its reverse, each with its seconds, 1 ms.
#include <benchmark/benchmark.h>

#include "support/drawn_cluster.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/scheduler/prediction.hpp"
#include "zonecut/scheduler/swap_evaluator.hpp"

using namespace zonecut;

namespace {

/// 256 racks of two servers in each zone, 18 CTSW, 7:1.
Cluster cluster_of(std::int64_t zones, LeafWiring leaves = LeafWiring::Rack) {
  FabricSpec spec;
  spec.leaves = leaves;
  spec.tiers = {{"ATSW", 18, 0, {}, 0, {15e-6}},
                {"CTSW", 18, 36, {}, 7, {7e-6}},
                {"RTSW", 1, 18, {50'000'000'000}, 0, {1e-6}}};
  return even_cluster(static_cast<int>(zones), 256, 2, spec);
}

Job training(int tp, int cp, int pp, int dp) {
  Training training;
  training.model = model_preset("llama3-405b").value();
  training.parallelism.tp = tp;
  training.parallelism.cp = cp;
  training.parallelism.pp = pp;
  training.parallelism.dp = dp;
  training.micro_batches = 16;
  return Job{"bench", training, 8, {}};
}

/// Every rank exchanges with all others: 17 thousand million flows at 131,072 ranks.
Job recommendation(int ranks, AllToAllAlgorithm algorithm = AllToAllAlgorithm::Linear) {
  Recommendation work;
  work.ranks = ranks;
  work.embedding_bytes = {1'000'000'000};
  work.dense_bytes = {1'000'000'000};
  return Job{"bench", work, 8, {}, algorithm};
}

std::vector<ServerId> first_servers(const Traffic& traffic, bool shuffled) {
  std::vector<ServerId> servers;
  for (std::size_t i = 0; i < traffic.vertices(); ++i) servers.emplace_back(i);
  if (shuffled) Random(1).shuffle(std::span(servers));
  return servers;
}

void predict_job(benchmark::State& state, const Cluster& cluster, const Job& job, bool shuffled,
                 const Routing& routing = {}) {
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
  const Traffic traffic = traffic_of(job, 8);
  const std::vector<ServerId> servers = first_servers(traffic, shuffled);
  for (auto _ : state) benchmark::DoNotOptimize(predict(fabric, traffic, servers, routing));
}

void swap_servers(benchmark::State& state, const Cluster& cluster, const Job& job) {
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
  const Traffic traffic = traffic_of(job, 8);
  SwapEvaluator evaluator(fabric, traffic, first_servers(traffic, true));
  Random random(1);
  for (auto _ : state) {
    const auto a = static_cast<std::size_t>(random.below(traffic.vertices()));
    const auto b = static_cast<std::size_t>(random.below(traffic.vertices()));
    for (int times = 0; times < 2; ++times) {
      evaluator.swap(a, b);
      benchmark::DoNotOptimize(evaluator.communication());
    }
  }
  state.SetItemsProcessed(2 * state.iterations());
}

void build_fabric(benchmark::State& state) {
  const Cluster cluster = cluster_of(state.range(0));
  const Health health(cluster);
  for (auto _ : state) benchmark::DoNotOptimize(Fabric::build(cluster, cluster.backend(), health));
}
BENCHMARK(build_fabric)
    ->Name("build/zones_of_512_servers")
    ->Arg(4)
    ->Arg(32)
    ->Unit(benchmark::kMillisecond);

void find_paths(benchmark::State& state) {
  const Cluster cluster = cluster_of(32);
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
  for (auto _ : state)
    benchmark::DoNotOptimize(fabric.equal_cost_paths(ServerId{0}, ServerId{16'000}));
}
BENCHMARK(find_paths)->Name("paths/across_zones");

BENCHMARK_CAPTURE(predict_job, 16k_gpus_tp_pp_dp, cluster_of(4), training(8, 1, 16, 128), false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 16k_gpus_all_to_all, cluster_of(4), recommendation(16'384), false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 16k_gpus_tp_pp_dp_te, cluster_of(4), training(8, 1, 16, 128), false,
                  Routing{RoutingScheme::Engineered})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 16k_gpus_tp_pp_dp_te_shuffled, cluster_of(4),
                  training(8, 1, 16, 128), true, Routing{RoutingScheme::Engineered})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 16k_gpus_tp_pp_dp_16_queue_pairs_seed, cluster_of(4),
                  training(8, 1, 16, 128), false, Routing{RoutingScheme::EnhancedEcmp, 16, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 16k_gpus_tp_pp_dp_ecmp, cluster_of(4), training(8, 1, 16, 128),
                  false, Routing{RoutingScheme::Ecmp})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 1k_gpus_tp_pp_dp_ecmp, cluster_of(4), training(8, 1, 16, 8), false,
                  Routing{RoutingScheme::Ecmp})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 1k_gpus_tp_pp_dp_4_queue_pairs, cluster_of(4), training(8, 1, 16, 8),
                  false, Routing{RoutingScheme::EnhancedEcmp, 4})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 16k_gpus_pairwise, cluster_of(4),
                  recommendation(16'384, AllToAllAlgorithm::Pairwise), false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 16k_gpus_pairwise_shuffled, cluster_of(4),
                  recommendation(16'384, AllToAllAlgorithm::Pairwise), true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 16k_gpus_all_to_all_rails, cluster_of(4, LeafWiring::Rail),
                  recommendation(16'384), false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 16k_gpus_pairwise_rails, cluster_of(4, LeafWiring::Rail),
                  recommendation(16'384, AllToAllAlgorithm::Pairwise), false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 16k_gpus_pairwise_rails_shuffled, cluster_of(4, LeafWiring::Rail),
                  recommendation(16'384, AllToAllAlgorithm::Pairwise), true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(swap_servers, 512_servers_tp_pp_dp, cluster_of(4), training(8, 1, 16, 32));
BENCHMARK_CAPTURE(swap_servers, 512_servers_all_to_all, cluster_of(4), recommendation(4096));
BENCHMARK_CAPTURE(predict_job, 131k_gpus_tp_cp_pp_dp, cluster_of(32), training(8, 16, 16, 64),
                  false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 131k_gpus_tp_cp_pp_dp_shuffled, cluster_of(32),
                  training(8, 16, 16, 64), true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_job, 131k_gpus_all_to_all, cluster_of(32), recommendation(131'072), false)
    ->Unit(benchmark::kMillisecond);

}  // namespace
