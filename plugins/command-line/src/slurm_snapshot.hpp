#pragma once
// What a Slurm that runs here knows, asked of slurmctld through the program zonecut-slurm, which
// may not be installed. Throws IoError where nobody answers. Names and figures are Slurm's own;
// slurm_view.hpp makes a cluster and its state of them.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zonecut::cli {

struct SlurmNode {
  std::string name;
  int gpus = 0;
  std::string health;  ///< "up", "drained" or "down"
  int cpus = 0;
  int free_cpus = 0;
  std::int64_t memory = 0;       ///< MiB
  std::int64_t free_memory = 0;  ///< MiB that no job has
  std::vector<std::string> features;
};

/// What a job holds of a node while it runs, or needs of each before.
struct SlurmNeed {
  int gpus = 0;  ///< 0: not said
  int cpus = 1;
  std::int64_t memory = 0;  ///< MiB; 0: not said
  bool whole = false;       ///< shares it with no other job
};

struct SlurmJob {
  std::uint32_t id = 0;
  std::string name;      ///< by which it is changed: "17", or "17_3" of an array
  bool running = false;  ///< else pending
  std::string comment;
  std::string admin_comment;
  std::vector<std::string> nodes;      ///< of a running job, in Slurm's order
  std::vector<std::vector<int>> gpus;  ///< by node; empty where Slurm does not say
  std::size_t node_count = 0;
  bool fixed = true;           ///< it gets no other number of nodes
  std::size_t task_count = 0;  ///< 0: not said
  SlurmNeed need;              ///< of each node
  // What else decides where and when it may run.
  std::uint32_t priority = 0;  ///< 0: held
  std::string reason;          ///< why it is pending, in Slurm's word
  std::string partition;       ///< one or more, commas between
  std::string reservation;
  std::string features;    ///< as asked for; empty: any
  bool alone = true;       ///< no part of a heterogeneous job
  std::int64_t begin = 0;  ///< seconds since 1970, as all times here
  std::int64_t end = 0;    ///< of a running job, by its time limit
  std::int64_t limit = 0;  ///< seconds it may run
  // Of those that ask to be placed.
  std::string wanted_text;                  ///< the nodes it requires, as Slurm writes them
  std::vector<std::string> wanted_nodes;    ///< the same, sorted
  std::vector<std::string> excluded_nodes;  ///< sorted
  std::string wish;  ///< what it asks for that is not judged here; empty: nothing
  // Of the others that are pending: what Slurm means to start them on, and when.
  std::vector<std::string> scheduled_nodes;
  std::int64_t scheduled_begin = 0;
};

struct SlurmPartition {
  std::string name;
  std::vector<std::string> nodes;
  bool whole_nodes = false;  ///< gives every job nodes of its own
};

struct SlurmReservation {
  std::string name;
  std::vector<std::string> nodes;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct SlurmSnapshot {
  std::string topology;  ///< as topology.conf has it; empty where Slurm has or tells none
  std::vector<SlurmNode> nodes;
  std::vector<SlurmJob> jobs;
  std::vector<SlurmPartition> partitions;
  std::vector<SlurmReservation> reservations;
  bool preempts = false;           ///< jobs may take the place of others
  std::vector<std::string> order;  ///< of the job asked for: the node of each task
  std::int64_t time = 0;           ///< of this host when slurmctld answered
  std::int64_t changes = 0;        ///< for ask_slurm_changes()
};

/// Nodes, jobs, partitions and reservations; none where nothing has changed since the `changes` of
/// an earlier answer, which costs slurmctld little. 0: since ever.
[[nodiscard]] std::optional<SlurmSnapshot> ask_slurm_changes(std::int64_t since);

/// Everything; with a job also the node of each task of its largest step.
[[nodiscard]] SlurmSnapshot ask_slurm(std::optional<std::uint32_t> job);

}  // namespace zonecut::cli
