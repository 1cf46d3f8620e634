#include "refine/exchange_zones.hpp"

#include <algorithm>
#include <numeric>

#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostZones = 1024;
constexpr int kMostRounds = 32;
constexpr std::size_t kMostKicked = 500'000;  // kicks times zones³
constexpr std::size_t kMostKicks = 200;

/// What the zones' contents send each other, and where each content stands.
class ZoneContents {
 public:
  ZoneContents(const CommunicationGraph& graph, const SlotTree& tree,
               std::span<const std::uint32_t> zone)
      : tree_(tree),
        zones_(tree.domains(tree.cut_level)),
        capacity_(tree.capacity(tree.cut_level)),
        size_(zones_, 0),
        stands_(zones_),
        traffic_(zones_ * zones_, 0),
        partners_(zones_) {
    std::iota(stands_.begin(), stands_.end(), 0u);
    for (std::uint32_t u = 0; u < zone.size(); ++u) {
      ++size_[zone[u]];
      for (const auto& [v, weight] : graph.neighbours(u)) {
        if (zone[u] != zone[v]) traffic_[zone[u] * zones_ + zone[v]] += weight;
      }
    }
    for (std::uint32_t x = 0; x < zones_; ++x) {
      for (std::uint32_t z = 0; z < zones_; ++z) {
        if (traffic_[x * zones_ + z] != 0) partners_[x].push_back(z);
      }
    }
    fill_distances();
  }

  /// From a few exchanges at random, whatever they cost, and back where that led to nothing better.
  void improve_from_afar(Random& random) {
    const std::vector<std::uint32_t> before = stands_;
    const double least = cost();
    const std::size_t kicks = 2 + random.below(3);
    for (std::size_t i = 0; i < kicks; ++i) {
      const auto x = static_cast<std::uint32_t>(random.below(zones_));
      const auto y = static_cast<std::uint32_t>(random.below(zones_));
      if (may_exchange(x, y)) std::swap(stands_[x], stands_[y]);
    }
    descend();
    if (cost() >= least) stands_ = before;
  }

  /// Exchanges as long as they pay.
  void descend() {
    for (int round = 0; round < kMostRounds && improve(); ++round) {
    }
  }

  /// One round over all pairs. True if J fell.
  bool improve() {
    bool improved = false;
    for (std::uint32_t x = 0; x < zones_; ++x) {
      for (std::uint32_t y = x + 1; y < zones_; ++y) {
        if (!may_exchange(x, y) || gain(x, y) <= 0) continue;
        std::swap(stands_[x], stands_[y]);
        improved = true;
      }
    }
    return improved;
  }

  [[nodiscard]] double cost() const {
    double sum = 0;
    for (std::uint32_t x = 0; x < zones_; ++x) {
      for (std::uint32_t y = x + 1; y < zones_; ++y) {
        sum += static_cast<double>(traffic_[x * zones_ + y]) *
               static_cast<double>(distance_[stands_[x] * zones_ + stands_[y]]);
      }
    }
    return sum;
  }

  [[nodiscard]] std::uint32_t operator[](std::uint32_t content) const { return stands_[content]; }

 private:
  void fill_distances() {
    distance_.assign(zones_ * zones_, 0);
    std::vector<std::uint32_t> x(zones_);
    std::iota(x.begin(), x.end(), 0u);
    // Upwards from the zones: the first level at which two agree is their innermost common one.
    for (std::size_t level = tree_.cut_level; level > 0; --level) {
      for (std::uint32_t& d : x) d = tree_.parent[level][d];
      for (std::size_t a = 0; a < zones_; ++a) {
        for (std::size_t b = 0; b < zones_; ++b) {
          std::int64_t& entry = distance_[a * zones_ + b];
          if (a != b && entry == 0 && x[a] == x[b]) entry = tree_.distance[level] + 1;
        }
      }
    }
    for (std::int64_t& entry : distance_) entry = entry == 0 ? tree_.distance[0] : entry - 1;
  }

  [[nodiscard]] bool may_exchange(std::uint32_t x, std::uint32_t y) const {
    return size_[x] <= capacity_[stands_[y]] && size_[y] <= capacity_[stands_[x]];
  }

  /// Floating point, since traffic times distance may pass 63 bits; the sums only guide the search.
  /// O(partners of both): most zones of many exchange nothing with a given one.
  [[nodiscard]] double gain(std::uint32_t x, std::uint32_t y) const {
    return nearer_at(x, stands_[y], y) + nearer_at(y, stands_[x], x);
  }

  /// What a content's traffic with all but `other` loses of its cost where it stands at `there`.
  [[nodiscard]] double nearer_at(std::uint32_t content, std::uint32_t there,
                                 std::uint32_t other) const {
    const std::uint32_t here = stands_[content];
    double sum = 0;
    for (const std::uint32_t z : partners_[content]) {
      if (z == other) continue;
      const std::uint32_t c = stands_[z];
      sum += static_cast<double>(traffic_[content * zones_ + z]) *
             static_cast<double>(distance_[here * zones_ + c] - distance_[there * zones_ + c]);
    }
    return sum;
  }

  const SlotTree& tree_;
  std::size_t zones_;
  std::vector<std::uint64_t> capacity_;
  std::vector<std::uint64_t> size_;
  std::vector<std::uint32_t> stands_;  // zone in which a content stands
  std::vector<std::int64_t> traffic_;
  std::vector<std::vector<std::uint32_t>> partners_;  // by content, with whom it exchanges any
  std::vector<std::int64_t> distance_;
};

}  // namespace

bool has_tiers_above(const SlotTree& tree) {
  const std::size_t zones = tree.domains(tree.cut_level);
  if (zones > kMostZones) return false;
  for (std::size_t level = 0; level < tree.cut_level; ++level) {
    if (tree.domains(level) > 1 && tree.domains(level) < zones) return true;
  }
  return false;
}

void exchange_zones(const CommunicationGraph& graph, const SlotTree& tree,
                    std::vector<std::uint32_t>& zone) {
  if (!has_tiers_above(tree)) return;
  ZoneContents contents(graph, tree, zone);
  contents.descend();
  Random random(1);
  const std::size_t zones = tree.domains(tree.cut_level);
  const std::size_t kicks = std::min(kMostKicks, kMostKicked / (zones * zones * zones));
  for (std::size_t i = 0; i < kicks; ++i) contents.improve_from_afar(random);
  for (std::uint32_t& z : zone) z = contents[z];
}

double cost_between_zones(const CommunicationGraph& graph, const SlotTree& tree,
                          std::span<const std::uint32_t> zone) {
  return has_tiers_above(tree) ? ZoneContents(graph, tree, zone).cost() : 0;
}

}  // namespace zonecut
