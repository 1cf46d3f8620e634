#include "refine/exchange_zones.hpp"

#include <algorithm>
#include <numeric>

namespace zonecut {
namespace {

constexpr std::size_t kMostZones = 1024;
constexpr int kMostRounds = 32;

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
        traffic_(zones_ * zones_, 0) {
    std::iota(stands_.begin(), stands_.end(), 0u);
    for (std::uint32_t u = 0; u < zone.size(); ++u) {
      ++size_[zone[u]];
      for (const auto& [v, weight] : graph.neighbours(u)) {
        if (zone[u] != zone[v]) traffic_[zone[u] * zones_ + zone[v]] += weight;
      }
    }
    fill_distances();
  }

  /// One round over all pairs. True if J fell.
  bool improve() {
    bool improved = false;
    for (std::uint32_t x = 0; x < zones_; ++x) {
      for (std::uint32_t y = x + 1; y < zones_; ++y) {
        if (size_[x] > capacity_[stands_[y]] || size_[y] > capacity_[stands_[x]]) continue;
        if (gain(x, y) <= 0) continue;
        std::swap(stands_[x], stands_[y]);
        improved = true;
      }
    }
    return improved;
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

  /// Floating point, since traffic times distance may pass 63 bits; the sums only guide the search.
  [[nodiscard]] double gain(std::uint32_t x, std::uint32_t y) const {
    const std::uint32_t a = stands_[x];
    const std::uint32_t b = stands_[y];
    double sum = 0;
    for (std::uint32_t z = 0; z < zones_; ++z) {
      if (z == x || z == y) continue;
      const std::uint32_t c = stands_[z];
      const auto difference = static_cast<double>(traffic_[x * zones_ + z]) -
                              static_cast<double>(traffic_[y * zones_ + z]);
      sum +=
          difference * static_cast<double>(distance_[a * zones_ + c] - distance_[b * zones_ + c]);
    }
    return sum;
  }

  const SlotTree& tree_;
  std::size_t zones_;
  std::vector<std::uint64_t> capacity_;
  std::vector<std::uint64_t> size_;
  std::vector<std::uint32_t> stands_;  // zone in which a content stands
  std::vector<std::int64_t> traffic_;
  std::vector<std::int64_t> distance_;
};

}  // namespace

void exchange_zones(const CommunicationGraph& graph, const SlotTree& tree,
                    std::vector<std::uint32_t>& zone) {
  if (tree.cut_level == 0 || tree.domains(tree.cut_level) > kMostZones) return;
  ZoneContents contents(graph, tree, zone);
  for (int round = 0; round < kMostRounds && contents.improve(); ++round) {
  }
  for (std::uint32_t& z : zone) z = contents[z];
}

}  // namespace zonecut
