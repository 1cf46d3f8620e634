#pragma once
// Which parts of a fabric are regular: where it does not matter which of several switches a flow
// takes, only that flows take different ones.
#include <cstdint>
#include <optional>
#include <vector>

#include "routing/cables.hpp"

namespace zonecut {

class RegularParts {
 public:
  explicit RegularParts(const Cables& cables);

  /// How many cables every switch of this one's domain and plane has to each switch of the tier
  /// above; none where they differ or are down.
  [[nodiscard]] std::optional<std::uint32_t> cables_up(SwitchId at);

  /// Notes that flows leave from or go to this leaf, for alike().
  void take_part(SwitchId leaf);
  /// Whether all leaves of this one's parent that take part have the same cables, in this plane.
  [[nodiscard]] bool alike(SwitchId leaf) const { return !unlike_[place_of_parent(leaf)]; }
  /// The same, with equally many cables to each switch.
  [[nodiscard]] bool even(SwitchId leaf) const;

  [[nodiscard]] DomainId parent_of(SwitchId at) const;
  /// Of domain and plane of a switch, and of its parent.
  [[nodiscard]] std::size_t place_of(SwitchId at) const;
  [[nodiscard]] std::size_t place_of_parent(SwitchId at) const;

 private:
  struct Known {
    bool looked = false;
    std::optional<std::uint32_t> cables;
  };
  [[nodiscard]] std::optional<std::uint32_t> look_up(SwitchId at) const;
  [[nodiscard]] bool same_cables(SwitchId a, SwitchId b) const;
  [[nodiscard]] bool equal_capacities(SwitchId at) const;

  const Cluster& cluster_;
  const Cables& cables_;
  std::size_t planes_;
  std::vector<Known> known_;                      // by place
  std::vector<std::optional<SwitchId>> samples_;  // by place of the parent: its first leaf
  std::vector<bool> unlike_;                      // likewise
  std::vector<bool> seen_;                        // by switch
};

}  // namespace zonecut
