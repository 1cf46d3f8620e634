#include "bound/spectral_relaxation.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "grid/relaxation_sums.hpp"

namespace zonecut {

struct SpectralRelaxation::Matrix {
  Eigen::MatrixXd with_multipliers;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
};

SpectralRelaxation::SpectralRelaxation(const CommunicationGraph& graph,
                                       std::span<const std::uint32_t> capacity)
    : matrix_(std::make_unique<Matrix>()) {
  const std::size_t vertices = graph.vertices();
  std::vector<std::uint32_t> largest_first(capacity.begin(), capacity.end());
  std::ranges::sort(largest_first, std::ranges::greater{});
  std::size_t left = vertices;
  for (const std::uint32_t most : largest_first) {
    const std::size_t size = std::min<std::size_t>(most, left);
    if (size == 0) break;
    part_sizes_.push_back(number(size));
    left -= size;
  }
  const auto n = static_cast<Eigen::Index>(vertices);
  matrix_->with_multipliers = Eigen::MatrixXd::Zero(n, n);
  std::vector<double> exchanged(vertices, 0);
  double all = 0;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    for (const auto& [u, weight] : graph.neighbours(v)) {
      const double each = static_cast<double>(weight);
      matrix_->with_multipliers(v, u) -= each;
      exchanged[v] += each;
    }
    all += exchanged[v];
  }
  const double mean = all / number(vertices);
  for (const double each : exchanged) {
    const double less = (each - mean) / 2;
    diagonal_.push_back(each - less);
    taken_off_ += less;
  }
}

SpectralRelaxation::~SpectralRelaxation() = default;

std::size_t SpectralRelaxation::pieces() const { return diagonal_.size(); }

std::size_t SpectralRelaxation::steps(std::size_t vertices) {
  return vertices * vertices * vertices;
}

double SpectralRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  Eigen::MatrixXd& matrix = matrix_->with_multipliers;
  const auto n = matrix.rows();
  double added = -taken_off_;
  double magnitude = 0;
  for (Eigen::Index v = 0; v < n; ++v) {
    const auto at = static_cast<std::size_t>(v);
    matrix(v, v) = diagonal_[at] + multipliers.piece[at];
    added += multipliers.piece[at];
    magnitude += std::abs(diagonal_[at]) + std::abs(multipliers.piece[at]);
  }
  violation.piece.assign(pieces(), -0.5);
  violation.touch = 0;
  violation.run = 0;
  const auto& eigen = matrix_->eigen.compute(matrix);
  if (eigen.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t part = 0; part < part_sizes_.size(); ++part) {
    const auto i = static_cast<Eigen::Index>(part);
    sum += part_sizes_[part] * eigen.eigenvalues()(i);
    for (Eigen::Index v = 0; v < n; ++v) {
      const double each = eigen.eigenvectors()(v, i);
      violation.piece[static_cast<std::size_t>(v)] += part_sizes_[part] / 2 * each * each;
    }
  }
  // Those of a matrix that is this near are exact (Golub and Van Loan, Matrix Computations, 8.3);
  // sums are nearer.
  constexpr double kFar = 10;
  const double off = kFar * number(pieces()) * std::numeric_limits<double>::epsilon() *
                     (matrix.norm() + magnitude);
  return (sum - added - number(pieces()) * off) / 2;
}

}  // namespace zonecut
