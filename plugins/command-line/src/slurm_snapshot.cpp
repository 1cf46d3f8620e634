#include "slurm_snapshot.hpp"

#include <nlohmann/json.hpp>

#include "schemas.hpp"
#include "slurm_program.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::cli {
namespace {

using nlohmann::json;

constexpr const char* kSource = "zonecut-slurm";
constexpr std::chrono::milliseconds kDeadline{30'000};

SlurmNode read_node(const json& node) {
  return {node.at("name"),      node.at("gpus"),   node.at("health"),      node.at("cpus"),
          node.at("free_cpus"), node.at("memory"), node.at("free_memory"), node.at("features")};
}

SlurmNeed read_need(const json& need) {
  return {need.at("gpus"), need.at("cpus"), need.at("memory"), need.at("whole")};
}

SlurmJob read_job(const json& job) {
  SlurmJob read;
  read.id = job.at("id");
  read.name = job.at("name");
  read.running = job.at("state") == "running";
  read.comment = job.at("comment");
  read.admin_comment = job.at("admin_comment");
  read.nodes = job.at("nodes");
  const json& gpus = job.at("gpus");
  for (const std::string& node : read.nodes)
    read.gpus.push_back(gpus.contains(node) ? gpus.at(node).get<std::vector<int>>()
                                            : std::vector<int>());
  read.node_count = job.at("node_count");
  read.fixed = job.at("fixed");
  read.task_count = job.at("task_count");
  read.need = read_need(job.at("need"));
  read.priority = job.at("priority");
  read.reason = job.at("reason");
  read.partition = job.at("partition");
  read.reservation = job.at("reservation");
  read.features = job.at("features");
  read.alone = job.at("alone");
  read.begin = job.at("begin");
  read.end = job.at("end");
  read.limit = job.at("limit");
  if (job.contains("wish")) {
    read.wanted_text = job.at("wanted_text");
    read.wanted_nodes = job.at("wanted_nodes");
    read.excluded_nodes = job.at("excluded_nodes");
    read.wish = job.at("wish");
  }
  if (job.contains("scheduled_nodes")) {
    read.scheduled_nodes = job.at("scheduled_nodes");
    read.scheduled_begin = job.at("scheduled_begin");
  }
  return read;
}

SlurmPartition read_partition(const json& partition) {
  return {partition.at("name"), partition.at("nodes"), partition.at("whole_nodes")};
}

SlurmReservation read_reservation(const json& reservation) {
  return {reservation.at("name"), reservation.at("nodes"), reservation.at("begin"),
          reservation.at("end")};
}

SlurmSnapshot read_snapshot(const json& object) {
  SlurmSnapshot snapshot;
  snapshot.time = object.at("time");
  snapshot.changes = object.at("changes");
  if (object.contains("topology")) snapshot.topology = object.at("topology");
  for (const json& node : object.at("nodes")) snapshot.nodes.push_back(read_node(node));
  for (const json& job : object.at("jobs")) snapshot.jobs.push_back(read_job(job));
  snapshot.preempts = object.at("preempts");
  for (const json& each : object.at("partitions"))
    snapshot.partitions.push_back(read_partition(each));
  for (const json& each : object.at("reservations"))
    snapshot.reservations.push_back(read_reservation(each));
  if (object.contains("order")) snapshot.order = object.at("order");
  return snapshot;
}

/// The answer of zonecut-slurm to these words, read.
template <class Reader>
auto answer(const std::vector<std::string>& words, const Reader& reader) {
  const std::string text = ask_slurm_program(words, kDeadline);
  try {
    const json object = json::parse(text);
    if (object.at("schema") == slurm::kSnapshotSchema) return reader(object);
  } catch (const json::exception& error) {
    throw IoError(kSource, std::string("gave no usable answer: ") + error.what());
  }
  throw IoError(kSource, "another version answers");
}

}  // namespace

SlurmSnapshot ask_slurm(std::optional<std::uint32_t> job) {
  std::vector<std::string> words;
  if (job) words.push_back(std::to_string(*job));
  return answer(words, read_snapshot);
}

std::optional<SlurmSnapshot> ask_slurm_changes(std::int64_t since) {
  return answer({"queue", std::to_string(since)}, [](const json& object) {
    return object.contains("jobs") ? std::optional(read_snapshot(object)) : std::nullopt;
  });
}

}  // namespace zonecut::cli
