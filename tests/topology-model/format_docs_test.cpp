// The examples of the format pages are files that work.
#include "support/catch.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;

namespace {

/// The ```yaml blocks of docs/formats/NAME.
std::vector<std::string> examples_of(const std::string& name) {
  const std::string page = read_file(ZONECUT_TEST_SOURCE_DIR "/../docs/formats/" + name);
  const std::string open = "```yaml\n";
  std::vector<std::string> examples;
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
    at += open.size();
    examples.push_back(page.substr(at, page.find("```", at) - at));
  }
  return examples;
}

}  // namespace

TEST_CASE("the examples of cluster.md are clusters of the sizes they claim", "[topology]") {
  const auto examples = examples_of("cluster.md");
  REQUIRE(examples.size() == 3);
  const Cluster llama = parse_cluster(examples[0], "cluster.md");
  CHECK(llama.gpu_count() == 24'576);
  const Cluster grown = parse_cluster(examples[1], "cluster.md");
  CHECK(grown.server_count() == 80 + 44 + 4 + 16 * 18);
  CHECK(grown.gpu_count() == 80 * 8 + 44 * 4 + 2 * 8 + 2 * 16 + 16 * 72);
  CHECK(grown.server(ServerId{0}).name == "gpu00001");
  const Cluster superpod = parse_cluster(examples[2], "cluster.md");
  CHECK(superpod.gpu_count() == 4 * 8 * 32 * 8);
  CHECK(superpod.backend().tiers[2].oversubscription == 0);
  for (const Cluster* cluster : {&llama, &grown, &superpod})
    CHECK(same_cluster(*cluster, parse_cluster(write_cluster(*cluster), "written")));
}

TEST_CASE("the default values of cluster.md are those of the program", "[topology]") {
  const Cluster plain = parse_cluster(
      "format: cluster/v1\nlevels: [site, zone, row, rack]\ndomains: [{site: s, zone: z, row: w, "
      "rack: r, servers: 1}]",
      "c.yaml");
  const Cluster said = parse_cluster(R"(
format: cluster/v1
levels: [site, zone, row, rack]
zone_level: zone
name: cluster
gpus: 8
scale_up: none
server_name: "{site}-{zone}-{row}-{rack}-s{n}"
backend:
  nics_per_server: 8
  nic_bandwidth: 400Gbps
  leaves: rack
  planes: 1
  oversubscription: 7:1
  scale_up_bandwidth: 450GB/s
  scale_up_latency: 1us
  tiers:
    cluster: {switch: core0, switches: 4, latency: 30us}
    site: {switch: ATSW, switches: 4, uplinks: 4, oversubscription: 7:1, latency: 15us}
    zone: {switch: CTSW, switches: 4, uplinks: 4, oversubscription: 7:1, latency: 7us}
    row: {switch: FTSW, switches: 4, uplinks: 4, oversubscription: 1:1, latency: 4us}
    rack: {switch: RTSW, switches: 1, uplinks: 4, uplink_bandwidth: 400Gbps, oversubscription: 1, latency: 1us}
domains: [{site: s, zone: z, row: w, rack: r, servers: 1}]
)",
                                     "c.yaml");
  CHECK(same_cluster(plain, said));
}

TEST_CASE("the example of state.md fits the first cluster of cluster.md", "[topology]") {
  const auto examples = examples_of("state.md");
  REQUIRE(examples.size() == 1);
  const Cluster cluster = parse_cluster(examples_of("cluster.md")[0], "cluster.md");
  const ClusterView view = parse_state(cluster, examples[0], "state.md");
  CHECK(view.occupancy.job_count() == 4);
  CHECK(view.health.failed_switches.size() == 2);
  const ClusterView again = parse_state(cluster, write_state(view), "written");
  CHECK(again.occupancy == view.occupancy);
  CHECK(again.health == view.health);
}
