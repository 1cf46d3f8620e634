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

TEST_CASE("a job that holds other GPUs, too, has the order by its name alone", "[scheduler]") {
  const Sketch cluster = sketch(kTwoRacks);
  const JobId wide = hold(cluster, "wide", "s1 s2 s3", 8);
  const JobId mine = hold(cluster, "mine", "s4", 8);
  const auto servers = cluster.servers("s1 s2");
  CHECK_FALSE(job_with_order(*cluster.view, {"other", servers, 8}));
  CHECK_FALSE(job_with_order(*cluster.view, {"mine", servers, 8}));  // runs elsewhere
  CHECK(job_with_order(*cluster.view, {"wide", servers, 8}) == wide);
  CHECK_FALSE(job_with_order(*cluster.view, {"other", cluster.servers("s1 s2 s3"), 4}));
  CHECK(job_with_order(*cluster.view, {"other", cluster.servers("s1 s2 s3"), 8}) == wide);
  // Most servers are another's.
  CHECK(job_with_order(*cluster.view, {"mine", cluster.servers("s1 s2 s3 s4"), 8}) == mine);
}

TEST_CASE("holders of an order have all that it needs, and by another name no more",
          "[scheduler]") {
  const Sketch cluster = sketch(kTwoRacks);
  const ClusterView& view = *cluster.view;
  const JobId first = hold(cluster, "first", "s1 s2", 4);
  const JobId second = hold(cluster, "second", "s1 s2", 4);
  const JobId wide = hold(cluster, "wide", "s3 s4", 8);
  const auto servers = cluster.servers("s1 s2");
  CHECK(holders_of(view, {"mine", servers, 4}) == std::vector{first, second});
  CHECK(holders_of(view, {"second", servers, 4}) == std::vector{second});
  CHECK(holders_of(view, {"mine", servers, 2}).empty());  // both hold more
  CHECK(holders_of(view, {"mine", servers, 8}).empty());  // neither holds so much
  CHECK(holders_of(view, {"mine", cluster.servers("s3 s4"), 8}) == std::vector{wide});
  CHECK(holders_of(view, {"wide", cluster.servers("s3"), 8}) == std::vector{wide});
  CHECK(holders_of(view, {"mine", cluster.servers("s3"), 8}).empty());
  const JobId half = hold(cluster, "half", "s5", 4);
  CHECK(holders_of(view, {"mine", cluster.servers("s5"), 4}).empty());  // there is room beside it
  CHECK(holders_of(view, {"half", cluster.servers("s5"), 4}) == std::vector{half});
}

TEST_CASE("a job that is kept has its own GPUs, or some of a job of unknown traffic",
          "[scheduler][keep]") {
  const Sketch cluster = sketch(kTwoRacks);
  ClusterView& view = *cluster.view;
  const JobId all = hold(cluster, "all jobs", "s1 s2 s3", 8);
  const auto servers = cluster.servers("s1 s2");
  view.health.failed_gpus = {{cluster.server("s1"), 1}};
  const auto gpus = [&](const HeldOrder& held) {
    std::string text;
    for (const GpuId gpu : held.gpus)
      text += cluster.cluster->server(gpu.server).name + ":" + std::to_string(gpu.index) + " ";
    return text;
  };
  const HeldOrder part = held_order(view, {"mine", servers, 2});
  CHECK_FALSE(part.job);
  CHECK(gpus(part) == "s1:0 s1:2 s2:0 s2:1 ");
  CHECK(held_order(view, {"all jobs", servers, 2}).job == all);
  CHECK(held_order(view, {"mine", cluster.servers("s1 s2 s3"), 8}).job == all);
  // A server of another is no part of it, unless it is down and nobody's any more.
  CHECK(held_order(view, {"mine", cluster.servers("s1 s4"), 2}).gpus.empty());
  view.health.servers[cluster.server("s4")] = ServerHealth::Down;
  CHECK(gpus(held_order(view, {"mine", cluster.servers("s2 s4"), 2})) == "s2:0 s2:1 ");
  // Of whom it is known what it sends, that is all it is.
  view.running.push_back({all, "work", cluster.servers("s1 s2 s3"), std::nullopt, {}});
  CHECK(held_order(view, {"mine", servers, 2}).gpus.empty());
  // Just what the order needs is enough, though there is room beside it.
  const JobId half = hold(cluster, "half", "s5", 4);
  CHECK_FALSE(job_with_order(view, {"mine", cluster.servers("s5"), 4}));
  CHECK(held_order(view, {"mine", cluster.servers("s5"), 4}).job == half);
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
