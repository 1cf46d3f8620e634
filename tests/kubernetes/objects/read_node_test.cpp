#include "objects/objects.hpp"
#include "objects_support.hpp"
#include "support/catch.hpp"

using namespace zonecut::kubernetes;
using nlohmann::json;

namespace {

Node node_of(const json& object) { return read_node(object, kGpus, "node"); }

Node with_ready(const json& conditions) {
  return node_of({{"metadata", {{"name", "n"}}}, {"status", {{"conditions", conditions}}}});
}

}  // namespace

TEST_CASE("a node as a real kube-scheduler sends it is read") {
  const Node node = node_of(wire("filter_request_nodes.json")["Nodes"]["items"][0]);
  CHECK(node.name == "n0001");
  CHECK(node.labels == Labels{{"kubernetes.io/hostname", "n0001"},
                              {"network.topology.nvidia.com/leaf", "leaf0"},
                              {"topology.kubernetes.io/zone", "z0"}});
  CHECK(node.gpus == 8);
  CHECK(node.ready);
  CHECK_FALSE(node.unschedulable);
  CHECK_FALSE(node.deleting);
  CHECK(node.taints.empty());
}

TEST_CASE("a node is ready unless its Ready condition says something else") {
  CHECK(with_ready(nullptr).ready);
  CHECK(with_ready({{{"type", "MemoryPressure"}, {"status", "True"}}}).ready);
  CHECK(with_ready({{{"type", "Ready"}, {"status", "True"}}}).ready);
  CHECK_FALSE(with_ready({{{"type", "Ready"}, {"status", "False"}}}).ready);
  CHECK_FALSE(with_ready({{{"type", "Ready"}, {"status", "Unknown"}}}).ready);
}

TEST_CASE("cordon, taints and deletion of a node are read") {
  const Node node = node_of(R"({"metadata": {"name": "n", "deletionTimestamp": "2026"},
    "spec": {"unschedulable": true, "taints": [{"key": "k", "effect": "NoSchedule"},
      {"key": "l", "value": "v", "effect": "NoExecute", "timeAdded": "2026"}]}})"_json);
  CHECK(node.unschedulable);
  CHECK(node.deleting);
  CHECK(node.taints == std::vector<Taint>{{"k", "", "NoSchedule"}, {"l", "v", "NoExecute"}});
}

TEST_CASE("GPUs that are broken are not allocatable and not counted") {
  CHECK(node_of(R"({"metadata": {"name": "n"}, "status": {"capacity": {"nvidia.com/gpu": "8"},
    "allocatable": {"nvidia.com/gpu": "7", "amd.com/gpu": 2}}})"_json)
            .gpus == 9);
}

TEST_CASE("a wrong node is refused with the JSON pointer") {
  const auto said_of = [](const json& object) { return refusal([&] { return node_of(object); }); };
  CHECK(said_of(json::object()) == "node/metadata/name: expected a name, found none");
  CHECK(said_of({{"metadata", {{"name", "n"}}}, {"spec", {{"unschedulable", 1}}}}) ==
        "node/spec/unschedulable: expected true or false, found 1");
  CHECK(said_of({{"metadata", {{"name", "n"}}},
                 {"status", {{"allocatable", {{"nvidia.com/gpu", "1Ki"}}}}}}) ==
        "node/status/allocatable/nvidia.com~1gpu: expected a whole number of devices from 0 to "
        "1000000, without a suffix but k or M, found \"1Ki\"");
}

TEST_CASE("thousands of devices are read as the API server writes them") {
  const auto gpus = [](const char* quantity) {
    return node_of({{"metadata", {{"name", "n"}}},
                    {"status", {{"allocatable", {{"nvidia.com/gpu", quantity}}}}}})
        .gpus;
  };
  CHECK(gpus("2k") == 2'000);
  CHECK(gpus("1M") == 1'000'000);
  for (const char* const wrong : {"k", "1.5k", "-1k", "2M", "1001k", "9223372036854775807M", "1 k",
                                  "-9223372036854775808M"}) {
    CAPTURE(wrong);
    CHECK_THROWS(gpus(wrong));
  }
}
