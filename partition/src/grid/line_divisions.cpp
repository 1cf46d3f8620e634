#include "grid/line_divisions.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "grid/frontier_sweep.hpp"
#include "grid/min_plus.hpp"
#include "grid/search_nodes.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kQuarter = 4;  // in which the least is counted
constexpr std::int64_t kMostSteps = 2'000'000;
constexpr std::size_t kMostEntries = std::size_t{1} << 24;
constexpr std::size_t kLongest = 0xffff;
constexpr std::int64_t kMostWeight = std::int64_t{1} << 59;  // eight times that fits in 64 bits
constexpr std::int16_t kNever = 20'000;                      // more than all there is twice

/// What a piece has left to take, and which of the open places it has. Those with most left come
/// first, so states that are alike are the same.
using PieceState = std::uint32_t;

PieceState state_of(std::size_t left, std::size_t open) {
  return static_cast<PieceState>(left << 16 | open);
}
std::size_t left_of(PieceState state) { return state >> 16; }
std::size_t open_of(PieceState state) { return state & 0xffff; }

}  // namespace

/// One division. Estimates are whole and near each other, so nodes wait in a list for each.
class LineSearch {
 public:
  /// With so many steps of work.
  LineSearch(const LineDivisions& line, std::span<const std::uint32_t> pieces, std::int64_t work)
      : line_(line), pieces_(pieces.size()), work_(work), nodes_(pieces.size()) {
    for (const std::uint32_t size : pieces) {
      next_.push_back(state_of(size, 0));
      alone_ += line.rest(0, 0, size);
    }
    add({0, 0}, alone_);
  }

  /// Twice what the best division cuts, or else as much as all do at least. Ends with the work.
  std::int64_t run() {
    std::size_t more = 0;
    while (more < waiting_.size() && work_ > 0) {
      if (waiting_[more].empty()) {
        ++more;
        continue;
      }
      // The last is the one that has come furthest, or near it.
      const std::size_t next = waiting_[more].back();
      waiting_[more].pop_back();
      if (nodes_[next].place == line_.length_) break;
      if (!nodes_.is_outdone(next)) expand(next);
    }
    return alone_ + static_cast<std::int64_t>(more);
  }

  [[nodiscard]] std::int64_t work_left() const { return work_; }

 private:
  /// They cost twice what is cut.
  using Nodes = SearchNodes<PieceState>;

  /// Each piece takes the next place, of those that are alike one.
  void expand(std::size_t node) {
    constexpr std::int64_t kOfPiece = 4;
    work_ -= kOfPiece * static_cast<std::int64_t>(pieces_);
    const std::size_t place = nodes_[node].place;
    here_.assign(nodes_.states(node).begin(), nodes_.states(node).end());
    without_.clear();
    std::int64_t cut = nodes_[node].cost;
    std::int64_t ahead = 0;
    for (const PieceState piece : here_) {
      const LineDivisions::Way& way = line_.way(place, open_of(piece), false);
      without_.push_back(state_of(left_of(piece), way.to));
      cut += way.cut;
      ahead += line_.rest(place + 1, way.to, left_of(piece));
    }
    for (std::size_t i = 0; i < pieces_ && left_of(here_[i]) > 0; ++i) {
      if (i > 0 && here_[i] == here_[i - 1]) continue;
      const std::size_t open = open_of(here_[i]);
      const std::size_t left = left_of(here_[i]);
      const LineDivisions::Way& without = line_.way(place, open, false);
      const LineDivisions::Way& with = line_.way(place, open, true);
      const std::int16_t rest = line_.rest(place + 1, with.to, left - 1);
      const std::int64_t after = cut + with.cut - without.cut;
      const std::int64_t estimate = after + ahead - line_.rest(place + 1, without.to, left) + rest;
      // Some piece has more left than there are places.
      if (estimate >= kNever) continue;
      next_ = without_;
      next_[i] = state_of(left - 1, with.to);
      add({place + 1, after}, estimate);
    }
  }

  /// Of the pieces' states in next_.
  void add(const Nodes::Node& node, std::int64_t estimate) {
    constexpr std::int64_t kOfNode = 60;
    work_ -= kOfNode;
    std::ranges::sort(next_, std::ranges::greater{});
    if (!nodes_.add(node, next_)) return;
    const auto more = static_cast<std::size_t>(estimate - alone_);
    if (more >= waiting_.size()) waiting_.resize(more + 1);
    waiting_[more].push_back(nodes_.size() - 1);
  }

  const LineDivisions& line_;
  std::size_t pieces_;
  std::int64_t work_;
  std::int64_t alone_ = 0;  // what pieces cut by themselves
  Nodes nodes_;
  std::vector<std::vector<std::size_t>> waiting_;  // nodes, by how much more is estimated
  std::vector<PieceState> here_;
  std::vector<PieceState> without_;  // the place
  std::vector<PieceState> next_;
};

bool LineDivisions::can_search(std::size_t length, std::span<const LineEdge> edges) {
  // A place of a state has two ways; what is open fits in a piece's state.
  const std::size_t states = frontier_ways(length, edges) / 2 + 1;
  return length > 2 && length <= kLongest && states <= kMostEntries / (length + 1) &&
         states <= kLongest;
}

LineDivisions::LineDivisions(std::size_t length, std::span<const LineEdge> edges)
    : Divisions(kMostSteps), length_(length), counts_(length + 1) {
  ZONECUT_ENSURES(can_search(length, edges));
  std::int64_t divisor = 0;
  std::int64_t all = 0;
  for (const LineEdge& edge : edges) {
    divisor = std::gcd(divisor, edge.weight);
    ZONECUT_ENSURES(edge.weight <= kMostWeight - all);
    all += edge.weight;
  }
  divisor = std::max<std::int64_t>(1, divisor);
  // In so many units that twice all there is, and once more, stays below what can never be.
  constexpr std::int64_t kMostUnits = kNever / 4;
  unit_ = (all / kMostUnits / divisor + 1) * divisor;
  fill_ways(edges);
  fill_rest();
  constexpr std::size_t kAtOnce = 8;
  work_ = 2 * rest_.size() / kAtOnce;
}

void LineDivisions::fill_ways(std::span<const LineEdge> edges) {
  std::size_t states = 0;
  std::size_t before = 1;
  for (const FrontierStep& step : frontier_sweep(length_, edges)) {
    first_.push_back(states);
    ways_.resize(2 * (states + before));
    for (std::size_t to = 0; to < step.states(); ++to) {
      for (const FrontierStep::Way& way : step.ways_to(to)) {
        ways_[2 * (states + way.from) + (way.taken ? 1 : 0)] = {
            static_cast<std::uint32_t>(to), static_cast<std::int16_t>(way.cut / unit_)};
      }
    }
    states += before;
    before = step.states();
  }
  first_.push_back(states);
}

void LineDivisions::fill_rest() {
  rest_.assign((first_.back() + 1) * counts_, kNever);
  rest_[first_.back() * counts_] = 0;
  const auto of = [&](std::size_t state) { return state * counts_; };
  for (std::size_t place = length_; place-- > 0;) {
    for (std::size_t state = 0; first_[place] + state < first_[place + 1]; ++state) {
      for (std::size_t taken = 0; taken <= 1; ++taken) {
        const Way& by = way(place, state, taken > 0);
        const std::size_t counts = counts_ - taken;
        lower_sums(
            std::span(rest_).subspan(of(first_[place] + state) + taken, counts),
            std::span<const std::int16_t>(rest_).subspan(of(first_[place + 1] + by.to), counts),
            by.cut);
      }
    }
  }
}

std::int64_t LineDivisions::alone(std::span<const std::uint32_t> pieces) {
  std::int64_t sum = 0;
  for (const std::uint32_t size : pieces) sum += rest(0, 0, size);
  return kQuarter * unit_ * sum;
}

std::int64_t LineDivisions::search(std::span<const std::uint32_t> pieces) {
  LineSearch division(*this, pieces, most_work());
  const std::int64_t least = division.run();
  work_ += static_cast<std::size_t>(most_work() - division.work_left());
  return kQuarter * unit_ * least;
}

std::size_t LineDivisions::take_work() { return std::exchange(work_, 0); }

}  // namespace zonecut
