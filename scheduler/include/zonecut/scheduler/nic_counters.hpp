#pragma once
// Counters of NICs, read on the servers while a job was slow: out-of-sequence packets,
// acknowledgements that timed out, links that flapped. They show where in the cluster something is
// wrong, not how many seconds it costs.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "zonecut/topology/cluster.hpp"

namespace zonecut {

/// By how much a counter grew on one NIC, or on all of a server together.
struct CounterReading {
  ServerId server;
  std::optional<int> nic;
  std::int64_t count = 0;
};

struct NicCounter {
  std::string name;
  std::vector<CounterReading> readings;  ///< in the order of the file
};

/// A table (docs/attribution.md): a header, a row for each NIC or server, a column for each
/// counter. Throws InputError with every mistake. O(bytes).
[[nodiscard]] std::vector<NicCounter> parse_nic_counters(std::string_view text,
                                                         const std::string& source,
                                                         const Cluster& cluster);

struct NicRef {
  ServerId server;
  int nic = 0;
  friend constexpr auto operator<=>(const NicRef&, const NicRef&) noexcept = default;
};

/// A part of the cluster whose readings are far above those of the job's other NICs.
struct HotSpot {
  std::variant<NicRef, ServerId, DomainId> where;
  std::int64_t count = 0;    ///< of the job's readings in it
  std::size_t readings = 0;  ///< how many these are
};

struct CounterFinding {
  std::string counter;
  std::int64_t count = 0;    ///< over all readings of the job's servers; above 0
  std::size_t readings = 0;  ///< how many these are
  std::vector<HotSpot> hot;  ///< hottest first; empty: no part of the job stands out
  /// How many times as much a reading of the job has in the mean as one of other servers; none
  /// where these have no readings, or count nothing.
  std::optional<double> against_others;
};

/// A finding for each counter that grew on these servers (those of a job), in the order of the
/// file.
///
/// Hot spots are found one after the other by Kulldorff's spatial scan statistic for Poisson counts
/// (Communications in Statistics 26, 1997) over NICs, servers and the domains of every level. A
/// place is one where
///  - its likelihood ratio is above what chance gives once in a thousand counters;
///  - its mean reading is at least three times that of all others; and
///  - on a logarithmic scale, its mean is four standard errors above the median of the other places
///    of its kind, and of the kinds that it consists of. This is since many counters vary more than
///    Poisson counts do without any fault, and alike on all NICs of a server or rack. The error is
///    estimated from the three quarters of them that are closest to the median.
/// O(readings · (log + levels · hot spots)) for each counter.
[[nodiscard]] std::vector<CounterFinding> findings_of(const Cluster& cluster,
                                                      std::span<const NicCounter> counters,
                                                      std::span<const ServerId> servers);

/// What a counter of a known name means, in a clause for people; empty for others.
[[nodiscard]] std::string_view counter_meaning(std::string_view name);

}  // namespace zonecut
