#pragma once
// Ways for flows of a fabric that is not regular, one flow after the other. Between two leaves the
// shortest paths form a layered graph: switches of the source's side tier by tier up to the turn,
// then of the target's side down. One pass over its links finds the best path for a flow
// (constrained shortest path first: a shortest path whose length is its busiest cable). The half on
// either side is kept for the next flow.
#include <limits>
#include <optional>
#include <vector>

#include "routing/busy_cables.hpp"
#include "routing/engineered_flows.hpp"
#include "routing/up_down_paths.hpp"

namespace zonecut {

class WaySearch {
 public:
  /// Borrows everything.
  WaySearch(const Cables& cables, UpDownPaths& paths, const BusyCables& busy);

  /// Writes the way whose busiest cable ends up least busy, then whose cables together are. The
  /// flow must turn where it says. O(links between the two leaves).
  void find(const LeafFlow& flow, std::span<std::uint32_t> way);

  /// Cables that would be busy for `limit` seconds or longer are crowded.
  struct Crowd {
    double limit;
    std::uint32_t avoided;  ///< load index of a cable over whose link the way must not lead
    std::size_t draw;       ///< ways that are equally good are drawn from
  };
  /// Writes a way with as few crowded cables as there is. False: no way avoids the link.
  [[nodiscard]] bool find_around(const LeafFlow& flow, const Crowd& crowd,
                                 std::span<std::uint32_t> way);

 private:
  /// How busy a path is once the flow is on it: seconds of its busiest cable, then of all together;
  /// or how many of its cables are crowded, then a drawn number.
  struct Burden {
    double busiest = std::numeric_limits<double>::infinity();
    double sum = 0;
    friend auto operator<=>(const Burden&, const Burden&) = default;
  };
  /// A link on some shortest path, in the direction of the flow.
  struct Step {
    std::uint32_t from;
    std::uint32_t to;
    LinkId link;
  };
  void follow_up(SwitchId from, int turn);
  void follow_down(SwitchId to, int turn);
  void list_steps(const LeafFlow& flow);
  template <class BurdenOf>
  void pass(std::span<const Step> steps, const BurdenOf& burden_of);
  void write(const LeafFlow& flow, std::span<std::uint32_t> way) const;

  const Cables& cables_;
  std::span<const Link> links_;
  UpDownPaths& paths_;
  const BusyCables& busy_;
  // What the steps were listed for.
  std::optional<SwitchId> from_;
  std::optional<SwitchId> to_;
  int turn_ = 0;
  std::vector<Step> up_;    // tier by tier, those to one switch together
  std::vector<Step> down_;  // likewise
  // By switch; infinite where no step leads.
  std::vector<Burden> burdens_;
  std::vector<const Step*> last_;
  std::vector<SwitchId> tier_;
  std::vector<SwitchId> next_;
  std::vector<bool> seen_;  // by switch, all false between calls
};

}  // namespace zonecut
