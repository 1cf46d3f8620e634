#include "zonecut/scheduler/given_order.hpp"

#include "support/catch.hpp"
#include "support/sketch.hpp"

using namespace zonecut;

namespace {

constexpr const char* kTwoRacks = "a: r1[s1 s2 s3] r2[s4 s5 s6]";

/// A job that holds so many GPUs of each of these servers.
JobId hold(const Sketch& cluster, const char* name, const char* servers, int gpus) {
  Occupancy& occupancy = cluster.view->occupancy;
  const JobId job = occupancy.add_job(name);
  for (const ServerId server : cluster.servers(servers)) {
    for (int gpu = 0, left = gpus; gpu < 8 && left > 0; ++gpu) {
      if (occupancy.holder({server, gpu})) continue;
      occupancy.hold(job, {server, gpu});
      --left;
    }
  }
  return job;
}

}  // namespace

TEST_CASE("the job on some servers holds most of them, then most GPUs", "[scheduler]") {
  const Sketch cluster = sketch(kTwoRacks);
  CHECK_FALSE(job_on(*cluster.view, cluster.servers("s1 s2")));
  const JobId wide = hold(cluster, "wide", "s1 s2 s3", 2);
  const JobId deep = hold(cluster, "deep", "s1 s2", 4);
  CHECK(job_on(*cluster.view, cluster.servers("s1 s2 s3")) == wide);
  CHECK(job_on(*cluster.view, cluster.servers("s1 s2 s2 s2")) == deep);
  CHECK(job_on(*cluster.view, cluster.servers("s3 s4")) == wide);
  CHECK_FALSE(job_on(*cluster.view, cluster.servers("s4")));
}

TEST_CASE("a job of another name has the order only where it leaves no room", "[scheduler]") {
  const Sketch cluster = sketch(kTwoRacks);
  const JobId other = hold(cluster, "other", "s1 s2", 4);
  const auto servers = cluster.servers("s1 s2");
  CHECK(job_with_order(*cluster.view, {"other", servers, 4}) == other);
  CHECK_FALSE(job_with_order(*cluster.view, {"mine", servers, 4}));
  CHECK(job_with_order(*cluster.view, {"mine", servers, 5}) == other);
  // Twice on a server takes twice as many.
  const auto twice = cluster.servers("s1 s1 s2");
  CHECK(job_with_order(*cluster.view, {"mine", twice, 4}) == other);
  CHECK_FALSE(job_with_order(*cluster.view, {"mine", twice, 2}));
}

TEST_CASE("what a given order has is what others leave, and servers that it needs are cleared",
          "[scheduler]") {
  const Sketch cluster = sketch(kTwoRacks);
  hold(cluster, "mine", "s1 s2", 8);
  const JobId small = hold(cluster, "small", "s3", 2);
  hold(cluster, "large", "s4 s5", 6);
  const auto servers = cluster.servers("s1 s2 s3 s5");
  const OrderView left = view_for_order(*cluster.view, {"mine", servers, 4});
  CHECK(left.taken == cluster.servers("s5"));
  CHECK(left.view.usable_gpu_count(cluster.server("s1")) == 8);
  CHECK(left.view.usable_gpu_count(cluster.server("s3")) == 6);
  CHECK(left.view.occupancy.held(small).size() == 2);
  CHECK(left.view.usable_gpu_count(cluster.server("s4")) == 2);
  CHECK(left.view.usable_gpu_count(cluster.server("s5")) == 8);
  // As it was.
  CHECK(cluster.view->usable_gpu_count(cluster.server("s1")) == 0);
}

TEST_CASE("servers of an order count as well though they are not", "[scheduler]") {
  const Sketch cluster = sketch("a: r1[s1! s2~ s3] r2[s4! s5]");
  cluster.view->health.failed_gpus = {{cluster.server("s3"), 1}, {cluster.server("s5"), 2}};
  const ClusterView well = well_on(*cluster.view, cluster.servers("s1 s2 s3"));
  for (const char* name : {"s1", "s2", "s3"}) {
    CHECK(well.usable_gpu_count(cluster.server(name)) == 8);
  }
  CHECK(well.usable_gpu_count(cluster.server("s4")) == 0);
  CHECK(well.usable_gpu_count(cluster.server("s5")) == 7);
}
