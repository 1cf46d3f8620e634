#pragma once
// Clusters of zones and racks as tests draw them, one zone a line:
//
//   a: r1[s1 s2] r2[s3 s4]
//   b: r1[s5@0 s6@0]          @0: both belong to scale-up domain 0
#include <array>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "zonecut/topology/cluster.hpp"

namespace zonecut {

namespace drawn_cluster_detail {

inline void add_drawn_server(ClusterBuilder& builder, const std::string& zone,
                             const std::string& rack, const std::string& word, int gpus) {
  const auto at = word.find('@');
  std::optional<std::uint32_t> scale_up;
  if (at != std::string::npos)
    scale_up = static_cast<std::uint32_t>(std::stoul(word.substr(at + 1)));
  builder.add_server(std::array{zone, rack}, word.substr(0, at), gpus, scale_up);
}

}  // namespace drawn_cluster_detail

/// Throws std::invalid_argument on a word outside brackets.
inline Cluster drawn_cluster(const std::string& drawing, FabricSpec spec, int gpus = 8) {
  ClusterBuilder builder("drawn", {"zone", "rack"});
  builder.backend(std::move(spec));
  std::istringstream words(drawing);
  std::string zone;
  std::string rack;
  for (std::string word; words >> word;) {
    if (word.ends_with(':')) {
      zone = word.substr(0, word.size() - 1);
      continue;
    }
    if (const auto open = word.find('['); open != std::string::npos) {
      rack = word.substr(0, open);
      builder.add_domain(std::array{zone, rack});
      word.erase(0, open + 1);
    }
    const bool closes = word.ends_with(']');
    if (closes) word.pop_back();
    if (rack.empty()) throw std::invalid_argument("outside a rack: " + word);
    if (!word.empty()) drawn_cluster_detail::add_drawn_server(builder, zone, rack, word, gpus);
    if (closes) rack.clear();
  }
  return builder.build();
}

/// `zones` × `racks` × `servers`, all alike; servers are called "s0", "s1", … in depth-first order.
inline Cluster even_cluster(int zones, int racks, int servers, FabricSpec spec, int gpus = 8) {
  ClusterBuilder builder("even", {"zone", "rack"});
  builder.backend(std::move(spec));
  int next = 0;
  for (int zone = 0; zone < zones; ++zone) {
    for (int rack = 0; rack < racks; ++rack) {
      const std::array path{"z" + std::to_string(zone), "r" + std::to_string(rack)};
      for (int server = 0; server < servers; ++server)
        builder.add_server(path, "s" + std::to_string(next++), gpus);
    }
  }
  return builder.build();
}

}  // namespace zonecut
