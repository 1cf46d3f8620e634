#include "zonecut/scheduler/lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "positions.hpp"
#include "refusal.hpp"
#include "room.hpp"
#include "zone_word.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/scheduler/leaf_queues.hpp"

namespace zonecut {
namespace {

/// The order under examination, with the questions all rules ask of it.
class Order {
 public:
  Order(const PlacementProblem& problem, std::span<const ServerId> servers)
      : problem_(problem), servers_(servers), chosen_(arranged_on(problem, servers)) {
    const Cluster& cluster = *problem.view.cluster;
    zone_.reserve(servers.size());
    for (const ServerId server : servers) {
      zone_.push_back(cluster.domain_of(server, cluster.zone_level()));
    }
  }
  [[nodiscard]] const Cluster& cluster() const { return *problem_.view.cluster; }
  [[nodiscard]] const ClusterView& view() const { return problem_.view; }
  [[nodiscard]] const Traffic& traffic() const { return chosen_ ? *chosen_ : problem_.traffic; }
  [[nodiscard]] std::span<const ServerId> servers() const { return servers_; }
  [[nodiscard]] DomainId zone_of(RankId rank) const {
    return zone_[rank.index() / problem_.traffic.ranks_per_server];
  }
  [[nodiscard]] std::size_t zones_of(const Group& group) const {
    std::set<DomainId> zones;
    for (const RankId rank : traffic().members_of(group)) zones.insert(zone_of(rank));
    return zones.size();
  }
  [[nodiscard]] std::size_t zone_changes(const Group& group) const {
    const auto members = traffic().members_of(group);
    std::size_t changes = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      changes += zone_of(members[i]) != zone_of(members[(i + 1) % members.size()]) ? 1u : 0u;
    }
    return changes;
  }
  [[nodiscard]] const std::string& zone_word() const { return zonecut::zone_word(cluster()); }

 private:
  const PlacementProblem& problem_;
  std::span<const ServerId> servers_;
  std::optional<Traffic> chosen_;
  std::vector<DomainId> zone_;
};

// A ring over Z zones changes zone at least Z times, and no more when each zone's members stand
// together.
void find_zone_changes(const Order& order, const Phase& phase, std::vector<Finding>& findings) {
  std::size_t rings = 0;
  std::size_t changes = 0;
  std::size_t least = 0;
  for (const Group& group : phase.groups) {
    if (group.pattern != Pattern::Ring || group.size < 2) continue;
    ++rings;
    changes += order.zone_changes(group);
    const std::size_t zones = order.zones_of(group);
    least += zones > 1 ? zones : 0;
  }
  if (changes <= least) return;
  findings.push_back(
      {"zone-changes",
       fmt::format("{}: {} rings change {} {} times together; {} would do for the {}s they visit",
                   phase.name, rings, order.zone_word(), changes, least, order.zone_word()),
       fmt::format("put the servers of one {} next to each other in the order",
                   order.zone_word())});
}

// Pipelines are replicas, all-to-all groups are experts: both send to each other all the time.
void find_split_groups(const Order& order, const Phase& phase, std::vector<Finding>& findings) {
  std::map<Pattern, std::pair<std::size_t, std::size_t>> split_and_all;
  for (const Group& group : phase.groups) {
    if (group.pattern != Pattern::Pipeline && group.pattern != Pattern::AllToAll) continue;
    auto& [split, all] = split_and_all[group.pattern];
    ++all;
    split += order.zones_of(group) > 1 ? 1u : 0u;
  }
  for (const auto& [pattern, counts] : split_and_all) {
    const auto& [split, all] = counts;
    if (split == 0) continue;
    findings.push_back(
        {"split-groups",
         fmt::format("{}: {} of {} {} are split between {}s", phase.name, split, all,
                     pattern == Pattern::Pipeline ? "pipelines" : "all-to-all groups",
                     order.zone_word()),
         "harmless where another split would cost more: compare with zonecut place"});
  }
}

bool stand_together(std::span<const RankId> members) {
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (members[i].index() != members[i - 1].index() + 1) return false;
  }
  return true;
}

/// How many of the ranks on a server would keep groups of so many whole; none: no number does.
std::optional<std::size_t> ranks_that_keep_whole(const Traffic& traffic, std::size_t size) {
  for (std::size_t whole = traffic.ranks_per_server / size; whole > 0; --whole) {
    if (traffic.ranks % (whole * size) == 0) return whole * size;
  }
  return std::nullopt;
}

std::string hint_for_split_tensors(const Traffic& traffic, const Group& group, bool over_servers) {
  if (!stand_together(traffic.members_of(group)))
    return "let tp be the first axis of the job's order: its members then stand together";
  if (const auto ranks = ranks_that_keep_whole(traffic, group.size))
    return fmt::format("ranks_per_server={} keeps each on one server", *ranks);
  if (over_servers) {
    const std::size_t on_server = traffic.ranks_per_server;
    return fmt::format("each takes {} servers that NVLink joins, next to each other in the order",
                       (group.size + on_server - 1) / on_server);
  }
  return fmt::format("tensor parallelism sends most of all: up to {} of its ranks stay on a server",
                     traffic.ranks_per_server);
}

/// Only where something is sent between the zones: else they cost nothing.
void find_needless_zones(const PlacementProblem& problem, const Order& order,
                         Constraints constraints, std::vector<Finding>& findings) {
  const auto& phases = order.traffic().phases;
  const bool crosses = std::ranges::any_of(phases, [&](const Phase& phase) {
    return std::ranges::any_of(phase.groups,
                               [&](const Group& group) { return order.zones_of(group) > 1; });
  });
  if (!crosses) return;
  const Cluster& cluster = order.cluster();
  const RoomiestDomain roomiest = roomiest_zone(problem, std::move(constraints));
  if (roomiest.room < order.servers().size()) return;
  std::set<DomainId> zones;
  for (const ServerId server : order.servers())
    zones.insert(cluster.domain_of(server, cluster.zone_level()));
  findings.push_back(
      {"needless-zones",
       fmt::format("the order uses {} {}s, and {} alone has room for the whole job", zones.size(),
                   order.zone_word(), cluster.path(roomiest.domain)),
       fmt::format("within one {} it sends nothing to others: compare with zonecut place",
                   order.zone_word())});
}

/// As Leftover::half_used_racks has it: in part is used where something is left for others.
void find_half_racks(const Order& order, std::vector<Finding>& findings) {
  const Cluster& cluster = order.cluster();
  const auto ranks = static_cast<int>(order.traffic().ranks_per_server);
  std::map<ServerId, int> taken;  // GPUs
  std::set<DomainId> racks;
  for (const ServerId server : order.servers()) {
    taken[server] += ranks;
    racks.insert(cluster.server(server).rack);
  }
  const auto has_free = [&](ServerId server) {
    const auto ours = taken.find(server);
    return order.view().usable_gpu_count(server) > (ours == taken.end() ? 0 : ours->second);
  };
  std::vector<DomainId> half;
  for (const DomainId rack : racks) {
    if (std::ranges::any_of(cluster.domain(rack).servers(), has_free)) half.push_back(rack);
  }
  if (half.empty()) return;
  findings.push_back(
      {"half-racks",
       fmt::format("{} {} used in part, the first is {}",
                   counted(half.size(), cluster.levels().back()), half.size() == 1 ? "is" : "are",
                   cluster.path(half.front())),
       "a rack used by half loads its uplinks unevenly and is of less use to others"});
}

// "node10" before "node2": sorted by a program that compares texts (pytorch#191190).
void find_text_order(const Order& order, std::vector<Finding>& findings) {
  const auto servers = order.servers();
  const auto name = [&](std::size_t i) -> const std::string& {
    return order.cluster().server(servers[i]).name;
  };
  std::size_t first_slip = 0;
  for (std::size_t i = 1; i < servers.size(); ++i) {
    if (name(i) < name(i - 1)) return;
    if (first_slip == 0 && natural_less(name(i), name(i - 1))) first_slip = i;
  }
  if (first_slip == 0) return;
  findings.push_back({"text-order",
                      fmt::format("the names are sorted as texts: {} stands before {}",
                                  name(first_slip - 1), name(first_slip)),
                      "sort names by their numbers, or better by the fabric"});
}

/// Names for a message; a list of hosts where the names can stand in one.
std::string listed(const std::vector<std::string>& names) {
  if (std::all_of(names.begin(), names.end(), is_host_name)) return compress_hostlist(names);
  return names.front() + (names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "");
}

void find_unhealthy(const Order& order, std::vector<Finding>& findings) {
  const std::set<ServerId> used(order.servers().begin(), order.servers().end());
  std::vector<std::string> down;
  std::vector<std::string> drained;
  std::vector<std::string> short_of_gpus;
  for (const ServerId server : used) {
    const Server& described = order.cluster().server(server);
    const ServerHealth health = order.view().health.servers[server];
    if (health == ServerHealth::Down) down.push_back(described.name);
    if (health == ServerHealth::Drained) drained.push_back(described.name);
    const auto working = static_cast<std::size_t>(order.view().working_gpu_count(server));
    if (health == ServerHealth::Up && working < order.traffic().ranks_per_server)
      short_of_gpus.push_back(described.name);
  }
  if (!down.empty()) {
    findings.push_back(
        {"servers-down", "servers down: " + listed(down), "the job cannot start there"});
  }
  if (!drained.empty()) {
    findings.push_back({"servers-drained", "servers drained: " + listed(drained),
                        "they take nothing new; a running job should leave them"});
  }
  if (!short_of_gpus.empty()) {
    findings.push_back({"failed-gpus",
                        fmt::format("servers with fewer than {} working GPUs: {}",
                                    order.traffic().ranks_per_server, listed(short_of_gpus)),
                        "not every rank there has a GPU"});
  }
}

/// Links on the way to the rest of the job, be they a server's or those of its rack or zone.
void find_weak_links(const PlacementProblem& problem, const Order& order,
                     std::vector<Finding>& findings) {
  constexpr double kWeak = 0.5;  // of what they were built with
  const Cluster& cluster = order.cluster();
  const std::set<ServerId> used(order.servers().begin(), order.servers().end());
  int common = cluster.rack_level();
  for (const ServerId server : used)
    common = std::min(common, cluster.common_level(*used.begin(), server));
  const Reach sound = reach_over(problem.fabric, kWeak);
  std::vector<std::string> weak;
  for (const ServerId server : used) {
    if (used.size() > 1 && sound[server] > common && problem.reach[server] <= common)
      weak.push_back(cluster.server(server).name);
  }
  if (weak.empty()) return;
  findings.push_back(
      {"weak-links",
       "servers behind links that keep no more than half of what they carried: " + listed(weak),
       "all others wait for them: mend the links, or place the job anew"});
}

/// More connections are not listed for a remark: that would take seconds.
constexpr double kMostConnections = 4'000'000;

/// Of exchanges whose members get different amounts from each; others are counted.
double connections_to_list(const Traffic& traffic) {
  double connections = 0;
  for (const Phase& phase : traffic.phases) {
    for (const Group& group : phase.groups) {
      if (group.first_share && group.share_of == ShareOf::Sender)
        connections += static_cast<double>(group.size) * group.size;
    }
  }
  return connections;
}

// With receiver-driven admission the queues are as long as the window lets them be, which is not
// for the order to mend.
void find_overflows(const PlacementProblem& problem, const Order& order,
                    std::vector<Finding>& findings) {
  if (problem.routing.admission_window) return;
  if (connections_to_list(order.traffic()) > kMostConnections) return;
  for (const PhaseOverflows& phase :
       overflows_of(problem.fabric, order.traffic(), order.servers(), std::nullopt)) {
    if (phase.overflows.empty()) continue;
    findings.push_back({"buffer-overflow", overflow_text(problem.fabric, phase),
                        phase.fitting_window.count > 0
                            ? fmt::format("receiver-driven admission bounds the queues: a window "
                                          "of {} fits",
                                          to_exact_text(phase.fitting_window))
                            : "no admission window is small enough: let fewer send at a time"});
  }
}

}  // namespace

std::vector<Finding> lint(const PlacementProblem& problem, std::span<const ServerId> servers,
                          const Constraints& constraints) {
  ZONECUT_ENSURES(servers.size() == problem.traffic.vertices());
  const Order order(problem, servers);
  std::vector<Finding> findings;
  for (const Phase& phase : order.traffic().phases) find_zone_changes(order, phase, findings);
  for (const Phase& phase : order.traffic().phases) find_split_groups(order, phase, findings);
  if (const auto split = split_tensor_groups(problem, servers)) findings.push_back(*split);
  find_needless_zones(problem, order, constraints, findings);
  find_half_racks(order, findings);
  find_text_order(order, findings);
  find_unhealthy(order, findings);
  find_weak_links(problem, order, findings);
  find_overflows(problem, order, findings);
  return findings;
}

std::optional<Finding> split_tensor_groups(const PlacementProblem& problem,
                                           std::span<const ServerId> servers) {
  ZONECUT_ENSURES(servers.size() == problem.traffic.vertices());
  const Traffic& traffic = problem.traffic;
  const std::vector<Position> positions = positions_of(*problem.view.cluster, servers);
  const auto place = [&](RankId rank) -> const Position& {
    return positions[rank.index() / traffic.ranks_per_server];
  };
  const bool over_servers = std::ranges::any_of(positions, [&](const Position& position) {
    return position.island == positions.front().island &&
           position.server != positions.front().server;
  });
  const Group* first = nullptr;
  std::size_t split = 0;
  std::size_t all = 0;
  for (const Phase& phase : traffic.phases) {
    if (phase.name != "tp") continue;
    for (const Group& group : phase.groups) {
      const auto members = traffic.members_of(group);
      ++all;
      const bool is_split = std::ranges::any_of(members, [&](RankId member) {
        return place(member).island != place(members.front()).island;
      });
      if (!is_split) continue;
      ++split;
      if (!first) first = &group;
    }
  }
  if (!first) return std::nullopt;
  return Finding{
      "split-tensors",
      fmt::format("tp: {} of {} tensor-parallel groups {} split between servers{}", split, all,
                  split == 1 ? "is" : "are", over_servers ? " that NVLink does not join" : ""),
      hint_for_split_tensors(traffic, *first, over_servers)};
}

Finding servers_held(const Cluster& cluster, std::span<const ServerId> servers) {
  ZONECUT_ENSURES(!servers.empty());
  std::vector<std::string> names;
  for (const ServerId server : servers) names.push_back(cluster.server(server).name);
  return {"servers-held", "servers whose GPUs other jobs hold: " + listed(names),
          "the job cannot start there while they run"};
}

}  // namespace zonecut
