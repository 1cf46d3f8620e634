#pragma once
// The cluster as a map of boxes: zones hold racks, racks hold servers, and a server knows what it
// is used for. Says nothing about pixels or characters.
#include <cstdint>
#include <string>
#include <vector>

#include "report/rank_groups.hpp"

namespace zonecut::report {

enum class Use : std::uint8_t {
  Free,
  Partly,       ///< other jobs hold some of its GPUs
  Others,       ///< other jobs hold all of them
  Unavailable,  ///< drained, down or failed
  Ours,
};

struct MapGpu {
  Use use = Use::Free;
  std::uint8_t group = 0;    ///< of RankGroups, when ours
  std::uint32_t rank = 0;    ///< when ours
  std::uint32_t number = 0;  ///< along RankGroups::number_axis, when ours
};

struct MapServer {
  std::string name;
  Use use = Use::Free;
  std::uint8_t group = 0;  ///< the one most of its ranks are in
  std::string note;        ///< "ranks 0–7", "drained", "free": what a reader pointing at it is told
  std::vector<MapGpu> gpus;
};

struct MapRack {
  std::string name;
  std::size_t ours = 0;  ///< servers with ranks of this job
  std::vector<MapServer> servers;
};

/// GPUs by what they are used for.
struct GpuCounts {
  std::size_t ours = 0, others = 0, free = 0, unavailable = 0;
};

struct MapZone {
  std::string name;
  GpuCounts gpus;
  std::size_t servers_used = 0, racks_used = 0;
  std::string ranks;                  ///< "0–2047, 4096–6143"
  std::vector<std::size_t> in_group;  ///< ranks here, by group
  std::vector<MapRack> racks;
};

struct ClusterMap {
  /// At most so many servers are drawn GPU by GPU.
  static constexpr std::size_t kDetailServers = 64;
  /// At most so many zones that hold nothing of the job stand between those that do.
  static constexpr std::size_t kEmptyZones = 8;

  RankGroups groups;
  std::vector<MapZone> zones;
  std::size_t servers = 0;
  std::size_t servers_in_racks_used = 0;
  [[nodiscard]] bool is_small() const { return servers <= kDetailServers; }
  /// The racks that hold the job are few enough to be drawn GPU by GPU.
  [[nodiscard]] bool has_detail() const { return servers_in_racks_used <= kDetailServers; }
};

/// O(GPUs of the cluster).
[[nodiscard]] ClusterMap cluster_map(const PlacementProblem& problem, const Placement& placement);

struct EmptyZones {
  std::size_t count = 0;
  GpuCounts gpus;
};
/// The zones that hold nothing of the job, where they are too many to stand between those that do;
/// else none.
[[nodiscard]] EmptyZones empty_zones(const ClusterMap& map);

/// "stages 0–3" as letters: "A–D, F".
[[nodiscard]] std::string letters_of(const MapZone& zone, const RankGroups& groups);

}  // namespace zonecut::report
