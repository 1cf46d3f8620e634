#pragma once
// How much a zone takes of each of several equal rows in a line, with prices for what it takes of a
// row that are the same for a row and its mirror image: a shortest path over rows and sums, by
// dynamic programming from both ends to the middle, or from one to the other where every size is
// asked for. Rows in a ring are all alike, and their prices too: there a zone may take the less the
// sooner, and what is cut between rows is what the last has more than the first, on both sides.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/filling.hpp"
#include "bound/shared_sizes.hpp"
#include "grid/min_plus.hpp"

namespace zonecut {

/// Equal rows in a line; weights in quarters.
struct RowLine {
  std::size_t rows = 0;    ///< at least 1
  std::size_t length = 0;  ///< vertices of a row
  std::int64_t step = 0;   ///< between equal places of neighbouring rows
  std::int64_t wrap = 0;   ///< of the last row and the first, at most `step`
};

class StageShapes {
 public:
  static constexpr std::size_t kAll = ~std::size_t{0};
  using Costs = std::vector<std::vector<double>>;  ///< by class of rows, of so many vertices

  struct Zones {  ///< all of one size
    std::size_t size = 0;
    double count = 0;
    double cost = 0;                 ///< of the cheapest, with half of what is cut between rows
    std::vector<std::size_t> taken;  ///< by row
  };

  /// A zone takes at most `most` of a row.
  StageShapes(const RowLine& line, std::span<const std::uint32_t> sizes,
              Filling filling = Filling::Full, std::size_t most = kAll);

  /// The cheapest shape of every zone; where sizes are open, of those that together hold all
  /// vertices and cost least. In a line or a ring it is exact; where the closing edge is a
  /// lighter one, a zone pays nothing for taking unlike parts of both ends that are both small, or
  /// both large.
  void choose(const Costs& cost);

  [[nodiscard]] const std::vector<Zones>& zones() const { return zones_; }
  /// Where sizes are open, the cheapest of every size.
  [[nodiscard]] std::span<const double> by_size() const { return by_size_; }
  /// What they cost together; where sizes are open, as far as work went no sizes cost less.
  [[nodiscard]] double together() const { return together_; }
  /// Where sizes are open: those that were chosen, by zone, unless they do not add up.
  [[nodiscard]] std::optional<Shares> shares() const {
    return sharing_ ? sharing_->shares() : std::nullopt;
  }
  /// A zone takes fewer of a row.
  [[nodiscard]] std::size_t options() const { return options_; }
  /// Rows up to those that are like them: their mirror images, or all in a ring.
  [[nodiscard]] std::size_t classes() const { return is_ring() ? 1 : (line_.rows + 1) / 2; }
  [[nodiscard]] std::size_t class_of(std::size_t row) const;
  [[nodiscard]] double rows_in(std::size_t row_class) const;
  /// O(rows · length · largest zone).
  [[nodiscard]] std::size_t steps() const;

 private:
  struct Range {
    std::size_t low = 0;
    std::size_t high = 0;
    bool operator==(const Range&) const = default;
  };
  /// What a zone may take of the first row and of the last, of which it takes as much or more. It
  /// pays for what they are apart by way of a number between them, or not at all.
  struct Ends {
    Range first;
    Range last;
    std::size_t between = 0;
    bool paid = false;

    /// Whether one half serves for both.
    [[nodiscard]] bool alike() const { return !paid && first == last; }
  };
  using Table = std::vector<double>;  ///< by what is taken of the last row and the sum
  struct Half {                       ///< rows from one end to the middle, or all
    std::vector<Table> least;
    Table spread;     ///< of the last, over the border to the next row
    Table backwards;  ///< what the other half is joined with, the largest sum first
  };

  [[nodiscard]] bool is_ring() const { return line_.wrap == line_.step; }
  /// What zones that take a vertex more of a row than of its neighbour pay for it.
  [[nodiscard]] double each_apart() const;
  [[nodiscard]] double each_closing(const Ends& ends) const;
  void fill(Half& half, const Range& end, const Ends& ends, const Costs& cost,
            std::size_t rows) const;
  /// Sums that so many rows may have, and one more.
  [[nodiscard]] std::size_t reach(std::size_t rows) const {
    return std::min(sums_, rows * (options_ - 1) + 1);
  }
  [[nodiscard]] Table unreached() const { return Table(options_ * sums_, kNotReached); }
  template <class Use>
  void spread(const Table& from, Table& to, std::size_t reached, const Use& use) const;
  void turn(Half& half) const;
  void join(const Half& left, const Half& right, std::span<const double> middle,
            Zones& zones) const;
  void choose_in_ring(const Costs& cost);
  void choose_known(const Costs& cost);
  void choose_sizes(const Costs& cost);
  void fill_all(const Ends& ends, const Costs& cost);
  void pay_at_the_end(Table& last, const Ends& ends) const;
  void take_size(std::size_t size, Zones& zones) const;
  void trace(const Half& half, std::size_t before, std::size_t taken, std::size_t sum,
             std::vector<std::size_t>& rows) const;

  RowLine line_;
  Filling filling_;
  std::size_t options_ = 0;
  std::size_t sums_ = 0;  // the largest zone, and one more
  std::vector<Ends> ends_;
  std::vector<Zones> zones_;
  std::optional<SharedSizes> sharing_;  // where sizes are open
  std::vector<double> by_size_;
  double together_ = 0;
  Half left_;
  Half right_;
};

}  // namespace zonecut
