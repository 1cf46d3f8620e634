// Collectives given by hand or read from a trace, and entries of a traffic matrix.
#include <array>
#include <map>
#include <tuple>

#include "traffic/collectives.hpp"
#include "traffic/work_traffic.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// From the first member on, server by server, as NCCL's ring broadcast runs: the last one sends
/// nothing.
void add_broadcast(TrafficBuilder& builder, std::span<const RankId> members, Bytes bytes) {
  std::vector<RankId> chain;
  for (const std::vector<RankId>& server : by_server(members, builder.ranks_per_server()))
    chain.insert(chain.end(), server.begin(), server.end());
  builder.add(Pattern::Broadcast, chain, bytes);
}

/// What an all-reduce, all-gather or reduce-scatter comes to, all repetitions together.
Exchange exchange_of(const ExplicitCollective& c) {
  const ExactProduct buffer = ExactProduct(c.bytes.count).times(c.times);
  const bool all_reduce = c.kind == Collective::AllReduce;
  const std::int64_t passes = all_reduce ? 2 : 1;
  return {buffer.times(passes), all_reduce, c.ring_order, c.bytes,
          ExactProduct(c.times).times(passes).rounded()};
}

/// Of all its repetitions together.
ExactProduct steps_of(const ExplicitCollective& c, CollectiveAlgorithm algorithm,
                      const TrafficBuilder& builder) {
  const std::span<const RankId> members = c.members;
  const auto others = static_cast<std::int64_t>(members.size()) - 1;
  const ExactProduct times(c.times);
  switch (c.kind) {
    case Collective::AllReduce:
      return times.times(exchange_steps(members, builder.ranks_per_server(), 2, algorithm, true));
    case Collective::AllGather:
    case Collective::ReduceScatter:
      return times.times(exchange_steps(members, builder.ranks_per_server(), 1, algorithm, false));
    case Collective::Broadcast:
      return times.times(others);
    case Collective::AllToAll:
      return times.times(builder.exchange_steps(others + 1));
    case Collective::SendReceive:
      return times;
    case Collective::Pipeline:
      return ExactProduct(c.times + others - 1);
  }
  return times;
}

struct ByNameAndMembers {
  bool operator()(const ExplicitCollective* a, const ExplicitCollective* b) const {
    return std::tie(a->name, a->members) < std::tie(b->name, b->members);
  }
};
/// What one group does under one name goes on one after the other, as calls of one communicator do.
using StepsByGroup = std::map<const ExplicitCollective*, std::int64_t, ByNameAndMembers>;

void add_collective(TrafficBuilder& builder, const ExplicitCollective& c, StepsByGroup& steps) {
  const ExactProduct buffer = ExactProduct(c.bytes.count).times(c.times);
  const CollectiveAlgorithm algorithm =
      chosen_algorithm(c.algorithm, c.members, builder.ranks_per_server(), exchange_of(c));
  std::int64_t& of_group = steps[&c];
  of_group = ExactProduct(of_group + steps_of(c, algorithm, builder).rounded()).rounded();
  builder.phase(c.name, of_group);
  builder.pass_on(c.times);
  switch (c.kind) {
    case Collective::AllReduce:
    case Collective::AllGather:
    case Collective::ReduceScatter:
      return add_exchange(builder, c.members, exchange_of(c), algorithm);
    case Collective::Broadcast:
      return add_broadcast(builder, c.members, buffer.bytes());
    case Collective::AllToAll:
      return builder.add(Pattern::AllToAll, c.members,
                         buffer.over(static_cast<std::int64_t>(c.members.size())).bytes());
    case Collective::SendReceive:
      return builder.add(Pattern::Direct, c.members, buffer.bytes());
    case Collective::Pipeline:
      return builder.add(Pattern::Chain, c.members, buffer.bytes());
  }
}

}  // namespace

void add_traffic(TrafficBuilder& builder, const ExplicitTraffic& traffic) {
  const AllToAllAlgorithm of_job = builder.all_to_all();
  StepsByGroup steps;
  for (const ExplicitCollective& collective : traffic.collectives) {
    builder.exchange_by(collective.all_to_all.value_or(of_job));
    add_collective(builder, collective, steps);
  }
  if (traffic.matrix.empty()) return;
  builder.phase("matrix", 1);
  for (const ExplicitTraffic::Entry& entry : traffic.matrix) {
    builder.add(Pattern::Direct, std::array{entry.from, entry.to}, entry.bytes);
  }
}

}  // namespace zonecut
