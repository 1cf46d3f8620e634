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
  /// Free whole servers in the emptiest domain of each level, by level.
  std::vector<int> largest_free_block;
  /// How little that is scattered: the sum over the domains of a level of the square of the whole
  /// servers free in each, by level.
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
  std::vector<ServerId>
      servers;  ///< by vertex: server of ranks v·k … v·k+k-1; one server may stand several times
  std::vector<GpuId> gpus;        ///< by rank
  std::vector<ChosenRing> rings;  ///< empty unless the job leaves the order of rings open
  Prediction prediction;
  std::int64_t cost = 0;             ///< J
  std::optional<Bytes> lower_bound;  ///< of cross_zone, over all placements these constraints allow
  std::string bound_method;
  std::optional<double> gap;
  std::string method;  ///< how it was found
  Leftover leftover;
  std::vector<Candidate> candidates;   ///< all that were tried, best first
  std::vector<std::string> reasons;    ///< "why here", in order of weight
  std::vector<Disturbance> disturbed;  ///< the jobs beside it whose traffic is known
};

/// The candidate of the smallest cut, where that is below the chosen one's: seconds come before
/// bytes. Null where there is none.
[[nodiscard]] const Candidate* smallest_cut(const Placement& placement);

/// One constraint that forbids a placement, and the nearest thing that would fit.
struct Blocker {
  std::string constraint;  ///< "required level: zone"
  std::string what;        ///< "needs 48 servers in one zone; the most in any is 37 (zone-c)"
  std::string nearest;     ///< "level building has 120 free servers"; may be empty
};

struct NoFit {
  std::vector<Blocker> blockers;  ///< at least one
};

using PlacementResult = std::variant<Placement, NoFit>;

}  // namespace zonecut
