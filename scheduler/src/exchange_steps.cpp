#include "exchange_steps.hpp"

#include <algorithm>
#include <utility>

namespace zonecut {
namespace {

/// Consecutive members of a place.
struct Run {
  std::int64_t first;
  std::int64_t length;
};

template <class MemberPlaces>
std::vector<Run> runs_of(const MemberPlaces& here) {
  std::vector<Run> runs;
  for (const auto& [place, member] : here) {
    if (!runs.empty() && runs.back().first + runs.back().length == member) {
      ++runs.back().length;
    } else {
      runs.push_back({member, 1});
    }
  }
  return runs;
}

}  // namespace

ExchangeSteps::ExchangeSteps(const Cluster& cluster, const Traffic& traffic,
                             std::span<const Position> positions, std::optional<RankNics> relays)
    : cluster_(cluster),
      traffic_(traffic),
      domains_(cluster),
      positions_(positions),
      index_of_place_(cluster.server_count() + cluster.domain_count(), -1) {
  if (relays) relays_.emplace(*std::move(relays), traffic, positions, cluster.server_count());
}

bool ExchangeSteps::countable(const Phase& phase) const {
  std::vector<bool> seen(traffic_.ranks, false);
  std::uint32_t size = 0;
  for (const Group& group : phase.groups) {
    if (!group.stepwise || group.size < 2) continue;
    if (group.first_share || (size != 0 && group.size != size)) return false;
    size = group.size;
    for (const RankId member : traffic_.members_of(group)) {
      if (seen[member.index()]) return false;
      seen[member.index()] = true;
    }
  }
  return std::all_of(positions_.begin(), positions_.end(), [&](const Position& at) {
    return !cluster_.server(ServerId{at.server}).scale_up;
  });
}

void ExchangeSteps::count(const Phase& phase) {
  for (const PlaceLoad& load : usual_) index_of_place_[load.place] = -1;
  usual_.clear();
  entries_.clear();
  members_ = 0;
  most_inside_ = 0;
  if (relays_) relays_->clear();
  for (const Group& group : phase.groups) {
    if (group.stepwise && group.size >= 2) count(group);
  }
  sort_by_step();
}

void ExchangeSteps::count(const Group& group) {
  if (members_ == 0) {
    members_ = group.size;
    inside_.assign(distinct_steps(), 0);
  }
  if (group.bytes.count == 0) return;
  flow_ = group.bytes.count;
  if (relays_) relays_->add(traffic_.members_of(group), flow_);
  list_places(group);
  for (auto first = places_.begin(); first != places_.end();) {
    const auto last = std::find_if(first, places_.end(),
                                   [&](const MemberPlace& m) { return m.place != first->place; });
    count_place({first, last});
    first = last;
  }
}

/// Members by place, in their own order within each.
void ExchangeSteps::list_places(const Group& group) {
  places_.clear();
  const std::span<const RankId> members = traffic_.members_of(group);
  const auto servers = static_cast<std::uint32_t>(cluster_.server_count());
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const Position& at = positions_[members[i].index() / traffic_.ranks_per_server];
    places_.push_back({at.server, i});
    for (std::uint32_t domain = at.rack; domain != domains_.parent[domain];
         domain = domains_.parent[domain])
      places_.push_back({servers + domain, i});
  }
  std::sort(places_.begin(), places_.end(), [](const MemberPlace& a, const MemberPlace& b) {
    return a.place != b.place ? a.place < b.place : a.member < b.member;
  });
}

void ExchangeSteps::count_place(std::span<const MemberPlace> here) {
  const std::uint32_t place = here.front().place;
  const bool holds_all = here.size() == members_;
  if (holds_all && place >= cluster_.server_count()) return;
  std::int64_t& index = index_of_place_[place];
  if (index < 0) {
    index = static_cast<std::int64_t>(usual_.size());
    usual_.push_back({place, 0, 0});
  }
  PlaceLoad& usual = usual_[static_cast<std::size_t>(index)];
  const auto flows = static_cast<std::int64_t>(here.size());
  usual.bytes += flow_ * flows;
  usual.squares += static_cast<double>(flow_) * static_cast<double>(flow_ * flows);
  const std::size_t runs = runs_of(here).size();
  if (here.size() * here.size() <= 4 * (runs * runs + members_)) {
    count_pairs(here, static_cast<std::uint32_t>(index));
  } else {
    count_runs(here, static_cast<std::uint32_t>(index));
  }
}

void ExchangeSteps::count_pairs(std::span<const MemberPlace> here, std::uint32_t index) {
  for (std::size_t j = 1; j < here.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const std::size_t apart = here[j].member - here[i].member;
      const std::size_t step = std::min(apart, members_ - apart);
      // Half way round the group the two send to each other in one step.
      meet(step, index, 2 * step == members_ ? 2 : 1);
    }
  }
}

void ExchangeSteps::count_runs(std::span<const MemberPlace> here, std::uint32_t index) {
  const auto n = static_cast<std::int64_t>(members_);
  const std::vector<Run> runs = runs_of(here);
  impulses_.assign(2 * members_ + 3, 0);  // shifts from -n on
  const auto at = [&](std::int64_t shift) -> std::int64_t& {
    return impulses_[static_cast<std::size_t>(shift + n)];
  };
  for (const Run& a : runs) {
    for (const Run& b : runs) {
      const std::int64_t apart = b.first - a.first;
      at(apart - a.length + 1) += 1;
      at(apart + 1) -= 1;
      at(apart + b.length - a.length + 1) -= 1;
      at(apart + b.length + 1) += 1;
    }
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t i = 1; i < impulses_.size(); ++i) impulses_[i] += impulses_[i - 1];
  }
  for (std::int64_t step = 1; step <= n / 2; ++step) {
    const std::int64_t pairs = at(step) + at(step - n);
    if (pairs > 0) meet(static_cast<std::size_t>(step), index, pairs);
  }
}

void ExchangeSteps::meet(std::size_t step, std::uint32_t index, std::int64_t flows) {
  entries_.push_back({static_cast<std::uint32_t>(step), {index, flows * flow_}});
  // Each rank sends one message in a step, whatever the pairs that meet in its server.
  if (usual_[index].place < cluster_.server_count()) {
    inside_[step - 1] = std::max(inside_[step - 1], flow_);
    most_inside_ = std::max(most_inside_, flow_);
  }
}

std::int64_t ExchangeSteps::inside(std::size_t step) {
  const std::int64_t stays = inside_[std::min(step, members_ - step) - 1];
  return relays_ ? relays_->busiest(step, stays > 0) : stays;
}

void ExchangeSteps::sort_by_step() {
  const std::size_t steps = distinct_steps();
  first_met_.assign(steps + 1, 0);
  for (const Entry& entry : entries_) ++first_met_[entry.step];
  for (std::size_t step = 1; step <= steps; ++step) first_met_[step] += first_met_[step - 1];
  met_.resize(entries_.size());
  std::vector<std::size_t> next(first_met_.begin(), first_met_.end() - 1);
  for (const Entry& entry : entries_) met_[next[entry.step - 1]++] = entry.met;
  // Several pairs of one place in a step become one.
  std::vector<std::size_t> last(usual_.size(), met_.size());
  std::size_t kept = 0;
  std::size_t begin = 0;
  for (std::size_t step = 1; step <= steps; ++step) {
    const std::size_t end = first_met_[step];
    const std::size_t first_kept = kept;
    for (std::size_t i = begin; i < end; ++i) {
      const Met& met = met_[i];
      std::size_t& at = last[met.index];
      if (at < kept && at >= first_kept && met_[at].index == met.index) {
        met_[at].bytes += met.bytes;
      } else {
        at = kept;
        met_[kept++] = met;
      }
    }
    begin = end;
    first_met_[step] = kept;
  }
  met_.resize(kept);
}

}  // namespace zonecut
