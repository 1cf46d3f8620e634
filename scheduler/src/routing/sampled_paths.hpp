#pragma once
// The ways of a phase's flows under many hash functions: each launch of a job draws others. A flow
// meets a switch once, so drawing its next cable there is drawing from the switch's hash.
#include <cstdint>
#include <span>
#include <vector>

#include "routing/next_hops.hpp"
#include "routing/nic_flows.hpp"
#include "zonecut/scheduler/routing.hpp"

namespace zonecut {

/// What one flow, or one of its queue pairs, sends over one path in each launch.
struct SampledPart {
  double bytes = 0;
  std::uint32_t round = NicFlow::kNoRound;
  std::uint32_t nics[2] = {};  ///< the first and the last cable: always the same
  std::uint32_t hops = 0;      ///< between switches
  std::size_t first = 0;       ///< of launch 0; those of the next launch follow
};

class SampledPaths {
 public:
  /// Borrows the cables.
  SampledPaths(const Cables& cables, const Routing& routing);

  /// Draws all paths, and forgets those before. The draws belong to the NICs as the job numbers
  /// them and to the numbers of the cables, not to servers: of places that are built alike, two
  /// orders that use them alike have the same times to the last bit. O(destination leaves · links
  /// above a leaf + parts · hops · launches).
  void draw(std::span<const NicFlow> flows, std::size_t launches);

  /// Round by round, those without first or last.
  [[nodiscard]] std::span<const SampledPart> parts() const { return parts_; }
  /// The cables that some flow passes, a load index each; parts and paths give their positions
  /// here.
  [[nodiscard]] std::span<const std::uint32_t> cables() const { return passed_; }
  /// A part's cables between switches.
  [[nodiscard]] std::span<const std::uint32_t> path(const SampledPart& part,
                                                    std::size_t launch) const {
    return {hops_.data() + part.first + launch * part.hops, part.hops};
  }
  /// Flows whose ends no working path joins in some plane.
  [[nodiscard]] std::size_t parted() const noexcept { return parted_; }
  /// How many launches differ: one where no switch had a choice.
  [[nodiscard]] std::size_t launches() const noexcept { return chosen_ ? seeds_.size() : 1; }

 private:
  void add(const NicFlow& flow, std::uint32_t plane);
  void send(const Cables::Port& from, const Cables::Port& to, std::size_t climbs,
            std::uint64_t key);

  [[nodiscard]] std::uint32_t position_of(std::size_t load_index) {
    std::uint32_t& position = position_[load_index];
    if (position == kNotPassed) {
      position = static_cast<std::uint32_t>(passed_.size());
      passed_.push_back(static_cast<std::uint32_t>(load_index));
    }
    return position;
  }

  static constexpr std::uint32_t kNotPassed = ~std::uint32_t{0};

  const Cables& cables_;
  NextHops next_;
  bool pinned_;
  std::uint32_t planes_;
  std::uint32_t pairs_;
  std::vector<std::uint64_t> seeds_;     // by launch
  std::vector<std::uint32_t> position_;  // by load index
  std::vector<std::uint32_t> passed_;
  std::vector<SampledPart> parts_;
  std::vector<std::uint32_t> hops_;
  std::size_t parted_ = 0;
  bool chosen_ = false;
};

}  // namespace zonecut
