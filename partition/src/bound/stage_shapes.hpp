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
  static constexpr std::size_t kMostEntries = std::size_t{1} << 23;  ///< 64 MB
  using Costs = std::vector<std::vector<double>>;  ///< by class of rows, of so many vertices

  struct Zones {  ///< all of one size
    std::size_t size = 0;
    double count = 0;
    double cost = 0;                 ///< of the cheapest, with half of what is cut between rows
    std::vector<std::size_t> taken;  ///< by row
  };

  /// A zone takes at most `most` of a row. Where tables of all rows, from one end to the middle,
  /// would have more than `most_entries`, about the square root of twice as many tables are kept,
  /// for half as much work again.
  StageShapes(const RowLine& line, std::span<const std::uint32_t> sizes,
              Filling filling = Filling::Full, std::size_t most = kAll,
              std::size_t most_entries = kMostEntries);
  StageShapes(StageShapes&&) = default;  // tables refer to its layouts
  StageShapes(const StageShapes&) = delete;
  StageShapes& operator=(const StageShapes&) = delete;
  StageShapes& operator=(StageShapes&&) = delete;
  ~StageShapes() = default;

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
  /// Where sums begin, by what is taken of a row, in a table of what is taken and of the sum up to
  /// that row.
  using Layout = std::vector<std::size_t>;
  struct Table {
    const Layout* begin = nullptr;  ///< of the row that it holds
    std::vector<double> entries;

    [[nodiscard]] std::span<double> with(std::size_t taken) {
      return std::span(entries).subspan((*begin)[taken], (*begin)[taken + 1] - (*begin)[taken]);
    }
    [[nodiscard]] std::span<const double> with(std::size_t taken) const {
      return std::span(entries).subspan((*begin)[taken], (*begin)[taken + 1] - (*begin)[taken]);
    }
    [[nodiscard]] double at(std::size_t taken, std::size_t sum) const {
      const std::span<const double> sums = with(taken);
      return sum < sums.size() ? sums[sum] : kNotReached;
    }
  };
  /// Rows from one end to the middle, or all. Where that takes too much memory the first row of
  /// every group has a table of its own while later ones are traced; those of the others are filled
  /// again when they are asked for.
  struct Half {
    std::vector<Table> least;  ///< by slot
    std::size_t held = 0;      ///< group whose rows all have tables
    Table spread;              ///< of the last, over the border to the next row; not in a ring
  };
  /// What a zone takes of a row, and of all up to it, and then of those before it, the last first.
  struct Way {
    Zones* zones = nullptr;
    std::size_t taken = 0;
    std::size_t sum = 0;
    std::vector<std::size_t> rows{};
  };
  /// Of both halves, up to the border between them or with the row in the middle.
  struct Joined {
    Way left;
    Way right;
  };

  [[nodiscard]] bool is_ring() const { return line_.wrap == line_.step; }
  /// What zones that take a vertex more of a row than of its neighbour pay for it.
  [[nodiscard]] double each_apart() const;
  [[nodiscard]] double each_closing(const Ends& ends) const;
  [[nodiscard]] std::size_t sharing_steps() const;
  [[nodiscard]] std::size_t steps_with(std::size_t passes) const;
  void lay_out();
  void group_rows(std::size_t most_entries);
  void fill(Half& half, const Range& end, const Ends& ends, const Costs& cost) const;
  void fill_row(Half& half, std::size_t row, const Costs& cost) const;
  void hold(Half& half, std::size_t row, const Costs& cost) const;
  void make_tables(Half& half) const;
  /// How many sums there are of so many of a row and what may be taken of those before.
  [[nodiscard]] std::size_t reach(std::size_t row, std::size_t taken) const;
  [[nodiscard]] bool shares_tables() const { return first_of_.size() > 1; }
  [[nodiscard]] std::size_t group_of(std::size_t row) const;
  [[nodiscard]] std::size_t slot(std::size_t row) const {
    const std::size_t group = group_of(row);
    return group + (row - first_of_[group]);
  }
  void spread(const Table& from, Table& to) const;
  template <class Use>
  void cross_ring(const Table& before, const Use& use) const;
  [[nodiscard]] std::vector<Joined> join(const Half& left, const Half& right,
                                         std::span<const double> middle);
  void choose_in_ring(const Costs& cost);
  void choose_known(const Costs& cost);
  void take_halves(std::span<Joined> joined, Half& right, const Costs& cost);
  void choose_sizes(const Costs& cost);
  void fill_all(const Ends& ends, const Costs& cost);
  void pay_at_the_end(Table& last, const Ends& ends) const;
  [[nodiscard]] Way way_to(Zones& zones) const;
  void take_sizes(std::vector<Way> ways, const Costs& cost);
  void trace(Half& half, std::size_t before, const Costs& cost, std::span<Way* const> ways) const;

  RowLine line_;
  Filling filling_;
  std::size_t options_ = 0;
  std::size_t sums_ = 0;               // the largest zone, and one more
  std::size_t filled_ = 0;             // rows of a half, or all
  std::vector<Layout> layout_;         // by row, and that of what is spread over a border
  std::vector<std::size_t> first_of_;  // rows, by group
  std::vector<Ends> ends_;
  std::vector<Zones> zones_;
  std::optional<SharedSizes> sharing_;  // where sizes are open
  std::vector<double> by_size_;
  double together_ = 0;
  Half left_;
  Half right_;
};

}  // namespace zonecut
