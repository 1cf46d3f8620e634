#pragma once
// The cluster of a simulation while jobs come and go: where a policy puts a job, and how long it
// runs there beside the others.
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "simulation/free_room.hpp"
#include "zonecut/scheduler/simulation.hpp"

namespace zonecut {

/// Where a job would start now. Nothing is held yet.
struct Stand {
  std::vector<ServerId> servers;  ///< by vertex
  std::int64_t duration = 0;      ///< ms
  JobRun run;                     ///< but for its times
};

/// Borrows its arguments.
class Placer {
 public:
  Placer(const SimulationStart& start, const Fabric& fabric, const Workload& workload,
         std::span<const std::optional<IdealIteration>> ideals, const SimulationPolicy& policy,
         const SimulationOptions& options);
  Placer(const Placer&) = delete;
  Placer& operator=(const Placer&) = delete;
  ~Placer() = default;

  [[nodiscard]] const FreeRoom& room() const noexcept { return room_; }
  /// Whether the policy would start it now.
  [[nodiscard]] bool fits(std::size_t job);
  /// Whether it would where so much is free.
  [[nodiscard]] bool fits(const SimulatedJob& job, const FreeRoom& room) const;
  /// The job must fit.
  [[nodiscard]] Stand stand_of(std::size_t job);
  void hold(std::size_t job, const Stand& stand);
  /// Jobs of the start come after those of the workload, by id.
  void release(std::size_t job, std::span<const GpuId> gpus);

  [[nodiscard]] std::int64_t held_gpus() const noexcept { return held_gpus_; }
  /// Whether it can be had once nobody holds it.
  [[nodiscard]] bool is_sound(GpuId gpu) const;

 private:
  [[nodiscard]] std::vector<ServerId> servers_for(std::size_t job);
  [[nodiscard]] std::vector<ServerId> placed(const PlacementProblem& problem) const;
  [[nodiscard]] std::vector<ServerId> in_best_order(const PlacementProblem& problem,
                                                    std::span<const ServerId> servers) const;
  PlacementProblem& problem_of(const SimulatedJob& job);
  [[nodiscard]] std::vector<GpuId> gpus_on(std::span<const ServerId> servers,
                                           std::size_t each) const;
  [[nodiscard]] bool shares_links(const SimulatedJob& job, const JobRun& run) const;
  [[nodiscard]] RunningTraffic traffic_on(std::size_t job, const Stand& stand) const;

  const Cluster& cluster_;
  const Fabric& fabric_;
  const Workload& workload_;
  std::span<const std::optional<IdealIteration>> ideals_;
  SimulationPolicy policy_;
  const SimulationOptions& options_;
  ClusterView view_;
  FreeRoom room_;
  /// By GPUs on a server and places: whether such a job fits into room_ as it is.
  std::map<std::pair<std::size_t, std::size_t>, bool> fits_now_;
  std::int64_t held_gpus_ = 0;
  Job silent_;                                             ///< fills a server and sends nothing
  std::vector<std::optional<PlacementProblem>> problems_;  ///< by work, the silent one last
  Background background_;
  std::vector<std::size_t> beside_;  ///< the jobs of background_, in its order; see release()
};

/// How much longer than its ideal duration a job takes that communicates so long in an iteration.
[[nodiscard]] double stretch_of(const IdealIteration& ideal, Seconds communication);

/// A placement on servers all of which are free; no traffic of others.
[[nodiscard]] PlacementOptions without_proof(PlacementOptions options);

}  // namespace zonecut
