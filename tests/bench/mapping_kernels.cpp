// The steps of a mapping one by one, by vertices: contraction, bound, model of lines, annealing,
// METIS, pair passes, balls, measuring. A job of 405B parameters in 16 stages over six unequal
// zones; a vertex is a server.
#include <benchmark/benchmark.h>

#include <numeric>

#include "bound/bound.hpp"
#include "coordinates/recover_coordinates.hpp"
#include "metis_partition.hpp"
#include "refine/refine_pairs.hpp"
#include "refine/refine_search.hpp"
#include "refine/repair.hpp"
#include "starts/line_layout.hpp"
#include "starts/line_model.hpp"
#include "starts/slicing_starts.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

constexpr std::size_t kStages = 16;
constexpr int kRanksPerServer = 8;

struct Instance {
  Traffic traffic;
  std::vector<Coordinates> coordinates;
  CommunicationGraph graph;
  PartitionProblem problem;

  explicit Instance(const benchmark::State& state)
      : Instance(load_job("tp=8,pp=16,model=llama3-405b,dp=" +
                          std::to_string(static_cast<std::size_t>(state.range(0)) / kStages))
                     .job) {}
  explicit Instance(const Job& job)
      : traffic(traffic_of(job, kRanksPerServer)),
        coordinates(vertex_coordinates(job, kRanksPerServer)),
        graph(contract(traffic)),
        problem{graph, unequal(graph.vertices()), coordinates} {}

 private:
  /// Six zones, the largest four times the smallest.
  static Shares unequal(std::size_t vertices) {
    const Shares weight = {41, 33, 29, 23, 17, 11};
    const std::size_t all = std::accumulate(weight.begin(), weight.end(), std::size_t{0});
    Shares shares;
    for (const std::uint32_t w : weight)
      shares.push_back(static_cast<std::uint32_t>(vertices * w / all));
    shares.front() +=
        static_cast<std::uint32_t>(vertices) - std::accumulate(shares.begin(), shares.end(), 0u);
    return shares;
  }
};

void contract_traffic(benchmark::State& state) {
  const Instance instance(state);
  for (auto _ : state) benchmark::DoNotOptimize(contract(instance.traffic));
}

void bound_separable(benchmark::State& state) {
  const Instance instance(state);
  for (auto _ : state) benchmark::DoNotOptimize(bound_of(instance.problem, 0));
}

void bound_multipliers(benchmark::State& state) {
  const Instance instance(state);
  for (auto _ : state) benchmark::DoNotOptimize(bound_of(instance.problem, 20'000'000));
}

void recover(benchmark::State& state) {
  const Instance instance(state);
  for (auto _ : state) benchmark::DoNotOptimize(recover_coordinates(instance.graph));
}

void model_lines(benchmark::State& state) {
  const Instance instance(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        LineModel(instance.graph, lay_out_lines(instance.graph, instance.coordinates)));
}

void anneal(benchmark::State& state) {
  const Instance instance(state);
  const LineModel model(instance.graph, lay_out_lines(instance.graph, instance.coordinates));
  const std::vector<Shares> choices = {instance.problem.capacity};
  for (auto _ : state)
    benchmark::DoNotOptimize(
        slicing_starts(instance.problem, model, choices, {10'000'000, 1}, {.seed = 1}));
}

void partition_by_metis(benchmark::State& state) {
  const Instance instance(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        metis_partition(instance.graph, instance.problem.capacity, MetisMethod::Kway, 1));
}

/// Where refinement begins: METIS, brought to exact capacities.
std::vector<std::uint32_t> rough(const Instance& instance) {
  WorkingPartition partition(
      instance.problem,
      metis_partition(instance.graph, instance.problem.capacity, MetisMethod::Kway, 1).value());
  repair(partition);
  return {partition.all().begin(), partition.all().end()};
}

void refine_pairs(benchmark::State& state) {
  const Instance instance(state);
  const std::vector<std::uint32_t> start = rough(instance);
  for (auto _ : state) {
    WorkingPartition partition(instance.problem, start);
    WorkBudget budget(1'000'000'000);
    PairRefinement(partition, 64).improve_all(budget);
    benchmark::DoNotOptimize(partition.cut());
  }
}

void exchange_balls(benchmark::State& state) {
  const Instance instance(state);
  const std::vector<std::uint32_t> start = rough(instance);
  for (auto _ : state) {
    WorkingPartition partition(instance.problem, start);
    WorkBudget budget(1'000'000);
    Random random(1);
    search_by_balls(partition, random, budget, 0);
    benchmark::DoNotOptimize(partition.cut());
  }
}

void measure_cut(benchmark::State& state) {
  const Instance instance(state);
  const std::vector<std::uint32_t> part = rough(instance);
  for (auto _ : state) benchmark::DoNotOptimize(cut_weight(instance.graph, part));
}

void sizes(benchmark::internal::Benchmark* kernel) {
  kernel->Arg(256)->Arg(1024)->Arg(4096)->Arg(16'384)->Unit(benchmark::kMillisecond);
}

BENCHMARK(contract_traffic)->Apply(sizes);
BENCHMARK(bound_separable)->Apply(sizes);
BENCHMARK(bound_multipliers)->Apply(sizes);
BENCHMARK(recover)->Apply(sizes);
BENCHMARK(model_lines)->Apply(sizes);
BENCHMARK(anneal)->Name("anneal/10_million_steps")->Apply(sizes);
BENCHMARK(partition_by_metis)->Apply(sizes);
BENCHMARK(refine_pairs)->Apply(sizes);
BENCHMARK(exchange_balls)->Name("exchange_balls/1_million_steps")->Apply(sizes);
BENCHMARK(measure_cut)->Apply(sizes);

}  // namespace
