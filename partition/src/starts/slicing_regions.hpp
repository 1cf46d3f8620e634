#pragma once
// The regions of a slicing tree's cells: of every line of a grid an interval of positions. Lines
// lie side by side in lanes, so that a sweep cuts several at a time.
#include <cstdint>
#include <experimental/simd>
#include <span>
#include <utility>
#include <vector>

#include "starts/line_model.hpp"

namespace zonecut {

/// `Position` holds the number of all vertices.
template <class Position>
class SlicingRegions {
 public:
  struct Halves {
    std::int32_t left, right;
    std::uint32_t left_size;  ///< vertices
  };

  /// Borrows the model. All regions are empty.
  SlicingRegions(const LineModel& model, std::size_t cells);
  void resize(std::size_t cells);

  /// The cell gets the whole grid.
  void fill(std::int32_t cell, std::uint32_t grid);
  /// Cuts the region of a cell of `size` vertices in two by a sweep of the grid; says which of left
  /// and right changed. O(lines).
  std::pair<bool, bool> divide(std::int32_t cell, std::uint32_t size, std::uint32_t grid,
                               std::uint32_t sweep, const Halves& halves);

  [[nodiscard]] std::int64_t weight(std::int32_t cell, std::uint32_t grid) const {
    return model_->weight_within(model_->grids()[grid], lo(cell), hi(cell));
  }
  /// By line of the grid: the first position, and the one behind the last; the same if it is empty.
  [[nodiscard]] const Position* lo(std::int32_t cell) const { return &bounds_[at(cell)]; }
  [[nodiscard]] const Position* hi(std::int32_t cell) const { return &bounds_[at(cell) + width_]; }

  /// Writes a region down; the k-th since forget() can be restored.
  void save(std::int32_t cell);
  void restore(std::size_t k, std::int32_t cell);
  void forget() { saved_.clear(); }

 private:
  using Lanes = std::experimental::fixed_size_simd<Position, LineModel::kLanes>;
  /// Lines of equal stretch; a line's lane is all ones.
  struct Stretch {
    std::uint32_t factor;
    std::vector<Position> lanes;
  };
  struct Plane {
    std::uint32_t number, size, wanted;
    std::span<const std::uint32_t> lines;
    bool downwards;
    std::uint32_t block;
  };

  [[nodiscard]] std::size_t at(std::int32_t cell) const {
    return static_cast<std::size_t>(cell) * 2 * width_;
  }
  [[nodiscard]] static Lanes load(const Position* from) {
    return Lanes(from, std::experimental::element_aligned);
  }
  static void store(const Lanes& lanes, Position* to) {
    lanes.copy_to(to, std::experimental::element_aligned);
  }
  [[nodiscard]] Lanes on_lines(std::uint32_t x, std::span<const Stretch> stretches,
                               std::size_t lane) const;
  /// From where to where on the common scale.
  struct Range {
    std::uint32_t low, high;
  };
  [[nodiscard]] Range range(std::span<const Stretch> stretches) const;
  void divide_planes(const Position* plane_of, const Plane& plane);
  void divide_plane(std::int32_t cell, std::span<const Stretch> stretches, const Position* plane_of,
                    const Plane& plane);
  void divide_block(std::span<const Stretch> stretches, const Position* plane_of,
                    const Plane& plane, std::uint32_t border, std::uint32_t left);
  std::pair<bool, bool> assign(std::int32_t cell, std::int32_t low, std::int32_t high);

  const LineModel* model_;
  std::size_t width_ = 0;  ///< lanes: most lines of a grid, rounded up
  std::vector<Position> bounds_;
  std::vector<Position> saved_;
  std::vector<std::vector<std::vector<Position>>> plane_of_;  ///< by grid, sweep, line
  std::vector<std::vector<Stretch>> stretches_;               ///< by grid; none: nothing stretched
  std::vector<Position> threshold_;                           ///< of divide(), by line
  std::vector<Position> plane_lo_, plane_hi_, block_;         ///< in the plane that is divided
};

}  // namespace zonecut
