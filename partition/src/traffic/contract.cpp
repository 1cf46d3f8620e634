// Ranks of one server become one vertex. All-to-all groups are never expanded: between servers that
// hold k_i and k_j of a group's ranks, k_i·k_j·bytes go each way.
#include <fmt/format.h>

#include <unordered_map>

#include "zonecut/base/error.hpp"
#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {
namespace {

/// Before equal pairs are added up; sixteen bytes each.
constexpr std::size_t kMostEdges = 40'000'000;

class Contraction {
 public:
  Contraction(const Traffic& traffic, std::size_t ranks_of_vertex)
      : traffic_(traffic), ranks_of_vertex_(ranks_of_vertex) {}

  std::vector<CommunicationGraph::Edge> edges() {
    for (const Phase& phase : traffic_.phases) {
      for (const Group& group : phase.groups) {
        if (group.pattern == Pattern::AllToAll) {
          add_all_to_all(group);
        } else {
          for_each_flow(traffic_, group, [this](const Flow& flow) {
            add(vertex_of(flow.from), vertex_of(flow.to), flow.bytes);
          });
        }
      }
    }
    return std::move(edges_);
  }

 private:
  struct Part {
    std::size_t vertex;
    std::int64_t members = 0;
    Bytes shares = {};
  };

  [[nodiscard]] std::size_t vertex_of(RankId rank) const { return rank.index() / ranks_of_vertex_; }

  [[nodiscard]] std::vector<Part> parts_of(const Group& group) const {
    const std::span<const RankId> members = traffic_.members_of(group);
    const std::span<const Bytes> shares = traffic_.shares_of(group);
    std::vector<Part> parts;
    std::unordered_map<std::size_t, std::size_t> position;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::size_t vertex = vertex_of(members[i]);
      const auto [at, is_new] = position.try_emplace(vertex, parts.size());
      if (is_new) parts.push_back({.vertex = vertex});
      Part& part = parts[at->second];
      ++part.members;
      if (!shares.empty()) part.shares += shares[i];
    }
    return parts;
  }

  void add_all_to_all(const Group& group) {
    const std::vector<Part> parts = parts_of(group);
    const std::size_t pairs = parts.size() * (parts.size() - 1) / 2;
    if (pairs > kMostEdges - edges_.size()) refuse();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t j = i + 1; j < parts.size(); ++j) {
        const Part& a = parts[i];
        const Part& b = parts[j];
        // Both ways, whosever shares they are.
        add(a.vertex, b.vertex,
            group.first_share ? a.shares * b.members + b.shares * a.members
                              : group.bytes * (2 * a.members * b.members));
      }
    }
  }

  void add(std::size_t u, std::size_t v, Bytes bytes) {
    if (u == v || bytes.count == 0) return;
    if (edges_.size() >= kMostEdges) refuse();
    edges_.push_back({static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v), bytes.count});
  }

  [[noreturn]] static void refuse() {
    throw InputError("job",
                     fmt::format("more than {} pairs of servers exchange traffic", kMostEdges),
                     "all-to-all groups over so many servers cannot be mapped");
  }

  const Traffic& traffic_;
  std::size_t ranks_of_vertex_;
  std::vector<CommunicationGraph::Edge> edges_;
};

}  // namespace

CommunicationGraph contract(const Traffic& traffic) {
  return contract(traffic, traffic.ranks_per_server);
}

CommunicationGraph contract(const Traffic& traffic, std::size_t ranks_of_vertex) {
  ZONECUT_ENSURES(ranks_of_vertex > 0);
  const std::size_t vertices = (traffic.ranks + ranks_of_vertex - 1) / ranks_of_vertex;
  return CommunicationGraph::from_edges(vertices, Contraction(traffic, ranks_of_vertex).edges());
}

}  // namespace zonecut
