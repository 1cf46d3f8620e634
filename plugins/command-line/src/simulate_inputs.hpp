#pragma once
// What zonecut simulate works on, read from the files that a user names. Built once, in one place,
// and not copied: its parts borrow from each other.
#include <optional>
#include <string>

#include "situation.hpp"
#include "zonecut/scheduler/simulation_report.hpp"

namespace zonecut::cli {

struct SimulateFiles {
  std::string cluster;
  std::string trace;
  std::string work;   ///< empty: the usual work
  std::string state;  ///< empty: everything is free and well at first
  JobTraceOptions reading;
  std::optional<std::string> from, until;  ///< none: from the first arrival, to the last
  TraceSelection selection;
};

struct SimulateInputs {
  /// Throws InputError with what is wrong in the files.
  explicit SimulateInputs(const SimulateFiles& files);
  SimulateInputs(const SimulateInputs&) = delete;
  SimulateInputs& operator=(const SimulateInputs&) = delete;
  ~SimulateInputs() = default;

  NamedText cluster_file;
  NamedText trace_file;
  std::optional<NamedText> work_file;
  std::optional<NamedText> state_file;
  Cluster cluster;
  Fabric fabric;  ///< sound
  SimulationStart start;
  Fabric start_fabric;
  JobTrace trace;
  Workload workload;
};

}  // namespace zonecut::cli
