#include "starts/interval_layout.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostWays = 24;  // to lay the rows so far, that are followed
constexpr std::size_t kMostAtOnce = 16 * kMostWays;
constexpr std::size_t kMostOrders = 120;  // of a row's parts, to try them all

using Pieces = std::vector<RowPiece>;

struct Holding {
  std::uint32_t part = 0;
  std::uint32_t size = 0;
};

/// To lay some rows one after the other.
struct Way {
  Pieces pieces;              // of the last
  std::int64_t cut = 0;       // of all of them
  std::size_t before = 0;     // way to lay those before it
  std::size_t beginning = 0;  // way to lay the first of them
};

/// Parts one after the other, the first from this place on; beyond the end of the row they go on at
/// its beginning.
void lay(std::span<const Holding> order, std::uint32_t begin, std::uint32_t length,
         Pieces& pieces) {
  const auto append = [&](const Holding& held) {
    const std::uint32_t end = begin + held.size;
    pieces.push_back({static_cast<std::uint16_t>(std::min(end, length)), held.part});
    begin = end;
  };
  // The part over the end of the row, and those that follow it.
  std::size_t over = 0;
  std::uint32_t end = begin;
  while (over < order.size() && end + order[over].size <= length) end += order[over++].size;
  pieces.clear();
  const std::uint32_t first = begin;
  if (over < order.size()) {
    const std::uint32_t rest = end + order[over].size - length;
    begin = 0;
    append({order[over].part, rest});
    for (const Holding& held : order.subspan(over + 1)) append(held);
  }
  ZONECUT_ENSURES(first == 0 || (over < order.size() && begin == first));
  begin = first;
  const std::size_t last = std::min(over + 1, order.size());
  for (const Holding& held : order.first(last)) {
    if (begin < length) append(held);
  }
}

class Beam {
 public:
  Beam(const IntervalRows& rows, const HeldRows& held, WorkBudget& budget)
      : rows_(rows),
        held_(held),
        budget_(budget),
        length_(static_cast<std::uint32_t>(rows.length)),
        ring_(rows.wrap == rows.step) {
    ZONECUT_ENSURES(rows.length <= kLongestRow);
  }

  IntervalLayout run() {
    const std::size_t first = row_with_fewest();
    ways_.resize(rows_.rows);
    extend({}, first, 0, 0);
    for (std::size_t i = 0; i < ways_[0].size(); ++i) ways_[0][i].beginning = i;
    for (std::size_t turn = 1; turn < rows_.rows; ++turn) {
      const std::size_t row = (first + turn) % rows_.rows;
      for (std::size_t i = 0; i < ways_[turn - 1].size(); ++i) {
        extend(ways_[turn - 1][i], row, turn, i);
      }
      keep_best(ways_[turn]);
    }
    return best_from(first);
  }

 private:
  /// Where it begins: with any luck all that comes before and after is free.
  [[nodiscard]] std::size_t row_with_fewest() const {
    std::size_t best = 0;
    for (std::size_t row = 1; row < rows_.rows; ++row) {
      if (holdings(row).size() < holdings(best).size()) best = row;
    }
    return best;
  }

  [[nodiscard]] std::vector<Holding> holdings(std::size_t row) const {
    std::vector<Holding> all;
    for (std::uint32_t part = 0; part < held_.parts(); ++part) {
      if (held_.held(part, row) > 0) all.push_back({part, held_.held(part, row)});
    }
    return all;
  }

  /// Of an edge to this row from the one before.
  [[nodiscard]] std::int64_t edge_to(std::size_t row) const {
    return row == 0 ? rows_.closing : rows_.across;
  }

  [[nodiscard]] std::int64_t within(const Pieces& pieces) const {
    const auto borders = static_cast<std::int64_t>(pieces.size()) - 1;
    const bool closed = pieces.front().part == pieces.back().part;
    return borders * rows_.step + (closed ? 0 : rows_.wrap);
  }

  /// All ways to lay the row after that one.
  void extend(const Way& way, std::size_t row, std::size_t turn, std::size_t index) {
    for_each_order(way.pieces, row, [&](std::span<const Holding> order) {
      for (const std::uint32_t begin : begins(way.pieces, order)) {
        budget_.spend(order.size() + way.pieces.size());
        lay(order, begin, length_, laid_);
        std::int64_t cut = way.cut + within(laid_);
        if (turn > 0) cut += edge_to(row) * places_apart(way.pieces, laid_);
        ways_[turn].push_back({laid_, cut, index, way.beginning});
      }
      if (ways_[turn].size() > kMostAtOnce) keep_best(ways_[turn]);
    });
  }

  /// Parts that the row before has stay in its order; the others come anywhere between them, or
  /// where these are too many each where most room is left.
  template <class Use>
  void for_each_order(const Pieces& before, std::size_t row, const Use& use) {
    std::vector<Holding> others = holdings(row);
    std::vector<Holding> order;
    for (const RowPiece& piece : before) {
      const auto found = std::ranges::find(others, piece.part, &Holding::part);
      if (found == others.end()) continue;
      order.push_back(*found);
      others.erase(found);
    }
    if (orders(order.size(), others.size()) <= kMostOrders) {
      insert_all(order, others, use);
    } else {
      use(with_most_room(before, std::move(order), std::move(others)));
    }
  }

  /// Places for one more among so many parts that are all different.
  [[nodiscard]] std::size_t gaps(std::size_t parts) const {
    return ring_ ? std::max<std::size_t>(1, parts) : parts + 1;
  }

  /// Of so many parts and so many more, up to some more than are tried.
  [[nodiscard]] std::size_t orders(std::size_t parts, std::size_t more) const {
    std::size_t count = 1;
    for (std::size_t i = 0; i < more && count <= kMostOrders; ++i) count *= gaps(parts + i);
    return count;
  }

  template <class Use>
  void insert_all(std::vector<Holding>& order, std::span<const Holding> others, const Use& use) {
    if (others.empty()) return use(std::span<const Holding>(order));
    const std::size_t places = gaps(order.size());
    for (std::size_t i = 0; i < places; ++i) {
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(i), others.front());
      insert_all(order, others.subspan(1), use);
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  /// The largest first.
  [[nodiscard]] std::vector<Holding> with_most_room(const Pieces& before,
                                                    std::vector<Holding> order,
                                                    std::vector<Holding> others) const {
    std::ranges::stable_sort(others, std::ranges::greater{}, &Holding::size);
    std::vector<std::int64_t> room = room_before(before, order);  // one more: at the end
    std::vector<std::vector<Holding>> put(room.size());
    for (const Holding& held : others) {
      const auto widest = std::ranges::max_element(room);
      *widest -= held.size;
      put[static_cast<std::size_t>(widest - room.begin())].push_back(held);
    }
    std::vector<Holding> all;
    for (std::size_t i = 0; i < put.size(); ++i) {
      all.insert(all.end(), put[i].begin(), put[i].end());
      if (i < order.size()) all.push_back(order[i]);
    }
    return all;
  }

  /// Of a row, before each of these parts, which it has in this order, and at its end.
  [[nodiscard]] std::vector<std::int64_t> room_before(const Pieces& row,
                                                      std::span<const Holding> order) const {
    std::vector<std::int64_t> room(order.size() + 1, 0);
    std::size_t next = 0;
    std::uint32_t begin = 0;
    for (const RowPiece& piece : row) {
      const bool stays = std::ranges::find(order, piece.part, &Holding::part) != order.end();
      if (!stays) room[next] += piece.end - begin;
      if (next < order.size() && piece.part == order[next].part) ++next;
      begin = piece.end;
    }
    return room;
  }

  /// Places where the first part may begin. Where fewest places are in another part than in the row
  /// before, some part has the same begin or end in both.
  [[nodiscard]] std::vector<std::uint32_t> begins(const Pieces& before,
                                                  std::span<const Holding> order) const {
    std::vector<std::uint32_t> places{0};
    if (!ring_) return places;
    const auto add = [&](std::uint32_t border, std::uint32_t offset) {
      places.push_back((border + length_ - offset) % length_);
    };
    std::uint32_t offset = 0;  // of a part, from where the first begins
    for (const Holding& held : order) {
      std::uint32_t begin = 0;
      for (const RowPiece& piece : before) {
        if (piece.part == held.part) {
          add(begin, offset);
          add(piece.end, offset + held.size);
        }
        begin = piece.end;
      }
      offset += held.size;
    }
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }

  /// The cheapest, no two alike.
  void keep_best(std::vector<Way>& ways) const {
    std::ranges::stable_sort(ways, {}, &Way::cut);
    std::vector<Way> kept;
    const std::size_t most = budget_.spent() ? 1 : kMostWays;
    for (Way& way : ways) {
      if (kept.size() == most) break;
      const auto same = [&](const Way& other) {
        return other.pieces == way.pieces && other.beginning == way.beginning;
      };
      if (std::ranges::none_of(kept, same)) kept.push_back(std::move(way));
    }
    ways = std::move(kept);
  }

  IntervalLayout best_from(std::size_t first) const {
    const std::vector<Way>& last = ways_.back();
    IntervalLayout layout{LaidRows(rows_.rows), std::numeric_limits<std::int64_t>::max()};
    std::size_t best = 0;
    for (std::size_t i = 0; i < last.size(); ++i) {
      const Pieces& beginning = ways_.front()[last[i].beginning].pieces;
      const std::int64_t cut =
          last[i].cut + edge_to(first) * places_apart(last[i].pieces, beginning);
      if (cut >= layout.cut) continue;
      layout.cut = cut;
      best = i;
    }
    for (std::size_t turn = rows_.rows; turn-- > 0;) {
      const Way& way = ways_[turn][best];
      layout.rows[(first + turn) % rows_.rows] = way.pieces;
      best = way.before;
    }
    return layout;
  }

  const IntervalRows& rows_;
  const HeldRows& held_;
  WorkBudget& budget_;
  std::uint32_t length_;
  bool ring_;                           // without a cheap place to begin at
  std::vector<std::vector<Way>> ways_;  // by row, from the first that is laid
  Pieces laid_;                         // scratch
};

}  // namespace

IntervalLayout lay_intervals(const IntervalRows& rows, const HeldRows& held, WorkBudget& budget) {
  return Beam(rows, held, budget).run();
}

}  // namespace zonecut
