#pragma once
// Exchanges of ways between flows that meet, where failures leave a fabric irregular: a flow moves
// from one switch above its leaves to another, and what is in its way there moves on, to a switch
// that is free, or else to the first one and so on along an alternating path, as when the edges of
// a graph are coloured (Kőnig 1916), with colours forbidden where a link has failed.
#include <optional>
#include <vector>

#include "routing/busy_cables.hpp"
#include "routing/engineered_flows.hpp"

namespace zonecut {

class WayExchange {
 public:
  /// Borrows everything; `flows`, `ways` and `busy` agree.
  WayExchange(const Cluster& cluster, const Cables& cables, std::span<const LeafFlow> flows,
              ChosenWays& ways, BusyCables& busy);

  /// Takes flows off the busiest cables as long as one is busier than `enough` seconds and an
  /// exchange of flows that turn next to their leaves helps. Never makes a cable busier than the
  /// busiest was. Ends after kMostMoves moves.
  void relieve(double enough);
  static constexpr std::size_t kMostMoves = 200'000;

 private:
  struct Change {
    std::uint32_t flow;
    std::uint32_t up;  // the cables it had
    std::uint32_t down;
  };

  [[nodiscard]] bool turns_next_to_leaves(std::uint32_t flow) const;
  [[nodiscard]] std::span<std::uint32_t> way_of(std::uint32_t flow);
  [[nodiscard]] SwitchId switch_of(std::uint32_t flow);
  [[nodiscard]] double busiest();
  [[nodiscard]] bool give_away(std::uint32_t flow, double most);
  [[nodiscard]] bool exchange(std::uint32_t flow, SwitchId to, double most);
  [[nodiscard]] std::optional<SwitchId> best_switch(std::uint32_t flow, SwitchId preferred,
                                                    double most);
  [[nodiscard]] bool move(std::uint32_t flow, SwitchId to);
  void put(std::uint32_t flow, std::uint32_t up, std::uint32_t down);
  [[nodiscard]] std::optional<LinkId> working_link(SwitchId leaf, SwitchId above) const;
  [[nodiscard]] std::optional<std::uint32_t> one_to_move(std::uint32_t hop, double most);

  const Cables& cables_;
  std::span<const LeafFlow> flows_;
  ChosenWays& ways_;
  BusyCables& busy_;
  int turn_;                                        // of flows that turn next to their leaves
  std::vector<std::vector<std::uint32_t>> on_hop_;  // by load index: these flows
  std::vector<std::size_t> changed_in_;             // by flow: the last exchange that moved it
  std::size_t exchanges_ = 0;
  std::size_t moves_ = 0;
  std::vector<Change> changes_;  // of the exchange at hand
  std::vector<std::uint32_t> crowded_;
};

}  // namespace zonecut
