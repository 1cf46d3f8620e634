#include "peers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "metis_partition.hpp"
#include "refine/repair.hpp"
#ifdef ZONECUT_WITH_SCOTCH
#include <scotch.h>
#endif

namespace zonecut {
namespace {

/// None when more slots are free than needed.
std::optional<PartitionProblem> full_zones(const CommunicationGraph& graph, const SlotTree& tree) {
  if (tree.slots() != graph.vertices()) return std::nullopt;
  PartitionProblem problem{graph, {}, {}};
  for (const std::uint64_t room : tree.capacity(tree.cut_level)) {
    problem.capacity.push_back(static_cast<std::uint32_t>(room));
  }
  return problem;
}

std::int64_t repaired_cut(const PartitionProblem& problem, std::vector<std::uint32_t> part) {
  WorkingPartition partition(problem, std::move(part));
  repair(partition);
  return partition.cut();
}

}  // namespace

std::optional<std::int64_t> metis_best_of(const CommunicationGraph& graph, const SlotTree& tree,
                                          int seeds) {
  const auto problem = full_zones(graph, tree);
  if (!problem) return std::nullopt;
  std::optional<std::int64_t> best;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto method = seed % 2 == 0 ? MetisMethod::Recursive : MetisMethod::Kway;
    auto part = metis_partition(graph, problem->capacity, method, seed);
    if (!part) return best;
    const std::int64_t cut = repaired_cut(*problem, std::move(*part));
    best = std::min(best.value_or(cut), cut);
  }
  return best;
}

std::vector<std::int64_t> module_cuts(const std::string& module,
                                      const std::filesystem::path& graph_file,
                                      const CommunicationGraph& graph, const SlotTree& tree,
                                      int seeds) {
  const auto problem = full_zones(graph, tree);
  if (!problem) return {};
  const std::string command =
      fmt::format("python3 '{}' {} '{}' {} {}", ZONECUT_PARTITION_BY_MODULE, module,
                  graph_file.string(), seeds, fmt::join(problem->capacity, " "));
  const auto close = [](std::FILE* stream) { pclose(stream); };
  const std::unique_ptr<std::FILE, decltype(close)> stream(popen(command.c_str(), "r"), close);
  std::vector<std::int64_t> cuts;
  std::vector<std::uint32_t> part;
  unsigned read = 0;
  while (stream && std::fscanf(stream.get(), "%u", &read) == 1) {
    part.push_back(read);
    if (part.size() < graph.vertices()) continue;
    cuts.push_back(repaired_cut(*problem, std::exchange(part, {})));
  }
  return cuts;
}

#ifdef ZONECUT_WITH_SCOTCH

std::optional<std::int64_t> scotch_cut(const CommunicationGraph& graph, const SlotTree& tree) {
  const auto problem = full_zones(graph, tree);
  if (!problem) return std::nullopt;
  std::vector<SCOTCH_Num> offsets{0};
  std::vector<SCOTCH_Num> neighbours;
  std::vector<SCOTCH_Num> weights;
  for (std::size_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      neighbours.push_back(static_cast<SCOTCH_Num>(v));
      weights.push_back(std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(weight)));
    }
    offsets.push_back(static_cast<SCOTCH_Num>(neighbours.size()));
  }
  std::vector<SCOTCH_Num> sizes(problem->capacity.begin(), problem->capacity.end());
  std::vector<SCOTCH_Num> answer(graph.vertices(), 0);
  SCOTCH_Graph source;
  SCOTCH_Arch zones;
  SCOTCH_Strat strategy;
  SCOTCH_graphInit(&source);
  SCOTCH_archInit(&zones);
  SCOTCH_stratInit(&strategy);
  SCOTCH_randomReset();
  const bool done =
      SCOTCH_graphBuild(&source, 0, static_cast<SCOTCH_Num>(graph.vertices()), offsets.data(),
                        nullptr, nullptr, nullptr, static_cast<SCOTCH_Num>(neighbours.size()),
                        neighbours.data(), weights.data()) == 0 &&
      SCOTCH_archCmpltw(&zones, static_cast<SCOTCH_Num>(sizes.size()), sizes.data()) == 0 &&
      SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY,
                                static_cast<SCOTCH_Num>(sizes.size()), 0.01) == 0 &&
      SCOTCH_graphMap(&source, &zones, &strategy, answer.data()) == 0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_archExit(&zones);
  SCOTCH_graphExit(&source);
  if (!done) return std::nullopt;
  return repaired_cut(*problem, {answer.begin(), answer.end()});
}

#else

std::optional<std::int64_t> scotch_cut(const CommunicationGraph&, const SlotTree&) {
  return std::nullopt;
}

#endif

}  // namespace zonecut
