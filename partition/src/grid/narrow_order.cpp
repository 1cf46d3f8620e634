#include "grid/narrow_order.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace zonecut {
namespace {

/// Orders tried one after the other, each up to the fewest states of those before.
class Orders {
 public:
  Orders(const CommunicationGraph& graph, std::size_t most_states, WorkBudget& budget)
      : graph_(graph),
        budget_(budget),
        seen_(graph.vertices()),
        ahead_(graph.vertices()),
        rank_(graph.vertices()),
        fewest_(most_states) {}

  void follow(std::span<const std::uint32_t> order) {
    begin();
    for (std::size_t i = 0; i < order.size() && goes_on(); ++i) see(order[i]);
    keep_if_better();
  }

  void go_from(std::uint32_t start) {
    begin();
    see(start);
    while (goes_on() && order_.size() < graph_.vertices()) see(next());
    keep_if_better();
  }

  [[nodiscard]] std::vector<std::uint32_t> best() && { return std::move(best_); }

 private:
  static constexpr std::size_t kMostOpen = 32;

  void begin() {
    seen_.assign(seen_.size(), false);
    for (std::uint32_t v = 0; v < ahead_.size(); ++v) ahead_[v] = graph_.neighbours(v).size();
    open_.clear();
    order_.clear();
    states_ = 0;
  }

  [[nodiscard]] bool goes_on() const { return states_ < fewest_ && !budget_.spent(); }

  void keep_if_better() {
    if (states_ >= fewest_ || order_.size() < graph_.vertices()) return;
    fewest_ = states_;
    best_ = order_;
  }

  void see(std::uint32_t v) {
    seen_[v] = true;
    rank_[v] = order_.size();
    order_.push_back(v);
    budget_.spend(graph_.neighbours(v).size());
    for (const CommunicationGraph::Neighbour& to : graph_.neighbours(v)) --ahead_[to.vertex];
    open_.push_back(v);
    std::erase_if(open_, [&](std::uint32_t u) { return ahead_[u] == 0; });
    states_ = open_.size() < kMostOpen ? states_ + (std::size_t{1} << open_.size()) : fewest_;
  }

  /// After which fewest vertices lie open; where several are alike, next to what was seen first,
  /// for that to be closed.
  [[nodiscard]] std::uint32_t next() {
    using Rating = std::tuple<std::ptrdiff_t, std::size_t, std::uint32_t>;
    Rating best{std::numeric_limits<std::ptrdiff_t>::max(), 0, 0};
    for (const std::uint32_t from : open_) {
      for (const CommunicationGraph::Neighbour& to : graph_.neighbours(from)) {
        if (seen_[to.vertex] || budget_.spent()) continue;
        best = std::min(best, Rating{opened_by(to.vertex), rank_[from], to.vertex});
      }
    }
    if (std::get<0>(best) < std::numeric_limits<std::ptrdiff_t>::max()) return std::get<2>(best);
    // Another component.
    return static_cast<std::uint32_t>(std::ranges::find(seen_, false) - seen_.begin());
  }

  /// How many more vertices lie open after this one.
  [[nodiscard]] std::ptrdiff_t opened_by(std::uint32_t v) {
    budget_.spend(graph_.neighbours(v).size());
    std::ptrdiff_t more = ahead_[v] > 0 ? 1 : 0;
    for (const CommunicationGraph::Neighbour& to : graph_.neighbours(v)) {
      if (seen_[to.vertex] && ahead_[to.vertex] == 1) --more;
    }
    return more;
  }

  const CommunicationGraph& graph_;
  WorkBudget& budget_;
  std::vector<bool> seen_;
  std::vector<std::size_t> ahead_;  // neighbours not seen yet
  std::vector<std::size_t> rank_;   // in the order
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> order_;
  std::size_t states_ = 0;
  std::size_t fewest_;
  std::vector<std::uint32_t> best_;
};

void follow_axes(Orders& orders, std::span<const Coordinates> coordinates) {
  std::vector<std::uint32_t> order(coordinates.size());
  std::iota(order.begin(), order.end(), 0U);
  std::array<std::size_t, 3> axes{0, 1, 2};  // the slowest first
  do {
    std::ranges::sort(order, {}, [&](std::uint32_t v) {
      const Coordinates& at = coordinates[v];
      return std::tuple(at[axes[0]], at[axes[1]], at[axes[2]], v);
    });
    orders.follow(order);
  } while (std::ranges::next_permutation(axes).found);
}

}  // namespace

std::vector<std::uint32_t> narrow_order(const CommunicationGraph& graph,
                                        std::span<const Coordinates> coordinates,
                                        std::size_t starts, std::size_t most_states,
                                        WorkBudget& budget) {
  Orders orders(graph, most_states, budget);
  if (!coordinates.empty()) follow_axes(orders, coordinates);
  const std::size_t apart =
      std::max<std::size_t>(1, graph.vertices() / std::max<std::size_t>(1, starts));
  for (std::size_t v = 0; v < graph.vertices() && !budget.spent(); v += apart) {
    orders.go_from(static_cast<std::uint32_t>(v));
  }
  return std::move(orders).best();
}

}  // namespace zonecut
