#include <array>

#include "scheduler/report/sample.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;

TEST_CASE("a hostfile names the servers in the order of the ranks, with how many each takes",
          "[report]") {
  const Sample sample(sketch(kFourServers), job_of(2, {{0, 1, 1}}), "b1 a2");
  CHECK(write_hostfile(*sample.sketch.cluster, sample.report.placement) ==
        "b1 slots=8\na2 slots=8\n");
}

TEST_CASE("places that follow each other on a server are one line of a hostfile", "[report]") {
  const Sample sample(sketch(kFourServers), job_of(2, {{0, 1, 1}}), "b1 a2");
  Placement placement = sample.report.placement;
  const ServerId b1 = placement.servers[0];
  const ServerId a2 = placement.servers[1];
  placement.servers = {b1, b1, a2, b1};
  placement.gpus = {{b1, 0}, {b1, 1}, {b1, 2}, {b1, 3}, {a2, 0}, {a2, 1}, {b1, 4}, {b1, 5}};
  CHECK(write_hostfile(*sample.sketch.cluster, placement) ==
        "b1 slots=4\na2 slots=2\nb1 slots=2\n");
}

TEST_CASE("a rankfile has a line for every rank, with the index of its GPU as slot", "[report]") {
  Job job = job_of(1, {});
  job.ranks_per_server = 8;
  const Sample sample(sketch(kFourServers), std::move(job), "c2");
  CHECK(write_rankfile(*sample.sketch.cluster, sample.report.placement) ==
        "rank 0=c2 slot=0\nrank 1=c2 slot=1\nrank 2=c2 slot=2\nrank 3=c2 slot=3\n"
        "rank 4=c2 slot=4\nrank 5=c2 slot=5\nrank 6=c2 slot=6\nrank 7=c2 slot=7\n");
}

TEST_CASE("Slurm gets one entry for every task, in task order", "[report]") {
  const Sample sample(sketch(kFourServers), job_of(2, {{0, 1, 1}}), "b1 a2");
  CHECK(write_slurm_options(*sample.sketch.cluster, sample.report.placement) ==
        "--nodelist=b1,b1,b1,b1,b1,b1,b1,b1,a2,a2,a2,a2,a2,a2,a2,a2 "
        "--distribution=arbitrary\n");
}

TEST_CASE("a name that means something to a shell or a launcher is refused", "[report]") {
  for (const char* name : {"a b", "a;reboot", "$(id)", "n[1-4]", "a,b", "-x", "a\nb", "a'b"}) {
    INFO(name);
    ClusterBuilder builder("hostile", {"zone", "rack"});
    builder.add_server(std::array<std::string, 2>{"a", "r"}, name, 8);
    const Cluster cluster = builder.build();
    Placement placement;
    placement.servers = {ServerId{0}};
    placement.gpus = {GpuId{ServerId{0}, 0}};
    CHECK_THROWS_AS(write_hostfile(cluster, placement), InputError);
    CHECK_THROWS_AS(write_rankfile(cluster, placement), InputError);
    CHECK_THROWS_AS(write_slurm_options(cluster, placement), InputError);
  }
}
