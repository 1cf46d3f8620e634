#include <numeric>
#include <set>

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/topology/fabric.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

/// Links of 1 GB/s: one RTSW with 4 uplinks over 2 CTSW, each with 3 uplinks over 2 ATSW.
FabricSpec small_spec() {
  FabricSpec spec;
  spec.nics_per_server = 2;
  spec.nic_bandwidth = {kGB};
  spec.tiers = {
      {"ATSW", 2, 0, {kGB}, 0, {}}, {"CTSW", 2, 3, {kGB}, 0, {}}, {"RTSW", 1, 4, {kGB}, 0, {}}};
  return spec;
}

Fabric healthy(const Cluster& cluster) {
  return Fabric::build(cluster, cluster.backend(), Health(cluster));
}

DomainId domain(const Cluster& cluster, std::string_view path) {
  return cluster.find_domain(path).value();
}

ServerId server(const Cluster& cluster, std::string_view name) {
  return cluster.find_server(name).value();
}

std::vector<std::string> link_names(const Fabric& fabric) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < fabric.links().size(); ++i) names.push_back(fabric.name(LinkId{i}));
  return names;
}

}  // namespace

TEST_CASE("a small fabric has the switches and links its tiers describe", "[topology]") {
  const Cluster cluster = drawn_cluster("a: r1[s1 s2] b: r1[s3]", small_spec());
  const Fabric fabric = healthy(cluster);
  // 2 ATSW, 2 CTSW in each of 2 zones, 1 RTSW in each of 2 racks.
  CHECK(fabric.switches().size() == 2 + 4 + 2);
  CHECK(link_names(fabric) ==
        std::vector<std::string>{"a/CTSW-1 > ATSW-1", "a/CTSW-1 > ATSW-2", "a/CTSW-2 > ATSW-1",
                                 "a/CTSW-2 > ATSW-2", "a/r1/RTSW-1 > a/CTSW-1",
                                 "a/r1/RTSW-1 > a/CTSW-2", "s1 > a/r1/RTSW-1", "s2 > a/r1/RTSW-1",
                                 "b/CTSW-1 > ATSW-1", "b/CTSW-1 > ATSW-2", "b/CTSW-2 > ATSW-1",
                                 "b/CTSW-2 > ATSW-2", "b/r1/RTSW-1 > b/CTSW-1",
                                 "b/r1/RTSW-1 > b/CTSW-2", "s3 > b/r1/RTSW-1"});
  // Three uplinks over two parents: the first one gets the rest.
  CHECK(fabric.links()[0].cables == 2);
  CHECK(fabric.links()[1].cables == 1);
  CHECK(fabric.links()[0].nominal == BytesPerSecond{2 * kGB});
  CHECK(fabric.uplink_capacity(domain(cluster, "a")) == BytesPerSecond{6 * kGB});
  CHECK(fabric.uplink_capacity(domain(cluster, "a/r1")) == BytesPerSecond{4 * kGB});
  CHECK(fabric.injection_capacity(server(cluster, "s1")) == BytesPerSecond{2 * kGB});
  CHECK(fabric.uplink_capacity(Cluster::root()) == BytesPerSecond{0});
  CHECK(fabric.oversubscription(Cluster::root()) == std::nullopt);
  // Four NICs of 1 GB/s below six uplinks.
  CHECK(fabric.oversubscription(domain(cluster, "a")) == Approx(4.0 / 6));
}

TEST_CASE("the links of a switch that lead up come before those that lead down", "[topology]") {
  const Cluster cluster = drawn_cluster("a: r1[s1 s2] r2[s3] b: r1[s4]", small_spec());
  const Fabric fabric = healthy(cluster);
  std::size_t ends = 0;
  for (std::size_t i = 0; i < fabric.switches().size(); ++i) {
    bool down = false;
    for (const LinkId id : fabric.links_of(SwitchId{i})) {
      const bool is_upper = fabric.links()[id.index()].upper == SwitchId{i};
      CHECK((is_upper || !down));
      down = is_upper;
      ++ends;
    }
  }
  for (std::size_t i = 0; i < cluster.server_count(); ++i)
    ends += fabric.links_of(ServerId{i}).size();
  CHECK(ends == 2 * fabric.links().size());
}

TEST_CASE("oversubscription sets the capacity above a domain to the byte", "[topology]") {
  FabricSpec spec = small_spec();
  spec.tiers[1].oversubscription = 7;
  const Cluster cluster = drawn_cluster("a: r1[s1 s2] b: r1[s3]", spec);
  const Fabric fabric = healthy(cluster);
  // Four NICs of 1 GB/s over 7, in 2 CTSW × 3 cables: no cable carries a seventh exactly.
  CHECK(fabric.uplink_capacity(domain(cluster, "a")) == BytesPerSecond{4 * kGB / 7});
  CHECK(fabric.uplink_capacity(domain(cluster, "b")) == BytesPerSecond{2 * kGB / 7});
  CHECK(*fabric.oversubscription(domain(cluster, "a")) == Approx(7.0).epsilon(1e-8));
}

TEST_CASE("Meta's pods of 3,072 GPUs have 21.94 TB/s above them at 7:1", "[topology]") {
  const std::vector<std::string> levels{"cluster", "zone", "rack"};
  const Cluster cluster = even_cluster(2, 192, 2, FabricSpec::clos(levels, 1, 7));
  const Fabric fabric = healthy(cluster);
  // 3,072 NICs of 50 GB/s over 7.
  CHECK(fabric.uplink_capacity(domain(cluster, "z0")) == BytesPerSecond{3072 * 50 * kGB / 7});
  CHECK(to_text(fabric.uplink_capacity(domain(cluster, "z0"))) == "176 Tbps");
  CHECK(*fabric.oversubscription(domain(cluster, "z0/r0")) == Approx(1));
}

TEST_CASE("the 32k cluster's ports give 7:1 above the zones", "[topology]") {
  // The 7:1 is one of ports: a CTSW has 252 down, one to each rack, and 36 up. Counted from the
  // NICs, of which a rack has 16 for its 18 uplinks, it is 4,032 over 18 × 36 = 6.22.
  FabricSpec spec;
  spec.tiers = {{"ATSW", 18, 0, {50 * kGB}, 0, {}},
                {"CTSW", 18, 36, {50 * kGB}, 0, {}},
                {"RTSW", 1, 18, {50 * kGB}, 0, {}}};
  const Cluster cluster = even_cluster(2, 252, 2, spec);
  const Fabric fabric = healthy(cluster);
  const DomainId zone = domain(cluster, "z0");
  CHECK(fabric.uplink_capacity(zone) == BytesPerSecond{18 * 36 * 50 * kGB});
  CHECK(*fabric.oversubscription(zone) == Approx(4032.0 / 648));
  std::int64_t below = 0;
  for (const DomainId rack : cluster.domain(zone).children)
    below += fabric.uplink_capacity(rack).count;
  CHECK(below == 7 * fabric.uplink_capacity(zone).count);
}

TEST_CASE("the NICs of a rack are dealt out evenly over its leaves", "[topology]") {
  FabricSpec spec = small_spec();
  spec.nics_per_server = 4;
  spec.tiers[2].switches = 3;
  const Cluster cluster = drawn_cluster("a: r1[s1 s2 s3]", spec);
  const Fabric fabric = healthy(cluster);
  // 12 NICs over 3 leaves: four each, though no server's four divide by three.
  for (std::size_t i = 0; i < fabric.switches().size(); ++i) {
    if (fabric.switches()[i].level != 2) continue;
    int nics = 0;
    for (const LinkId id : fabric.links_of(SwitchId{i})) {
      const Link& link = fabric.links()[id.index()];
      if (link.upper == SwitchId{i}) nics += link.cables;
    }
    CHECK(nics == 4);
  }
}

TEST_CASE("on rails every server's NIC i goes to leaf i", "[topology]") {
  FabricSpec spec = small_spec();
  spec.nics_per_server = 4;
  spec.leaves = LeafWiring::Rail;
  spec.tiers[2].switches = 3;
  const Cluster cluster = drawn_cluster("a: r1[s1 s2]", spec);
  const Fabric fabric = healthy(cluster);
  for (const std::string_view name : {"s1", "s2"}) {
    std::vector<int> cables;
    for (const LinkId id : fabric.links_of(server(cluster, name)))
      cables.push_back(fabric.links()[id.index()].cables);
    CHECK(cables == std::vector{2, 1, 1});  // NICs 0 and 3 on the first rail
  }
}

TEST_CASE("planes share every NIC and are not joined to each other", "[topology]") {
  FabricSpec spec = small_spec();
  spec.planes = 2;
  spec.nic_bandwidth = {kGB + 1};
  const Cluster cluster = drawn_cluster("a: r1[s1 s2] b: r1[s3]", spec);
  const Fabric fabric = healthy(cluster);
  CHECK(fabric.injection_capacity(server(cluster, "s1")) == BytesPerSecond{2 * (kGB + 1)});
  CHECK(fabric.uplink_capacity(domain(cluster, "a")) == BytesPerSecond{12 * kGB});
  const auto plane_of = [&](SwitchId id) { return fabric.switches()[id.index()].place.plane; };
  for (const Link& link : fabric.links()) {
    if (const auto* lower = std::get_if<SwitchId>(&link.lower))
      CHECK(plane_of(*lower) == plane_of(link.upper));
  }
  CHECK(fabric.name(Endpoint{SwitchId{2}}) == "p2/ATSW-1");
}

TEST_CASE("every switch name reads back to its place", "[topology]") {
  FabricSpec spec = small_spec();
  spec.planes = 2;
  const Cluster cluster = drawn_cluster("a: r1[s1] r2[s2] b: r1[s3]", spec);
  const Fabric fabric = healthy(cluster);
  for (std::size_t i = 0; i < fabric.switches().size(); ++i)
    CHECK(find_switch(cluster, spec, fabric.name(Endpoint{SwitchId{i}})) ==
          fabric.switches()[i].place);
}

TEST_CASE("an empty rack has switches and uplinks of its own", "[topology]") {
  const Cluster cluster = drawn_cluster("a: r1[s1] r2[]", small_spec());
  const Fabric fabric = healthy(cluster);
  CHECK(fabric.uplink_capacity(domain(cluster, "a/r2")) == BytesPerSecond{4 * kGB});
}

TEST_CASE("a frontend network is built by the same rules", "[topology]") {
  FabricSpec frontend = small_spec();
  frontend.nics_per_server = 1;
  frontend.tiers = {
      {"DSW", 1, 0, {kGB}, 0, {}}, {"FSW", 4, 1, {kGB}, 0, {}}, {"RSW", 1, 4, {kGB}, 0, {}}};
  ClusterBuilder builder("c", {"zone", "rack"});
  builder.backend(small_spec()).frontend(frontend);
  builder.add_server(std::array<std::string, 2>{"a", "r1"}, "s1", 8);
  const Cluster cluster = builder.build();
  const Fabric fabric = Fabric::build(cluster, *cluster.frontend(), Health(cluster));
  CHECK(link_names(fabric).back() == "s1 > a/r1/RSW-1");
  CHECK(fabric.injection_capacity(server(cluster, "s1")) == BytesPerSecond{kGB});
  CHECK(fabric.spec() == frontend);
}

TEST_CASE("a fabric that has moved still knows the cluster it was built for", "[topology]") {
  const Cluster cluster = drawn_cluster("a: r1[s1] b: r1[s2]", small_spec());
  const Cluster other = drawn_cluster("a: r1[s1]", small_spec());
  Fabric fabric = healthy(other);
  CHECK(&fabric.cluster() == &other);
  fabric = healthy(cluster);
  CHECK(&fabric.cluster() == &cluster);
}
