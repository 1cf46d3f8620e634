#pragma once
// Bytes of large jobs times distances of tall trees can pass 63 bits. The mapper then gets the
// graph in a coarser unit, weights rounded down, so that unit times a proven bound is a bound in
// bytes still.
#include <optional>

#include "zonecut/partition/communication_graph.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {

/// Borrows the graph when bytes fit, owns a coarser copy otherwise.
class ScaledGraph {
 public:
  ScaledGraph(const CommunicationGraph& original, std::int64_t unit);
  [[nodiscard]] const CommunicationGraph& graph() const { return coarser_ ? *coarser_ : original_; }
  [[nodiscard]] std::int64_t unit() const noexcept { return unit_; }

 private:
  const CommunicationGraph& original_;
  std::int64_t unit_;
  std::optional<CommunicationGraph> coarser_;
};

[[nodiscard]] ScaledGraph scale_for(const CommunicationGraph& graph, const SlotTree& tree);

}  // namespace zonecut
