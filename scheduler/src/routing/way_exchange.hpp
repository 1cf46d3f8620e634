#pragma once
// Exchanges of ways between flows that meet, where failures leave a fabric irregular: a flow leaves
// a busy cable for the way on which it crowds fewest others, one of those that it crowds does the
// same, and so on, as along the alternating paths of an edge colouring (Kőnig 1916), but with links
// that are missing and over several tiers. A tabu search with ejection chains (Glover 1996).
#include <vector>

#include "routing/busy_cables.hpp"
#include "routing/engineered_flows.hpp"
#include "routing/way_search.hpp"

namespace zonecut {

class WayExchange {
 public:
  /// Borrows everything; `flows`, `ways` and `busy` agree. O(flows · levels).
  WayExchange(const Cables& cables, std::span<const LeafFlow> flows, WaySearch& search,
              ChosenWays& ways, BusyCables& busy);

  /// Takes flows off the busiest cables as long as one is busier than `enough` seconds and chains
  /// of moves help. Never makes a cable busier than the busiest was. Ends after kMostMoves moves.
  void relieve(double enough);
  static constexpr std::size_t kMostMoves = 20'000;

 private:
  struct Change {
    std::uint32_t flow;
    std::size_t first_hop;  // of the way it had, in old_hops_
  };

  [[nodiscard]] std::span<std::uint32_t> way_of(std::uint32_t flow);
  [[nodiscard]] double busiest();
  void give_away(std::uint32_t flow, double most);
  [[nodiscard]] bool chain(std::uint32_t flow, std::uint32_t off, double most);
  [[nodiscard]] bool move(std::uint32_t flow, std::uint32_t off, double most);
  void put(std::uint32_t flow, std::span<const std::uint32_t> way);
  void undo();
  [[nodiscard]] std::optional<std::uint32_t> one_to_move(std::uint32_t hop, double most) const;

  const Cables& cables_;
  std::span<const LeafFlow> flows_;
  WaySearch& search_;
  ChosenWays& ways_;
  BusyCables& busy_;
  std::vector<std::vector<std::uint32_t>> on_hop_;  // by load index: flows
  std::vector<std::size_t> moved_in_;               // by flow: the last chain that moved it
  std::size_t chains_ = 0;
  std::size_t moves_ = 0;
  // Of the chain at hand.
  std::vector<Change> changes_;
  std::vector<std::uint32_t> old_hops_;
  std::vector<std::uint32_t> crowded_;
  std::vector<std::uint32_t> way_;
};

}  // namespace zonecut
