#pragma once
// A placement told to people: a scene of plain values built once, then written as JSON, HTML or
// terminal text. The three say the same figures; totals equal the matrices they sum. Writers never
// compute.
#include <optional>
#include <string>
#include <vector>

#include "zonecut/scheduler/baseline.hpp"
#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// What produced a result, so that it can be produced again.
struct Provenance {
  std::string version;
  std::string cluster_file, cluster_hash;  ///< hash: SHA-256 of the file's bytes, hexadecimal
  std::string job_text, job_hash;
  std::string state_file, state_hash;  ///< empty when none was given
  std::uint64_t seed = 0;
  std::string effort;
  std::string command;  ///< the command line, quoted for a shell
};

struct ComparedPlacement {
  std::string name;
  std::string summary;
  std::optional<Placement> placement;  ///< none: this rule finds no room
};

struct Report {
  const PlacementProblem& problem;
  Placement placement;
  std::vector<ComparedPlacement> baselines;  ///< the first one is "before" in the pictures
  Provenance provenance;
};

struct TerminalStyle {
  int width = 80;
  bool colour = false;
  bool unicode = true;
};

[[nodiscard]] std::string write_html(const Report& report);
[[nodiscard]] std::string write_terminal(const Report& report, const TerminalStyle& style);
/// One JSON object, "zonecut.report/v1", indented by two.
[[nodiscard]] std::string write_json(const Report& report);
/// "zonecut.placement/v1"
[[nodiscard]] std::string write_placement_json(const PlacementProblem& problem,
                                               const Placement& placement,
                                               const Provenance& provenance);
/// "zonecut.refusal/v1": why nothing fits.
[[nodiscard]] std::string write_refusal_json(const NoFit& refusal, const Provenance& provenance);

/// Open MPI and DeepSpeed: "gpu001 slots=8", a line for each server, in rank order.
[[nodiscard]] std::string write_hostfile(const Cluster& cluster, const Placement& placement);
[[nodiscard]] std::string write_rankfile(const Cluster& cluster,
                                         const Placement& placement);  ///< Open MPI
/// Slurm: "--nodelist=… --distribution=arbitrary" for srun, one entry per task.
[[nodiscard]] std::string write_slurm_options(const Cluster& cluster, const Placement& placement);

}  // namespace zonecut
