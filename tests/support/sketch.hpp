#pragma once
// Clusters drawn in text, for tests. A line is a zone, then its racks, then their servers of eight
// GPUs:
//
//   a: r1[s1 s2*] r2[s3~ s4!]
//   b: r3[s5/4]
//
// s2* is held by another job, s3~ drained, s4! down, and of s5/4 another job holds the last 8 - 4
// GPUs.
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/topology/fabric.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut {

struct Sketch {
  std::unique_ptr<Cluster> cluster;
  std::unique_ptr<ClusterView> view;
  std::unique_ptr<Fabric> fabric;

  [[nodiscard]] ServerId server(std::string_view name) const {
    const auto found = cluster->find_server(name);
    if (!found) throw std::invalid_argument("no server " + std::string(name));
    return *found;
  }
  [[nodiscard]] std::vector<ServerId> servers(std::string_view names) const {
    std::vector<ServerId> ids;
    std::istringstream words{std::string(names)};
    for (std::string word; words >> word;) ids.push_back(server(word));
    return ids;
  }
  [[nodiscard]] std::string names(std::span<const ServerId> ids) const {
    std::string text;
    for (const ServerId id : ids) text += (text.empty() ? "" : " ") + cluster->server(id).name;
    return text;
  }
};

inline Sketch sketch(std::string_view drawing, double oversubscription = 7) {
  struct Mark {
    std::string server;
    char kind;
    int free;
  };
  std::vector<Mark> marks;
  const std::vector<std::string> levels = {"zone", "rack"};
  ClusterBuilder builder("sketch", levels);
  std::istringstream lines{std::string(drawing)};
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::istringstream zone_word{line.substr(0, colon)};
    std::string zone;
    zone_word >> zone;
    std::size_t at = colon + 1;
    while ((at = line.find_first_not_of(' ', at)) != std::string::npos) {
      const auto open = line.find('[', at);
      const auto close = line.find(']', at);
      if (open == std::string::npos || close == std::string::npos)
        throw std::invalid_argument("no rack in: " + line);
      const std::vector<std::string> path = {zone, line.substr(at, open - at)};
      builder.add_domain(path);
      std::istringstream servers{line.substr(open + 1, close - open - 1)};
      for (std::string name; servers >> name;) {
        const auto mark = name.find_first_of("*~!/");
        if (mark != std::string::npos) {
          const int free = name[mark] == '/' ? std::stoi(name.substr(mark + 1)) : 0;
          marks.push_back({name.substr(0, mark), name[mark], free});
          name.resize(mark);
        }
        builder.add_server(path, name, 8);
      }
      at = close + 1;
    }
  }
  std::vector<std::string> all_levels = {"cluster", "zone", "rack"};
  builder.backend(FabricSpec::clos(all_levels, 1, oversubscription));
  Sketch result;
  result.cluster = std::make_unique<Cluster>(builder.build());
  result.view = std::make_unique<ClusterView>(*result.cluster);
  const JobId other = result.view->occupancy.add_job("other");
  for (const Mark& mark : marks) {
    const ServerId server = result.server(mark.server);
    if (mark.kind == '~') result.view->health.servers[server] = ServerHealth::Drained;
    if (mark.kind == '!') result.view->health.servers[server] = ServerHealth::Down;
    if (mark.kind != '*' && mark.kind != '/') continue;
    for (int gpu = mark.free; gpu < 8; ++gpu) result.view->occupancy.hold(other, {server, gpu});
  }
  result.fabric = std::make_unique<Fabric>(
      Fabric::build(*result.cluster, result.cluster->backend(), result.view->health));
  return result;
}

}  // namespace zonecut
