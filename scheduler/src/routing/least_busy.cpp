#include "routing/least_busy.hpp"

#include <algorithm>

namespace zonecut {
namespace {

/// Cables above one leaf, or above one domain in one plane.
struct Above {
  std::size_t cables = 0;  // that work
  double fastest = 0;
  std::size_t out = 0;  // flows so far
  std::size_t in = 0;
};

class Pigeonholes {
 public:
  explicit Pigeonholes(const Cables& cables)
      : cluster_(cables.fabric().cluster()),
        switches_(cables.fabric().switches()),
        planes_(static_cast<std::size_t>(cables.fabric().spec().planes)),
        leaves_(switches_.size()),
        domains_(cluster_.domain_count() * planes_) {
    for (const Link& link : cables.fabric().links()) {
      const auto* lower = std::get_if<SwitchId>(&link.lower);
      if (lower == nullptr || link.capacity.count == 0) continue;
      const double cable =
          static_cast<double>(link.capacity.count) / static_cast<double>(link.cables);
      const Switch& at = switches_[lower->index()];
      for (Above* above : {&leaves_[lower->index()], &domain(at.place.domain, at.place.plane)}) {
        above->cables += static_cast<std::size_t>(link.cables);
        above->fastest = std::max(above->fastest, cable);
      }
    }
  }

  /// Up from this leaf to where the flow turns, or down to it.
  void pass(SwitchId leaf, const LeafFlow& flow, std::size_t Above::* count) {
    const Switch& at = switches_[leaf.index()];
    if (flow.turn == at.level) return;
    meet(leaves_[leaf.index()], flow.bytes, count);
    DomainId below = at.place.domain;
    for (int level = at.level - 1; level > flow.turn; --level) {
      below = *cluster_.domain(below).parent;
      meet(domain(below, at.place.plane), flow.bytes, count);
    }
  }

  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  [[nodiscard]] Above& domain(DomainId id, int plane) {
    return domains_[id.index() * planes_ + static_cast<std::size_t>(plane)];
  }
  void meet(Above& above, double bytes, std::size_t Above::* count) {
    const std::size_t flows = ++(above.*count);
    if (above.cables == 0) return;
    const std::size_t on_one = (flows + above.cables - 1) / above.cables;
    seconds_ = std::max(seconds_, static_cast<double>(on_one) * bytes / above.fastest);
  }

  const Cluster& cluster_;
  std::span<const Switch> switches_;
  std::size_t planes_;
  std::vector<Above> leaves_;   // by switch
  std::vector<Above> domains_;  // by domain and plane
  double seconds_ = 0;
};

}  // namespace

double least_busy(const Cables& cables, std::span<const LeafFlow> flows) {
  Pigeonholes holes(cables);
  for (const LeafFlow& flow : flows) {
    holes.pass(flow.from->leaf, flow, &Above::out);
    holes.pass(flow.to->leaf, flow, &Above::in);
  }
  return holes.seconds();
}

}  // namespace zonecut
