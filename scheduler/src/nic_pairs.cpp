#include "nic_pairs.hpp"

#include <algorithm>

#include "rounds.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

/// How many members are at the place of one, in the mean over all members. Sorts them.
double mean_company(std::vector<std::uint32_t>& places) {
  std::sort(places.begin(), places.end());
  double squares = 0;
  for (auto first = places.begin(); first != places.end();) {
    const auto last = std::upper_bound(first, places.end(), *first);
    squares += static_cast<double>(last - first) * static_cast<double>(last - first);
    first = last;
  }
  return squares / static_cast<double>(places.size());
}

}  // namespace

NicPairs::NicPairs(const Cluster& cluster, const FabricSpec& spec, const Traffic& traffic,
                   std::span<const ServerId> servers)
    : traffic_(traffic),
      nics_(cluster, spec, traffic, servers),
      relays_(nics_.on_rails() && nics_.nics_per_server() > 0 &&
              spec.scale_up_bandwidth.count > 0 && traffic.ranks_per_server > 1) {
  for (const ServerId server : servers)
    servers_.push_back(static_cast<std::uint32_t>(server.index()));
  std::vector<bool> taken(cluster.server_count() * nics_.nics_per_server(), false);
  for (std::size_t rank = 0; rank < traffic.ranks && !taken.empty(); ++rank) {
    const std::uint32_t at = nic(RankId{rank}, nics_.own(RankId{rank}));
    several_ranks_ = several_ranks_ || taken[at];
    taken[at] = true;
  }
}

void NicPairs::clear() {
  bytes_.clear();
  exchanges_.clear();
}

double NicPairs::add(const Flow& flow, std::size_t channels) {
  const double bytes = static_cast<double>(flow.bytes.count) / static_cast<double>(channels);
  double sizes = 0;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const std::size_t sender = nics_.sender(flow.from, flow.to, channel, channels);
    const std::size_t receiver = nics_.of_channel(flow.to, channel, channels);
    double& before = bytes_[std::uint64_t{nic(flow.from, sender)} << 32 | nic(flow.to, receiver)];
    sizes += 2 * before + bytes;
    before += bytes;
  }
  return sizes / static_cast<double>(channels);
}

double NicPairs::add_exchange(std::span<const RankId> members, double flow) {
  std::vector<std::uint32_t> receivers;
  std::vector<std::uint32_t> senders;
  for (const RankId member : members) {
    receivers.push_back(nic(member, nics_.own(member)));
    senders.push_back(relays_ ? server(member) : receivers.back());
  }
  const double size = flow * mean_company(senders) * mean_company(receivers);
  double& before = exchanges_[std::move(receivers)];
  const double counts_as = 2 * before + size;
  before += size;
  return counts_as;
}

double NicPairs::crowding_of_steps(const Phase& phase) {
  std::uint32_t members = 0;
  for (const Group& group : phase.groups) {
    if (group.stepwise) members = std::max(members, group.size);
  }
  constexpr int kSteps = 16;
  Random random(1);
  double alone = 0;
  double together = 0;
  for (int i = 0; i < kSteps && members >= 2; ++i) {
    const auto step = static_cast<std::uint32_t>(1 + random.below(members - 1));
    clear();
    for (const Group& group : phase.groups) {
      for_each_flow_in(traffic_, group, {Round::Kind::Exchange, step}, [&](const Flow& flow) {
        if (server(flow.from) == server(flow.to) || flow.bytes.count == 0) return;
        const auto bytes = static_cast<double>(flow.bytes.count);
        alone += bytes * bytes;
        together += bytes * add(flow, 1);
      });
    }
  }
  clear();
  return alone > 0 ? together / alone : 1;
}

}  // namespace zonecut
