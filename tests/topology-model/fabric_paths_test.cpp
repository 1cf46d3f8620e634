#include <algorithm>
#include <cstdint>

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/topology/fabric.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

/// Four uplinks of a rack over 4 CTSW; each CTSW has 4 uplinks, two cables to either ATSW.
FabricSpec spec_of_four() {
  FabricSpec spec;
  spec.nics_per_server = 2;
  spec.nic_bandwidth = {kGB};
  spec.tiers = {
      {"ATSW", 2, 0, {kGB}, 0, {}}, {"CTSW", 4, 4, {kGB}, 0, {}}, {"RTSW", 1, 4, {kGB}, 0, {}}};
  return spec;
}

std::vector<std::vector<std::string>> names(const Fabric& fabric, const EqualCostPaths& paths) {
  std::vector<std::vector<std::string>> hops;
  for (const auto& hop : paths.hops) {
    hops.emplace_back();
    for (const LinkId id : hop) hops.back().push_back(fabric.name(id));
  }
  return hops;
}

struct Paths {
  Cluster cluster;
  Health health;
  explicit Paths(Cluster drawn) : cluster(std::move(drawn)), health(cluster) {}

  void fail(std::string_view name) {
    health.failed_switches.push_back(find_switch(cluster, cluster.backend(), name).value());
  }
  std::optional<EqualCostPaths> between(std::string_view a, std::string_view b) {
    const Fabric fabric = Fabric::build(cluster, cluster.backend(), health);
    return fabric.equal_cost_paths(cluster.find_server(a).value(), cluster.find_server(b).value());
  }
};

}  // namespace

TEST_CASE("two servers of a rack meet at its leaf", "[topology]") {
  const Cluster cluster = drawn_cluster("a: r1[s1 s2]", spec_of_four());
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
  const auto paths = fabric.equal_cost_paths(ServerId{0}, ServerId{1});
  REQUIRE(paths);
  CHECK(names(fabric, *paths) ==
        std::vector<std::vector<std::string>>{{"s1 > a/r1/RTSW-1"}, {"s2 > a/r1/RTSW-1"}});
  CHECK(paths->count == 1);
  CHECK(paths->bottleneck == BytesPerSecond{2 * kGB});
}

TEST_CASE("a server has no hops to itself", "[topology]") {
  Paths paths(drawn_cluster("a: r1[s1 s2]", spec_of_four()));
  CHECK(paths.between("s1", "s1")->hops.empty());
}

TEST_CASE("within a zone every middle switch is a path", "[topology]") {
  Paths paths(drawn_cluster("a: r1[s1] r2[s2] b: r1[s3]", spec_of_four()));
  const auto found = paths.between("s1", "s2");
  REQUIRE(found);
  CHECK(found->count == 4);
  REQUIRE(found->hops.size() == 4);
  CHECK(found->hops[1].size() == 4);
  CHECK(found->hops[2].size() == 4);
}

TEST_CASE("across zones the cables of every tier multiply", "[topology]") {
  Paths paths(drawn_cluster("a: r1[s1] r2[s2] b: r1[s3]", spec_of_four()));
  const auto found = paths.between("s1", "s3");
  REQUIRE(found);
  // 4 CTSW × 4 cables up to either ATSW, and the same down, of which half meet: per ATSW 8 × 8.
  CHECK(found->count == 2 * 8 * 8);
  REQUIRE(found->hops.size() == 6);
  CHECK(found->hops[2].size() == 8);
  CHECK(found->bottleneck == BytesPerSecond{2 * kGB});  // the NICs
}

TEST_CASE("the 32k cluster has 18 paths in a zone and 18 x 36 x 36 across", "[topology]") {
  FabricSpec spec;
  spec.tiers = {{"ATSW", 18, 0, {50 * kGB}, 0, {}},
                {"CTSW", 18, 36, {50 * kGB}, 0, {}},
                {"RTSW", 1, 18, {50 * kGB}, 0, {}}};
  Paths paths(even_cluster(2, 3, 2, spec));
  CHECK(paths.between("s0", "s2")->count == 18);
  // Any of 18 CTSW, any of its 36 cables up; each ATSW has 2 cables to each of 18 CTSW down.
  CHECK(paths.between("s0", "s6")->count == 18 * 36 * 36);
}

TEST_CASE("failed switches take their paths away", "[topology]") {
  Paths paths(drawn_cluster("a: r1[s1] r2[s2] b: r1[s3]", spec_of_four()));
  paths.fail("a/CTSW-1");
  CHECK(paths.between("s1", "s2")->count == 3);
  paths.fail("ATSW-2");
  CHECK(paths.between("s1", "s3")->count == (3 * 2) * (4 * 2));
  paths.fail("ATSW-1");
  CHECK(paths.between("s1", "s3") == std::nullopt);
  CHECK(paths.between("s1", "s2"));
  paths.fail("a/r2/RTSW-1");
  CHECK(paths.between("s1", "s2") == std::nullopt);
}

TEST_CASE("paths that failures leave only half of are not listed", "[topology]") {
  Paths paths(drawn_cluster("a: r1[s1] r2[s2]", spec_of_four()));
  // r1 has lost CTSW-1, r2 has lost CTSW-2: two of four are left, and no link to the lost ones.
  const auto cut = [&](std::string_view leaf, std::string_view spine) {
    const FabricSpec& spec = paths.cluster.backend();
    paths.health.link_faults.push_back({find_switch(paths.cluster, spec, leaf).value(),
                                        find_switch(paths.cluster, spec, spine).value(),
                                        std::nullopt});
  };
  cut("a/r1/RTSW-1", "a/CTSW-1");
  cut("a/r2/RTSW-1", "a/CTSW-2");
  const auto found = paths.between("s1", "s2");
  REQUIRE(found);
  CHECK(found->count == 2);
  CHECK(found->hops[1].size() == 2);
  CHECK(found->hops[2].size() == 2);
}

TEST_CASE("servers that share a rack but no leaf any more meet one tier up", "[topology]") {
  FabricSpec spec = spec_of_four();
  spec.tiers[2].switches = 2;
  Paths paths(drawn_cluster("a: r1[s1 s2]", spec));
  const auto unplug = [&](std::string_view server, std::string_view leaf) {
    paths.health.link_faults.push_back(
        {paths.cluster.find_server(server).value(),
         find_switch(paths.cluster, paths.cluster.backend(), leaf).value(), std::nullopt});
  };
  unplug("s1", "a/r1/RTSW-1");
  unplug("s2", "a/r1/RTSW-2");
  const auto found = paths.between("s1", "s2");
  REQUIRE(found);
  CHECK(found->hops.size() == 4);
  CHECK(found->count == 4);  // one cable from either leaf to each of 4 CTSW
}

TEST_CASE("planes add paths and never mix", "[topology]") {
  FabricSpec spec = spec_of_four();
  spec.planes = 2;
  Paths paths(drawn_cluster("a: r1[s1] r2[s2]", spec));
  CHECK(paths.between("s1", "s2")->count == 8);
  paths.fail("a/r1/RTSW-1");
  paths.fail("a/r2/p2/RTSW-1");
  CHECK(paths.between("s1", "s2") == std::nullopt);  // each has one plane left, not the same one
}

TEST_CASE("the number of paths saturates", "[topology]") {
  ClusterBuilder builder("deep", {"l1", "l2", "l3", "l4", "l5", "l6"});
  FabricSpec spec;
  for (int level = 0; level <= 6; ++level)
    spec.tiers.push_back({"sw", level == 6 ? 1 : 60, level == 0 ? 0 : 6'000, {1000}, 0, {}});
  builder.backend(spec);
  for (const std::string name : {"x", "y"})
    builder.add_server(std::array<std::string, 6>{name, "1", "1", "1", "1", "1"}, name, 8);
  Paths paths(builder.build());
  CHECK(paths.between("x", "y")->count == UINT64_MAX);  // about 6,000^12
}

TEST_CASE("paths are the same in both directions", "[topology]") {
  Paths paths(drawn_cluster("a: r1[s1] r2[s2] b: r1[s3]", spec_of_four()));
  paths.fail("b/CTSW-3");
  for (const auto& [a, b] : {std::pair{"s1", "s2"}, std::pair{"s1", "s3"}}) {
    const auto there = paths.between(a, b);
    auto back = paths.between(b, a);
    std::reverse(back->hops.begin(), back->hops.end());
    CHECK(there->hops == back->hops);
    CHECK(there->count == back->count);
  }
}
