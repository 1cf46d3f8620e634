#include "phase_times.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "routing/nic_flows.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

bool comes_before(const HashedSpan& a, const HashedSpan& b) { return a.mean < b.mean; }

/// Flows of all steps of the phase's pairwise exchanges.
double flows_of_steps(const Phase& phase) {
  double flows = 0;
  for (const Group& group : phase.groups) {
    if (group.stepwise) flows += static_cast<double>(group.size) * (group.size - 1);
  }
  return flows;
}

/// Pipelines that pass on alike, beside all flows of their phase.
HashedSpan passed_on(std::span<const Round> rounds, std::span<const HashedSpan> hops,
                     const HashedSpan& whole) {
  const auto messages = static_cast<double>(rounds.front().messages);
  const auto passes = static_cast<double>(rounds.front().passes);
  HashedSpan fill{};
  HashedSpan one_micro_batch{};  // m messages of the wrap, m·V of the other hops: all pass in 1/m
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const Round& round = rounds[i];
    const HashedSpan& hop = hops[i];
    if (round.kind == Round::Kind::Forward || round.kind == Round::Kind::Backward)
      fill = fill + hop * (1 / messages);
    one_micro_batch = one_micro_batch + hop * (passes / messages);
  }
  return std::max(whole * (1 - 1 / messages) + fill, one_micro_batch, comes_before);
}

}  // namespace

Seconds scale_up_time(const TrafficSums& sums, const FabricSpec& spec) {
  const Bytes most{sums.most_scale_up_bytes()};
  if (most.count > 0 && spec.scale_up_bandwidth.count <= 0) {
    throw InputError("fabric", "scale_up_bandwidth is 0, but ranks of one server exchange bytes",
                     "the bandwidth of NVLink, PCIe or the like, per GPU and direction");
  }
  return transfer_time(most, spec.scale_up_bandwidth);
}

PhaseTimes::PhaseTimes(const Fabric& fabric, const Traffic& traffic,
                       std::span<const ServerId> servers, const Routing& routing)
    : cluster_(fabric.cluster()),
      spec_(fabric.spec()),
      traffic_(traffic),
      servers_(servers),
      routing_(routing),
      positions_(positions_of(cluster_, servers)) {}

HashedSpan PhaseTimes::transfer(const Phase& phase, const HashedSpan& whole, LinkTimes& links) {
  const std::vector<Round> rounds = rounds_of(phase);
  if (rounds.empty()) return whole;
  const auto steps = std::find_if(rounds.begin(), rounds.end(), [](const Round& round) {
    return round.kind == Round::Kind::Exchange;
  });
  const auto hops = static_cast<std::size_t>(steps - rounds.begin());
  HashedSpan longest = whole;
  if (hops > 0) {
    std::vector<HashedSpan> times;
    for (const Round& round : std::span(rounds).first(hops))
      times.push_back(time_of(phase, round, links));
    longest = pipelined(std::span(rounds).first(hops), times, whole);
  }
  if (steps != rounds.end()) {
    longest =
        std::max(longest, stepwise(phase, std::span(rounds).subspan(hops), links), comes_before);
  }
  return longest;
}

HashedSpan PhaseTimes::time_of(const Phase& phase, const Round& round, LinkTimes& links) {
  if (sums_ == nullptr) {
    sums_ = std::make_unique<TrafficSums>(cluster_, spec_, traffic_, servers_, routing_);
  }
  sums_->begin_phase();
  for (const Group& group : phase.groups) sums_->add(group, round);
  return at_least(links.slowest_in(round, *sums_), scale_up_time(*sums_, spec_));
}

HashedSpan pipelined(std::span<const Round> rounds, std::span<const HashedSpan> hops,
                     const HashedSpan& whole) {
  HashedSpan longest = whole;
  for (std::size_t first = 0; first < rounds.size();) {
    const auto next = std::find_if(
        rounds.begin() + static_cast<std::ptrdiff_t>(first), rounds.end(), [&](const Round& round) {
          return round.messages != rounds[first].messages || round.passes != rounds[first].passes;
        });
    const std::size_t count = static_cast<std::size_t>(next - rounds.begin()) - first;
    longest = std::max(longest,
                       passed_on(rounds.subspan(first, count), hops.subspan(first, count), whole),
                       comes_before);
    first += count;
  }
  return longest;
}

HashedSpan PhaseTimes::stepwise(const Phase& phase, std::span<const Round> rounds,
                                LinkTimes& links) {
  if (exchange_ == nullptr)
    exchange_ = std::make_unique<ExchangeSteps>(
        cluster_, traffic_, positions_, nics_that_relay(cluster_, spec_, traffic_, servers_));
  if (exchange_->countable(phase)) {
    exchange_->count(phase);
    if (const auto sum = links.slowest_steps(*exchange_, spec_.scale_up_bandwidth)) return *sum;
  }
  if (flows_of_steps(phase) > static_cast<double>(kMostNicFlows)) {
    throw InputError(
        "traffic",
        fmt::format("the steps of phase {} have more than {} flows, and cannot be counted",
                    phase.name, grouped(kMostNicFlows)),
        "its groups differ in size, share ranks, have unequal shares, or NVLink joins servers; "
        "all_to_all: linear takes all steps together");
  }
  return listed_steps(phase, rounds, links);
}

HashedSpan PhaseTimes::listed_steps(const Phase& phase, std::span<const Round> rounds,
                                    LinkTimes& links) {
  HashedSum sum;
  for (const Round& round : rounds) sum.add(time_of(phase, round, links), 1);
  return sum.total();
}

}  // namespace zonecut
