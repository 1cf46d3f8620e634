#include <fmt/format.h>

#include "import_support.hpp"

using namespace zonecut;
using Catch::Matchers::Contains;

namespace {

constexpr auto kNodes = TopologyFormat::KubernetesNodes;

/// One node as kubectl writes it, without what nobody reads here.
std::string node(const std::string& name, const std::string& labels, const std::string& gpus) {
  const std::string allocatable =
      gpus.empty() ? "" : fmt::format(R"("nvidia.com/gpu": "{}",)", gpus);
  return fmt::format(R"({{"apiVersion": "v1", "kind": "Node",
    "metadata": {{"name": "{}", "labels": {{{}}}}},
    "status": {{"allocatable": {{{} "cpu": "96"}}}}}})",
                     name, labels, allocatable);
}

std::string list(const std::vector<std::string>& nodes) {
  std::string items;
  for (const std::string& each : nodes) items += (items.empty() ? "" : ",\n") + each;
  return R"({"apiVersion": "v1", "kind": "List", "items": [)" + items + "]}";
}

}  // namespace

TEST_CASE("every known set of labels gives its levels, outermost first", "[topology][import]") {
  struct Known {
    std::vector<std::string> keys;
    std::vector<std::string> levels;
  };
  const std::vector<Known> known = {
      {{"network.topology.nvidia.com/core", "network.topology.nvidia.com/spine",
        "network.topology.nvidia.com/leaf"},
       {"core", "spine", "leaf"}},
      {{"network.topology.nvidia.com/datacenter", "network.topology.nvidia.com/spine",
        "network.topology.nvidia.com/block"},
       {"datacenter", "spine", "block"}},
      {{"fabric.topograph.run/tier-3", "fabric.topograph.run/tier-2", "fabric.topograph.run/tier-1",
        "fabric.topograph.run/tier-0"},
       {"tier-3", "tier-2", "tier-1", "tier-0"}},
      {{"topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-2",
        "topology.k8s.aws/network-node-layer-3"},
       {"layer-1", "layer-2", "layer-3"}},
      {{"cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock"},
       {"block", "subblock"}},
      {{"oci.oraclecloud.com/host.network_block_id", "oci.oraclecloud.com/host.rack_id"},
       {"network-block", "rack"}},
      {{"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}, {"region", "zone"}},
  };
  for (const Known& set : known) {
    std::string labels = R"("kubernetes.io/hostname": "n1")";
    std::string path;
    for (std::size_t i = 0; i < set.keys.size(); ++i) {
      labels += fmt::format(R"(, "{}": "d{}")", set.keys[i], i);
      path += fmt::format("{}d{}", i == 0 ? "" : "/", i);
    }
    const Cluster cluster = import_text(kNodes, list({node("n1", labels, "8")}));
    std::vector<std::string> expected = {"cluster"};
    for (const std::string& level : set.levels) expected.push_back(level);
    CHECK(levels(cluster) == expected);
    CHECK(drawing(cluster) == path + ": n1\n");
  }
}

TEST_CASE("what a tool found out goes before what the cloud says", "[topology][import]") {
  const std::string labels =
      R"("topology.kubernetes.io/zone": "eu-1", "network.topology.nvidia.com/spine": "s1",
         "network.topology.nvidia.com/leaf": "l1")";
  const Cluster cluster = import_text(kNodes, list({node("n1", labels, "8")}));
  CHECK(levels(cluster) == std::vector<std::string>{"cluster", "spine", "leaf"});
}

TEST_CASE("where nodes are watched, one with other labels does not decide how all are placed",
          "[topology][import]") {
  const auto rack = [](int i) {
    return fmt::format(R"("topology.kubernetes.io/zone": "eu-1",
        "oci.oraclecloud.com/host.rack_id": "r{}")",
                       i);
  };
  const std::string leaf = R"(, "network.topology.nvidia.com/leaf": "l1")";
  const std::string zone = R"("topology.kubernetes.io/zone": "eu-1")";
  ImportOptions watched;
  watched.skip_unplaced = true;
  const auto innermost = [&](const std::vector<std::string>& labels) {
    std::vector<std::string> nodes;
    for (const std::string& each : labels)
      nodes.push_back(node(fmt::format("n{}", nodes.size()), each, "8"));
    return levels(import_text(kNodes, list(nodes), watched)).back();
  };
  CHECK(innermost({rack(1), rack(1), rack(2)}) == "rack");
  CHECK(innermost({rack(1), rack(1), rack(2) + leaf}) == "rack");
  CHECK(innermost({rack(1), rack(1), rack(2), zone}) == "rack");
  CHECK(innermost({rack(1), rack(1) + leaf, rack(2) + leaf}) == "leaf");
  CHECK(innermost({rack(1), rack(2) + leaf}) == "leaf");
  const std::string tier = R"("fabric.topograph.run/tier-0": "t1")";
  const std::string block = R"("cloud.google.com/gce-topology-subblock": "b1")";
  CHECK(innermost({tier, block, block, R"("x": "y")", R"("x": "y")"}) == "subblock");
  CHECK(
      levels(import_text(kNodes, list({node("n1", rack(1), "8"), node("n2", rack(1) + leaf, "8")})))
          .back() == "leaf");
}

TEST_CASE("the label keys of the user go before all known ones", "[topology][import]") {
  ImportOptions options;
  options.level_labels = {"dc.example.com/hall", "rack.example.com/cluster"};
  const std::string labels =
      R"("dc.example.com/hall": "h1", "rack.example.com/cluster": "r1",
         "topology.kubernetes.io/zone": "eu-1")";
  const Cluster cluster = import_text(kNodes, list({node("n1", labels, "8")}), options);
  // "cluster" is the name of the whole, so the second level is called by its key.
  CHECK(levels(cluster) == std::vector<std::string>{"cluster", "hall", "rack.example.com.cluster"});
  CHECK(drawing(cluster) == "h1/r1: n1\n");
}

TEST_CASE("levels that no list of nodes can have are known before there is one",
          "[topology][import]") {
  ImportOptions options;
  for (const char* const level : {"tier-5", "tier-0", "core", "spine", "leaf", "datacenter",
                                  "block", "layer-1", "subblock", "rack", "region", "zone"}) {
    options.zone_level = level;
    CHECK_NOTHROW(check_kubernetes_levels(options));
  }
  for (const char* const level : {"planet", "tier-6", "cluster", ""}) {
    options.zone_level = level;
    CHECK_THROWS_WITH(check_kubernetes_levels(options), Contains("there is no level"));
  }
  options.level_labels = {"dc.example.com/hall", "rack.example.com/cluster"};
  options.zone_level = "rack.example.com.cluster";
  CHECK_NOTHROW(check_kubernetes_levels(options));
  options.zone_level = "zone";
  CHECK_THROWS_WITH(check_kubernetes_levels(options),
                    Contains("the levels are hall, rack.example.com.cluster"));
  options.zone_level.reset();
  options.level_labels = {"a", "b", "c", "d", "e", "f", "g"};
  CHECK_THROWS_WITH(check_kubernetes_levels(options), Contains("one to six levels"));
  options.level_labels = {"servers"};
  CHECK_THROWS_WITH(check_kubernetes_levels(options), Contains("cannot be the name of a level"));
}

TEST_CASE("servers are sorted as people do, and racks of one name stay apart",
          "[topology][import]") {
  const auto labels = [](const char* spine, const char* leaf) {
    return fmt::format(
        R"("network.topology.nvidia.com/spine": "{}", "network.topology.nvidia.com/leaf": "{}")",
        spine, leaf);
  };
  const Cluster cluster = import_text(
      kNodes, list({node("n10", labels("b10", "r1"), "8"), node("n9", labels("b9", "r1"), "8"),
                    node("n2", labels("b10", "r1"), "8")}));
  CHECK(drawing(cluster) == "b9/r1: n9\nb10/r1: n2 n10\n");
}

TEST_CASE("servers without any of the labels are told apart from nodes without GPUs",
          "[topology][import]") {
  const std::string leaf = R"("network.topology.nvidia.com/leaf": "l1")";
  const std::string nodes =
      list({node("gpu1", leaf, "4"), node("control1", "", ""), node("gpu2", R"("x": "y")", "8")});
  CHECK(servers_left_out(kNodes, nodes, "nodes.json", {}) == std::vector<std::string>{"gpu2"});
  CHECK(servers_left_out(kNodes, list({node("gpu1", leaf, "4")}), "nodes.json", {}).empty());
  CHECK(servers_left_out(TopologyFormat::Csv, "", "a.csv", {}).empty());
  ImportOptions options;
  options.level_labels = {"foo", "bar"};
  CHECK_THROWS_WITH(import_text(kNodes, nodes, options),
                    Contains("no node has the label foo or bar"));
}

TEST_CASE("nodes without GPUs and without any of the labels are no servers", "[topology][import]") {
  const std::string leaf = R"("network.topology.nvidia.com/leaf": "l1")";
  const Cluster cluster =
      import_text(kNodes, list({node("gpu1", leaf, "4"), node("control1", leaf, ""),
                                node("drained", leaf, "0"), node("gpu2", R"("x": "y")", "8")}));
  CHECK(drawing(cluster) == "l1: gpu1\n");
  CHECK(cluster.gpu_count() == 4);
}

TEST_CASE("where no node speaks of GPUs, all are servers", "[topology][import]") {
  const std::string leaf = R"("network.topology.nvidia.com/leaf": "l1")";
  const Cluster cluster = import_text(kNodes, list({node("n1", leaf, ""), node("n2", leaf, "")}));
  CHECK(cluster.gpu_count() == 16);
}

TEST_CASE("the clique of a node is its scale-up domain", "[topology][import]") {
  const auto labels = [](const char* clique) {
    return fmt::format(
        R"("network.topology.nvidia.com/leaf": "l1", "nvidia.com/gpu.clique": "uuid.{}")", clique);
  };
  const Cluster cluster =
      import_text(kNodes, list({node("n1", labels("7"), "4"), node("n2", labels("9"), "4"),
                                node("n3", labels("7"), "4"),
                                node("n4", R"("network.topology.nvidia.com/leaf": "l1")", "4")}));
  const auto scale_up = [&](const char* name) {
    return cluster.server(*cluster.find_server(name)).scale_up;
  };
  CHECK(scale_up("n1") == scale_up("n3"));
  CHECK(scale_up("n1") != scale_up("n2"));
  CHECK_FALSE(scale_up("n4"));
}

TEST_CASE("a missing outer label repeats the inner one, a missing inner one is a mistake",
          "[topology][import]") {
  const std::string full =
      R"("network.topology.nvidia.com/core": "c", "network.topology.nvidia.com/leaf": "l1")";
  const Cluster cluster =
      import_text(kNodes, list({node("n1", full, "8"),
                                node("n2", R"("network.topology.nvidia.com/leaf": "l2")", "8")}));
  CHECK(drawing(cluster) == "c/l1: n1\nl2/l2: n2\n");
  CHECK_THAT(
      mistakes(kNodes, list({node("n1", full, "8"),
                             node("n2", R"("network.topology.nvidia.com/core": "c")", "8")})),
      Contains("file#/items/1/metadata/labels: node n2 has no label "
               "network.topology.nvidia.com/leaf"));
}

TEST_CASE("a broken node list is refused", "[topology][import]") {
  CHECK_THAT(mistakes(kNodes, "{\n  \"items\": [}\n"), Contains("file:2:13: this is not JSON"));
  CHECK_THAT(mistakes(kNodes, "[]"), Contains("expected an object with a list \"items\""));
  CHECK_THAT(mistakes(kNodes, R"({"items": []})"), Contains("found no server"));
  CHECK_THAT(mistakes(kNodes, R"({"items": [7, {"kind": "Pod"}, {"metadata": {"name": 7}}]})"),
             Contains("file#/items/0/metadata/name: expected the node's name") &&
                 Contains("file#/items/1: found an object that is no Node") &&
                 Contains("file#/items/2/metadata/name"));
  CHECK_THAT(mistakes(kNodes, list({node("n1", "", "8")})), Contains("no node carries"));
  const std::string leaf = R"("network.topology.nvidia.com/leaf": "l1")";
  CHECK_THAT(mistakes(kNodes, list({node("n1", leaf, "8"), node("n1", leaf, "8")})),
             Contains("file#/items/1: server n1 is listed twice, first at file#/items/0"));
  CHECK_THAT(mistakes(kNodes, list({node("n1", leaf, "many")})),
             Contains("file#/items/0/status/allocatable: the quantity of nvidia.com/gpu"));
}

TEST_CASE("a list of millions of objects is refused in time", "[topology][import]") {
  std::string text = R"({"items": [{})";
  for (int i = 0; i < 9'000'000; ++i) text += ",{}";
  CHECK_THAT(mistakes(kNodes, text + "]}"), Contains("more than 8000000 keys and values"));
}

TEST_CASE("a list of twenty thousand nodes is read", "[topology][import]") {
  std::vector<std::string> nodes;
  const std::string leaf = R"("network.topology.nvidia.com/leaf": "l1")";
  for (int i = 0; i < 20'000; ++i) nodes.push_back(node("n" + std::to_string(i), leaf, "8"));
  CHECK(import_text(kNodes, list(nodes)).server_count() == 20'000);
}

TEST_CASE("JSON nested without end is refused, not followed", "[topology][import]") {
  const std::string deep = R"({"items": )" + std::string(200'000, '[');
  CHECK_THAT(mistakes(kNodes, deep), Contains("nested more than 32 deep"));
  CHECK_THAT(mistakes(kNodes, R"({"items": 1e999})"), Contains("file"));
}

TEST_CASE("a node that has no GPU of one maker may have those of another", "[topology][import]") {
  const auto with = [](const std::string& status) {
    return import_text(kNodes, list({R"({"metadata": {"name": "n1", "labels":
      {"network.topology.nvidia.com/leaf": "l1"}}, "status": {)" +
                                     status + "}}"}))
        .gpu_count();
  };
  CHECK(with(R"("allocatable": {"nvidia.com/gpu": "0", "amd.com/gpu": "4"})") == 4);
  // None may be given out, whatever is built in; and where no node has any, all have 8.
  CHECK(with(R"("allocatable": {"nvidia.com/gpu": "0"}, "capacity": {"nvidia.com/gpu": "4"})") ==
        8);
}

TEST_CASE("no label is lost without a word", "[topology][import]") {
  const auto with = [](const std::string& labels) {
    return mistakes(kNodes, list({node("n0", "", "8"),
                                  R"({"metadata": {"name": "n1", "labels": )" + labels + "}}"}));
  };
  CHECK_THAT(with(R"({"a/leaf": "l1", "a/leaf": "l2"})"),
             Contains("file#/items/1/metadata/labels: the key \"a/leaf\" is given twice"));
  CHECK_THAT(with(R"(["l1"])"), Contains("file#/items/1/metadata/labels: expected an object"));
  CHECK_THAT(with(R"({"a/leaf": 7})"),
             Contains("file#/items/1/metadata/labels: the value of label a/leaf is no text"));
  CHECK_THAT(mistakes(kNodes, R"({"items": [], "items": []})"),
             Contains("file#: the key \"items\" is given twice"));
}
