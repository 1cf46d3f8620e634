#pragma once
// Pairwise all-to-alls counted step by step instead of listed: in step s member i sends to member
// i+s mod n. A place (a server or a domain) with the members I sends out, and gets in, in step s
//
//   (|I| - A(s)) · bytes,   A(s) = how many i of I have i+s in I too,
//
// so the load of a place is that of all its members but for the few steps in which two of them
// meet. A place with few members is counted pair by pair; one with many, but in r runs of
// consecutive members, run by run: two runs of l and m members meet as a trapezoid over the steps,
// whose second difference is four unit impulses. A(s) = A(n-s), so half of the steps say all.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "positions.hpp"
#include "step_relays.hpp"
#include "zonecut/partition/traffic.hpp"
#include "zonecut/topology/cluster.hpp"

namespace zonecut {

class ExchangeSteps {
 public:
  /// `place`: a server, or the number of servers plus a domain; half a number of BundleIndex.
  struct PlaceLoad {
    std::uint32_t place = 0;
    std::int64_t bytes = 0;  ///< out and in alike
    double squares = 0;      ///< Σ bytes² over its flows
  };

  /// Borrows the first three. `positions` by vertex; `relays` where GPUs hand over to each other.
  ExchangeSteps(const Cluster& cluster, const Traffic& traffic, std::span<const Position> positions,
                std::optional<RankNics> relays);

  /// Whether the phase's stepwise groups can be counted: all of one size, no rank in two of them,
  /// no unequal shares, and NVLink in no more than one server.
  [[nodiscard]] bool countable(const Phase& phase) const;
  /// Counts the stepwise groups of a countable phase. O(members · levels + members of each place,
  /// squared or its runs, squared + steps · places with many members).
  void count(const Phase& phase);

  /// n of n members.
  [[nodiscard]] std::size_t members() const noexcept { return members_; }
  /// Steps s and n-s are alike: the first, how many there are, and how many each stands for.
  [[nodiscard]] std::size_t distinct_steps() const noexcept { return members_ / 2; }
  [[nodiscard]] double multiplicity(std::size_t step) const { return 2 * step == members_ ? 1 : 2; }

  /// What each place sends in a step in which no two of its members meet.
  [[nodiscard]] std::span<const PlaceLoad> usual() const { return usual_; }
  struct Met {
    std::uint32_t index = 0;  ///< into usual()
    std::int64_t bytes = 0;   ///< less than usual
  };
  /// The places that send less than usual in a step, 1 to distinct_steps(); each once.
  [[nodiscard]] std::span<const Met> met(std::size_t step) const {
    return std::span(met_).subspan(first_met_[step - 1], first_met_[step] - first_met_[step - 1]);
  }
  /// What the busiest GPU sends or gets over NVLink in a step, 1 to members() - 1. Steps s and n-s
  /// are alike but where GPUs hand over to each other. O(1), and there O(members) for steps that
  /// are not like one before.
  [[nodiscard]] std::int64_t inside(std::size_t step);
  /// No less than that of any step.
  [[nodiscard]] std::int64_t inside_at_most() const {
    return relays_ ? relays_->bound() : most_inside_;
  }
  [[nodiscard]] bool hands_over() const noexcept { return relays_.has_value(); }

 private:
  struct MemberPlace {
    std::uint32_t place;
    std::uint32_t member;
  };
  struct Entry {
    std::uint32_t step;
    Met met;
  };
  void count(const Group& group);
  void list_places(const Group& group);
  void count_place(std::span<const MemberPlace> here);
  void count_pairs(std::span<const MemberPlace> here, std::uint32_t index);
  void count_runs(std::span<const MemberPlace> here, std::uint32_t index);
  void meet(std::size_t step, std::uint32_t index, std::int64_t flows);
  void sort_by_step();

  const Cluster& cluster_;
  const Traffic& traffic_;
  DomainLevels domains_;
  std::span<const Position> positions_;

  std::size_t members_ = 0;
  std::vector<PlaceLoad> usual_;
  std::vector<std::int64_t> index_of_place_;  // into usual_, -1 where the place has no load yet
  std::vector<std::int64_t> inside_;          // by step, from 1; what stays in servers
  std::int64_t most_inside_ = 0;              // of them
  std::optional<StepRelays> relays_;          // where GPUs hand over to each other
  std::vector<Entry> entries_;
  std::vector<Met> met_;
  std::vector<std::size_t> first_met_;
  std::int64_t flow_ = 0;               // bytes from member to member, of the group at hand
  std::vector<MemberPlace> places_;     // likewise
  std::vector<std::int64_t> impulses_;  // of the place at hand
};

}  // namespace zonecut
