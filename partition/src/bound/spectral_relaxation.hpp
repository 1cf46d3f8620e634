#pragma once
// Any traffic, by eigenvalues. Twice the cut of a partition is the trace of X'LX, L being the
// Laplacian of the graph and X an orthogonal matrix with a column for each part, as long as the
// square root of its size. The least such trace has the smallest eigenvalues of L, that of the
// largest part the least (Donath and Hoffman, Lower bounds for the partitioning of graphs, IBM
// Journal of Research and Development 17, 1973). What is added to the diagonal of L adds the same
// to every partition, so a number for each vertex is a multiplier: where vertices differ in
// traffic, eigenvectors would otherwise gather around those with little.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bound/multipliers.hpp"
#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

class SpectralRelaxation {
 public:
  /// Parts of these capacities, or fewer, hold all vertices. At multipliers of 0 half of what each
  /// vertex exchanges, less the mean of that, is taken off the diagonal.
  SpectralRelaxation(const CommunicationGraph& graph, std::span<const std::uint32_t> capacity);
  ~SpectralRelaxation();
  SpectralRelaxation(const SpectralRelaxation&) = delete;
  SpectralRelaxation& operator=(const SpectralRelaxation&) = delete;

  /// A multiplier for every vertex.
  [[nodiscard]] std::size_t pieces() const;
  [[nodiscard]] static double most_run() { return 0; }
  [[nodiscard]] std::size_t steps_per_solve() const { return steps(pieces()); }
  /// O(vertices³).
  [[nodiscard]] static std::size_t steps(std::size_t vertices);
  /// The bound in weights, what rounding may add taken off; none where eigenvalues are not found.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);

 private:
  struct Matrix;

  std::vector<double> part_sizes_;  // the largest first, as full as can be
  std::vector<double> diagonal_;    // of the matrix, without multipliers
  double taken_off_ = 0;            // of the diagonal in all
  std::unique_ptr<Matrix> matrix_;
};

}  // namespace zonecut
