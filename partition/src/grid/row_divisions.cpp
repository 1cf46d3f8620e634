#include "grid/row_divisions.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "grid/search_nodes.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMostSteps = 80'000;

/// What a piece has left to take, and what it took of the last cell and of the first.
class PieceState {
 public:
  PieceState() = default;
  PieceState(std::size_t left, std::size_t last, std::size_t first)
      : packed_(static_cast<std::uint32_t>(left | last << 16 | first << 24)) {}
  [[nodiscard]] std::size_t left() const { return packed_ & 0xffff; }
  [[nodiscard]] std::size_t last() const { return packed_ >> 16 & 0xff; }
  [[nodiscard]] std::size_t first() const { return packed_ >> 24; }
  friend bool operator==(PieceState, PieceState) = default;
  [[nodiscard]] std::uint64_t packed() const { return packed_; }

 private:
  std::uint32_t packed_ = 0;
};

class DivisionSearch {
 public:
  /// With so many steps of work.
  DivisionSearch(CellWalks& walks, std::span<const std::uint32_t> pieces, std::int64_t work)
      : walks_(walks),
        pieces_(pieces.size()),
        work_(work),
        nodes_(pieces_),
        ways_(pieces_),
        most_after_(pieces_ + 1),
        taken_(pieces_) {
    for (const std::uint32_t size : pieces) {
      start_.emplace_back(size, 0, 0);
      least_ += walks.whole(size);
    }
  }

  /// What the best division costs, or else as much as all others do at least. Ends with the work.
  std::int64_t run() {
    constexpr std::int64_t kPart = 50;
    const std::int64_t alone = least_;
    for (std::int64_t more = std::max<std::int64_t>(1, std::abs(alone) / kPart); work_ > 0;
         more *= 2) {
      if (is_within(alone, alone + more)) break;
    }
    return least_;
  }

  /// Steps, none or fewer where it ended with them.
  [[nodiscard]] std::int64_t work_left() const { return work_; }

 private:
  static constexpr std::int64_t kSteps = 4;  ///< of relaxations, in the time of one of these

  using Nodes = SearchNodes<PieceState>;  ///< from cell to cell
  using Node = Nodes::Node;

  struct Open {
    std::int64_t estimate = 0;
    std::size_t cell = 0;
    std::size_t node = 0;
    /// The cheapest first, of these the one that has come furthest, of these the first.
    friend bool operator<(const Open& x, const Open& y) {
      return std::tie(y.estimate, x.cell, y.node) < std::tie(x.estimate, y.cell, x.node);
    }
  };
  struct Way {
    std::size_t taken = 0;
    std::int64_t cost = 0;
    std::int64_t more = 0;  ///< than was estimated
  };

  /// Whether there is a division that costs no more than `limit`. least_ then is what it costs, or
  /// else what all cost at least.
  bool is_within(std::int64_t alone, std::int64_t limit) {
    nodes_.clear();
    open_ = {};
    limit_ = limit;
    expand({0, 0}, start_, alone);
    while (!open_.empty() && work_ > 0) {
      const Open next = open_.top();
      open_.pop();
      least_ = std::max(least_, next.estimate);
      const Node node = nodes_[next.node];
      if (node.place == walks_.cells()) return true;
      if (nodes_.is_outdone(next.node)) continue;
      const std::span<const PieceState> at = nodes_.states(next.node);
      here_.assign(at.begin(), at.end());
      expand(node, here_, next.estimate);
    }
    if (work_ > 0) least_ = std::max(least_, limit + 1);
    return false;
  }

  /// All ways to fill the next cell.
  void expand(const Node& node, std::span<const PieceState> here, std::int64_t estimate) {
    for (std::size_t piece = 0; piece < pieces_; ++piece) {
      see_ways(node, here[piece], limit_ - estimate, ways_[piece]);
      if (ways_[piece].empty()) return;
    }
    for (std::size_t piece = pieces_; piece-- > 0;) {
      most_after_[piece] = most_after_[piece + 1] + ways_[piece].back().taken;
    }
    fill(node, here, 0, walks_.size(), estimate, 0);
  }

  void see_ways(const Node& node, PieceState state, std::int64_t spare, std::vector<Way>& ways) {
    ways.clear();
    const std::size_t left = state.left();
    const std::size_t cell = node.place;
    const std::int64_t estimated =
        cell == 0 ? walks_.whole(left) : walks_.rest(state.first(), cell, left, state.last());
    const std::size_t most = std::min(walks_.size(), left);
    work_ -= kSteps * static_cast<std::int64_t>(most + 1);
    for (std::size_t taken = 0; taken <= most; ++taken) {
      const std::int64_t after =
          walks_.rest(cell == 0 ? taken : state.first(), cell + 1, left - taken, taken);
      if (after >= CellWalks::kNever) continue;
      const std::int64_t cost = walks_.step(cell, state.last(), taken);
      const std::int64_t more = cost + after - estimated;
      if (more <= spare) ways.push_back({taken, cost, more});
    }
  }

  /// From this piece on, of a cell that has so much room left.
  void fill(const Node& node, std::span<const PieceState> here, std::size_t piece, std::size_t room,
            std::int64_t estimate, std::int64_t cost) {
    work_ -= kSteps;
    if (room > most_after_[piece] || work_ <= 0) return;
    if (piece == pieces_) return add(node, here, estimate, cost);
    for (const Way& way : ways_[piece]) {
      if (way.taken > room) break;
      --work_;
      if (estimate + way.more > limit_) continue;
      taken_[piece] = way.taken;
      fill(node, here, piece + 1, room - way.taken, estimate + way.more, cost + way.cost);
    }
  }

  void add(const Node& from, std::span<const PieceState> here, std::int64_t estimate,
           std::int64_t cost) {
    constexpr std::int64_t kOfNode = 20;
    work_ -= kOfNode * kSteps;
    next_.clear();
    for (std::size_t piece = 0; piece < pieces_; ++piece) {
      const PieceState before = here[piece];
      const std::size_t taken = taken_[piece];
      const std::size_t first = !walks_.closed() ? 0 : from.place == 0 ? taken : before.first();
      next_.emplace_back(before.left() - taken, taken, first);
    }
    if (!nodes_.add({from.place + 1, from.cost + cost}, next_)) return;
    open_.push({estimate, from.place + 1, nodes_.size() - 1});
  }

  CellWalks& walks_;
  std::size_t pieces_;
  std::int64_t work_;
  std::vector<PieceState> start_;
  std::int64_t least_ = 0;
  std::int64_t limit_ = 0;
  Nodes nodes_;
  std::priority_queue<Open> open_;
  std::vector<PieceState> here_;
  std::vector<PieceState> next_;         // scratch
  std::vector<std::vector<Way>> ways_;   // by piece
  std::vector<std::size_t> most_after_;  // that pieces from this one on may take of a cell
  std::vector<std::size_t> taken_;       // by piece
};

}  // namespace

bool RowDivisions::can_search(const CellRing& ring) {
  constexpr std::size_t kMostEntries = 1'500'000;
  constexpr std::size_t kLargestCell = 255;
  return ring.cells > 2 && ring.size <= kLargestCell && ring.cells * ring.size <= 0xffff &&
         CellWalks::most_entries(ring) <= kMostEntries;
}

RowDivisions::RowDivisions(const CellRing& ring) : Divisions(kMostSteps) {
  ZONECUT_ENSURES(can_search(ring));
  walks_.emplace_back(ring, 0);
  if (ring.lacking > 0) walks_.emplace_back(ring, ring.lacking);
}

RowDivisions::Alone RowDivisions::by_themselves(std::span<const std::uint32_t> pieces) {
  Alone most{std::numeric_limits<std::int64_t>::min(), 0};
  for (std::size_t i = 0; i < walks_.size(); ++i) {
    std::int64_t sum = -walks_[i].end_prices();
    for (const std::uint32_t size : pieces) sum += walks_[i].whole(size);
    if (sum > most.sum) most = {sum, i};
  }
  return most;
}

std::int64_t RowDivisions::alone(std::span<const std::uint32_t> pieces) {
  return by_themselves(pieces).sum;
}

std::int64_t RowDivisions::search(std::span<const std::uint32_t> pieces) {
  const Alone alone = by_themselves(pieces);
  CellWalks& walks = walks_[alone.price];
  DivisionSearch division(walks, pieces, most_work());
  const std::int64_t least = division.run() - walks.end_prices();
  work_ += static_cast<std::size_t>(most_work() - division.work_left());
  return std::max(least, alone.sum);
}

std::size_t RowDivisions::take_work() {
  std::size_t work = std::exchange(work_, 0);
  for (CellWalks& walks : walks_) work += walks.take_work();
  return work;
}

}  // namespace zonecut
