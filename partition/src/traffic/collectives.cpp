#include "traffic/collectives.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

namespace zonecut {
namespace {

bool evenly_spread(const std::vector<std::vector<RankId>>& servers) {
  return std::all_of(servers.begin(), servers.end(), [&](const std::vector<RankId>& server) {
    return server.size() == servers.front().size();
  });
}

std::int64_t ceil_log2(std::size_t n) {
  return n <= 1 ? 0 : static_cast<std::int64_t>(std::bit_width(n - 1));
}

/// What (n-1)/n of a buffer comes to.
ExactProduct all_but_own(const ExactProduct& buffer, std::size_t n) {
  const auto size = static_cast<std::int64_t>(n);
  return buffer.times(size - 1).over(size);
}

/// A buffer of the exchange, or a part of one, over some of its members.
void add_ring(TrafficBuilder& builder, std::span<const RankId> members, const ExactProduct& buffer,
              const Exchange& exchange, RingOrder order) {
  const auto others = static_cast<std::int64_t>(members.size()) - 1;
  builder.pass_on(ExactProduct(exchange.passes).times(others).rounded());
  builder.add_ring(members, all_but_own(buffer, members.size()).bytes(), order);
}

/// Reduce-scatter inside each server, rings between the servers for each local rank, all-gather
/// inside.
void add_hierarchical(TrafficBuilder& builder, const std::vector<std::vector<RankId>>& servers,
                      const Exchange& exchange) {
  const std::size_t local = servers.front().size();
  for (const std::vector<RankId>& server : servers)
    add_ring(builder, server, exchange.buffer, exchange, RingOrder::Ranks);
  const ExactProduct part = exchange.buffer.over(static_cast<std::int64_t>(local));
  std::vector<RankId> ring;
  for (std::size_t i = 0; i < local; ++i) {
    ring.clear();
    for (const std::vector<RankId>& server : servers) ring.push_back(server[i]);
    add_ring(builder, ring, part, exchange, exchange.order);
  }
}

/// Seconds of an all-reduce as NCCL reckons them. Latencies are those of NVLink within a server and
/// of the network between servers; with several servers a ring's grow by 1.4 (its "plateau"). Its
/// corrections of trees for medium sizes are left out.
struct NcclModel {
  double ranks;
  double servers;
  double bytes;
  [[nodiscard]] double local() const { return ranks / servers; }
  [[nodiscard]] double bandwidth() const { return 50e9 * std::max(1.0, std::floor(local())); }

  [[nodiscard]] double ring() const {
    const double steps = 2 * (ranks - 1);
    const double between = 2 * (servers - 1);
    const double latency = 8.4e-6 + (steps - between) * 3.4e-6 + between * 14e-6;
    return latency * (servers > 1 ? 1.4 : 1) + bytes / bandwidth() * steps / ranks;
  }
  [[nodiscard]] double tree() const {
    const double latency =
        8.4e-6 + 2 * ((std::floor(local()) - 1) * 4e-6 + std::floor(std::log2(servers)) * 14e-6);
    return latency + bytes / (0.92 * bandwidth()) * 2;
  }
};

}  // namespace

CollectiveAlgorithm chosen_algorithm(CollectiveAlgorithm algorithm, std::span<const RankId> members,
                                     std::size_t ranks_per_server, const Exchange& exchange) {
  if (algorithm != CollectiveAlgorithm::Automatic) return algorithm;
  const std::size_t servers = by_server(members, ranks_per_server).size();
  if (!exchange.all_reduce || servers < 2) return CollectiveAlgorithm::Ring;
  const NcclModel model{static_cast<double>(members.size()), static_cast<double>(servers),
                        static_cast<double>(exchange.once.count)};
  return model.tree() < model.ring() ? CollectiveAlgorithm::DoubleBinaryTree
                                     : CollectiveAlgorithm::Ring;
}

std::vector<std::vector<RankId>> by_server(std::span<const RankId> members,
                                           std::size_t ranks_per_server) {
  std::vector<std::vector<RankId>> servers;
  std::unordered_map<std::size_t, std::size_t> position;
  for (const RankId member : members) {
    const auto [at, is_new] =
        position.try_emplace(member.index() / ranks_per_server, servers.size());
    if (is_new) servers.emplace_back();
    servers[at->second].push_back(member);
  }
  return servers;
}

void add_exchange(TrafficBuilder& builder, std::span<const RankId> members,
                  const Exchange& exchange, CollectiveAlgorithm algorithm) {
  if (algorithm == CollectiveAlgorithm::DoubleBinaryTree && exchange.all_reduce) {
    builder.pass_on(exchange.passes / 2);
    builder.add(Pattern::Tree, members, exchange.buffer.over(4).bytes());
    return;
  }
  const auto servers = by_server(members, builder.ranks_per_server());
  if (algorithm == CollectiveAlgorithm::Hierarchical && evenly_spread(servers)) {
    add_hierarchical(builder, servers, exchange);
    return;
  }
  // A ring passes all ranks of a server before it goes on to the next, whatever the members' order.
  std::vector<RankId> ring;
  for (const std::vector<RankId>& server : servers) {
    ring.insert(ring.end(), server.begin(), server.end());
  }
  add_ring(builder, ring, exchange.buffer, exchange, exchange.order);
}

std::int64_t exchange_steps(std::span<const RankId> members, std::size_t ranks_per_server,
                            std::int64_t passes, CollectiveAlgorithm algorithm, bool all_reduce) {
  const auto servers = by_server(members, ranks_per_server);
  if (servers.empty()) return 0;
  std::size_t local = 0;
  for (const std::vector<RankId>& server : servers) local = std::max(local, server.size());
  const auto between = static_cast<std::int64_t>(servers.size()) - 1;
  const auto inside = static_cast<std::int64_t>(local) - 1;
  std::int64_t chain = static_cast<std::int64_t>(members.size()) - 1;
  if (algorithm == CollectiveAlgorithm::DoubleBinaryTree && all_reduce) {
    chain = ceil_log2(servers.size()) + inside;
  } else if (algorithm == CollectiveAlgorithm::Hierarchical && evenly_spread(servers)) {
    chain = between + inside;
  }
  return ExactProduct(passes).times(chain).rounded();
}

}  // namespace zonecut
