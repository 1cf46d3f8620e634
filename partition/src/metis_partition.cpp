#include "metis_partition.hpp"

#include <metis.h>

#include <algorithm>
#include <mutex>

namespace zonecut {
namespace {

/// The graph in METIS' types. Weights are scaled so that all of them together fit 30 bits, since
/// METIS adds them up in 32; an edge keeps at least weight 1, and one without weight is left out.
struct MetisGraph {
  std::vector<idx_t> offsets{0};
  std::vector<idx_t> neighbours;
  std::vector<idx_t> weights;

  explicit MetisGraph(const CommunicationGraph& graph) {
    constexpr std::int64_t kMostTotal = 1 << 29;
    const std::int64_t scale = graph.total_weight() / kMostTotal + 1;
    offsets.reserve(graph.vertices() + 1);
    neighbours.reserve(2 * graph.edges());
    weights.reserve(2 * graph.edges());
    for (std::size_t u = 0; u < graph.vertices(); ++u) {
      for (const auto& [v, weight] : graph.neighbours(u)) {
        if (weight == 0) continue;
        neighbours.push_back(static_cast<idx_t>(v));
        weights.push_back(static_cast<idx_t>(std::max<std::int64_t>(1, weight / scale)));
      }
      offsets.push_back(static_cast<idx_t>(neighbours.size()));
    }
  }
};

std::mutex& metis_lock() {
  static std::mutex lock;
  return lock;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> metis_partition(const CommunicationGraph& graph,
                                                          const Shares& shares, MetisMethod method,
                                                          int seed) {
  std::vector<std::uint32_t> used;
  for (std::uint32_t p = 0; p < shares.size(); ++p) {
    if (shares[p] > 0) used.push_back(p);
  }
  if (used.size() < 2 || graph.vertices() <= used.size()) return std::nullopt;

  MetisGraph metis(graph);
  auto vertices = static_cast<idx_t>(graph.vertices());
  auto parts = static_cast<idx_t>(used.size());
  idx_t constraints = 1;
  std::vector<real_t> targets;
  targets.reserve(used.size());
  for (const std::uint32_t p : used) {
    targets.push_back(static_cast<real_t>(shares[p]) / static_cast<real_t>(graph.vertices()));
  }
  real_t imbalance = 1.001F;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_NUMBERING] = 0;
  idx_t cut = 0;
  std::vector<idx_t> answer(graph.vertices(), 0);

  const std::lock_guard guard(metis_lock());
  const auto solve = method == MetisMethod::Kway ? METIS_PartGraphKway : METIS_PartGraphRecursive;
  const int status = solve(&vertices, &constraints, metis.offsets.data(), metis.neighbours.data(),
                           nullptr, nullptr, metis.weights.data(), &parts, targets.data(),
                           &imbalance, options, &cut, answer.data());
  if (status != METIS_OK) return std::nullopt;
  std::vector<std::uint32_t> part;
  part.reserve(answer.size());
  for (const idx_t label : answer) {
    if (label < 0 || label >= parts) return std::nullopt;
    part.push_back(used[static_cast<std::size_t>(label)]);
  }
  return part;
}

}  // namespace zonecut
