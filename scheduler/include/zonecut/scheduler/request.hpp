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
  /// As required_level where that can be had, else one domain of the next level out, and so on.
  std::optional<int> preferred_level;
  std::vector<Slice> slices;
  std::vector<ServerId> excluded;  ///< sorted, unique; domains are already taken apart into servers
  /// Exactly these servers, sorted and unique, as in an allocation that exists: only their order is
  /// chosen, and their GPUs count as free whoever holds them.
  std::optional<std::vector<ServerId>> only;
  bool whole_racks = false;  ///< share no rack with another job
  std::optional<Spread> spread;
  /// By which share a placement may be predicted to communicate longer than the fastest one found,
  /// if less of it goes between zones. A policy of the job, not a constraint. None:
  /// PlacementOptions::tolerance.
  std::optional<double> time_tolerance;
};

/// Reads the `placement` mapping of a job file; null gives no constraints. Mistakes, names unknown
/// to the cluster among them, go to `problems`.
[[nodiscard]] Constraints parse_constraints(const Document& document, const Value* placement,
                                            const Cluster& cluster, ProblemList& problems);

struct PlacementOptions {
  MappingOptions mapping;
  /// Placements whose predicted seconds are within this share of the least count as equally fast,
  /// and the cut decides between them. Constraints::time_tolerance goes before.
  double tolerance = 0.005;
};

}  // namespace zonecut
