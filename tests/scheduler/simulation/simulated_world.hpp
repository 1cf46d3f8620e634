#pragma once
// A small cluster and jobs for it, simulated.
#include <string>
#include <vector>

#include "support/drawn_cluster.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/scheduler/simulation.hpp"

namespace zonecut {

inline SimulatedJob simulated(std::int64_t submit, std::int64_t duration, std::size_t gpus_each,
                              std::size_t vertices = 1,
                              std::optional<std::size_t> work = std::nullopt) {
  return {"", submit, duration, gpus_each, vertices, work};
}

struct SimulatedWorld {
  explicit SimulatedWorld(Cluster made)
      : cluster(std::move(made)),
        fabric(Fabric::build(cluster, cluster.backend(), Health(cluster))),
        start(cluster) {
    workload.server_gpus = cluster.server(ServerId{0}).gpus;
    options.placement.mapping.effort = Effort::Fast;
  }

  [[nodiscard]] SimulationOutcome run(const std::string& policy) const {
    const auto ideals = ideal_iterations(fabric, workload, options);
    const Fabric damaged = Fabric::build(cluster, cluster.backend(), start.view.health);
    return simulate(start, damaged, workload, ideals, find_policy(policy).value(), options);
  }

  /// Holds whole servers from the start on, until `end` ms where that is said.
  JobId stands(const std::string& name, const std::vector<std::string>& servers,
               std::optional<std::int64_t> end = std::nullopt) {
    const JobId job = start.view.occupancy.add_job(name);
    for (const std::string& server : servers) {
      const ServerId id = cluster.find_server(server).value();
      for (int gpu = 0; gpu < cluster.server(id).gpus; ++gpu)
        start.view.occupancy.hold(job, {id, gpu});
    }
    if (end) start.view.ends.push_back({job, Seconds{static_cast<double>(*end) / 1000}});
    return job;
  }

  Cluster cluster;
  Fabric fabric;
  SimulationStart start;
  Workload workload;
  SimulationOptions options;
};

/// Servers of one GPU and one NIC of 1 GB/s; half of that leads up from a zone.
inline Cluster narrow_cluster(const std::string& drawing) {
  constexpr std::int64_t kGB = 1'000'000'000;
  FabricSpec spec;
  spec.nics_per_server = 1;
  spec.nic_bandwidth = {kGB};
  spec.tiers = {
      {"ATSW", 1, 0, {kGB}, 0, {}}, {"CTSW", 1, 1, {kGB / 2}, 0, {}}, {"RTSW", 1, 8, {kGB}, 0, {}}};
  return drawn_cluster(drawing, std::move(spec), 1);
}

/// A ring of four servers in which each sends 3 GB.
inline Job ring_of_four() {
  return parse_job_file(
             "gpus: 4\nranks_per_server: 1\ncollectives:\n"
             "  - {name: x, ranks: 0-3, kind: all-reduce, bytes: 2GB}\n",
             "job.yaml")
      .job;
}

}  // namespace zonecut
