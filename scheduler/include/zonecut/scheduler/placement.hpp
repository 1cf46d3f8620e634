#pragma once
// The answer: which servers, in which order, why, and what it costs; or why there is none. Plain
// values.
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "zonecut/base/id.hpp"
#include "zonecut/scheduler/prediction.hpp"

namespace zonecut {

/// What is left for others after a placement.
struct Leftover {
  int free_gpus = 0;
  int free_servers = 0;     ///< wholly free
  int half_used_racks = 0;  ///< racks that hold some of this job's and some free GPUs
  /// By level: the wholly free servers of the domain that has most of them.
  std::vector<int> largest_free_block;
  /// By level: the sum over its domains of the square of the wholly free servers in each. The
  /// larger, the less the free servers are scattered.
  std::vector<std::int64_t> togetherness;
};

/// One placement that was tried, in figures.
struct Candidate {
  std::string name;  ///< "minimum cut", "zone-sorted", …
  Seconds communication;
  Bytes cross_zone;
  std::int64_t cost = 0;  ///< J
  int half_used_racks = 0;
  std::string verdict;  ///< "chosen", or what decided against it
};

/// The order that was chosen for a ring which may have any.
struct ChosenRing {
  std::string phase;
  std::vector<RankId> ranks;  ///< each sends to the next, the last to the first
};

struct Placement {
  /// By vertex: server of ranks v·k … v·k+k-1; one server may stand several times.
  std::vector<ServerId> servers;
  std::vector<GpuId> gpus;        ///< by rank
  std::vector<ChosenRing> rings;  ///< empty unless the job leaves the order of rings open
  Prediction prediction;
  std::int64_t cost = 0;             ///< J
  std::optional<Bytes> lower_bound;  ///< of cross_zone, over all placements these constraints allow
  std::string bound_method;
  std::optional<double>
      gap;             ///< relative_gap() of cross_zone to lower_bound; none: unknown or endless
  std::string method;  ///< how it was found
  Leftover leftover;
  std::vector<Candidate> candidates;   ///< all that were tried, best first
  std::vector<std::string> reasons;    ///< "why here", in order of weight
  std::vector<Disturbance> disturbed;  ///< the jobs beside it whose traffic is known
};

/// The candidate with the smallest cut, if the chosen one cuts more (it may, since it is faster).
/// Null where no candidate cuts less.
[[nodiscard]] const Candidate* smallest_cut(const Placement& placement);

/// One constraint that forbids a placement, and the nearest thing that would fit.
struct Blocker {
  std::string constraint;  ///< "required level: zone"
  std::string what;        ///< "needs 48 servers in one zone; the most in any is 37 (zone-c)"
  std::string nearest;     ///< "level building has 120 free servers"; may be empty
};

/// In one line, without `nearest`: "free capacity: the job needs 48 servers; 37 are free".
[[nodiscard]] std::string to_text(const Blocker& blocker);

struct NoFit {
  std::vector<Blocker> blockers;  ///< at least one
};

using PlacementResult = std::variant<Placement, NoFit>;

}  // namespace zonecut
