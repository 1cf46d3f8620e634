#include "rail_exchange.hpp"

#include <algorithm>
#include <tuple>

namespace zonecut {
namespace {

using Member = AllToAllCount::Member;
using Part = AllToAllCount::Part;

Part plus(const Part& a, const Part& b) { return {a.members + b.members, a.weight + b.weight}; }
Part minus(const Part& a, const Part& b) { return {a.members - b.members, a.weight - b.weight}; }

/// Calls `visit` for each run of members that `place` numbers alike.
template <class Place, class Visit>
void for_each_run(std::span<const Member> members, const Place& place, const Visit& visit) {
  for (auto first = members.begin(); first != members.end();) {
    const auto last = std::find_if(first, members.end(),
                                   [&](const Member& m) { return place(m) != place(*first); });
    visit(std::span<const Member>(first, last));
    first = last;
  }
}

class RailExchange {
 public:
  RailExchange(const RankNics& nics, ShareOf weights) : nics_(nics), weights_(weights) {}

  std::vector<HandedOver> count(std::span<const Member> members) && {
    const std::vector<Part> all = by_nic(members);
    for_each_run(
        members, [](const Member& m) { return m.position.island; },
        [&](std::span<const Member> island) {
          std::vector<Part> outside = all;
          const std::vector<Part> inside = by_nic(island);
          for (std::size_t rail = 0; rail < outside.size(); ++rail)
            outside[rail] = minus(outside[rail], inside[rail]);
          for_each_run(
              island, [](const Member& m) { return m.position.server; },
              [&](std::span<const Member> server) { count_server(server, outside); });
        });
    return std::move(handed_over_);
  }

 private:
  [[nodiscard]] std::vector<Part> by_nic(std::span<const Member> members) const {
    std::vector<Part> parts(nics_.nics_per_server());
    for (const Member& member : members) {
      Part& part = parts[nics_.own(RankId{member.rank})];
      part = plus(part, {1, member.weight});
    }
    return parts;
  }

  /// `outside`: the members of other islands, by rail.
  void count_server(std::span<const Member> server, std::span<const Part> outside) {
    const RankId first{server.front().rank};
    std::vector<Part> receivers(outside.size());  // by the NIC of this server on their rail
    for (std::size_t rail = 0; rail < outside.size(); ++rail) {
      Part& part = receivers[nics_.nic_on(first, rail)];
      part = plus(part, outside[rail]);
    }
    const std::vector<Part> here = by_nic(server);
    Part senders;
    for (const Part& part : here) senders = plus(senders, part);
    Part reached;
    for (std::size_t nic = 0; nic < receivers.size(); ++nic) {
      const auto holder = nics_.holder(first, nic);
      if (!holder || receivers[nic].members == 0) continue;
      reached = plus(reached, receivers[nic]);
      const Part others = minus(senders, here[nic]);
      handed_over_.push_back(
          {holder->index(), 0, AllToAllCount::bytes_between(others, receivers[nic], weights_)});
    }
    for (const Member& member : server) {
      const Part beyond = minus(reached, receivers[nics_.own(RankId{member.rank})]);
      handed_over_.push_back(
          {member.rank, AllToAllCount::bytes_between({1, member.weight}, beyond, weights_), 0});
    }
  }

  const RankNics& nics_;
  ShareOf weights_;
  std::vector<HandedOver> handed_over_;
};

}  // namespace

std::vector<HandedOver> handed_over(std::span<Member> members, ShareOf weights,
                                    const RankNics& nics) {
  std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
    return std::tie(a.position.island, a.position.server, a.rank) <
           std::tie(b.position.island, b.position.server, b.rank);
  });
  return RailExchange(nics, weights).count(members);
}

}  // namespace zonecut
