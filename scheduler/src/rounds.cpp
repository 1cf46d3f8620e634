#include "rounds.hpp"

#include <algorithm>

namespace zonecut {
namespace {

using Visit = std::function<void(const Flow&)>;

void hop_flow(std::span<const RankId> members, const Group& group, const Round& round,
              const Visit& visit) {
  const bool pipeline = group.pattern == Pattern::Pipeline;
  const std::size_t i = round.index;
  switch (round.kind) {
    case Round::Kind::Forward:
      if (i + 1 < members.size()) visit({members[i], members[i + 1], group.bytes});
      break;
    case Round::Kind::Backward:
      if (pipeline && i + 1 < members.size()) visit({members[i + 1], members[i], group.bytes});
      break;
    case Round::Kind::AroundForward:
      if (pipeline) visit({members.back(), members.front(), group.wrap_bytes});
      break;
    case Round::Kind::AroundBackward:
      if (pipeline) visit({members.front(), members.back(), group.wrap_bytes});
      break;
    case Round::Kind::Exchange:
      break;
  }
}

void step_flows(std::span<const RankId> members, std::span<const Bytes> shares, const Group& group,
                std::uint32_t step, const Visit& visit) {
  if (step >= group.size) return;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::size_t j = (i + step) % members.size();
    const std::size_t owner = group.share_of == ShareOf::Sender ? i : j;
    visit({members[i], members[j], shares.empty() ? group.bytes : shares[owner]});
  }
}

/// Those of pipelines and chains that pass on alike.
struct Hops {
  std::int64_t messages;
  std::int64_t passes;
  std::uint32_t count = 0;
  bool both_ways = false;
  bool around = false;

  void add(const Group& group) {
    const bool pipeline = group.pattern == Pattern::Pipeline;
    count = std::max(count, group.size - 1);
    both_ways = both_ways || pipeline;
    around = around || (pipeline && group.wrap_bytes.count > 0);
  }
  void list(std::vector<Round>& rounds) const {
    const auto add_round = [&](Round::Kind kind, std::uint32_t index) {
      rounds.push_back({kind, index, messages, passes});
    };
    for (std::uint32_t hop = 0; hop < count; ++hop) {
      add_round(Round::Kind::Forward, hop);
      if (both_ways) add_round(Round::Kind::Backward, hop);
    }
    if (!around) return;
    add_round(Round::Kind::AroundForward, 0);
    add_round(Round::Kind::AroundBackward, 0);
  }
};

Hops& hops_like(const Group& group, std::vector<Hops>& kinds) {
  const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const Hops& hops) {
    return hops.messages == group.messages && hops.passes == group.passes;
  });
  if (known != kinds.end()) return *known;
  return kinds.emplace_back(Hops{group.messages, group.passes});
}

}  // namespace

std::vector<Round> rounds_of(const Phase& phase) {
  std::vector<Hops> kinds;
  std::uint32_t steps = 0;
  for (const Group& group : phase.groups) {
    if (!has_rounds(group) || group.size < 2) continue;
    if (group.stepwise) {
      steps = std::max(steps, group.size - 1);
    } else {
      hops_like(group, kinds).add(group);
    }
  }
  std::vector<Round> rounds;
  for (const Hops& hops : kinds) hops.list(rounds);
  for (std::uint32_t step = 1; step <= steps; ++step)
    rounds.push_back({Round::Kind::Exchange, step});
  return rounds;
}

std::size_t step_count(const Phase& phase) {
  std::size_t steps = 1;
  for (const Group& group : phase.groups) {
    if (group.stepwise && group.size >= 2) steps = std::max<std::size_t>(steps, group.size - 1);
  }
  return steps;
}

void for_each_flow_in(const Traffic& traffic, const Group& group, const Round& round,
                      const Visit& visit) {
  const std::span<const RankId> members = traffic.members_of(group);
  if (members.size() < 2 || !has_rounds(group)) return;
  const bool exchange = round.kind == Round::Kind::Exchange;
  if (group.stepwise != exchange) return;
  if (exchange) {
    step_flows(members, traffic.shares_of(group), group, round.index, visit);
  } else if (group.messages == round.messages && group.passes == round.passes) {
    hop_flow(members, group, round, visit);
  }
}

}  // namespace zonecut
