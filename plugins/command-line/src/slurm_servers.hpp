#pragma once
// Which servers of a Slurm a pending job may have, and which of them have room for it now, as far
// as its snapshot tells: partition, features, reservations, excluded nodes, GPUs, CPUs and memory.
// Slurm itself has the last word when it starts the job.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "slurm_snapshot.hpp"
#include "zonecut/base/id.hpp"
#include "zonecut/topology/cluster.hpp"

namespace zonecut::cli {

/// Borrows the snapshot and the cluster.
class SlurmServers {
 public:
  SlurmServers(const SlurmSnapshot& snapshot, const Cluster& cluster);

  /// That may ever take the job, in Slurm's order, which numbers ranks; those that have room now.
  [[nodiscard]] std::vector<ServerId> eligible(const SlurmJob& job) const;
  [[nodiscard]] std::vector<ServerId> free(const SlurmJob& job) const;
  /// When what runs on each server will have ended by its limits; the snapshot's time where nothing
  /// runs.
  [[nodiscard]] IdMap<ServerId, std::int64_t> free_at() const;
  /// What the job asks for that is not judged here; empty: nothing.
  [[nodiscard]] static std::string unknown_wish(const SlurmJob& job);

 private:
  /// What Slurm keeps for a job that did not ask.
  struct Schedule {
    std::int64_t begin = 0;
    std::uint32_t priority = 0;
    std::set<std::string> nodes;
  };
  struct Node {
    const SlurmNode* node = nullptr;
    ServerId server;
    int held_gpus = 0;
    std::int64_t free_at = 0;
  };

  [[nodiscard]] bool may_take(const Node& node, const SlurmJob& job) const;
  [[nodiscard]] bool has_room(const Node& node, const SlurmJob& job) const;
  [[nodiscard]] bool is_reserved(const std::string& node, const SlurmJob& job) const;
  [[nodiscard]] bool is_scheduled(const std::string& node, const SlurmJob& job) const;
  template <class Claim>
  [[nodiscard]] std::vector<ServerId> servers_where(const Claim& claim) const;

  const SlurmSnapshot& snapshot_;
  const Cluster& cluster_;
  std::vector<Node> nodes_;  ///< those that the cluster has, in Slurm's order
  std::map<std::string, std::set<std::string>> partitions_;
  std::set<std::string> whole_node_partitions_;
  std::map<std::string, std::set<std::string>> reservations_;
  std::vector<Schedule> schedules_;
};

}  // namespace zonecut::cli
