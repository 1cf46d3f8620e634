#include "baselines/arnold_spread.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "zonecut/base/disjoint_sets.hpp"

namespace zonecut {
namespace {

using Vertices = std::vector<std::uint32_t>;

/// The sets of vertices that groups of this phase join, numbered by their first vertex; and how
/// many.
std::pair<Vertices, std::uint32_t> joined_by(const Traffic& traffic, std::string_view phase_name) {
  const auto vertex_of = [&](RankId rank) { return rank.index() / traffic.ranks_per_server; };
  DisjointSets sets(traffic.vertices());
  for (const Phase& phase : traffic.phases) {
    if (phase.name != phase_name) continue;
    for (const Group& group : phase.groups) {
      const std::span<const RankId> members = traffic.members_of(group);
      for (const RankId member : members) sets.join(vertex_of(members.front()), vertex_of(member));
    }
  }
  std::vector<std::optional<std::uint32_t>> number_of(traffic.vertices());  // by what stands for it
  Vertices number;
  std::uint32_t count = 0;
  for (std::size_t v = 0; v < traffic.vertices(); ++v) {
    std::optional<std::uint32_t>& of_set = number_of[sets.find(v)];
    if (!of_set) of_set = count++;
    number.push_back(*of_set);
  }
  return {std::move(number), count};
}

/// The grid cut into `bands` along `across`, and in each band all of `along`, one after the other.
/// Vertices in that order.
Vertices in_bands(const Vertices& across, std::uint32_t size, std::uint32_t bands,
                  const Vertices& along) {
  const auto key = [&](std::uint32_t v) {
    const auto band = static_cast<std::uint64_t>(across[v]) * bands / size;
    return std::tuple(band, along[v], across[v], v);
  };
  Vertices order(across.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  return order;
}

/// Which zones are taken, and how many vertices each: as many as it holds in multiples of `unit`,
/// few zones and the last one tight. Empty where that is too little room.
std::vector<std::pair<std::uint32_t, std::size_t>> filled(std::span<const std::size_t> room,
                                                          std::size_t unit, std::size_t needed) {
  std::vector<std::pair<std::size_t, std::uint32_t>> holds;  // and the zone
  std::size_t all = 0;
  for (std::uint32_t zone = 0; zone < room.size(); ++zone) {
    const std::size_t whole = room[zone] / unit * unit;
    if (whole > 0) holds.emplace_back(whole, zone);
    all += whole;
  }
  if (all < needed) return {};
  std::stable_sort(holds.begin(), holds.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::pair<std::uint32_t, std::size_t>> taken;
  while (needed > 0) {
    // The smallest that holds all the rest, else the largest.
    auto next = holds.begin();
    while (std::next(next) != holds.end() && std::next(next)->first >= needed) ++next;
    const std::size_t here = std::min(next->first, needed);
    taken.emplace_back(next->second, here);
    needed -= here;
    holds.erase(next);
  }
  return taken;
}

struct Spread {
  std::uint32_t most = 0;
  std::uint64_t sum = 0;
};

/// Over how many zones each of `count` sets of vertices is spread. `order` has the vertices of each
/// zone together.
Spread spread_over(const Vertices& set_of, std::uint32_t count, const Vertices& order,
                   const Vertices& zone) {
  std::vector<std::uint32_t> zones(count, 0);
  std::vector<std::uint32_t> last(count, 0);  // zone + 1
  Spread spread;
  for (const std::uint32_t v : order) {
    const std::uint32_t set = set_of[v];
    if (last[set] == zone[v] + 1) continue;
    last[set] = zone[v] + 1;
    ++spread.sum;
    spread.most = std::max(spread.most, ++zones[set]);
  }
  return spread;
}

/// The best of what has been tried.
class Search {
 public:
  Search(const GroupGrid& grid, std::span<const std::size_t> room) : grid_(grid), room_(room) {}

  /// Bands of `across`, walked along `along`, in every number that makes another width.
  void try_bands(const Vertices& across, std::uint32_t size, const Vertices& along,
                 std::uint32_t length) {
    std::uint32_t last_width = 0;
    for (std::uint32_t bands = 1; bands <= size && !whole(); ++bands) {
      const std::uint32_t width = (size + bands - 1) / bands;
      if (width == last_width) continue;
      last_width = width;
      const Vertices order = in_bands(across, size, bands, along);
      try_order(order, 1);
      for (std::uint32_t steps = 1; steps <= length; ++steps) {
        if (length % steps == 0) try_order(order, std::size_t{width} * steps);
      }
    }
  }

  std::optional<ArnoldPlan> best() && { return std::move(best_); }

 private:
  using Key = std::tuple<std::uint32_t, std::uint64_t, std::size_t>;

  /// Every row and column lies in one zone.
  [[nodiscard]] bool whole() const { return best_ && std::get<0>(least_) == 2; }

  void try_order(const Vertices& order, std::size_t unit) {
    const auto zones = filled(room_, unit, order.size());
    if (zones.empty()) return;
    ArnoldPlan plan;
    plan.zone.resize(order.size());
    std::uint32_t turn = 0;
    for (const auto& [zone, count] : zones) {
      for (std::size_t i = 0; i < count; ++i, ++turn) {
        plan.zone[order[turn]] = zone;
      }
    }
    const Spread rows = spread_over(grid_.row, grid_.rows, order, plan.zone);
    const Spread columns = spread_over(grid_.column, grid_.columns, order, plan.zone);
    const Key key{rows.most + columns.most, rows.sum + columns.sum, zones.size()};
    if (best_ && key >= least_) return;
    plan.row_spread = rows.most;
    plan.column_spread = columns.most;
    best_ = std::move(plan);
    least_ = key;
  }

  const GroupGrid& grid_;
  std::span<const std::size_t> room_;
  std::optional<ArnoldPlan> best_;
  Key least_;
};

}  // namespace

GroupGrid group_grid(const Traffic& traffic) {
  GroupGrid grid;
  std::tie(grid.row, grid.rows) = joined_by(traffic, "dp");
  std::tie(grid.column, grid.columns) = joined_by(traffic, "pp");
  return grid;
}

std::optional<ArnoldPlan> arnold_plan(const GroupGrid& grid, std::span<const std::size_t> room) {
  Search search(grid, room);
  search.try_bands(grid.column, grid.columns, grid.row, grid.rows);
  search.try_bands(grid.row, grid.rows, grid.column, grid.columns);
  return std::move(search).best();
}

}  // namespace zonecut
