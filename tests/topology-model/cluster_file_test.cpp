#include "zonecut/topology/cluster_file.hpp"

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;

namespace {

std::string complaints(const std::string& text) {
  try {
    static_cast<void>(parse_cluster(text, "c.yaml"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

/// A file whose only peculiarity is its rows.
Cluster with_rows(const std::string& rows) {
  return parse_cluster("format: cluster/v1\ndomains:\n" + rows, "c.yaml");
}
std::string complaints_of_rows(const std::string& rows) {
  return complaints("format: cluster/v1\ndomains:\n" + rows);
}

std::vector<std::string> server_names(const Cluster& cluster) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < cluster.server_count(); ++i)
    names.push_back(cluster.path(cluster.server(ServerId{i}).rack) + ":" +
                    cluster.server(ServerId{i}).name);
  return names;
}

}  // namespace

TEST_CASE("a fabric of 24,576 GPUs is a few lines", "[topology]") {
  const Cluster cluster = parse_cluster(R"(
format: cluster/v1
name: llama
levels: [zone, rack]
backend:
  nic_bandwidth: 400Gbps
  oversubscription: 7:1
  tiers:
    cluster: {switch: ATSW, switches: 18}
    zone: {switch: CTSW, switches: 18, uplinks: 36}
    rack: {switch: RTSW, uplinks: 18}
domains:
  - zone: zone[1-8]
    rack: rack[001-192]
    servers: 2
)",
                                        "c.yaml");
  CHECK(cluster.name() == "llama");
  CHECK(cluster.gpu_count() == 24'576);
  CHECK(cluster.server_count() == 3'072);
  CHECK(cluster.zone_level() == 1);
  CHECK(cluster.domains_at(2).size() == 8 * 192);
  CHECK(cluster.server(ServerId{0}).name == "zone1-rack001-s1");
  CHECK(cluster.server(ServerId{3071}).name == "zone8-rack192-s2");
  REQUIRE(cluster.backend().tiers.size() == 3);
  const TierSpec& zone = cluster.backend().tiers[1];
  CHECK(zone.switch_name == "CTSW");
  CHECK(zone.switches == 18);
  CHECK(zone.uplinks == 36);
  CHECK(zone.oversubscription == 7);
  CHECK(cluster.backend().tiers[2].oversubscription == 1);
  CHECK_FALSE(cluster.frontend());
}

TEST_CASE("what a file does not say is Meta's shape at 7:1", "[topology]") {
  const Cluster cluster = with_rows("  - {zone: a, rack: r1, servers: 1}\n");
  CHECK(cluster.name() == "cluster");
  CHECK(cluster.backend() == FabricSpec::clos(cluster.levels(), 1, 7));
  CHECK(cluster.server(ServerId{0}).gpus == 8);
  CHECK_FALSE(cluster.server(ServerId{0}).scale_up);
}

TEST_CASE("listed servers are dealt out evenly, in order", "[topology]") {
  CHECK(server_names(with_rows("  - {zone: 'z[1-2]', rack: 'r[1-2]', servers: 'gpu[01-08]'}\n")) ==
        std::vector<std::string>{"z1/r1:gpu01", "z1/r1:gpu02", "z1/r2:gpu03", "z1/r2:gpu04",
                                 "z2/r1:gpu05", "z2/r1:gpu06", "z2/r2:gpu07", "z2/r2:gpu08"});
}

TEST_CASE("rows nest, continue a zone and mix counted with listed servers", "[topology]") {
  const Cluster cluster = with_rows(R"(
  - zone: a
    gpus: 4
    domains:
      - {rack: r1, servers: "x[1-2]"}
      - rack: r2
        servers:
          - y1
          - {names: "y[2-3]", gpus: 16}
          - {name: "odd, name"}
      - {rack: r3, servers: 0}
  - {zone: b, rack: r1, servers: 1, server_name: "host{number:03}"}
  - {zone: a, rack: r4, servers: z1}
  - {zone: c, servers: 0}
)");
  CHECK(server_names(cluster) == std::vector<std::string>{"a/r1:x1", "a/r1:x2", "a/r2:y1",
                                                          "a/r2:y2", "a/r2:y3", "a/r2:odd, name",
                                                          "a/r4:z1", "b/r1:host007"});
  CHECK(cluster.server(ServerId{0}).gpus == 4);
  CHECK(cluster.server(ServerId{3}).gpus == 16);
  CHECK(cluster.server(ServerId{5}).gpus == 4);
  CHECK(cluster.server(ServerId{6}).gpus == 8);
  CHECK(cluster.find_domain("a/r3"));
  CHECK(cluster.find_domain("c"));
}

TEST_CASE("scale-up domains group consecutive servers of a rack", "[topology]") {
  const Cluster cluster = parse_cluster(
      "format: cluster/v1\ngpus: 4\nscale_up: {servers: 18}\ndomains:\n"
      "  - {zone: a, rack: 'r[1-2]', servers: 36}\n"
      "  - {zone: b, rack: r1, servers: 2, scale_up: none}\n"
      "  - {zone: b, rack: r2, servers: [{names: p1, scale_up: x}, p2, {names: p3, scale_up: "
      "x}]}\n",
      "c.yaml");
  const auto group = [&](std::size_t server) { return cluster.server(ServerId{server}).scale_up; };
  CHECK(group(0) == group(17));
  CHECK(group(17) != group(18));
  CHECK(group(18) == group(35));
  CHECK(group(35) != group(36));
  CHECK_FALSE(group(72));
  CHECK(group(74) == group(76));
  CHECK_FALSE(group(75));
  CHECK(group(74) != group(71));
}

TEST_CASE("one to six levels, and zones at any of them", "[topology]") {
  const Cluster one = parse_cluster(
      "format: cluster/v1\nlevels: rack\ndomains: [{rack: r1, servers: 3}]", "c.yaml");
  CHECK(one.zone_level() == 1);
  CHECK(one.server(ServerId{2}).name == "r1-s3");
  const Cluster six = parse_cluster(
      "format: cluster/v1\nlevels: [dc, hall, zone, row, pod, rack]\nzone_level: hall\n"
      "domains: [{dc: d, hall: 'h[1-2]', domains: [{zone: z, row: r, pod: p, rack: k, servers: "
      "1}]}]",
      "c.yaml");
  CHECK(six.zone_level() == 2);
  CHECK(six.path(six.server(ServerId{1}).rack) == "d/h2/z/r/p/k");
}

TEST_CASE("every key of a fabric is read", "[topology]") {
  const Cluster cluster = parse_cluster(R"(
format: cluster/v1
backend:
  nics_per_server: 4
  nic_bandwidth: 100GB/s
  leaves: rail
  planes: 2
  scale_up_bandwidth: 900GB/s
  scale_up_latency: 500ns
  tiers:
    zone: {switch: spine, switches: 3, uplinks: 6, uplink_bandwidth: 800Gbps, latency: 5us}
    rack: {oversubscription: 1:1.125, uplink_bandwidth: 400Gbps, buffer: 113MB, port_buffer: 16MiB}
frontend: {nic_bandwidth: 200Gbps}
domains:
  - {zone: a, rack: r1, servers: 1}
)",
                                        "c.yaml");
  const FabricSpec& spec = cluster.backend();
  CHECK(spec.nics_per_server == 4);
  CHECK(spec.nic_bandwidth == BytesPerSecond{100'000'000'000});
  CHECK(spec.leaves == LeafWiring::Rail);
  CHECK(spec.planes == 2);
  CHECK(spec.scale_up_bandwidth == BytesPerSecond{900'000'000'000});
  CHECK(spec.scale_up_latency == Seconds{500e-9});
  CHECK(spec.tiers[1] ==
        TierSpec{"spine", 3, 6, BytesPerSecond{100'000'000'000}, 0, Seconds{5e-6}});
  CHECK(spec.tiers[2].oversubscription == Approx(1 / 1.125));
  CHECK(spec.tiers[2].buffer == Bytes{113'000'000});
  CHECK(spec.tiers[2].port_buffer == Bytes{16 << 20});
  CHECK_FALSE(spec.tiers[1].buffer);
  REQUIRE(cluster.frontend());
  CHECK(cluster.frontend()->nics_per_server == 1);
  CHECK(cluster.frontend()->nic_bandwidth == BytesPerSecond{25'000'000'000});
}

TEST_CASE("all mistakes of a cluster file are reported at once, each at its place", "[topology]") {
  CHECK(complaints(R"(format: cluster/v1
nmae: x
gpus: 0
backend:
  nic_bandwidth: 400
  leafs: rail
  planes: many
  tiers:
    zone: {oversubscription: 1:0, uplink_bandwidth: 0Gbps}
    cluster: {uplinks: 4}
    rak: {switch: a/b}
domains:
  - {zone: a, rack: r1, servers: 2, gups: 4}
  - {rack: r2, servers: 2}
  - {zone: a, rack: "r[3-1]", servers: 2}
  - {zone: a, rack: "r[4-6]", servers: "x[1-4]"}
  - {zone: a, rack: r7}
  - {zone: a, servers: 3}
  - {zone: a, rack: r1, servers: 1}
  - {zone: a, rack: r8, servers: a-r1-s1}
  - {zone: a, rack: r9, servers: 1, server_name: "gpu{nr}"}
  - {zone: a, rack: "x/y", servers: 1}
  - {zone: a, rack: r10, domains: []}
)") == R"(c.yaml:2:1: unknown key "nmae" (did you mean "name"?)
c.yaml:3:7: found "0", expected a whole number from 1 to 1024
c.yaml:5:18: found "400", expected a bandwidth with its unit (such as 400Gbps or 50GB/s)
c.yaml:6:3: unknown key "leafs" (did you mean "leaves"?)
c.yaml:7:11: found "many", expected a whole number from 1 to 64
c.yaml:9:30: expected a ratio above 0, or "cables" to count the cables (such as 7:1, 2.8 or 1:1)
c.yaml:9:53: uplink_bandwidth is zero (a broken link belongs into the state file)
c.yaml:10:24: the switches of the cluster are the topmost, "uplinks" has no meaning there (it belongs to the tier below)
c.yaml:11:5: unknown key "rak" (did you mean "rack"?)
c.yaml:13:37: unknown key "gups" (did you mean "gpus"?)
c.yaml:14:12: found a rack without its zone
c.yaml:15:21: host list: at character 3, "3-1]": this range ends before it begins (write host lists as in gpu[001-016,020],login1)
c.yaml:16:40: found 4 servers for 3 domains, which cannot be dealt out evenly (use one row for each kind of domain)
c.yaml:17:5: found neither "domains" nor "servers", expected one of them (an empty domain has servers: 0)
c.yaml:18:24: names no rack, expected one: servers stand in a rack
c.yaml:19:34: the rack a/r1 is described twice
c.yaml:20:34: server a-r1-s1 is listed twice (the name of a server is unique in the cluster)
c.yaml:21:50: found the placeholder "{nr}", expected one of {zone}, {rack}, {n}, {number} (numbers may have a width, as in {n:02})
c.yaml:22:21: found '/' in the name "x/y" (a domain inside another stands in a row of its own or under "domains")
c.yaml:23:35: a rack is the innermost level and has no domains in it)");
}

TEST_CASE("a buffer is some memory, and the innermost tier's", "[topology]") {
  CHECK(
      complaints(R"(format: cluster/v1
backend:
  tiers:
    cluster: {port_buffer: 1MB}
    zone: {buffer: 8GB}
    rack: {buffer: 64, port_buffer: 0MB}
frontend:
  tiers:
    rack: {buffer: 64MB, port_buffer: 65MB}
domains:
  - {zone: a, rack: r1, servers: 1}
)") ==
      "c.yaml:4:28: \"port_buffer\" has no meaning above the innermost tier (it belongs to the "
      "switches that servers are joined to)\n"
      "c.yaml:5:20: \"buffer\" has no meaning above the innermost tier (it belongs to the switches "
      "that servers are joined to)\n"
      "c.yaml:6:20: found \"64\", expected a size with its unit (such as 64MiB or 2GB)\n"
      "c.yaml:6:37: port_buffer is 0B, expected more than nothing and at most 1 PiB (leave the key "
      "out where it is not known)\n"
      "c.yaml:9:39: port_buffer is more than the 64MB of the whole switch (all ports share the "
      "buffer of their switch)");
}

TEST_CASE("a cluster file must say what it is", "[topology]") {
  CHECK(complaints("name: x\n") ==
        "c.yaml:1:1: the key \"format\" is missing (begin the file with \"format: cluster/v1\")");
  CHECK(complaints("format: cluster/v2\n") ==
        "c.yaml:1:9: found \"cluster/v2\", expected cluster/v1 (this program reads no other "
        "version)");
  CHECK(complaints("format: state/v1\n") ==
        "c.yaml:1:9: found \"state/v1\", expected cluster/v1 (this is another kind of file)");
  CHECK(complaints("- 1\n").find("expected a mapping") != std::string::npos);
  CHECK(complaints("").find("format") != std::string::npos);
}

TEST_CASE("a cluster without servers is refused where its rows are", "[topology]") {
  CHECK(complaints_of_rows("  - {zone: a, rack: r1, servers: 0}\n") ==
        "c.yaml:3:3: the cluster has no servers");
}

TEST_CASE("a short file cannot ask for a huge cluster", "[topology]") {
  const char* const kTooMany = "more than 1000000";
  for (const char* rows :
       {"  - {zone: 'z[1-1000]', rack: 'r[1-1000]', servers: 1000}\n",
        "  - {zone: 'z[1-1000000]', rack: 'r[1-1000000]', servers: 1}\n",
        "  - {zone: a, rack: r, servers: 'x[1-1000001]'}\n",
        "  - {zone: a, rack: r, servers: 1000001}\n",
        "  - {zone: a, rack: r, servers: 999999999999}\n",
        "  - {zone: 'z[1-999999]', rack: r, servers: 0}\n",
        "  - {zone: a, rack: r, servers: 600000}\n  - {zone: a, rack: q, servers: 600000}\n"}) {
    INFO(rows);
    const std::string found = complaints_of_rows(rows);
    const bool is_refused = found.find(kTooMany) != std::string::npos ||
                            found.find("from 0 to 1000000") != std::string::npos ||
                            found.find("more than 400000 names") != std::string::npos;
    INFO(found);
    CHECK(is_refused);
  }
  CHECK(complaints(
            "format: cluster/v1\nbackend: {planes: 64, tiers: {rack: {switches: 4096, uplinks: "
            "65536}}}\ndomains: [{zone: a, rack: 'r[1-9]', servers: 1}]")
            .find("expected at most 1000000 and 50000000") != std::string::npos);
}

TEST_CASE("a number that is not written as one is no host's name", "[topology]") {
  for (const std::string number : {"1e3", ".nan", "1_000", "0x10", "1.5", "-.inf", "1:30"}) {
    CHECK(complaints_of_rows("  - {zone: a, rack: r, servers: " + number + "}\n")
              .find("c.yaml:3:33: found " + number + ", expected a number of servers") !=
          std::string::npos);
  }
  CHECK_NOTHROW(parse_cluster(
      "format: cluster/v1\ndomains:\n  - {zone: a, rack: r, servers: '1e3'}\n", "c.yaml"));
}

TEST_CASE("a number in a list of servers is no host's name", "[topology]") {
  for (const std::string number : {"8", "1e3", "1_000", "1:30"}) {
    CAPTURE(number);
    CHECK(complaints_of_rows("  - {zone: a, rack: r, servers: [" + number + "]}\n") ==
          "c.yaml:3:34: found " + number +
              ", expected a host list (a server of that name stands in quotes)");
    CHECK(complaints_of_rows("  - {zone: a, rack: r, servers: {names: " + number + "}}\n")
              .starts_with("c.yaml:3:41: found " + number + ", expected a host list"));
  }
  CHECK(server_names(with_rows("  - {zone: a, rack: r, servers: ['8', {names: '1_000'}]}\n")) ==
        std::vector<std::string>{"a/r:8", "a/r:1_000"});
}

TEST_CASE("a repeated key hides no other mistake of a cluster file", "[topology]") {
  const std::string found = complaints(
      "format: cluster/v1\nname: a\nname: b\nlevels: [zone, rack]\n"
      "domains:\n  - {zone: a, rack: r, servers: 1, gpus: 0}\n");
  CHECK(found.find("c.yaml:3:1: the key \"name\" is given twice") != std::string::npos);
  CHECK(found.find("c.yaml:6:42: found \"0\", expected a whole number from 1 to 1024") !=
        std::string::npos);
}

TEST_CASE("a cluster has a limited number of GPUs", "[topology]") {
  const auto rows = [](const std::string& servers) {
    return "  - {zone: a, rack: r, servers: " + servers + ", gpus: 1024}\n";
  };
  const std::string head = "format: cluster/v1\nlevels: [zone, rack]\ndomains:\n";
  CHECK(parse_cluster(head + rows("16384"), "c.yaml").gpu_count() == ClusterBuilder::kMostGpus);
  CHECK(complaints(head + rows("16385"))
            .find("c.yaml:4:33: with server a-r-s16385 the cluster has more than 16777216 GPUs") !=
        std::string::npos);
}

TEST_CASE("no level is called what a cluster file cannot say", "[topology]") {
  for (const std::string level : {"gpu", "server", "cluster", "domains", "servers", "gpus",
                                  "scale_up", "server_name", "n", "number", "a{b", "a/b", ""}) {
    CAPTURE(level);
    CHECK_THROWS_AS(ClusterBuilder("c", {level}), InputError);
    CHECK(complaints("format: cluster/v1\nlevels: ['" + level + "']\ndomains: []\n")
              .starts_with("c.yaml:2:9: "));
  }
}

TEST_CASE("names have no tabs and line ends, which would spoil the files they are written to",
          "[topology]") {
  const std::string found = complaints(R"(format: cluster/v1
name: "a\nb"
server_name: "s\t{n}"
backend: {tiers: {zone: {switch: "a\rb"}}}
domains:
  - {zone: {name: "z\n1"}, rack: r1, servers: 1}
  - {zone: z2, rack: r1, servers: {name: "s\t1"}}
  - {zone: {name: "z\u009B31m"}, rack: r1, servers: 1}
  - {zone: {name: "z\u202E3"}, rack: r1, servers: 1}
)");
  for (const char* said : {"c.yaml:2:7: found the control character 0x0A in \"name\"",
                           "c.yaml:3:14: found the control character 0x09 in \"server_name\"",
                           "c.yaml:4:34: found the control character 0x0D in \"switch\"",
                           "c.yaml:6:19: found the control character 0x0A in \"name\"",
                           "c.yaml:7:42: found the control character 0x09 in \"name\"",
                           "c.yaml:8:19: found the control character U+009B in \"name\"",
                           "c.yaml:9:19: found the control character U+202E in \"name\""}) {
    INFO(found);
    CHECK(found.find(said) != std::string::npos);
  }
}

TEST_CASE("bandwidths that add up to too much are reported at their network", "[topology]") {
  const std::string rows = "domains: [{zone: a, rack: r, servers: 1000}]\n";
  CHECK(complaints("format: cluster/v1\nbackend: {nic_bandwidth: 8000000GB/s}\n" + rows)
            .starts_with("c.yaml:2:10: fabric: the bandwidth of all NICs together does not fit"));
  CHECK(
      complaints("format: cluster/v1\nfrontend: {tiers: {zone: {uplinks: 65536, uplink_bandwidth: "
                 "80000000GB/s}}}\n" +
                 rows)
          .starts_with("c.yaml:2:11: fabric tier \"zone\": the capacity above a domain does not"));
}

TEST_CASE("a frontend without contents is refused, as it may be meant to be none", "[topology]") {
  const std::string rows = "\ndomains: [{zone: a, rack: r, servers: 1}]\n";
  CHECK(
      complaints("format: cluster/v1\nfrontend:" + rows) ==
      "c.yaml:2:1: found nothing under \"frontend\" ({} is one as usual; without the key there is "
      "none)");
  CHECK(parse_cluster("format: cluster/v1\nfrontend: {}" + rows, "c.yaml").frontend());
}

TEST_CASE("an empty name in a list of servers is no server", "[topology]") {
  CHECK(complaints_of_rows("  - {zone: a, rack: r, servers: [s1, '', {names: ' '}]}\n") ==
        "c.yaml:3:38: expected servers (an empty domain has servers: 0)\n"
        "c.yaml:3:50: expected servers (an empty domain has servers: 0)");
}
