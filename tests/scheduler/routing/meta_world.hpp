#pragma once
// Meta's shape, to be routed over cable by cable: racks of two servers with eight NICs behind one
// RTSW, CTSW above, ATSW above these.
#include <memory>
#include <string>
#include <vector>

#include "routing/router.hpp"

namespace zonecut {

inline constexpr std::int64_t kNic = 50'000'000'000;
inline constexpr double kFlow = 50e9;  // one second of a NIC

struct World {
  std::unique_ptr<Cluster> cluster;
  std::unique_ptr<Fabric> fabric;
  std::unique_ptr<Cables> cables;

  [[nodiscard]] RoutedLoads routed(std::span<const NicFlow> flows, RoutingScheme scheme,
                                   int queue_pairs = 1, std::uint64_t seed = 1) const {
    return route(*cables, flows, {scheme, queue_pairs, std::nullopt}, seed);
  }
  [[nodiscard]] double seconds(std::span<const NicFlow> flows, RoutingScheme scheme,
                               int queue_pairs = 1, std::uint64_t seed = 1) const {
    return busiest(*cables, routed(flows, scheme, queue_pairs, seed)).time.count;
  }
};

struct Shape {
  int zones = 1;
  int racks = 8;
  int uplinks = 16;
  int zone_uplinks = 16;  ///< of one CTSW
  int spines = 16;        ///< of a zone, and as many ATSW
};

template <class Break>
World meta_world(const Shape& shape, const Break& break_links) {
  const std::vector<std::string> levels = {"zone", "rack"};
  ClusterBuilder builder("meta", levels);
  for (int zone = 0; zone < shape.zones; ++zone) {
    for (int rack = 0; rack < shape.racks; ++rack) {
      const std::vector<std::string> path = {"z" + std::to_string(zone),
                                             "r" + std::to_string(rack)};
      builder.add_domain(path);
      for (int server = 0; server < 2; ++server) {
        builder.add_server(path, path[0] + path[1] + "s" + std::to_string(server), 8);
      }
    }
  }
  FabricSpec spec;
  spec.nics_per_server = 8;
  spec.nic_bandwidth = {kNic};
  spec.tiers = {{"ATSW", shape.spines, 0, {kNic}, 0, {}},
                {"CTSW", shape.spines, shape.zone_uplinks, {kNic}, 0, {}},
                {"RTSW", 1, shape.uplinks, {kNic}, 0, {}}};
  builder.backend(spec);
  World made;
  made.cluster = std::make_unique<Cluster>(builder.build());
  Health health(*made.cluster);
  break_links(*made.cluster, health);
  made.fabric = std::make_unique<Fabric>(Fabric::build(*made.cluster, spec, health));
  made.cables = std::make_unique<Cables>(*made.fabric);
  return made;
}

inline World meta_world(const Shape& shape) {
  return meta_world(shape, [](const Cluster&, Health&) {});
}

}  // namespace zonecut
