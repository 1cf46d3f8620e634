#pragma once
// An attribution, ready to be written. Writers compute nothing.
#include <string>
#include <vector>

#include "zonecut/scheduler/attribution.hpp"
#include "zonecut/scheduler/nic_counters.hpp"
#include "zonecut/scheduler/report.hpp"

namespace zonecut {

struct AttributionReport {
  const Cluster& cluster;
  Routing routing;
  std::string job;
  std::size_t ranks = 0;
  std::string assumed_model;  ///< see assumed_model_text()
  std::string period;         ///< see period_of()
  Attribution attribution;
  bool counted = false;                  ///< whether counters were read at all
  std::vector<CounterFinding> findings;  ///< of counters that grew
  Provenance provenance;
};

/// "zonecut.attribution/v1"
[[nodiscard]] std::string write_attribution_json(const AttributionReport& report);
[[nodiscard]] std::string write_attribution_text(const AttributionReport& report);

}  // namespace zonecut
