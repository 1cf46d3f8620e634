#pragma once
// The nodes of a search for a shortest path from place to place, each with a state of every piece;
// of those with the same states at the same place the cheapest.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "grid/divisions.hpp"

namespace zonecut {

/// State: a number, or packed() gives one.
template <class State>
class SearchNodes {
 public:
  struct Node {
    std::size_t place = 0;  ///< the next
    std::int64_t cost = 0;  ///< so far
  };

  explicit SearchNodes(std::size_t pieces) : pieces_(pieces), seen_(16, Hash{this}, Same{this}) {}
  // Its set looks up states here.
  SearchNodes(const SearchNodes&) = delete;
  SearchNodes& operator=(const SearchNodes&) = delete;

  [[nodiscard]] const Node& operator[](std::size_t node) const { return nodes_[node]; }
  [[nodiscard]] std::span<const State> states(std::size_t node) const {
    return std::span(states_).subspan(node * pieces_, pieces_);
  }
  /// The number that the next one gets.
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  /// False, and nothing is added, where a way that costs no more led to the same.
  bool add(const Node& node, std::span<const State> states) {
    const std::size_t added = nodes_.size();
    nodes_.push_back(node);
    states_.insert(states_.end(), states.begin(), states.end());
    const auto [known, fresh] = seen_.insert(added);
    if (fresh) return true;
    if (nodes_[*known].cost <= node.cost) {
      nodes_.pop_back();
      states_.resize(states_.size() - pieces_);
      return false;
    }
    seen_.erase(known);
    seen_.insert(added);
    return true;
  }
  /// Whether a cheaper way has led to the same since.
  [[nodiscard]] bool is_outdone(std::size_t node) const {
    const auto known = seen_.find(node);
    return known != seen_.end() && nodes_[*known].cost < nodes_[node].cost;
  }
  void clear() {
    nodes_.clear();
    states_.clear();
    seen_.clear();
  }

 private:
  struct Hash {
    const SearchNodes* nodes;
    std::size_t operator()(std::size_t node) const { return nodes->hash(node); }
  };
  struct Same {
    const SearchNodes* nodes;
    bool operator()(std::size_t x, std::size_t y) const { return nodes->same(x, y); }
  };

  [[nodiscard]] static std::uint64_t packed(State state) {
    if constexpr (std::is_integral_v<State>) {
      return state;
    } else {
      return state.packed();
    }
  }
  [[nodiscard]] std::size_t hash(std::size_t node) const {
    std::uint64_t all = nodes_[node].place;
    for (const State state : states(node)) all = mixed(all, packed(state));
    return all;
  }
  [[nodiscard]] bool same(std::size_t x, std::size_t y) const {
    return nodes_[x].place == nodes_[y].place && std::ranges::equal(states(x), states(y));
  }

  std::size_t pieces_;
  std::vector<Node> nodes_;
  std::vector<State> states_;  // of all pieces, node after node
  std::unordered_set<std::size_t, Hash, Same> seen_;
};

}  // namespace zonecut
