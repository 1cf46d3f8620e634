#include "slurm_servers.hpp"

#include <algorithm>
#include <string_view>

namespace zonecut::cli {
namespace {

/// "a&b" or "a,b": all of them. Other forms are an unknown_wish().
bool has_features(const SlurmNode& node, std::string_view asked) {
  while (!asked.empty()) {
    const std::string_view feature = asked.substr(0, asked.find_first_of("&,"));
    asked.remove_prefix(std::min(asked.size(), feature.size() + 1));
    if (std::find(node.features.begin(), node.features.end(), feature) == node.features.end())
      return false;
  }
  return true;
}

bool contains(const std::map<std::string, std::set<std::string>>& sets, const std::string& name,
              const std::string& element) {
  const auto found = sets.find(name);
  return found != sets.end() && found->second.count(element) > 0;
}

}  // namespace

SlurmServers::SlurmServers(const SlurmSnapshot& snapshot, const Cluster& cluster)
    : snapshot_(snapshot), cluster_(cluster) {
  std::map<std::string, std::size_t> place;
  for (const SlurmNode& node : snapshot.nodes) {
    const auto server = cluster.find_server(node.name);
    if (!server) continue;
    place.emplace(node.name, nodes_.size());
    nodes_.push_back({&node, *server, 0, snapshot.time});
  }
  for (const SlurmJob& job : snapshot.jobs) {
    for (std::size_t i = 0; job.running && i < job.nodes.size(); ++i) {
      const auto found = place.find(job.nodes[i]);
      if (found == place.end()) continue;
      Node& node = nodes_[found->second];
      node.held_gpus += static_cast<int>(job.gpus[i].size());
      node.free_at = std::max(node.free_at, job.end);
    }
  }
  for (const SlurmJob& job : snapshot.jobs) {
    if (job.scheduled_nodes.empty()) continue;
    schedules_.push_back({job.scheduled_begin,
                          job.priority,
                          {job.scheduled_nodes.begin(), job.scheduled_nodes.end()}});
  }
  for (const SlurmPartition& partition : snapshot.partitions) {
    partitions_[partition.name] = {partition.nodes.begin(), partition.nodes.end()};
    if (partition.whole_nodes) whole_node_partitions_.insert(partition.name);
  }
  for (const SlurmReservation& reservation : snapshot.reservations)
    reservations_[reservation.name] = {reservation.nodes.begin(), reservation.nodes.end()};
}

template <class Claim>
std::vector<ServerId> SlurmServers::servers_where(const Claim& claim) const {
  std::vector<ServerId> servers;
  for (const Node& node : nodes_) {
    if (claim(node)) servers.push_back(node.server);
  }
  return servers;
}

std::vector<ServerId> SlurmServers::eligible(const SlurmJob& job) const {
  return servers_where([&](const Node& node) { return may_take(node, job); });
}

std::vector<ServerId> SlurmServers::free(const SlurmJob& job) const {
  return servers_where(
      [&](const Node& node) { return may_take(node, job) && has_room(node, job); });
}

IdMap<ServerId, std::int64_t> SlurmServers::free_at() const {
  IdMap<ServerId, std::int64_t> times(cluster_.server_count(), snapshot_.time);
  for (const Node& node : nodes_) times[node.server] = node.free_at;
  return times;
}

std::string SlurmServers::unknown_wish(const SlurmJob& job) {
  if (job.features.find_first_of("|[]*!()") != std::string::npos)
    return "asks for features in a form that is not understood";
  if (job.partition.find(',') != std::string::npos) return "names several partitions";
  return job.wish;
}

bool SlurmServers::may_take(const Node& node, const SlurmJob& job) const {
  const SlurmNode& here = *node.node;
  if (here.health != "up" || here.gpus < job.need.gpus || here.cpus < job.need.cpus ||
      here.memory < job.need.memory) {
    return false;
  }
  if (!contains(partitions_, job.partition, here.name)) return false;
  if (std::binary_search(job.excluded_nodes.begin(), job.excluded_nodes.end(), here.name))
    return false;
  return has_features(here, job.features) && !is_reserved(here.name, job);
}

bool SlurmServers::has_room(const Node& node, const SlurmJob& job) const {
  const SlurmNode& here = *node.node;
  const bool whole = job.need.whole || whole_node_partitions_.count(job.partition) > 0;
  return here.free_cpus >= (whole ? here.cpus : job.need.cpus) &&
         here.gpus - node.held_gpus >= job.need.gpus && here.free_memory >= job.need.memory &&
         !is_scheduled(here.name, job);
}

/// Kept by Slurm for a job in front that would begin before this one has ended.
bool SlurmServers::is_scheduled(const std::string& node, const SlurmJob& job) const {
  return std::any_of(schedules_.begin(), schedules_.end(), [&](const Schedule& schedule) {
    return schedule.priority > job.priority && schedule.begin < snapshot_.time + job.limit &&
           schedule.nodes.count(node) > 0;
  });
}

/// A job in a reservation gets its nodes; others get none that one wants before they have ended.
bool SlurmServers::is_reserved(const std::string& node, const SlurmJob& job) const {
  if (!job.reservation.empty()) return !contains(reservations_, job.reservation, node);
  return std::any_of(snapshot_.reservations.begin(), snapshot_.reservations.end(),
                     [&](const SlurmReservation& reservation) {
                       return reservation.begin < snapshot_.time + job.limit &&
                              reservation.end > snapshot_.time &&
                              contains(reservations_, reservation.name, node);
                     });
}

}  // namespace zonecut::cli
