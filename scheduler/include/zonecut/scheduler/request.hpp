#pragma once
// What a user asks of a placement beyond the job itself. Plain values; `placement:` of a job file
// reads into Constraints.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zonecut/base/document.hpp"
#include "zonecut/base/id.hpp"
#include "zonecut/partition/mapping.hpp"
#include "zonecut/topology/cluster.hpp"

namespace zonecut {

/// Consecutive ranks, `gpus` at a time, stay together in one domain of `level`. Slices nest: 48 per
/// zone, 16 per rack.
struct Slice {
  int level = 0;
  int gpus = 0;
};

/// At most `servers` servers of the job in any one domain of `level`, so that losing one costs no
/// more.
struct Spread {
  int level = 0;
  int servers = 0;
};

struct Constraints {
  std::optional<int> required_level;  ///< the whole job in one domain of this level, or nowhere
  std::optional<int>
      preferred_level;  ///< the same if it can be had, else the next level up, and so on
  std::vector<Slice> slices;
  std::vector<ServerId> excluded;  ///< sorted, unique; domains are already taken apart into servers
  std::optional<std::vector<ServerId>>
      only;  ///< exactly these servers, as in an allocation that exists: only the order is ours
  bool whole_racks = false;  ///< share no rack with another job
  std::optional<Spread> spread;
  /// A policy and no constraint: how much longer than the fastest one found, as a share, a
  /// placement may be predicted to communicate where less of it goes between zones; none: the
  /// caller's.
  std::optional<double> time_tolerance;
};

/// Reads a `placement` mapping; null gives no constraints. Names unknown to the cluster go to the
/// problems.
[[nodiscard]] Constraints parse_constraints(const Document& document, const Value* placement,
                                            const Cluster& cluster, ProblemList& problems);

struct PlacementOptions {
  MappingOptions mapping;
  /// Predicted seconds that differ by less than this share are equal, and the cut decides; where
  /// the job says nothing else (Constraints::time_tolerance).
  double tolerance = 0.005;
};

}  // namespace zonecut
