// Collectives given by hand or read from a trace, and entries of a traffic matrix.
#include <array>

#include "collectives.hpp"
#include "work_traffic.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// A chain from the first member on, as NCCL's ring broadcast runs: the last one sends nothing.
void add_broadcast(TrafficBuilder& builder, std::span<const RankId> members, Bytes bytes) {
  const auto servers = by_server(members, builder.ranks_per_server());
  std::optional<RankId> from;
  for (const std::vector<RankId>& server : servers) {
    for (const RankId to : server) {
      if (from) builder.add(Pattern::Direct, std::array{*from, to}, bytes);
      from = to;
    }
  }
}

std::int64_t steps_once(const ExplicitCollective& c, std::size_t ranks_per_server) {
  const std::span<const RankId> members = c.members;
  switch (c.kind) {
    case Collective::AllReduce:
      return exchange_steps(members, ranks_per_server, 2, c.algorithm, true);
    case Collective::AllGather:
    case Collective::ReduceScatter:
      return exchange_steps(members, ranks_per_server, 1, c.algorithm, false);
    case Collective::Broadcast:
      return static_cast<std::int64_t>(members.size()) - 1;
    case Collective::AllToAll:
    case Collective::SendReceive:
      return 1;
  }
  return 0;
}

void add_collective(TrafficBuilder& builder, const ExplicitCollective& c) {
  const ExactProduct buffer = ExactProduct(c.bytes.count).times(c.times);
  builder.phase(c.name,
                ExactProduct(steps_once(c, builder.ranks_per_server())).times(c.times).rounded());
  switch (c.kind) {
    case Collective::AllReduce:
      return add_exchange(builder, c.members, {buffer.times(2), true, c.ring_order}, c.algorithm);
    case Collective::AllGather:
    case Collective::ReduceScatter:
      return add_exchange(builder, c.members, {buffer, false, c.ring_order}, c.algorithm);
    case Collective::Broadcast:
      return add_broadcast(builder, c.members, buffer.bytes());
    case Collective::AllToAll:
      return builder.add(Pattern::AllToAll, c.members,
                         buffer.over(static_cast<std::int64_t>(c.members.size())).bytes());
    case Collective::SendReceive:
      return builder.add(Pattern::Direct, c.members, buffer.bytes());
  }
}

}  // namespace

void add_traffic(TrafficBuilder& builder, const ExplicitTraffic& traffic) {
  for (const ExplicitCollective& collective : traffic.collectives) {
    add_collective(builder, collective);
  }
  if (traffic.matrix.empty()) return;
  builder.phase("matrix", 1);
  for (const ExplicitTraffic::Entry& entry : traffic.matrix) {
    builder.add(Pattern::Direct, std::array{entry.from, entry.to}, entry.bytes);
  }
}

}  // namespace zonecut
