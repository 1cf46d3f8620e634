#include <set>

#include "import_support.hpp"

using namespace zonecut;
using Catch::Matchers::Contains;

namespace {

constexpr auto kTopograph = TopologyFormat::Topograph;

std::size_t scale_up_domains(const Cluster& cluster) {
  std::set<std::uint32_t> numbers;
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    if (cluster.server(ServerId{i}).scale_up) numbers.insert(*cluster.server(ServerId{i}).scale_up);
  }
  return numbers.size();
}

}  // namespace

TEST_CASE("names of domains without servers are checked, too", "[topology][import][topograph]") {
  CHECK_THAT(
      mistakes(TopologyFormat::Topograph,
               "switches: {top: {switches: [a, 'b/c']}}\nblocks: [{switch: a, nodes: n1}]\n"),
      Catch::Matchers::Contains("file: the name \"b/c\" contains a '/'"));
}

TEST_CASE("the models of topograph are read", "[topology][import]") {
  struct Model {
    std::string file;
    std::size_t servers;
    std::size_t zones;
    std::size_t racks;
    std::size_t scale_ups;
  };
  const std::vector<Model> models = {
      // small-tree has one tier of leaves below its root, so its racks are its zones.
      {"small-tree", 6, 2, 2, 2},
      {"medium", 8, 2, 4, 4},
      {"nvl72", 72, 2, 4, 4},
      {"large", 96, 6, 12, 12},
      {"dual-xclr-regular", 96, 6, 12, 2},
      {"dual-xclr-irregular", 255, 2, 31, 2},
  };
  for (const Model& model : models) {
    INFO(model.file);
    const auto text = shared_text("topology/topograph/models/" + model.file + ".yaml");
    if (!text) return;
    const Cluster cluster = import_topology(kTopograph, *text, model.file, {});
    CHECK(cluster.server_count() == model.servers);
    CHECK(cluster.domains_at(cluster.zone_level()).size() == model.zones);
    CHECK(cluster.domains_at(cluster.rack_level()).size() == model.racks);
    CHECK(scale_up_domains(cluster) == model.scale_ups);
  }
}

TEST_CASE("racks of a model that have no servers keep their place", "[topology][import]") {
  const auto text = shared_text("topology/topograph/models/dual-xclr-irregular.yaml");
  if (!text) return;
  const Cluster cluster = import_topology(kTopograph, *text, "model", {});
  const DomainId empty = *cluster.find_domain("sw-01/rack-1-03");
  CHECK(cluster.domain(empty).server_count == 0);
  CHECK(server_counts(cluster, 1) == std::vector<std::size_t>{124, 131});
}

TEST_CASE("a model's order of switches is kept", "[topology][import]") {
  const Cluster cluster = import_text(kTopograph,
                                      "switches:\n  top: {switches: [b, a]}\n"
                                      "blocks:\n- {switch: a, nodes: ['n[1-2]']}\n"
                                      "- {switch: b, nodes: [n3]}\n");
  CHECK(cluster.name() == "top");
  CHECK(drawing(cluster) == "b: n3\na: n1 n2\n");
}

TEST_CASE("a broken model is refused with the line", "[topology][import]") {
  const std::string found = mistakes(kTopograph,
                                     "switches:\n"
                                     "  a: {switches: [x]}\n"
                                     "  b: {switches: [x]}\n"
                                     "blocks:\n"
                                     "- {switch: x, nodes: ['n[1-']}\n"
                                     "- {nodes: [n2]}\n"
                                     "- 7\n");
  CHECK_THAT(found, Contains("file:3:18: switch x has two parents, a and b"));
  CHECK_THAT(found, Contains("file:5:23: "));
  CHECK_THAT(found, Contains("file:6:3: "));
  CHECK_THAT(found, Contains("file:7:3: expected a block"));
  CHECK_THAT(mistakes(kTopograph, "switches: {}\n"), Contains("blocks"));
  CHECK_THAT(
      mistakes(kTopograph, "switches:\n  a: {switches: [b]}\n  b: {switches: [a]}\nblocks: []\n"),
      Contains("lies below itself"));
}

TEST_CASE("nothing in a model is passed over because of its kind or its key",
          "[topology][import]") {
  const std::string found = mistakes(kTopograph,
                                     "switches:\n"
                                     "  core: [leaf]\n"
                                     "  core2: {switch: [leaf2]}\n"
                                     "  spare:\n"
                                     "blocks:\n"
                                     "- {switch: leaf, node: [n1]}\n"
                                     "- {switch: leaf2, nodes: n2, annotations: nvl1}\n"
                                     "nodes: n3\n");
  CHECK_THAT(found, Contains("file:2:9: found a list, expected a mapping"));
  CHECK_THAT(found, Contains("file:3:11: unknown key \"switch\" (did you mean \"switches\"?)"));
  CHECK_THAT(found, Contains("file:6:18: unknown key \"node\" (did you mean \"nodes\"?)"));
  CHECK_THAT(found, Contains("file:7:43: found \"nvl1\", expected a mapping"));
  CHECK_THAT(found, Contains("file:8:1: unknown key \"nodes\""));
  CHECK_THAT(mistakes(kTopograph, "switches: [core]\nblocks: [{switch: core, nodes: n1}]\n"),
             Contains("file:1:11: found a list, expected a mapping"));
}

TEST_CASE("of a list in a model the entry that is wrong has its place", "[topology][import]") {
  const std::string found = mistakes(kTopograph,
                                     "switches:\n"
                                     "  a:\n"
                                     "    switches:\n"
                                     "    - x\n"
                                     "    - y\n"
                                     "  b: {switches: [y]}\n"
                                     "blocks:\n"
                                     "- switch: x\n"
                                     "  nodes:\n"
                                     "  - n1\n"
                                     "  - n[\n"
                                     "  - n1\n");
  CHECK_THAT(found, Contains("file:6:18: switch y has two parents, a and b"));
  CHECK_THAT(found, Contains("file:11:5: host list"));
  CHECK_THAT(found, Contains("file:12:5: server n1 is listed twice, first at file:10:5"));
}
