#include "routing/nic_flows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "positions.hpp"
#include "rank_nics.hpp"
#include "rounds.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

class NicFlowList {
 public:
  NicFlowList(const Fabric& fabric, const Traffic& traffic, std::span<const ServerId> servers)
      : spec_(fabric.spec()),
        traffic_(traffic),
        nics_(static_cast<std::size_t>(spec_.nics_per_server)),
        rank_nics_(fabric.cluster(), spec_, traffic, servers),
        positions_(positions_of(fabric.cluster(), servers)) {}

  void add(const Group& group) {
    if (nics_ == 0) return;
    refuse_too_many(group);
    if (has_rounds(group)) return;
    channels_ = channels_of(traffic_, group, spec_.nics_per_server);
    for_each_flow(traffic_, group, [this](const Flow& flow) { add(flow); });
  }

  void add_round(const Phase& phase, const Round& round, std::size_t number) {
    if (nics_ == 0) return;
    channels_ = 1;
    round_ = static_cast<std::uint32_t>(number);
    stepwise_ = round.kind == Round::Kind::Exchange;
    for (const Group& group : phase.groups)
      for_each_flow_in(traffic_, group, round, [this](const Flow& flow) { add(flow); });
  }

  [[nodiscard]] std::vector<NicFlow> take() && { return std::move(flows_); }

 private:
  void refuse_too_many(const Group& group) {
    const double pairs = group.pattern == Pattern::AllToAll
                             ? static_cast<double>(group.size) * (group.size - 1)
                             : 4.0 * group.size;
    expected_ += pairs;
    if (expected_ <= static_cast<double>(kMostNicFlows)) return;
    throw InputError("routing",
                     fmt::format("a phase has more than {} flows, too many to route one by one",
                                 grouped(kMostNicFlows)),
                     "use --routing ideal, ecmp or e-ecmp, which count them");
  }

  void add(const Flow& flow) {
    const std::size_t ranks = traffic_.ranks_per_server;
    const std::size_t sender = flow.from.index() / ranks;
    const std::size_t receiver = flow.to.index() / ranks;
    const Position& from = positions_[sender];
    const Position& to = positions_[receiver];
    if (from.island == to.island || flow.bytes.count == 0) return;
    const double bytes = static_cast<double>(flow.bytes.count) / static_cast<double>(channels_);
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      const std::size_t target = rank_nics_.of_channel(flow.to, channel, channels_);
      const std::size_t source = rank_nics_.sender(flow.from, flow.to, channel, channels_);
      flows_.push_back(
          {static_cast<std::uint32_t>(from.server * nics_ + source),
           static_cast<std::uint32_t>(to.server * nics_ + target), bytes, round_, stepwise_,
           std::uint64_t{sender * nics_ + source} << 32 | (receiver * nics_ + target)});
    }
  }

  const FabricSpec& spec_;
  const Traffic& traffic_;
  std::size_t nics_;
  RankNics rank_nics_;
  std::vector<Position> positions_;
  std::size_t channels_ = 1;
  std::uint32_t round_ = NicFlow::kNoRound;
  bool stepwise_ = false;
  double expected_ = 0;  // flows of the groups so far, at most
  std::vector<NicFlow> flows_;
};

/// Pairs of members of different vertices. O(members · log).
double flows_of_exchange(const Traffic& traffic, const Group& group) {
  std::vector<std::size_t> vertices;
  for (const RankId member : traffic.members_of(group))
    vertices.push_back(member.index() / traffic.ranks_per_server);
  std::sort(vertices.begin(), vertices.end());
  const auto all = static_cast<double>(vertices.size());
  double flows = all * all;
  for (auto first = vertices.begin(); first != vertices.end();) {
    const auto last = std::upper_bound(first, vertices.end(), *first);
    const auto together = static_cast<double>(last - first);
    flows -= together * together;
    first = last;
  }
  return flows;
}

}  // namespace

std::size_t channels_of(const Traffic& traffic, const Group& group, int nics) {
  if (group.pattern != Pattern::Ring && group.pattern != Pattern::Tree &&
      group.pattern != Pattern::Broadcast)
    return 1;
  const std::span<const RankId> members = traffic.members_of(group);
  const std::size_t ranks = traffic.ranks_per_server;
  const auto local = std::count_if(members.begin(), members.end(), [&](RankId member) {
    return member.index() / ranks == members.front().index() / ranks;
  });
  return std::clamp<std::size_t>(static_cast<std::size_t>(local), 1,
                                 static_cast<std::size_t>(std::max(1, nics)));
}

double count_nic_flows(const Traffic& traffic, const Phase& phase, int nics, double enough) {
  const std::size_t ranks = traffic.ranks_per_server;
  double flows = 0;
  for (const Group& group : phase.groups) {
    if (flows >= enough) return enough;
    if (group.pattern == Pattern::AllToAll) {
      flows += flows_of_exchange(traffic, group);
      continue;
    }
    const auto channels = static_cast<double>(channels_of(traffic, group, nics));
    for_each_flow(traffic, group, [&](const Flow& flow) {
      if (flow.bytes.count > 0 && flow.from.index() / ranks != flow.to.index() / ranks)
        flows += channels;
    });
  }
  return std::min(flows, enough);
}

std::vector<NicFlow> nic_flows(const Fabric& fabric, const Traffic& traffic, const Phase& phase,
                               std::span<const ServerId> servers) {
  NicFlowList flows(fabric, traffic, servers);
  for (const Group& group : phase.groups) flows.add(group);
  const std::vector<Round> rounds = rounds_of(phase);
  for (std::size_t i = 0; i < rounds.size(); ++i) flows.add_round(phase, rounds[i], i);
  return std::move(flows).take();
}

}  // namespace zonecut
