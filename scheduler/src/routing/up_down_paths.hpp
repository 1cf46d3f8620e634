#pragma once
// Which switches a flow may pass on its way to one leaf: the shortest up-down paths that failures
// leave. Kept for one destination at a time, so flows are best asked for leaf by leaf.
#include <cstdint>
#include <optional>
#include <vector>

#include "routing/cables.hpp"

namespace zonecut {

class UpDownPaths {
 public:
  UpDownPaths(const Cluster& cluster, const Cables& cables);

  /// Forgets the destination before. O(links between the leaf and the topmost tier above it).
  void set_destination(SwitchId leaf);
  /// The tier at which the shortest working paths from `leaf` turn; none when the two are parted.
  [[nodiscard]] std::optional<int> turn_level(SwitchId leaf);
  /// Whether a flow that turns at `level` may be at this switch, still going up.
  [[nodiscard]] bool can_climb(SwitchId at, int level);
  /// Whether the destination can be reached from here by going down only.
  [[nodiscard]] bool can_descend(SwitchId at) const { return below_[at.index()] == epoch_; }

  [[nodiscard]] int level(SwitchId at) const;
  [[nodiscard]] bool is_leaf(SwitchId at) const { return level(at) == cluster_.rack_level(); }

 private:
  struct Memo {
    std::uint32_t epoch = 0;
    std::int32_t level = 0;
    bool can = false;
  };

  const Cluster& cluster_;
  const Cables& cables_;
  SwitchId destination_{0};
  std::uint32_t epoch_ = 0;
  std::vector<std::uint32_t> below_;  // by switch: epoch in which it was reached from below
  std::vector<Memo> climb_;           // by switch
};

}  // namespace zonecut
