#pragma once
// Reports of small jobs on drawn clusters, for tests. The traffic is given by hand, so every figure
// can be worked out.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/sketch.hpp"
#include "zonecut/scheduler/report.hpp"

namespace zonecut {

struct Entry {
  int from_server, to_server;  ///< by vertex; from first rank to first rank
  std::int64_t bytes;
};

/// A job of `servers` × 8 ranks whose traffic is exactly `entries`.
inline Job job_of(int servers, const std::vector<Entry>& entries, std::string name = "sample") {
  ExplicitTraffic traffic;
  traffic.ranks = servers * 8;
  for (const Entry& entry : entries) {
    traffic.matrix.push_back({RankId{static_cast<std::size_t>(entry.from_server) * 8},
                              RankId{static_cast<std::size_t>(entry.to_server) * 8},
                              Bytes{entry.bytes}});
  }
  Job job;
  job.name = std::move(name);
  job.work = std::move(traffic);
  return job;
}

/// A trained transformer of TP 8, with pipeline and data parallelism.
inline Job training_of(int stages, int replicas, std::string order = "tp-cp-ep-dp-pp") {
  Training training;
  training.model.parameters = 8'000'000'000;
  training.model.layers = 32;
  training.model.hidden = 4096;
  training.model.heads = 32;
  training.model.kv_heads = 8;
  training.model.head_size = 128;
  training.parallelism.tp = 8;
  training.parallelism.pp = stages;
  training.parallelism.dp = replicas;
  training.parallelism.order = std::move(order);
  training.micro_batches = 8;
  Job job;
  job.name = "sample";
  job.work = training;
  return job;
}

inline Provenance sample_provenance() {
  Provenance provenance;
  provenance.version = "1.2.3";
  provenance.cluster_file = "cluster.yaml";
  provenance.cluster_hash = std::string(64, 'c');
  provenance.job_text = "tp=8";
  provenance.job_hash = std::string(64, 'd');
  provenance.seed = 42;
  provenance.effort = "fast";
  provenance.command = "zonecut report --cluster cluster.yaml --job tp=8";
  return provenance;
}

/// Keeps what a Report borrows.
struct Sample {
  Sketch sketch;
  Job job;
  PlacementProblem problem;
  Report report;

  /// `ours` and `before` name servers by vertex; an empty `before` gives no baseline.
  Sample(Sketch drawn, Job wanted, std::string_view ours, std::string_view before = {})
      : sketch(std::move(drawn)),
        job(std::move(wanted)),
        problem(pose(*sketch.view, *sketch.fabric, job, {})),
        report{
            problem, evaluate(problem, sketch.servers(ours), "by hand"), {}, sample_provenance()} {
    if (!before.empty()) {
      report.baselines.push_back({"slurm-tree", "the smallest switch that fits",
                                  evaluate(problem, sketch.servers(before), "slurm-tree")});
    }
    report.baselines.push_back({"best-fit", "the least room that helps", std::nullopt});
    report.placement.candidates = {
        {"minimum cut", Seconds{0.1}, Bytes{5}, 7, 0, "chosen"},
        {"zone-sorted", Seconds{0.2}, Bytes{9}, 8, 1, "2.0 times the communication time"}};
    report.placement.reasons = {"the first reason", "the second reason"};
  }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;
};

/// Zones z1, z2, … of eight servers each, in one rack: z1s1, z1s2, ….
inline std::string many_zones(int count) {
  std::string drawn;
  for (int zone = 1; zone <= count; ++zone) {
    const std::string name = "z" + std::to_string(zone);
    drawn += "  " + name + ": r" + std::to_string(zone) + "[";
    for (int server = 1; server <= 8; ++server)
      drawn += (server > 1 ? " " : "") + name + "s" + std::to_string(server);
    drawn += "]\n";
  }
  return drawn;
}

constexpr std::string_view kFourServers = R"(
  a: r1[a1 a2] r2[a3 a4*]
  b: r3[b1 b2] r4[b3~ b4/4]
  c: r5[c1 c2]
)";

}  // namespace zonecut
