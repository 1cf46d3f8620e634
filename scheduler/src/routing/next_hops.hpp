#pragma once
// Where each switch may send towards one destination leaf: the cables that a hash chooses between,
// and those that pinning numbers. Kept for one destination at a time, so flows are best asked for
// leaf by leaf.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routing/cables.hpp"
#include "routing/up_down_paths.hpp"

namespace zonecut {

/// One cable onward, in the direction of the flow.
struct NextHop {
  std::uint32_t load_index;  ///< Cables::load_index
  SwitchId at;               ///< where it leads
};

class NextHops {
 public:
  /// Borrows the cables. `pinned`: leaves keep their ports in mind, for pinned_uplink().
  NextHops(const Cables& cables, bool pinned);

  /// O(links between the leaf and the topmost tier above it).
  void set_destination(SwitchId leaf);
  /// How many tiers a flow climbs from `leaf`; none where failures part the two.
  [[nodiscard]] std::optional<int> climbs_from(SwitchId leaf);

  /// From a switch with so many tiers left to climb, one at least.
  [[nodiscard]] std::span<const NextHop> climbing(SwitchId at, std::size_t left) {
    Choices& here = choices_[at.index() * ways_on_ + left];
    if (here.epoch != epoch_) here = gather_up(at, paths_.level(at) - static_cast<int>(left));
    return std::span<const NextHop>(hops_).subspan(here.first_hop, here.hops);
  }
  [[nodiscard]] std::span<const NextHop> descending(SwitchId at) const {
    const Choices& here = choices_[at.index() * ways_on_];
    return std::span<const NextHop>(hops_).subspan(here.first_hop, here.hops);
  }
  /// Which of climbing(from.leaf, left) pinning takes; none where that uplink has failed. Only
  /// leaves pin: at a spine all flows of one slice would meet on one uplink again. Where a leaf has
  /// m uplinks for each port, m flows to one slice from different parts of the rack each have
  /// their own.
  [[nodiscard]] std::optional<std::size_t> pinned_uplink(const Cables::Port& from,
                                                         const Cables::Port& to, std::size_t left);
  /// No path of a shortest one has more.
  [[nodiscard]] std::size_t most_hops() const noexcept { return 2 * ways_on_; }

 private:
  /// hops_ of a switch, and for pinning all its cables as if none were down: ports_, indices among
  /// these hops.
  struct Choices {
    std::uint32_t epoch = 0;
    std::uint32_t first_hop = 0;
    std::uint32_t hops = 0;
    std::uint32_t first_port = 0;
    std::uint32_t ports = 0;
  };
  [[nodiscard]] Choices gather_up(SwitchId at, int turn);
  void gather_down();
  [[nodiscard]] std::uint32_t load_index(LinkId link, std::uint32_t cable, Way way) const {
    return static_cast<std::uint32_t>(Cables::load_index(cables_.first_cable(link) + cable, way));
  }

  static constexpr std::uint32_t kDown = ~std::uint32_t{0};

  const Cables& cables_;
  std::span<const Link> links_;
  UpDownPaths paths_;
  bool pinned_;
  std::uint32_t epoch_ = 0;
  std::size_t ways_on_;           // by tiers left to climb; 0: down
  std::vector<Choices> choices_;  // by switch and way on
  std::vector<NextHop> hops_;
  std::vector<std::uint32_t> ports_;
};

}  // namespace zonecut
