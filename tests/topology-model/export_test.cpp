#include <array>

#include "import_support.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;
using Catch::Matchers::Contains;

namespace {

Cluster two_zones() {
  ClusterBuilder builder("lab", {"zone", "rack"});
  builder.add_server(std::array<std::string, 2>{"b", "r1"}, "gpu1", 8, 0);
  builder.add_server(std::array<std::string, 2>{"b", "r1"}, "gpu2", 8, 0);
  builder.add_server(std::array<std::string, 2>{"b", "r2"}, "gpu3", 8);
  builder.add_server(std::array<std::string, 2>{"a", "r1"}, "gpu4", 8);
  builder.add_domain(std::array<std::string, 2>{"a", "spare"});
  return builder.build();
}

Cluster one_rack(const std::string& rack, const std::vector<std::string>& servers) {
  ClusterBuilder builder("lab", {"rack"});
  for (const std::string& server : servers)
    builder.add_server(std::array<std::string, 1>{rack}, server, 8);
  return builder.build();
}

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("topology.conf is written depth first, with names that are unique",
          "[topology][export]") {
  CHECK(export_topology(TopologyFormat::SlurmConf, two_zones()) ==
        "# topology/tree; racks in depth-first order, so neighbours stay together\n"
        "SwitchName=lab Switches=b,a\n"
        "SwitchName=b Switches=r[1-2]\n"
        "SwitchName=r1 Nodes=gpu[1-2]\n"
        "SwitchName=r2 Nodes=gpu3\n"
        "SwitchName=a Switches=a.r1\n"
        "SwitchName=a.r1 Nodes=gpu4\n");
}

TEST_CASE("names that Slurm would take apart are made plain, or refused for servers",
          "[topology][export]") {
  CHECK_THAT(export_topology(TopologyFormat::SlurmConf, one_rack("row 1, left", {"s1"})),
             Contains("SwitchName=row_1__left Nodes=s1\n"));
  CHECK_THROWS_AS(export_topology(TopologyFormat::SlurmConf, one_rack("r", {"s#1"})), InputError);
}

TEST_CASE("topology.yaml has the same switches", "[topology][export]") {
  CHECK(export_topology(TopologyFormat::SlurmYaml, two_zones()) ==
        "# racks in depth-first order, so neighbours stay together\n"
        "---\n"
        "- topology: \"lab\"\n"
        "  cluster_default: true\n"
        "  tree:\n"
        "    switches:\n"
        "      - switch: \"lab\"\n        children: \"b,a\"\n"
        "      - switch: \"b\"\n        children: \"r[1-2]\"\n"
        "      - switch: \"r1\"\n        nodes: \"gpu[1-2]\"\n"
        "      - switch: \"r2\"\n        nodes: \"gpu3\"\n"
        "      - switch: \"a\"\n        children: \"a.r1\"\n"
        "      - switch: \"a.r1\"\n        nodes: \"gpu4\"\n");
  CHECK_THROWS_AS(export_topology(TopologyFormat::SlurmYaml, one_rack("r", {"s#1"})), InputError);
}

TEST_CASE("a topograph model has the scale-up domains", "[topology][export]") {
  const std::string text = export_topology(TopologyFormat::Topograph, two_zones());
  CHECK_THAT(text, Contains("switches:\n  \"lab\":\n    switches:\n    - \"b\"\n    - \"a\"\n") &&
                       Contains("- switch: \"r1\"\n  nodes: [\"gpu[1-2]\"]\n  annotations:\n"
                                "    accelerator.topology.test/domain: \"scale-up-0\"\n"
                                "- switch: \"r2\"\n  nodes: [\"gpu3\"]\n- switch: \"a.r1\"\n"));
  CHECK_THROWS_AS(export_topology(TopologyFormat::Topograph, one_rack("r", {"s,1"})), InputError);
}

TEST_CASE("long names are cut between characters, and stay different", "[topology][export]") {
  ClusterBuilder builder("lab", {"zone", "rack"});
  std::string name = "a";  // so that limits fall within a character
  for (int i = 0; i < 120; ++i) name += "\u00e4";
  builder.add_server(std::array{name, name}, "s1", 8);
  builder.add_server(std::array<std::string, 2>{"b", name}, "s2", 8);
  const Cluster cluster = builder.build();
  for (const TopologyFormat format :
       {TopologyFormat::SlurmConf, TopologyFormat::SlurmYaml, TopologyFormat::Topograph}) {
    const Cluster back = import_text(format, export_topology(format, cluster));
    CHECK(server_counts(back, 2) == std::vector<std::size_t>{1, 1});
  }
}

TEST_CASE("a table has a line for each server, quoted where it must be", "[topology][export]") {
  CHECK(export_topology(TopologyFormat::Csv, one_rack("row 1, \"left\"", {"s1", "s2"})) ==
        "server,rack,gpus\ns1,\"row 1, \"\"left\"\"\",8\ns2,\"row 1, \"\"left\"\"\",8\n");
  CHECK_THROWS_AS(export_topology(TopologyFormat::Csv, one_rack("r", {"s,1"})), InputError);
  ClusterBuilder builder("lab", {"Gpus"});
  builder.add_server(std::array<std::string, 1>{"r"}, "s1", 8);
  CHECK_THROWS_AS(export_topology(TopologyFormat::Csv, builder.build()), InputError);
}

TEST_CASE("labels are a document for each server that kubectl can apply", "[topology][export]") {
  const std::string text = export_topology(TopologyFormat::KubernetesLabels, two_zones());
  CHECK(count(text, "\nkind: Node\n") == 4);
  CHECK_THAT(text, Contains("---\n"
                            "apiVersion: v1\n"
                            "kind: Node\n"
                            "metadata:\n"
                            "  name: \"gpu2\"\n"
                            "  labels:\n"
                            "    network.topology.nvidia.com/spine: \"b\"\n"
                            "    network.topology.nvidia.com/leaf: \"r1\"\n"
                            "    network.topology.nvidia.com/accelerator: \"scale-up-0\"\n"));
}

TEST_CASE("label values keep Kubernetes' rules and tell siblings apart", "[topology][export]") {
  ClusterBuilder builder("lab", {"rack"});
  builder.add_server(std::array<std::string, 1>{"row 1"}, "s1", 8);
  builder.add_server(std::array<std::string, 1>{"row,1"}, "s2", 8);
  builder.add_server(std::array<std::string, 1>{"_" + std::string(80, 'x')}, "s3", 8);
  builder.add_server(std::array<std::string, 1>{"--"}, "s4", 8);
  const std::string text = export_topology(TopologyFormat::KubernetesLabels, builder.build());
  CHECK_THAT(text, Contains("leaf: \"row-1\"\n") && Contains("leaf: \"row-1-2\"\n") &&
                       Contains("leaf: \"" + std::string(62, 'x') + "\"\n") &&
                       Contains("leaf: \"domain\"\n"));
}

TEST_CASE("more than three levels are written as numbered tiers", "[topology][export]") {
  ClusterBuilder builder("lab", {"site", "building", "zone", "rack"});
  builder.add_server(std::array<std::string, 4>{"s", "b", "z", "r"}, "gpu1", 8);
  const std::string text = export_topology(TopologyFormat::KubernetesLabels, builder.build());
  CHECK_THAT(text, Contains("fabric.topograph.run/tier-3: \"s\"\n") &&
                       Contains("fabric.topograph.run/tier-0: \"r\"\n"));
}

TEST_CASE("a small cluster is drawn with its servers, a large one with folded racks",
          "[topology][export]") {
  const std::string small = export_topology(TopologyFormat::Dot, two_zones());
  CHECK(count(small, "8 GPUs") == 4);
  CHECK(count(small, "subgraph") == 7);
  CHECK_THAT(small, Contains("label=\"rack spare: 0 servers\""));
  CHECK(count(small, "{") == count(small, "}"));

  std::vector<std::string> servers;
  for (int i = 100; i < 200; ++i) servers.push_back("gpu" + std::to_string(i));
  const std::string large = export_topology(TopologyFormat::Dot, one_rack("\"r\"", servers));
  CHECK(count(large, "8 GPUs") == 0);
  CHECK_THAT(large, Contains("100 servers: gpu[100-199]") && Contains("rack \\\"r\\\""));
}

TEST_CASE("a cluster of very many racks is drawn by zones", "[topology][export]") {
  ClusterBuilder builder("big", {"zone", "rack"});
  for (int i = 0; i < 1'000; ++i) {
    builder.add_server(
        std::array<std::string, 2>{"z" + std::to_string(i / 250), "r" + std::to_string(i)},
        "s" + std::to_string(i), 8);
  }
  const std::string text = export_topology(TopologyFormat::Dot, builder.build());
  CHECK(count(text, "subgraph") == 5);
  CHECK(count(text, "250 servers") == 8);  // the zone's title and its folded servers
}

TEST_CASE("formats have names, and each is read, written or both", "[topology][export]") {
  for (const TopologyFormat format : readable_formats())
    CHECK(find_topology_format(topology_format_name(format)) == format);
  for (const TopologyFormat format : writable_formats())
    CHECK(find_topology_format(topology_format_name(format)) == format);
  CHECK_FALSE(find_topology_format("visio"));
  CHECK_THROWS_AS(import_text(TopologyFormat::Dot, "graph {}"), InputError);
  CHECK_THROWS_AS(export_topology(TopologyFormat::SlurmNodes, two_zones()), InputError);
}
