#pragma once
// How long each cable is busy with the flows that a controller has put on it.
#include <cstdint>
#include <span>
#include <vector>

#include "routing/cables.hpp"

namespace zonecut {

class BusyCables {
 public:
  explicit BusyCables(const Cables& cables);
  /// O(cables of the link).
  void add(std::uint32_t load_index, double bytes);
  void add(std::span<const std::uint32_t> hops, double bytes) {
    for (const std::uint32_t hop : hops) add(hop, bytes);
  }
  [[nodiscard]] double seconds(std::size_t load_index) const { return seconds_[load_index]; }
  /// Of a link's cables, the one that is least busy in this direction: its load index.
  [[nodiscard]] std::uint32_t least(LinkId link, Way way) const {
    return least_[link_way(link, way)].load_index;
  }
  /// How long it would be busy with so many bytes more.
  [[nodiscard]] double seconds_with(LinkId link, Way way, double bytes) const {
    const Least& least = least_[link_way(link, way)];
    return least.seconds + bytes * least.seconds_per_byte;
  }
  [[nodiscard]] double most(std::span<const std::uint32_t> hops) const;

 private:
  /// What a search asks of a link, in one place.
  struct Least {
    double seconds = 0;
    double seconds_per_byte = 0;
    std::uint32_t load_index = 0;
  };
  [[nodiscard]] static std::size_t link_way(LinkId link, Way way) {
    return 2 * link.index() + (way == Way::Down ? 1 : 0);
  }

  const Cables* cables_;
  std::vector<double> seconds_;  // by load index
  std::vector<Least> least_;     // by link and direction
};

}  // namespace zonecut
