#include "step_relays.hpp"

#include <algorithm>
#include <utility>

namespace zonecut {
namespace {

/// Flows looked at where no step is like another: half a second.
constexpr std::size_t kMostLooks = std::size_t{1} << 26;

}  // namespace

StepRelays::StepRelays(RankNics nics, const Traffic& traffic, std::span<const Position> positions,
                       std::size_t servers)
    : nics_(std::move(nics)),
      ranks_per_server_(traffic.ranks_per_server),
      positions_(positions),
      sent_(servers),
      received_(traffic.ranks) {}

void StepRelays::clear() {
  exchanges_.clear();
  sent_.clear();
  bound_ = 0;
  period_ = 0;
}

void StepRelays::add(std::span<const RankId> members, std::int64_t bytes) {
  Exchange& exchange = exchanges_.emplace_back();
  exchange.bytes = bytes;
  exchange.members.reserve(members.size());
  for (const RankId rank : members) {
    const std::uint32_t server = positions_[rank.index() / ranks_per_server_].server;
    exchange.members.push_back({rank, server});
    sent_.add(server, bytes);
    bound_ = std::max(bound_, sent_[server]);
  }
}

std::int64_t StepRelays::busiest(std::size_t step, bool meet) {
  if (exchanges_.empty()) return 0;
  if (period_ == 0) find_alike();
  if (meet && stride_ == 1) return count(step);
  std::optional<std::int64_t>& busiest = busiest_[step % period_ / stride_];
  if (!busiest) busiest = count(step);
  return *busiest;
}

void StepRelays::find_alike() {
  const std::size_t n = exchanges_.front().members.size();
  period_ = period();
  stride_ = period_ < n ? 1 : 1 + exchanges_.size() * n * n / kMostLooks;
  busiest_.assign(period_ / stride_ + 1, std::nullopt);
}

std::int64_t StepRelays::count(std::size_t step) {
  std::int64_t most = 0;
  for (const Exchange& exchange : exchanges_) {
    const std::size_t n = exchange.members.size();
    std::size_t j = step;
    for (const Member& from : exchange.members) {
      const Member& to = exchange.members[j];
      j = j + 1 == n ? 0 : j + 1;
      const std::optional<RankId> receiver =
          from.server == to.server ? to.rank : nics_.relay(from.rank, to.rank);
      if (!receiver) continue;
      received_.add(receiver->index(), exchange.bytes);
      most = std::max(most, received_[receiver->index()]);
    }
  }
  received_.clear();
  return most;
}

/// The least that divides the number of members.
std::size_t StepRelays::period() const {
  const std::size_t n = exchanges_.front().members.size();
  for (std::size_t period = 1; period <= n / 2; ++period) {
    if (n % period == 0 && recurs(period)) return period;
  }
  return n;
}

bool StepRelays::recurs(std::size_t period) const {
  return std::all_of(exchanges_.begin(), exchanges_.end(), [&](const Exchange& exchange) {
    for (std::size_t i = period; i < exchange.members.size(); ++i) {
      if (nics_.own(exchange.members[i].rank) != nics_.own(exchange.members[i - period].rank))
        return false;
    }
    return true;
  });
}

}  // namespace zonecut
