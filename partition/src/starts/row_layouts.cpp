#include "starts/row_layouts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "grid/divisions.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostOrders = 120;  // of a row's parts
constexpr std::size_t kMostTried = 1024;  // ways of a row of one kind
constexpr std::size_t kMostWays = 96;     // of a row, where its order is settled
constexpr std::size_t kFewWays = 12;      // while rows change their order
constexpr std::int64_t kLeastWork = 250'000;
constexpr std::int64_t kMostWork = 4'000'000;

struct Piece {
  std::uint32_t part = 0;
  std::uint32_t size = 0;
};

/// Pieces one after the other; every second group is filled from its end on.
std::vector<std::uint32_t> laid_in_turn(std::span<const Piece> pieces, std::size_t group,
                                        bool backwards) {
  std::vector<std::uint32_t> parts;
  for (const Piece& piece : pieces) parts.insert(parts.end(), piece.size, piece.part);
  for (std::size_t first = 0; first < parts.size(); first += group) {
    const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(first);
    if (backwards) std::reverse(begin, begin + static_cast<std::ptrdiff_t>(group));
    backwards = !backwards;
  }
  return parts;
}

}  // namespace

std::vector<std::uint32_t> vertices_of_replica(const GridTraffic& grid, std::size_t row) {
  const std::size_t group = grid.size[0];
  std::vector<std::uint32_t> vertices;
  for (std::size_t stage = 0; stage < grid.size[2]; ++stage) {
    const auto first =
        grid.at.begin() + static_cast<std::ptrdiff_t>(group * (row + grid.size[1] * stage));
    vertices.insert(vertices.end(), first, first + static_cast<std::ptrdiff_t>(group));
  }
  return vertices;
}

RowLayouts::RowLayouts(const CommunicationGraph& graph, const GridTraffic& grid, std::int64_t work)
    : grid_(grid),
      rows_(grid.size[1]),
      work_(std::clamp(work, kLeastWork, kMostWork)),
      ways_(rows_) {
  std::vector<std::uint32_t> row_of(graph.vertices());
  std::vector<std::uint32_t> place_of(graph.vertices());
  for (std::uint32_t row = 0; row < rows_; ++row) {
    const std::vector<std::uint32_t> vertices = vertices_of_replica(grid, row);
    for (std::uint32_t place = 0; place < vertices.size(); ++place) {
      row_of[vertices[place]] = row;
      place_of[vertices[place]] = place;
    }
  }
  for (const std::uint32_t v : vertices_of_replica(grid, 0)) {
    for (const auto& [u, weight] : graph.neighbours(v)) {
      if (row_of[u] == 0 && v < u) within_.push_back({place_of[v], place_of[u], weight});
      if (row_of[u] == 1) between_.push_back({place_of[v], place_of[u], weight});
    }
  }
  // Two rows are neighbours twice.
  if (rows_ > 2) return;
  for (Edge& edge : within_) edge.weight *= 2;
}

void RowLayouts::add_way(std::size_t row, std::vector<std::uint32_t> parts) {
  std::int64_t cut = 0;
  for (const Edge& edge : within_) {
    if (parts[edge.from] != parts[edge.to]) cut += edge.weight;
  }
  ways_[row].push_back({std::move(parts), cut});
}

/// No two alike.
void RowLayouts::keep_best(std::size_t row) {
  std::vector<Way>& ways = ways_[row];
  std::ranges::stable_sort(ways, {}, &Way::cut);
  std::unordered_set<std::uint64_t> seen;
  std::vector<Way> best;
  for (Way& way : ways) {
    std::uint64_t hash = 0;
    for (const std::uint32_t part : way.parts) hash = mixed(hash, part);
    if (!seen.insert(hash).second) continue;
    best.push_back(std::move(way));
    if (best.size() == kMostWays) break;
  }
  ways = std::move(best);
}

void RowLayouts::add_orders(std::size_t row, const HeldRows& held, Random& random) {
  std::vector<Piece> pieces;
  for (std::uint32_t part = 0; part < held.parts(); ++part) {
    if (held.held(part, row) > 0) pieces.push_back({part, held.held(part, row)});
  }
  std::size_t orders = 1;
  for (std::size_t i = 2; i <= pieces.size() && orders <= kMostOrders; ++i) orders *= i;
  const std::size_t most = std::min(kMostOrders, most_tried() / 2);
  const bool all = orders <= most;
  const std::size_t begin = 2 * orders * beginnings() <= most_tried() ? beginnings() : 1;
  for (std::size_t i = 0; i < std::min(orders, most); ++i) {
    for (const bool backwards : {false, true}) {
      std::vector<std::uint32_t> parts = laid_in_turn(pieces, grid_.size[0], backwards);
      for (std::size_t begun = 0; begun < begin; ++begun) {
        add_way(row, parts);
        std::ranges::rotate(parts, parts.begin() + static_cast<std::ptrdiff_t>(grid_.size[0]));
      }
    }
    if (all) {
      std::ranges::next_permutation(pieces, {}, &Piece::part);
    } else {
      random.shuffle(std::span(pieces));
    }
  }
  keep_best(row);
}

void RowLayouts::add(std::size_t row, std::span<const std::uint32_t> parts) {
  const std::size_t group = grid_.size[0];
  const std::size_t stages = grid_.size[2];
  // Of too many some, evenly.
  const auto apart = [&](std::size_t all) { return (all + most_tried() - 1) / most_tried(); };
  const std::size_t between_shifts = apart(4 * group * beginnings());
  const std::size_t between_stages = apart(4 * beginnings());
  std::vector<std::uint32_t> turned(parts.size());
  for (std::size_t shift = 0; shift < group; shift += between_shifts) {
    for (const unsigned way : {0U, 1U, 2U, 3U}) {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t stage = i / group;
        const std::size_t place = (i + shift) % group;
        turned[i] = parts[((way & 1U) != 0 ? stages - 1 - stage : stage) * group +
                          ((way & 2U) != 0 ? group - 1 - place : place)];
      }
      for (std::size_t begun = 0; begun < beginnings(); begun += between_stages) {
        add_way(row, turned);
        const std::size_t first = group * std::min(between_stages, stages);
        std::ranges::rotate(turned, turned.begin() + static_cast<std::ptrdiff_t>(first));
      }
    }
  }
  keep_best(row);
}

std::size_t RowLayouts::most_tried() const {
  constexpr std::size_t kFewest = 16;
  return std::clamp(static_cast<std::size_t>(work_) / grid_.vertices(), kFewest, kMostTried);
}

std::int64_t RowLayouts::cut_between(const Way& way, const Way& next) const {
  std::int64_t cut = 0;
  for (const Edge& edge : between_) {
    if (way.parts[edge.from] != next.parts[edge.to]) cut += edge.weight;
  }
  return cut;
}

/// What each way of a row cuts up to each way of another that comes next, and that within itself.
std::vector<std::int64_t> RowLayouts::steps_between(std::size_t row, std::size_t next,
                                                    std::size_t most) const {
  std::vector<std::int64_t> steps;
  for (const Way& way : std::span(ways_[row]).first(ways_of(row, most))) {
    for (const Way& after : std::span(ways_[next]).first(ways_of(next, most))) {
      steps.push_back(cut_between(way, after) + after.cut);
    }
  }
  return steps;
}

/// The best of all ways to lay rows in this order, around, the first in this way.
RowLayouts::Laid RowLayouts::lay(std::span<const std::size_t> order, const Steps& steps,
                                 std::size_t most, std::size_t start) const {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;
  std::vector<std::int64_t> cost(ways_of(order.front(), most), kNever);
  std::vector<std::int64_t> after;
  std::vector<std::vector<std::uint32_t>> from(rows_);
  cost[start] = 0;
  for (std::size_t turn = 0; turn < rows_; ++turn) {
    const std::size_t next = order[turn + 1 < rows_ ? turn + 1 : 0];
    const std::vector<std::int64_t>& step = steps(order[turn], next);
    const std::size_t count = ways_of(next, most);
    after.assign(count, kNever);
    from[turn].assign(count, 0);
    for (std::size_t i = 0; i < cost.size(); ++i) {
      if (cost[i] >= kNever) continue;
      for (std::size_t j = 0; j < count; ++j) {
        const std::int64_t all = cost[i] + step[i * count + j];
        if (all >= after[j]) continue;
        after[j] = all;
        from[turn][j] = static_cast<std::uint32_t>(i);
      }
    }
    std::swap(cost, after);
  }
  Laid laid{cost[start], {order.begin(), order.end()}, std::vector<std::size_t>(rows_)};
  std::size_t way = start;
  for (std::size_t turn = rows_; turn-- > 0;) {
    way = from[turn][way];
    laid.way[turn] = way;
  }
  return laid;
}

/// With many ways of each row.
RowLayouts::Laid RowLayouts::lay_in(std::span<const std::size_t> order) const {
  const double pairs = static_cast<double>(rows_ * std::max<std::size_t>(1, between_.size()));
  const auto most = std::clamp(
      static_cast<std::size_t>(std::sqrt(static_cast<double>(work_) / pairs)), kFewWays, kMostWays);
  std::vector<std::vector<std::int64_t>> each(rows_);
  for (std::size_t turn = 0; turn < rows_; ++turn) {
    const std::size_t next = order[turn + 1 < rows_ ? turn + 1 : 0];
    each[order[turn]] = steps_between(order[turn], next, most);
  }
  const Steps steps = [&](std::size_t row, std::size_t) -> const std::vector<std::int64_t>& {
    return each[row];
  };
  Laid best = lay(order, steps, most, 0);
  for (std::size_t start = 1; start < ways_of(order.front(), kFewWays); ++start) {
    Laid laid = lay(order, steps, most, start);
    if (laid.cut < best.cut) best = std::move(laid);
  }
  return best;
}

/// Rows change their order while that helps: runs of them are turned round, or one of them goes
/// elsewhere. With few ways of each row.
std::vector<std::size_t> RowLayouts::reordered(std::vector<std::size_t> order,
                                               WorkBudget& budget) const {
  constexpr std::size_t kManyRows = 256;  // every two of them would be too many
  if (rows_ > kManyRows) return order;
  const double pairs =
      static_cast<double>(rows_ * rows_ * std::max<std::size_t>(1, between_.size()));
  const auto most =
      std::clamp(static_cast<std::size_t>(std::sqrt(static_cast<double>(work_) / pairs)),
                 std::size_t{2}, kFewWays);
  std::vector<std::vector<std::int64_t>> each(rows_ * rows_);
  const Steps steps = [&](std::size_t row, std::size_t next) -> const std::vector<std::int64_t>& {
    std::vector<std::int64_t>& step = each[row * rows_ + next];
    if (step.empty()) step = steps_between(row, next, most);
    return step;
  };
  Laid best = lay(order, steps, most, 0);
  // Whether it is better; otherwise the order is as before.
  const auto change = [&](std::size_t first, std::size_t last, auto&& way) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(last) + 1;
    way(begin, end);
    budget.spend(rows_ * most * most);
    Laid laid = lay(order, steps, most, best.way.front());
    if (laid.cut < best.cut) {
      best = std::move(laid);
      return true;
    }
    std::ranges::copy(best.order, order.begin());
    return false;
  };
  const auto turn = [](auto begin, auto end) { std::reverse(begin, end); };
  const auto first_last = [](auto begin, auto end) { std::rotate(begin, begin + 1, end); };
  const auto last_first = [](auto begin, auto end) { std::rotate(begin, end - 1, end); };
  for (bool better = true; better && !budget.spent();) {
    better = false;
    for (std::size_t i = 1; i < rows_; ++i) {
      for (std::size_t j = i + 1; j < rows_ && !budget.spent(); ++j) {
        better |= change(i, j, turn) || change(i, j, first_last) || change(i, j, last_first);
      }
    }
  }
  return best.order;
}

std::vector<std::uint32_t> RowLayouts::best(WorkBudget& budget) const {
  std::vector<std::size_t> order(rows_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto fewest = std::ranges::min_element(ways_, {}, &std::vector<Way>::size);
  ZONECUT_ENSURES(!fewest->empty());
  std::ranges::rotate(order, order.begin() + (fewest - ways_.begin()));
  Laid best = lay_in(order);
  Laid other = lay_in(reordered(order, budget));
  if (other.cut < best.cut) best = std::move(other);
  std::vector<std::uint32_t> part(grid_.vertices());
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::vector<std::uint32_t> vertices = vertices_of_replica(grid_, row);
    const Way& way = ways_[best.order[row]][best.way[row]];
    for (std::size_t i = 0; i < vertices.size(); ++i) part[vertices[i]] = way.parts[i];
  }
  return part;
}

}  // namespace zonecut
