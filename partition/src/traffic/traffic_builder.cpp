#include "traffic/traffic_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traffic/exact_product.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// A quarter of a gigabyte of rank numbers; the largest real jobs have under a million.
constexpr std::size_t kMostMembers = std::size_t{1} << 26;

}  // namespace

TrafficBuilder::TrafficBuilder(std::int64_t ranks, std::int64_t ranks_per_server) {
  traffic_.ranks = static_cast<std::size_t>(ranks);
  traffic_.ranks_per_server = static_cast<std::size_t>(ranks_per_server);
}

void TrafficBuilder::phase(std::string_view name, std::int64_t steps) {
  pass_on(1);
  const auto at = phase_by_name_.find(name);
  if (at != phase_by_name_.end()) {
    phase_ = at->second;
    traffic_.phases[phase_].steps = std::max(traffic_.phases[phase_].steps, steps);
    return;
  }
  phase_ = traffic_.phases.size();
  phase_by_name_.emplace(name, phase_);
  traffic_.phases.push_back({.name = std::string(name), .groups = {}, .steps = steps});
}

void TrafficBuilder::pass_on(std::int64_t messages, std::int64_t passes) {
  messages_ = messages;
  passes_ = passes;
}

void TrafficBuilder::add(Pattern pattern, std::span<const RankId> members, Bytes bytes,
                         Bytes wrap_bytes) {
  if (members.size() < 2 || (bytes.count == 0 && wrap_bytes.count == 0)) return;
  const auto n = static_cast<std::int64_t>(members.size());
  switch (pattern) {
    case Pattern::Ring:
      count(n, bytes);
      break;
    case Pattern::Tree:  // at most two trees of n-1 edges, or a chain at twice the bytes, both ways
      count(4 * (n - 1), bytes);
      break;
    case Pattern::AllToAll:
      count(n * (n - 1), bytes);
      break;
    case Pattern::Pipeline:
      count(2 * (n - 1), bytes);
      count(2, wrap_bytes);
      break;
    case Pattern::Chain:
    case Pattern::Broadcast:
      count(n - 1, bytes);
      break;
    case Pattern::Direct:
      ZONECUT_ENSURES(n == 2);
      count(1, bytes);
      break;
  }
  append({.pattern = pattern,
          .bytes = bytes,
          .wrap_bytes = wrap_bytes,
          .stepwise = stepwise() && pattern == Pattern::AllToAll},
         members);
}

void TrafficBuilder::add_ring(std::span<const RankId> members, Bytes bytes, RingOrder order) {
  const std::size_t before = traffic_.phases[phase_].groups.size();
  add(Pattern::Ring, members, bytes);
  std::vector<Group>& groups = traffic_.phases[phase_].groups;
  // In a ring of three everybody is next to everybody.
  if (groups.size() > before)
    groups.back().any_order = order == RingOrder::Any && members.size() > 3;
}

void TrafficBuilder::add_unequal_all_to_all(std::span<const RankId> members,
                                            std::span<const Bytes> shares, ShareOf share_of) {
  ZONECUT_ENSURES(members.size() == shares.size());
  if (members.size() < 2) return;
  const auto others = static_cast<std::int64_t>(members.size()) - 1;
  Bytes all;
  for (const Bytes share : shares) {
    count(others, share);
    all += share;
  }
  if (all.count == 0) return;
  const ExactProduct mean = ExactProduct(all.count).over(others + 1);
  Group group{.pattern = Pattern::AllToAll,
              .bytes = mean.bytes(),
              .share_of = share_of,
              .stepwise = stepwise()};
  group.first_share = static_cast<std::uint32_t>(traffic_.shares.size());
  traffic_.shares.insert(traffic_.shares.end(), shares.begin(), shares.end());
  append(group, members);
}

Traffic TrafficBuilder::finish(std::span<const std::pair<std::string, double>> overlap) {
  std::erase_if(traffic_.phases, [](const Phase& phase) { return phase.groups.empty(); });
  for (Phase& phase : traffic_.phases) {
    for (const auto& [name, share] : overlap) {
      if (name == phase.name) phase.overlap = share;
    }
  }
  return std::move(traffic_);
}

void TrafficBuilder::append(Group group, std::span<const RankId> members) {
  ZONECUT_ENSURES(!traffic_.phases.empty());
  if (traffic_.members.size() + members.size() > kMostMembers) {
    throw InputError("job",
                     fmt::format("its groups have more than {} members in all", kMostMembers));
  }
  group.first_member = static_cast<std::uint32_t>(traffic_.members.size());
  group.size = static_cast<std::uint32_t>(members.size());
  group.messages = messages_;
  group.passes = passes_;
  traffic_.members.insert(traffic_.members.end(), members.begin(), members.end());
  traffic_.phases[phase_].groups.push_back(group);
}

void TrafficBuilder::count(std::int64_t flows, Bytes bytes) {
  const std::int64_t sum = ExactProduct(flows).times(bytes.count).rounded();
  total_ = ExactProduct(total_ + sum).rounded();  // two terms below 2^62 cannot overflow
}

}  // namespace zonecut
