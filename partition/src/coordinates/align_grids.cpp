#include "coordinates/align_grids.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

#include "zonecut/base/int128.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostWork = 20'000'000;  // of looking for the best turn

struct Contact {
  std::uint32_t first, grid;  ///< vertices
};

class Alignment {
 public:
  Alignment(const CommunicationGraph& graph, std::span<const std::uint32_t> first,
            std::span<const std::uint32_t> grid, bool may_turn_first,
            std::vector<Coordinates>& coordinates)
      : graph_(graph),
        first_(first),
        grid_(grid),
        may_turn_first_(may_turn_first),
        at_(coordinates) {
    std::vector<bool> in_first(graph.vertices(), false);
    for (const std::uint32_t v : first) in_first[v] = true;
    for (const std::uint32_t v : grid) {
      for (const auto& neighbour : graph.neighbours(v)) {
        if (in_first[neighbour.vertex]) contacts_.push_back({neighbour.vertex, v});
      }
    }
  }

  void run() {
    if (contacts_.empty()) return;
    if (may_turn_first_) begin_at_contacts();
    // Of the two axes that may run along, the one that follows more closely.
    const Turn kept = best_turn();
    const bool second = at_[grid_.front()][0] >= 0;
    if (second) swap_axes();
    const Turn swapped = second ? best_turn() : kept;
    if (second && swapped.distance >= kept.distance) swap_axes();
    apply(swapped.distance < kept.distance ? swapped : kept);
  }

 private:
  /// Rings turned by so many places, the one of `grid` perhaps flipped first.
  struct Turn {
    Int128 distance = Int128{1} << 126;
    int first = 0, grid = 0;
    bool flipped = false;
  };

  [[nodiscard]] int length(std::span<const std::uint32_t> vertices, std::size_t axis) const {
    int last = 0;
    for (const std::uint32_t v : vertices) last = std::max(last, at_[v][axis]);
    return last + 1;
  }

  [[nodiscard]] bool is_ring(std::span<const std::uint32_t> vertices, int length) const {
    for (const std::uint32_t v : vertices) {
      if (at_[v][1] != 0) continue;
      Coordinates end = at_[v];
      end[1] = length - 1;
      return std::ranges::any_of(graph_.neighbours(v),
                                 [&](const auto& u) { return at_[u.vertex] == end; });
    }
    return false;
  }

  void swap_axes() {
    for (const std::uint32_t v : grid_) std::swap(at_[v][0], at_[v][1]);
  }

  void begin_at_contacts() {
    const int levels = length(first_, 2);
    std::int64_t sum = 0;
    for (const Contact& contact : contacts_) sum += at_[contact.first][2];
    if (2 * sum <= (levels - 1) * static_cast<std::int64_t>(contacts_.size())) return;
    for (const std::uint32_t v : first_) at_[v][2] = levels - 1 - at_[v][2];
  }

  /// Edges that join two places along axis 1.
  struct Joined {
    int first = 0, grid = 0;
    std::int64_t edges = 0;
  };

  [[nodiscard]] std::vector<Joined> joined_places() const {
    std::vector<std::pair<int, int>> places;
    for (const Contact& contact : contacts_) {
      places.emplace_back(at_[contact.first][1], at_[contact.grid][1]);
    }
    std::ranges::sort(places);
    std::vector<Joined> joined;
    for (std::size_t i = 0, end = 0; i < places.size(); i = end) {
      while (end < places.size() && places[end] == places[i]) ++end;
      joined.push_back({places[i].first, places[i].second, static_cast<std::int64_t>(end - i)});
    }
    return joined;
  }

  [[nodiscard]] Turn best_turn() const {
    const int here = length(first_, 1);
    const int there = length(grid_, 1);
    // To turn both by like shares changes little: the first by less than a place of the other.
    const bool turns_first = may_turn_first_ && is_ring(first_, here);
    const int first_turns = turns_first ? std::max(1, here / there) : 1;
    const int grid_turns = is_ring(grid_, there) ? there : 1;
    const std::vector<Joined> joined = joined_places();
    const std::size_t turns = std::size_t{2} * static_cast<std::size_t>(first_turns) *
                              static_cast<std::size_t>(grid_turns);
    const std::size_t every = 1 + joined.size() / std::max<std::size_t>(1, kMostWork / turns);
    Turn best;
    for (Turn turn; turn.first < first_turns; ++turn.first) {
      for (turn.grid = 0; turn.grid < grid_turns; ++turn.grid) {
        for (const bool flipped : {false, true}) {
          turn.flipped = flipped;
          turn.distance = 0;
          for (std::size_t i = 0; i < joined.size(); i += every) {
            const auto& [first, grid, edges] = joined[i];
            const std::int64_t x = in_the_middle(turned(first, turn.first, false, here)) * there;
            const std::int64_t y = in_the_middle(turned(grid, turn.grid, flipped, there)) * here;
            turn.distance += Int128{edges} * std::abs(x - y);
          }
          if (turn.distance < best.distance) best = turn;
        }
      }
    }
    return best;
  }

  static int turned(int place, int by, bool flipped, int length) {
    return ((flipped ? length - 1 - place : place) + by) % length;
  }
  /// Of a place, in halves.
  static std::int64_t in_the_middle(int place) { return 2 * std::int64_t{place} + 1; }

  void apply(const Turn& turn) {
    const int here = length(first_, 1);
    const int there = length(grid_, 1);
    for (const std::uint32_t v : first_) at_[v][1] = turned(at_[v][1], turn.first, false, here);
    for (const std::uint32_t v : grid_) {
      at_[v][1] = turned(at_[v][1], turn.grid, turn.flipped, there);
    }
  }

  const CommunicationGraph& graph_;
  std::span<const std::uint32_t> first_, grid_;
  bool may_turn_first_;
  std::vector<Coordinates>& at_;
  std::vector<Contact> contacts_;
};

}  // namespace

void align_grids(const CommunicationGraph& graph, std::span<const std::uint32_t> first,
                 std::span<const std::uint32_t> grid, bool may_turn_first,
                 std::vector<Coordinates>& coordinates) {
  Alignment(graph, first, grid, may_turn_first, coordinates).run();
}

}  // namespace zonecut
