#include <cmath>
#include <cstdint>

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/topology/fabric.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

/// Six CTSW, so that losing one is a sixth; links of 1 GB/s.
FabricSpec spec_of_six() {
  FabricSpec spec;
  spec.nics_per_server = 2;
  spec.nic_bandwidth = {kGB};
  spec.tiers = {
      {"ATSW", 2, 0, {kGB}, 0, {}}, {"CTSW", 6, 2, {kGB}, 0, {}}, {"RTSW", 1, 6, {kGB}, 0, {}}};
  return spec;
}

struct Broken {
  Cluster cluster = drawn_cluster("a: r1[s1] r2[s2] b: r1[s3]", spec_of_six());
  Health health{cluster};

  SwitchRef find(std::string_view name) {
    return find_switch(cluster, cluster.backend(), name).value();
  }
  ServerId server(std::string_view name) { return cluster.find_server(name).value(); }
  Fabric build() { return Fabric::build(cluster, cluster.backend(), health); }
  BytesPerSecond above(const Fabric& fabric, std::string_view path) {
    return fabric.uplink_capacity(cluster.find_domain(path).value());
  }
};

std::vector<Problem> problems_of(Broken& broken) {
  try {
    (void)broken.build();
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

}  // namespace

TEST_CASE("a failed switch takes its uplinks and its children's with it", "[topology]") {
  Broken broken;
  broken.health.failed_switches = {broken.find("a/CTSW-2")};
  const Fabric fabric = broken.build();
  CHECK(broken.above(fabric, "a") == BytesPerSecond{10 * kGB});    // 5 of 6 CTSW with 2 each
  CHECK(broken.above(fabric, "a/r1") == BytesPerSecond{5 * kGB});  // u - f = 5 of u = 6
  CHECK(broken.above(fabric, "a/r2") == BytesPerSecond{5 * kGB});
  CHECK(broken.above(fabric, "b/r1") == BytesPerSecond{6 * kGB});
  CHECK(fabric.nominal_uplink_capacity(broken.cluster.find_domain("a").value()) ==
        BytesPerSecond{12 * kGB});
  CHECK(*fabric.oversubscription(broken.cluster.find_domain("a").value()) == Approx(4.0 / 10));
}

TEST_CASE("a failed topmost switch halves every zone that had two", "[topology]") {
  Broken broken;
  broken.health.failed_switches = {broken.find("ATSW-1")};
  const Fabric fabric = broken.build();
  CHECK(broken.above(fabric, "a") == BytesPerSecond{6 * kGB});
  CHECK(broken.above(fabric, "b") == BytesPerSecond{6 * kGB});
}

TEST_CASE("a link fault leaves what it says, or nothing", "[topology]") {
  Broken broken;
  broken.health.link_faults = {
      {broken.find("a/r1/RTSW-1"), broken.find("a/CTSW-1"), BytesPerSecond{kGB / 4}},
      {broken.find("a/r1/RTSW-1"), broken.find("a/CTSW-2"), std::nullopt},
      {broken.server("s2"), broken.find("a/r2/RTSW-1"), BytesPerSecond{kGB}}};
  const Fabric fabric = broken.build();
  CHECK(broken.above(fabric, "a/r1") == BytesPerSecond{4 * kGB + kGB / 4});
  CHECK(fabric.injection_capacity(broken.server("s2")) == BytesPerSecond{kGB});
}

TEST_CASE("a link fault never adds capacity", "[topology]") {
  Broken broken;
  broken.health.link_faults = {
      {broken.find("a/r1/RTSW-1"), broken.find("a/CTSW-1"), BytesPerSecond{9 * kGB}}};
  CHECK(broken.above(broken.build(), "a/r1") == BytesPerSecond{6 * kGB});
}

TEST_CASE("a server that is down keeps its links", "[topology]") {
  Broken broken;
  broken.health.servers[broken.server("s1")] = ServerHealth::Down;
  CHECK(broken.build().injection_capacity(broken.server("s1")) == BytesPerSecond{2 * kGB});
}

TEST_CASE("a failure of what is not there is refused, all of them at once", "[topology]") {
  Broken broken;
  const DomainId zone = broken.cluster.find_domain("a").value();
  broken.health.failed_switches = {{zone, 0, 6}, {zone, 1, 0}, {zone, 0, -1}};
  broken.health.link_faults = {
      {broken.find("a/r1/RTSW-1"), broken.find("b/CTSW-1"), std::nullopt},
      {broken.find("a/CTSW-1"), broken.find("a/r1/RTSW-1"), std::nullopt},  // upside down
      {ServerId{99}, broken.find("a/r1/RTSW-1"), std::nullopt},
      {broken.server("s1"), SwitchRef{DomainId{99}, 0, 0}, std::nullopt}};
  const std::vector<Problem> problems = problems_of(broken);
  REQUIRE(problems.size() == 7);
  CHECK(problems[0].what == "there is no link from a/r1/RTSW-1 up to b/CTSW-1");
  CHECK(problems[4].what == "there is no switch a/CTSW-7");
}

TEST_CASE("a specification out of range is refused with the tier's name", "[topology]") {
  const Cluster cluster = drawn_cluster("a: r1[s1]", spec_of_six());
  const auto refused = [&](const auto& change) {
    FabricSpec spec = spec_of_six();
    change(spec);
    CHECK_THROWS_AS(Fabric::build(cluster, spec, Health(cluster)), InputError);
  };
  refused([](FabricSpec& spec) { spec.tiers.pop_back(); });
  refused([](FabricSpec& spec) { spec.planes = 0; });
  refused([](FabricSpec& spec) { spec.planes = 1'000'000; });
  refused([](FabricSpec& spec) { spec.nics_per_server = -1; });
  refused([](FabricSpec& spec) { spec.nic_bandwidth = {-1}; });
  refused([](FabricSpec& spec) { spec.nic_bandwidth = {INT64_MAX}; });
  refused([](FabricSpec& spec) { spec.tiers[1].switches = 1'000'000'000; });
  refused([](FabricSpec& spec) { spec.tiers[1].uplinks = -2; });
  refused([](FabricSpec& spec) { spec.tiers[1].uplink_bandwidth = {INT64_MAX / 2}; });
  refused([](FabricSpec& spec) { spec.tiers[1].oversubscription = -7; });
  refused([](FabricSpec& spec) { spec.tiers[1].oversubscription = 1e-300; });
  refused([](FabricSpec& spec) { spec.tiers[1].oversubscription = std::nan(""); });
  refused([](FabricSpec& spec) {  // 65,536² links: more than a machine should hold
    spec.tiers[0].switches = spec.tiers[1].switches = spec.tiers[1].uplinks = 65'536;
  });
}

TEST_CASE("a tier without switches leaves what is below it unconnected", "[topology]") {
  FabricSpec spec = spec_of_six();
  spec.tiers[0].switches = 0;
  const Cluster cluster = drawn_cluster("a: r1[s1] b: r1[s2]", spec);
  const Fabric fabric = Fabric::build(cluster, spec, Health(cluster));
  CHECK(fabric.uplink_capacity(cluster.find_domain("a").value()) == BytesPerSecond{0});
  CHECK(fabric.oversubscription(cluster.find_domain("a").value()) == std::nullopt);
  CHECK(fabric.equal_cost_paths(ServerId{0}, ServerId{1}) == std::nullopt);
}
