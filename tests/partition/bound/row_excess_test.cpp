#include "bound/row_excess.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bound/grid_views.hpp"
#include "partition/bound/drawn_grid.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

/// The least that a row of a drawn grid, a replica or a stage, cuts when it is divided into pieces
/// of so many vertices each, by those; up to three.
class DividedRow {
 public:
  explicit DividedRow(const fixture::DrawnGrid& drawn, Rows rows = Rows::Replicas) {
    const auto& size = drawn.grid.size;
    std::vector<std::size_t> place(drawn.grid.vertices(), kElsewhere);
    const bool replica = rows == Rows::Replicas;
    for (std::size_t stage = 0; stage < (replica ? size[2] : 1); ++stage) {
      for (std::size_t i = 0; i < size[0] * (replica ? 1 : size[1]); ++i) {
        const std::size_t first = size[0] * size[1] * stage;
        place[drawn.grid.at[first + i]] = length_++;
      }
    }
    for (std::size_t u = 0; u < place.size(); ++u) {
      for (const auto& [v, weight] : drawn.job.graph.neighbours(u)) {
        if (u < v && place[u] != kElsewhere && place[v] != kElsewhere) {
          edges_.push_back({static_cast<std::uint32_t>(std::min(place[u], place[v])),
                            static_cast<std::uint32_t>(std::max(place[u], place[v])), weight});
        }
      }
    }
    least_.assign((length_ + 1) * (length_ + 1), std::numeric_limits<std::int64_t>::max());
    part_.assign(length_, 0);
    divide(0, {}, 0);
  }

  [[nodiscard]] std::size_t length() const { return length_; }
  [[nodiscard]] std::int64_t cut(std::size_t first, std::size_t second) const {
    return least_[first * (length_ + 1) + second];
  }

 private:
  static constexpr std::size_t kElsewhere = std::numeric_limits<std::size_t>::max();

  void divide(std::size_t v, std::array<std::size_t, 3> sizes, std::int64_t cut) {
    if (v == length_) {
      std::int64_t& least = least_[sizes[0] * (length_ + 1) + sizes[1]];
      least = std::min(least, cut);
      return;
    }
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      part_[v] = p;
      ++sizes[p];
      std::int64_t more = 0;
      for (const LineEdge& edge : edges_) {
        if (edge.high == v && part_[edge.low] != p) more += edge.weight;
      }
      divide(v + 1, sizes, cut + more);
      --sizes[p];
    }
  }

  std::size_t length_ = 0;
  std::vector<LineEdge> edges_;
  std::vector<std::size_t> part_;
  std::vector<std::int64_t> least_;  // by the sizes of the first two
};

/// Of a row of a drawn grid, in all two pieces and three.
class CheckedRows {
 public:
  /// That it cuts no less than `base` and the most excess say.
  void check(const DividedRow& row, const RowModel& base, std::span<const RowExcess> excess) {
    REQUIRE(row.length() == base.length);
    for (std::uint32_t x = 1; x < base.length; ++x) {
      for (std::uint32_t y = x; x + y <= base.length; ++y) {
        std::vector<std::uint32_t> pieces{x, y};
        if (x + y < base.length) pieces.push_back(static_cast<std::uint32_t>(base.length) - x - y);
        double halves = -static_cast<double>(base.per_divided_row);
        for (const std::uint32_t each : pieces)
          halves += static_cast<double>(base.inside[each]) / 2;
        const MostExcess most = most_excess(excess, pieces);
        const auto cut = 4 * static_cast<double>(row.cut(x, y));
        CHECK(halves + most.value <= cut);
        if (most.which) CHECK(sum_of(excess[*most.which], pieces) == most.value);
        ++all_;
        higher_ += most.value > 0 ? 1 : 0;
        exact_ += most.value > 0 && halves + most.value == cut ? 1 : 0;
      }
    }
  }
  /// That enough of them were, and that excess says something of one in `part` of them.
  void check_enough(int part) const {
    CHECK(all_ > 2000);
    CHECK(higher_ > all_ / part);
    CHECK(exact_ > higher_ / 20);
  }

 private:
  int all_ = 0;
  int higher_ = 0;
  int exact_ = 0;
};

}  // namespace

TEST_CASE("rows of two pieces or three cut no less than their excess says", "[partition]") {
  Random random(43);
  CheckedRows rows;
  for (int job = 0; job < 60; ++job) {
    const fixture::FamilyShape shape{3, 2, 3, 0};
    const auto drawn = fixture::draw_grid(random, fixture::Family::ContextParallel, shape);
    if (!drawn) continue;
    const GridViews views(drawn->grid, drawn->sizes);
    std::vector<RowModel> models;
    for (const double closing : {0.0, 0.3, 0.5, 1.0}) {
      if (const auto view = views.at(Rows::Replicas, 0, closing)) models.push_back(view->model);
    }
    if (models.empty()) continue;
    const DividedRow row(*drawn);
    for (const RowModel& base : models) {
      std::vector<RowExcess> excess;
      for (const RowModel& other : models) excess.push_back(excess_in(other, base));
      rows.check(row, base, excess);
    }
  }
  rows.check_enough(10);
}

TEST_CASE("rows of groups cut no less than how pieces divide them says", "[partition]") {
  Random random(46);
  CheckedRows rows;
  for (int job = 0; job < 120; ++job) {
    const fixture::FamilyShape shape{job % 2 == 0 ? 3U : 2U, 2, job % 2 == 0 ? 3U : 4U, 0};
    const auto drawn = fixture::draw_grid(random, fixture::Family::ContextParallel, shape);
    if (!drawn) continue;
    const GridViews views(drawn->grid, drawn->sizes);
    if (!views.divisible(Rows::Replicas)) continue;
    const DividedRow row(*drawn);
    for (const double closing : {0.0, 0.5, 1.0}) {
      const std::optional<GridView> view = views.at(Rows::Replicas, 0, closing);
      const GridView divided = views.with_divisions(std::span(&*view, 1)).front();
      const std::array excess{excess_of_divisions(*divided.divisions, view->model)};
      rows.check(row, view->model, excess);
    }
  }
  rows.check_enough(20);
}

TEST_CASE("rows of groups cut no less than pieces that touch enough of them", "[partition]") {
  Random random(44);
  CheckedRows checked;
  for (int job = 0; job < 120; ++job) {
    const Rows rows = job % 2 == 0 ? Rows::Replicas : Rows::Stages;
    const fixture::FamilyShape shape = rows == Rows::Replicas ? fixture::FamilyShape{3, 2, 3, 0}
                                                              : fixture::FamilyShape{4, 2, 2, 0};
    const auto drawn = fixture::draw_grid(random, fixture::Family::ContextParallel, shape);
    if (!drawn) continue;
    GridViews views(drawn->grid, drawn->sizes);
    std::vector<GridView> seen;
    for (const double closing : {0.0, 0.5, 1.0}) {
      if (auto view = views.at(rows, 0, closing)) seen.push_back(*std::move(view));
    }
    if (seen.empty() || views.touches(rows) == 0) continue;
    const DividedRow row(*drawn, rows);
    for (const GridView& view : seen) {
      std::vector<RowExcess> excess;
      for (const GridView& other : seen) {
        for (const TouchedRows& touched : views.touched(other)) {
          excess.push_back(
              excess_of_touches(touched.model, view.model, touched.group, touched.touch));
        }
      }
      checked.check(row, view.model, excess);
    }
  }
  checked.check_enough(20);
}
