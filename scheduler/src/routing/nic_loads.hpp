#pragma once
// What each NIC of the job's servers sends and gets: a rank has one of them, and what it has to
// send does not spread over the others. All-to-alls are counted instead of listed: what goes from
// one NIC to all others follows from how many members have it (all_to_all_count.hpp).
#include <cstdint>
#include <span>
#include <vector>

#include "all_to_all_count.hpp"
#include "positions.hpp"
#include "rank_nics.hpp"
#include "rounds.hpp"
#include "zonecut/partition/traffic.hpp"

namespace zonecut {

class NicLoads {
 public:
  /// Borrows the traffic. `servers` by vertex.
  NicLoads(const Cluster& cluster, const FabricSpec& spec, const Traffic& traffic,
           std::span<const ServerId> servers);

  void clear();
  /// O(flows), and O(members · log + servers · NICs²) for an all-to-all, whose bytes fit as for
  /// AllToAllCount::count().
  void add(const Group& group);
  /// Of the group only what belongs to this round.
  void add(const Group& group, const Round& round);
  /// One step of a pairwise all-to-all in which all flows leave their servers. On rails what is
  /// sent may crowd on fewer NICs than counted here.
  void add_step(const Group& group);

  /// One direction of one NIC.
  struct Load {
    ServerId server{0};
    std::size_t nic = 0;
    bool outward = false;
    double bytes = 0;
  };
  /// Calls `visit` for every NIC that sends or gets anything.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const std::uint32_t index : touched_) {
      const std::size_t nic = index / 2;
      visit(Load{ServerId{nic / nics_}, nic % nics_, index % 2 == 1, bytes_[index]});
    }
  }

 private:
  using Member = AllToAllCount::Member;
  using Part = AllToAllCount::Part;

  void add_flow(const Flow& flow, std::size_t channels);
  void add_exchange(const Group& group);
  void take_members(const Group& group);
  void send_by_rail(const Group& group, std::span<const Member> island,
                    std::span<const Part> outside);
  [[nodiscard]] std::vector<Part> by_nic(std::span<const Member> members) const;
  void load_out(std::size_t nic, double bytes) { load(2 * nic + 1, bytes); }
  void load_in(std::size_t nic, double bytes) { load(2 * nic, bytes); }
  void load(std::size_t index, double bytes) {
    if (bytes == 0) return;
    if (bytes_[index] == 0) touched_.push_back(static_cast<std::uint32_t>(index));
    bytes_[index] += bytes;
  }

  const Traffic& traffic_;
  std::size_t nics_;
  RankNics rank_nics_;
  /// Of a rank. NICs are numbered server·nics + nic.
  struct Place {
    Position position;
    std::uint32_t first_nic;
    std::uint32_t own_nic;
  };
  std::vector<Place> places_;
  std::vector<double> bytes_;  // in at 2·(server·nics + nic), out at the next
  std::vector<std::uint32_t> touched_;
  std::vector<Member> members_;  // of the exchange at hand
};

}  // namespace zonecut
