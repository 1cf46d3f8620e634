#pragma once
// The answers to what-if questions, ready to be written. Writers compute nothing.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/scheduler/report.hpp"
#include "zonecut/scheduler/what_if.hpp"

namespace zonecut {

struct WhatIfAnswer {
  std::string changes;  ///< as they were asked
  Outlook outlook;
  Harm harm;  ///< against now
};

struct WhatIfReport {
  const Cluster& cluster;
  Routing routing;  ///< now
  std::span<const SettledJob> jobs;
  std::optional<std::size_t> asked;  ///< index of the job that was asked about
  std::size_t mute_jobs = 0;         ///< that hold GPUs, and of which nobody knows what they send
  Outlook now;
  std::vector<WhatIfAnswer> answers;  ///< in the order of the questions
  std::optional<std::string> each;    ///< what the questions go through: sorted then, worst or
                                      ///< (is_to_help()) most helpful first
  Provenance provenance;
};

/// "zonecut.whatif/v1"
[[nodiscard]] std::string write_what_if_json(const WhatIfReport& report);
/// For a terminal. Of the questions about each, `most` of the worst and the most harmless are told.
[[nodiscard]] std::string write_what_if_text(const WhatIfReport& report, std::size_t most);

}  // namespace zonecut
