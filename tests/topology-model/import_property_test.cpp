#include <rapidcheck.h>

#include <array>

#include "import_support.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;

namespace {

int below(int bound) { return *rc::gen::inRange(0, bound); }

/// Any cluster of zones and racks in which every zone has a server. Rack names may repeat in other
/// zones when `repeat_names`.
Cluster any_cluster(bool repeat_names) {
  ClusterBuilder builder("lab", {"zone", "rack"});
  const int first_zone = below(12);
  const int zones = 1 + below(4);
  int racks = below(5);
  int servers = 98 + below(5);  // two and three digits
  for (int z = 0; z < zones; ++z) {
    // Every other zone counts down, so that the order of the names is not that of the tree.
    const std::string zone = "z" + std::to_string(z % 2 == 0 ? first_zone + z : 40 - z);
    const int racks_here = 1 + below(4);
    if (repeat_names) racks = 0;
    for (int r = 0; r < racks_here; ++r) {
      const std::string rack = "r" + std::to_string(racks++);
      const int servers_here = 1 + below(5);
      for (int s = 0; s < servers_here; ++s)
        builder.add_server(std::array{zone, rack}, "gpu" + std::to_string(servers++), 8);
    }
  }
  FabricSpec backend =
      FabricSpec::clos(std::array<std::string, 3>{"cluster", "zone", "rack"}, 1, 7);
  return builder.backend(std::move(backend)).build();
}

/// Servers in the order of the tree, and which neighbours share which levels.
std::vector<std::pair<std::string, int>> shape(const Cluster& cluster) {
  std::vector<std::pair<std::string, int>> result;
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    const int common = i == 0 ? 0 : cluster.common_level(ServerId{i - 1}, ServerId{i});
    result.emplace_back(cluster.server(ServerId{i}).name, common);
  }
  return result;
}

/// The same cluster with GPUs and scale-up domains drawn anew, each within a rack.
Cluster with_gpus(const Cluster& cluster, const std::string& name, bool scale_up) {
  ClusterBuilder builder(name, {"zone", "rack"});
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    const Server& server = cluster.server(ServerId{i});
    const std::string rack = cluster.domain(server.rack).name;
    const std::string zone = cluster.domain(*cluster.domain(server.rack).parent).name;
    std::optional<std::uint32_t> group;
    if (scale_up && below(3) > 0)
      group = static_cast<std::uint32_t>(2 * server.rack.index()) + (below(2) > 0 ? 1 : 0);
    builder.add_server(std::array{zone, rack}, server.name, scale_up ? 8 : 1 + below(9), group);
  }
  return builder.build();
}

/// Without the fabric, which no foreign format has.
bool same_servers(const Cluster& a, const Cluster& b) {
  const auto bare = [](const Cluster& cluster) {
    ClusterBuilder builder(cluster.name(), {cluster.levels().begin() + 1, cluster.levels().end()});
    for (std::size_t i = 0; i < cluster.server_count(); ++i) {
      const Server& server = cluster.server(ServerId{i});
      std::vector<std::string> path;
      for (int level = 1; level <= cluster.rack_level(); ++level)
        path.push_back(cluster.domain(cluster.domain_of(ServerId{i}, level)).name);
      builder.add_server(path, server.name, server.gpus, server.scale_up);
    }
    return builder.build();
  };
  return same_cluster(bare(a), bare(b));
}

Cluster there_and_back(TopologyFormat format, const Cluster& cluster) {
  return import_text(format, export_topology(format, cluster));
}

}  // namespace

TEST_CASE("a cluster survives its own format", "[topology][import][property]") {
  CHECK(rc::check([] {
    const Cluster cluster = any_cluster(true);
    RC_ASSERT(same_cluster(there_and_back(TopologyFormat::Zonecut, cluster), cluster));
  }));
}

TEST_CASE("a cluster with unique names survives topology.conf", "[topology][import][property]") {
  CHECK(rc::check([] {
    const Cluster cluster = any_cluster(false);
    RC_ASSERT(same_cluster(there_and_back(TopologyFormat::SlurmConf, cluster), cluster));
  }));
}

TEST_CASE("topology.conf keeps tree and order where names repeat", "[topology][import][property]") {
  CHECK(rc::check([] {
    const Cluster cluster = any_cluster(true);
    const Cluster back = there_and_back(TopologyFormat::SlurmConf, cluster);
    RC_ASSERT(shape(back) == shape(cluster));
    RC_ASSERT(back.name() == cluster.name());
  }));
}

TEST_CASE("a cluster with unique names survives topology.yaml, order included",
          "[topology][import][property]") {
  CHECK(rc::check([] {
    const Cluster cluster = any_cluster(false);
    const Cluster back = there_and_back(TopologyFormat::SlurmYaml, cluster);
    RC_ASSERT(same_cluster(back, cluster));
    RC_ASSERT(shape(back) == shape(cluster));
    const Cluster repeated = any_cluster(true);
    RC_ASSERT(shape(there_and_back(TopologyFormat::SlurmYaml, repeated)) == shape(repeated));
  }));
}

TEST_CASE("a cluster with unique names survives a topograph model, scale-up domains included",
          "[topology][import][property]") {
  CHECK(rc::check([] {
    const Cluster cluster = with_gpus(any_cluster(false), "lab", true);
    const Cluster back = there_and_back(TopologyFormat::Topograph, cluster);
    RC_ASSERT(same_servers(back, cluster));
    RC_ASSERT(shape(back) == shape(cluster));
    const Cluster repeated = any_cluster(true);
    RC_ASSERT(shape(there_and_back(TopologyFormat::Topograph, repeated)) == shape(repeated));
  }));
}

TEST_CASE("a cluster survives a table, GPUs included, but for its name and order",
          "[topology][import][property]") {
  CHECK(rc::check([] {
    const Cluster cluster = with_gpus(any_cluster(true), "cluster", false);
    RC_ASSERT(same_servers(there_and_back(TopologyFormat::Csv, cluster), cluster));
  }));
}

TEST_CASE("no text makes a reader do more than complain", "[topology][import][property]") {
  for (const TopologyFormat format : readable_formats()) {
    CHECK(rc::check([format] {
      // Words of the formats in any order come further than random bytes do.
      const auto words =
          *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
              "SwitchName=", "Nodes=", "n[1-3]", "\n", " ", ",", "\"", "[", "]", "{", "}", ":", "=",
              "/", "Switch\t65 \"S-1\"", "Ca\t1 \"H-1\"", "[1]\t\"H-1\"[1](1)", "# \"gpu1 mlx5_0\"",
              "items", "DEVICE_BACKEND_NETWORK_TOPOLOGY=", "NodeName=n1", " State=IDLE",
              " Topology=t:a", "switches:", "blocks:", "- ", "server", "x", "\\", "\xff",
              "9999999999999999999"));
      std::string text;
      for (const std::string& word : words) text += word;
      try {
        const Cluster cluster = import_text(format, text);
        RC_ASSERT(cluster.server_count() > 0u);
      } catch (const InputError& error) {
        RC_ASSERT(!error.problems().empty());
      }
    }));
  }
}
