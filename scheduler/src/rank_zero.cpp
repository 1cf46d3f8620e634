#include "zonecut/scheduler/rank_zero.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

using Order = std::vector<ServerId>;

/// The grids a job's vertices stand in: their coordinates where it has them, one for an encoder and
/// one for its language model, else one line.
class Grid {
 public:
  explicit Grid(const PlacementProblem& problem, std::size_t vertices) {
    places_ = problem.coordinates;
    if (places_.size() != vertices) {
      places_.clear();
      for (std::size_t v = 0; v < vertices; ++v) places_.push_back({static_cast<int>(v), -1, -1});
    }
    for (std::size_t v = 0; v < vertices; ++v) {
      vertex_at_.emplace(places_[v], v);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        int& size = sizes_[grid_of(v)][axis];
        size = std::max(size, places_[v][axis] + 1);
      }
    }
  }

  /// The order whose vertex 0 has what `target` had in `order`: each axis is shifted, or mirrored
  /// where its bit of `mirrored` is set, in the other grid by as large a part of it. None where the
  /// grids have gaps or do not go into each other.
  [[nodiscard]] std::optional<Order> turned(const Order& order, std::size_t target,
                                            unsigned mirrored) const {
    if (grid_of(target) != grid_of(0)) return std::nullopt;
    Order result = order;
    for (std::size_t v = 0; v < order.size(); ++v) {
      Coordinates from = places_[v];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const int size = sizes_[grid_of(v)][axis];
        const int own = sizes_[grid_of(0)][axis];
        if (size < 2 || own < 1) continue;
        const bool mirror = (mirrored >> axis & 1) != 0;
        const std::int64_t shift =
            std::int64_t{places_[target][axis] - places_[0][axis] + (mirror ? 1 : 0)} * size;
        if (shift % own != 0) return std::nullopt;
        const auto by = static_cast<int>(shift / own);
        const int moved = mirror ? by - 1 - places_[v][axis] : by + places_[v][axis];
        from[axis] = (moved % size + size) % size;
      }
      const auto found = vertex_at_.find(from);
      if (found == vertex_at_.end()) return std::nullopt;
      result[v] = order[found->second];
    }
    return result;
  }

  /// Whether mirroring along all axes of `mirrored` is something else than with fewer of them.
  [[nodiscard]] bool distinct(unsigned mirrored) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int size = std::max(sizes_[0][axis], sizes_[1][axis]);
      if ((mirrored >> axis & 1) != 0 && size < 2) return false;
    }
    return true;
  }

 private:
  /// An encoder's vertices are in no stage.
  [[nodiscard]] std::size_t grid_of(std::size_t vertex) const {
    return places_[vertex][2] < 0 ? 0 : 1;
  }

  std::vector<Coordinates> places_;
  std::map<Coordinates, std::size_t> vertex_at_;
  std::array<std::array<int, 3>, 2> sizes_{};
};

/// The vertices that `first`'s rack holds, its own first.
std::vector<std::size_t> vertices_beside(const Cluster& cluster, const Order& order,
                                         ServerId first) {
  std::vector<std::size_t> vertices;
  for (std::size_t v = 0; v < order.size(); ++v) {
    if (cluster.server(order[v]).rack == cluster.server(first).rack) vertices.push_back(v);
  }
  std::stable_partition(vertices.begin(), vertices.end(),
                        [&](std::size_t v) { return order[v] == first; });
  return vertices;
}

/// Vertex 0 changes places with one that `first` holds.
void put_in_front(Order& order, ServerId first) {
  std::iter_swap(order.begin(), std::find(order.begin(), order.end(), first));
}

/// Orders with `first` in front, at most `most`: turned ones, then the given one with two servers
/// changed over.
std::vector<Order> orders_to_try(const PlacementProblem& problem, const Order& order,
                                 ServerId first, std::size_t most) {
  std::vector<Order> orders;
  const Grid grid(problem, order.size());
  for (const std::size_t target : vertices_beside(*problem.view.cluster, order, first)) {
    for (unsigned mirrored = 0; mirrored < 8 && orders.size() + 1 < most; ++mirrored) {
      if (!grid.distinct(mirrored)) continue;
      if (auto turned = grid.turned(order, target, mirrored)) orders.push_back(*std::move(turned));
    }
  }
  orders.push_back(order);
  for (Order& each : orders) put_in_front(each, first);
  return orders;
}

bool cheaper(const Placement& a, const Placement& b) {
  return std::tuple(a.prediction.communication, a.prediction.cross_zone, a.cost) <
         std::tuple(b.prediction.communication, b.prediction.cross_zone, b.cost);
}

}  // namespace

bool costs_no_more(const Placement& a, const Placement& b) {
  constexpr double kRounding = 1 + 1e-9;
  return a.prediction.communication.count <= b.prediction.communication.count * kRounding &&
         a.prediction.cross_zone <= b.prediction.cross_zone && a.cost <= b.cost;
}

Placement with_rank_zero_on(const PlacementProblem& problem, const Placement& placement,
                            ServerId first) {
  const Order& order = placement.servers;
  const Cluster& cluster = *problem.view.cluster;
  if (std::find(order.begin(), order.end(), first) == order.end()) {
    throw InputError(
        "rank 0", fmt::format("the placement does not use server {}", cluster.server(first).name));
  }
  if (order.front() == first) return placement;
  constexpr std::size_t kVertexEvaluations = 100'000;
  const std::size_t most = std::clamp<std::size_t>(kVertexEvaluations / order.size(), 2, 128);
  const std::vector<Order> orders = orders_to_try(problem, order, first, most);
  Placement best = evaluate(problem, orders.front(), placement.method);
  for (std::size_t i = 1; i < orders.size() && !costs_no_more(best, placement); ++i) {
    Placement tried = evaluate(problem, orders[i], placement.method);
    if (cheaper(tried, best)) best = std::move(tried);
  }
  return best;
}

}  // namespace zonecut
