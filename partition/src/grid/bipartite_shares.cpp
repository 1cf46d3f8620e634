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
  }

  /// The bound is concave in the price: thirds of a range close in on the best.
  std::int64_t run() {
    constexpr int kSections = 30;
    double low = -cuts_.of(0, 1);
    double high = cuts_.of(0, 1);
    double best = 0;
    for (int i = 0; i < kSections; ++i) {
      const double third = (high - low) / 3;
      const double below = least(low + third);
      const double above = least(high - third);
      best = std::max({best, below, above});
      (below > above ? high : low) += below > above ? -third : third;
    }
    return rounded_down(best);
  }

 private:
  double least(double price) {
    std::vector<double> held{0};
    held.resize(size_[0] + 1, kNotReached);
    double magnitude = std::abs(price) * number(size_[1]);
    for (const auto& [room, count] : zones_) {
      std::vector<double> cost;
      for (std::size_t x = 0; x <= std::min(room, size_[0]); ++x) {
        double cheapest = kNotReached;
        for (std::size_t y = 0; y <= std::min(room - x, size_[1]); ++y) {
          cheapest = std::min(cheapest, cuts_.of(x, y) / 2 - price * number(y));
        }
        cost.push_back(cheapest);
        magnitude = std::max(magnitude, std::abs(cheapest));
      }
      for (std::size_t i = 0; i < count; ++i) add(cost, held);
    }
    return held.back() + price * number(size_[1]) - kRounding * magnitude * number(size_[0] + 1);
  }

  static void add(std::span<const double> cost, std::vector<double>& held) {
    const std::vector<double> before = std::exchange(held, std::vector(held.size(), kNotReached));
    for (std::size_t x = 0; x < cost.size(); ++x) {
      lower(std::span(held).subspan(x), before, cost[x]);
    }
  }

  const BipartiteCuts& cuts_;
  Taken size_;
  std::map<std::size_t, std::size_t> zones_;  // by room
};

}  // namespace

std::optional<BipartiteShares> bipartite_shares(const BipartiteMesh& mesh,
                                                const BipartiteCuts& cuts,
                                                std::span<const std::uint32_t> capacity,
                                                std::int64_t most_steps) {
  constexpr std::size_t kMostStates = std::size_t{1} << 24;
  const std::size_t states = (mesh.sides[0].size() + 1) * (mesh.sides[1].size() + 1);
  Division division(mesh, cuts, capacity);
  if (states <= kMostStates / (capacity.size() + 1) &&
      division.steps() <= static_cast<double>(most_steps)) {
    return division.run();
  }
  if (division.is_full()) return std::nullopt;
  return BipartiteShares{PricedDivision(mesh, cuts, capacity).run(), {}};
}

}  // namespace zonecut
