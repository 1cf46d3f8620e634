#include "grid/bipartite_shares.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "grid/min_plus.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

using Taken = std::array<std::size_t, 2>;

class Division {
 public:
  Division(const BipartiteMesh& mesh, const BipartiteCuts& cuts,
           std::span<const std::uint32_t> capacity)
      : cuts_(cuts),
        capacity_(capacity),
        size_{mesh.sides[0].size(), mesh.sides[1].size()},
        full_(std::reduce(capacity.begin(), capacity.end(), std::size_t{0}) ==
              size_[0] + size_[1]) {}

  /// Additions, all together.
  [[nodiscard]] double steps() const {
    double steps = 0;
    for (const std::size_t room : capacity_) {
      const double first = number(std::min(room, size_[0]) + 1);
      const double second = full_ ? 1 : number(std::min(room, size_[1]) + 1);
      steps += first * second * number(size_[0] + 1) * number(size_[1] + 1);
    }
    // Where zones are full, few of the states are ever reached.
    return full_ ? steps / number(size_[1] + 1) : steps;
  }

  [[nodiscard]] bool is_full() const { return full_; }

  BipartiteShares run() {
    least_.assign(capacity_.size() + 1, std::vector<double>(states(), kNotReached));
    least_.front().front() = 0;
    for (std::size_t zone = 0; zone < capacity_.size(); ++zone) add(zone);
    BipartiteShares shares{rounded_down(least_.back().back()), {}};
    shares.zones.resize(capacity_.size());
    Taken all = size_;
    for (std::size_t zone = capacity_.size(); zone-- > 0;) {
      const Taken taken = last_of(zone, all);
      for (std::size_t s = 0; s < 2; ++s) {
        shares.zones[zone][s] = static_cast<std::uint32_t>(taken[s]);
        all[s] -= taken[s];
      }
    }
    return shares;
  }

 private:
  [[nodiscard]] std::size_t states() const { return (size_[0] + 1) * (size_[1] + 1); }
  [[nodiscard]] std::size_t at(std::size_t first, std::size_t second) const {
    return first * (size_[1] + 1) + second;
  }

  template <class Visit>
  void for_each_choice(std::size_t zone, const Visit& visit) const {
    const std::size_t room = capacity_[zone];
    for (std::size_t x = 0; x <= std::min(room, size_[0]); ++x) {
      const std::size_t most = std::min(room - x, size_[1]);
      if (full_ && most < room - x) continue;
      for (std::size_t y = full_ ? most : 0; y <= most; ++y) visit(x, y);
    }
  }

  void add(std::size_t zone) {
    const std::vector<double>& before = least_[zone];
    std::vector<double>& after = least_[zone + 1];
    const std::size_t filled = std::reduce(
        capacity_.begin(), capacity_.begin() + static_cast<std::ptrdiff_t>(zone), std::size_t{0});
    for_each_choice(zone, [&](std::size_t x, std::size_t y) {
      const double cost = cuts_.of(x, y) / 2;
      for (std::size_t a = 0; a + x <= size_[0]; ++a) {
        if (!full_) {
          const std::size_t count = size_[1] + 1 - y;
          lower(std::span(after).subspan(at(a + x, y), count),
                std::span(before).subspan(at(a, 0), count), cost);
        } else if (filled >= a && filled - a + y <= size_[1]) {
          double& least = after[at(a + x, filled - a + y)];
          least = std::min(least, before[at(a, filled - a)] + cost);
        }
      }
    });
  }

  [[nodiscard]] Taken last_of(std::size_t zone, const Taken& all) const {
    Taken best{};
    double least = kNotReached;
    for_each_choice(zone, [&](std::size_t x, std::size_t y) {
      if (x > all[0] || y > all[1]) return;
      const double cost = least_[zone][at(all[0] - x, all[1] - y)] + cuts_.of(x, y) / 2;
      if (cost >= least) return;
      least = cost;
      best = {x, y};
    });
    return best;
  }

  const BipartiteCuts& cuts_;
  std::span<const std::uint32_t> capacity_;
  Taken size_;
  bool full_;
  std::vector<std::vector<double>> least_;  // by zones so far, then what they hold of either side
};

/// Where zones have room to spare: a vertex of the second side has a price, and zones take of it
/// what suits them. How many they take together is relaxed.
class PricedDivision {
 public:
  PricedDivision(const BipartiteMesh& mesh, const BipartiteCuts& cuts,
                 std::span<const std::uint32_t> capacity)
      : cuts_(cuts), size_{mesh.sides[0].size(), mesh.sides[1].size()} {
    for (const std::uint32_t room : capacity) ++zones_[room];
    const std::size_t largest = zones_.rbegin()->first;
    for (std::size_t s = 0; s < 2; ++s) most_[s] = std::min(largest, size_[s]);
  }

  /// What the largest zone may hold.
  [[nodiscard]] std::size_t entries() const { return (most_[0] + 1) * (most_[1] + 1); }

  /// Of one price; additions, about.
  [[nodiscard]] double steps() const {
    constexpr double kLanes = 2;
    double steps = kLanes * number(entries());
    for (const auto& [room, count] : zones_) {
      steps += number(count) * number(std::min(room, size_[0]) + 1) * number(size_[0] + 1) / kLanes;
    }
    return steps;
  }

  /// The bound is concave in the price: golden sections of a range close in on the best, as far as
  /// so many steps go.
  std::int64_t run(double most_steps) {
    constexpr double kMostPrices = 45;
    constexpr double kGolden = 0.381966;
    for (std::size_t x = 0; x <= most_[0]; ++x) {
      for (std::size_t y = 0; y <= most_[1]; ++y) half_.push_back(cuts_.of(x, y) / 2);
    }
    const auto prices = static_cast<int>(std::min(kMostPrices, most_steps / steps()));
    double low = -cuts_.of(0, 1);
    double high = cuts_.of(0, 1);
    double left = low + kGolden * (high - low);
    double right = high - kGolden * (high - low);
    double at_left = least(left);
    double at_right = least(right);
    double best = std::max({0.0, at_left, at_right});
    for (int i = 2; i < prices; ++i) {
      if (at_left > at_right) {
        high = right;
        right = std::exchange(left, low + kGolden * (high - low));
        at_right = std::exchange(at_left, least(left));
      } else {
        low = left;
        left = std::exchange(right, high - kGolden * (high - low));
        at_left = std::exchange(at_right, least(right));
      }
      best = std::max({best, at_left, at_right});
    }
    return rounded_down(best);
  }

 private:
  double least(double price) {
    // By x and y, with up to y of the second side.
    const std::size_t columns = most_[1] + 1;
    up_to_ = half_;
    for (std::size_t x = 0; x <= most_[0]; ++x) {
      const std::span<double> row = row_of(up_to_, x, columns);
      for (std::size_t y = 1; y < columns; ++y)
        row[y] = std::min(row[y - 1], row[y] - price * number(y));
    }
    std::vector<double> held{0};
    held.resize(size_[0] + 1, kNotReached);
    double magnitude = std::abs(price) * number(size_[1]);
    std::size_t terms = size_[0] + 1;
    for (const auto& [room, count] : zones_) {
      std::vector<double> cost;
      for (std::size_t x = 0; x <= std::min(room, size_[0]); ++x) {
        cost.push_back(up_to_[x * columns + std::min(room - x, most_[1])]);
        magnitude = std::max(magnitude, std::abs(cost.back()));
      }
      for (std::size_t i = 0; i < count; ++i) add(cost, held);
      terms += count;
    }
    return held.back() + price * number(size_[1]) - kRounding * magnitude * number(terms);
  }

  static void add(std::span<const double> cost, std::vector<double>& held) {
    const std::vector<double> before = std::exchange(held, std::vector(held.size(), kNotReached));
    for (std::size_t x = 0; x < cost.size(); ++x) {
      lower(std::span(held).subspan(x), before, cost[x]);
    }
  }

  const BipartiteCuts& cuts_;
  Taken size_;
  Taken most_{};                              // of either side, in one zone
  std::map<std::size_t, std::size_t> zones_;  // by room
  std::vector<double> half_;                  // of what a zone cuts, by x and y
  std::vector<double> up_to_;
};

}  // namespace

std::optional<BipartiteShares> bipartite_shares(const BipartiteMesh& mesh,
                                                const BipartiteCuts& cuts,
                                                std::span<const std::uint32_t> capacity,
                                                std::int64_t most_steps) {
  constexpr std::size_t kMostStates = std::size_t{1} << 24;
  constexpr double kFewestPrices = 8;
  const std::size_t states = (mesh.sides[0].size() + 1) * (mesh.sides[1].size() + 1);
  Division division(mesh, cuts, capacity);
  if (states <= kMostStates / (capacity.size() + 1) &&
      division.steps() <= static_cast<double>(most_steps)) {
    return division.run();
  }
  if (division.is_full()) return std::nullopt;
  PricedDivision priced(mesh, cuts, capacity);
  const auto steps = static_cast<double>(most_steps);
  if (priced.entries() > kMostStates || kFewestPrices * priced.steps() > steps) return std::nullopt;
  return BipartiteShares{priced.run(steps), {}};
}

}  // namespace zonecut
