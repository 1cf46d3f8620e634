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
  explicit UpDownPaths(const Cables& cables);

  /// Forgets the destination before. O(links between the leaf and the topmost tier above it) unless
  /// it is the same.
  void set_destination(SwitchId leaf);
  /// The tier at which the shortest working paths between two leaves turn; none when they are
  /// parted. O(levels) in a fabric without failures, whatever the destination; else sets it.
  [[nodiscard]] std::optional<int> turn_between(SwitchId from, SwitchId to);
  /// The tier at which the shortest working paths from `leaf` turn; none when the two are parted.
  [[nodiscard]] std::optional<int> turn_level(SwitchId leaf);
  /// The working links by which the destination is reached from above: from its own up, tier by
  /// tier, those of a tier ascending.
  [[nodiscard]] std::span<const LinkId> links_down() const { return links_down_; }
  /// Whether a flow that turns at `level` may be at this switch, still going up.
  [[nodiscard]] bool can_climb(SwitchId at, int level);
  /// Whether the destination can be reached from here by going down only.
  [[nodiscard]] bool can_descend(SwitchId at) const { return below_[at.index()] == epoch_; }

  [[nodiscard]] int level(SwitchId at) const;

 private:
  struct Memo {
    std::uint32_t epoch = 0;
    std::int32_t level = 0;
    bool can = false;
  };

  const Cluster& cluster_;
  const Cables& cables_;
  [[nodiscard]] bool is_whole() const;
  [[nodiscard]] int common_level(SwitchId from, SwitchId to) const;

  bool whole_;
  std::optional<SwitchId> destination_;
  std::uint32_t epoch_ = 0;
  std::vector<LinkId> links_down_;
  std::vector<std::uint32_t> below_;  // by switch: epoch in which it was reached from below
  std::vector<Memo> climb_;           // by switch
};

}  // namespace zonecut
