#include "zonecut/topology/cluster.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/topology/state.hpp"

using namespace zonecut;

namespace {

/// Zone a with racks r1 (s1 s2) and r2 (empty), zone b with rack r1 (s3), of two GPUs each.
Cluster two_zones() {
  ClusterBuilder builder("c", {"zone", "rack"});
  const auto add = [&](const char* zone, const char* rack, const char* name) {
    builder.add_server(std::vector<std::string>{zone, rack}, name, 2);
  };
  add("a", "r1", "s1");
  add("b", "r1", "s3");
  add("a", "r1", "s2");
  builder.add_domain(std::vector<std::string>{"a", "r2"});
  return builder.build();
}

std::string names_in(const Cluster& cluster, IdRange<ServerId> servers) {
  std::string names;
  for (const ServerId server : servers) names += cluster.server(server).name + " ";
  return names;
}

ServerId server_called(const Cluster& cluster, const char* name) {
  return cluster.find_server(name).value();
}

}  // namespace

TEST_CASE("the servers of a domain are a range of ids", "[topology]") {
  const Cluster cluster = two_zones();
  const auto in = [&](const char* domain) {
    return names_in(cluster, cluster.domain(cluster.find_domain(domain).value()).servers());
  };
  CHECK(names_in(cluster, cluster.server_ids()) == "s1 s2 s3 ");
  CHECK(names_in(cluster, cluster.domain(Cluster::root()).servers()) == "s1 s2 s3 ");
  CHECK(in("a") == "s1 s2 ");
  CHECK(in("a/r2").empty());
  CHECK(in("b") == "s3 ");
}

TEST_CASE("a domain comes after its parent", "[topology]") {
  const Cluster cluster = two_zones();
  std::vector<DomainId> seen;
  for (const DomainId id : cluster.domain_ids()) {
    const auto parent = cluster.domain(id).parent;
    CHECK((parent ? std::ranges::count(seen, *parent) == 1 : id == Cluster::root()));
    seen.push_back(id);
  }
  CHECK(seen.size() == cluster.domain_count());
}

TEST_CASE("a gpu is usable where it works, nobody holds it and its server is up", "[topology]") {
  const Cluster cluster = two_zones();
  ClusterView view(cluster);
  const ServerId s1 = server_called(cluster, "s1");
  const ServerId s2 = server_called(cluster, "s2");
  const ServerId s3 = server_called(cluster, "s3");
  view.health.failed_gpus = {{s1, 1}, {s3, 0}};
  view.health.servers[s2] = ServerHealth::Drained;
  view.occupancy.hold(view.occupancy.add_job("j"), {s3, 1});
  CHECK(view.usable_gpus(s1) == std::vector{0});
  CHECK(view.usable_gpus(s2).empty());
  CHECK(view.usable_gpus(s3).empty());
  for (const ServerId server : cluster.server_ids())
    CHECK(static_cast<std::size_t>(view.usable_gpu_count(server)) ==
          view.usable_gpus(server).size());
  CHECK(view.health.has_failed({s1, 1}));
  CHECK(!view.health.has_failed({s1, 0}));
}

TEST_CASE("a gpu that is held or on a drained server works, one of a server that is down does not",
          "[topology]") {
  const Cluster cluster = two_zones();
  ClusterView view(cluster);
  const ServerId s1 = server_called(cluster, "s1");
  view.health.failed_gpus = {{s1, 0}};
  view.occupancy.hold(view.occupancy.add_job("j"), {s1, 1});
  CHECK(view.working_gpu_count(s1) == 1);
  view.health.servers[s1] = ServerHealth::Drained;
  CHECK(view.working_gpu_count(s1) == 1);
  view.health.servers[s1] = ServerHealth::Down;
  CHECK(view.working_gpu_count(s1) == 0);
}

TEST_CASE("a gpu that is held is held by nobody else, nor once more", "[topology]") {
  const Cluster cluster = two_zones();
  ClusterView view(cluster);
  const JobId job = view.occupancy.add_job("j");
  const GpuId gpu{server_called(cluster, "s2"), 0};
  view.occupancy.hold(job, gpu);
  CHECK_THROWS_AS(view.occupancy.hold(view.occupancy.add_job("k"), gpu), InputError);
  CHECK_THROWS_AS(view.occupancy.hold(job, gpu), InputError);
  view.occupancy.release(gpu);
  CHECK(!view.occupancy.holder(gpu));
}
