#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;

namespace {

/// Zones a and b of four racks with two servers each, gpu01 to gpu16; two planes.
const Cluster& small_cluster() {
  static const Cluster cluster = parse_cluster(
      "format: cluster/v1\nname: small\nbackend: {planes: 2}\ndomains:\n"
      "  - {zone: 'zone-a,zone-b', rack: 'r[1-4]', servers: 'gpu[01-16]'}\n",
      "c.yaml");
  return cluster;
}

ClusterView state(const std::string& text) {
  return parse_state(small_cluster(), "format: state/v1\n" + text, "s.yaml");
}

std::string complaints(const std::string& text) {
  try {
    static_cast<void>(state(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

ServerId server(std::string_view name) { return small_cluster().find_server(name).value(); }

std::size_t wholly_held(const ClusterView& view, std::string_view job) {
  const auto id = view.occupancy.find_job(job).value();
  std::size_t held = 0;
  for (std::size_t i = 0; i < small_cluster().server_count(); ++i) {
    bool all = true;
    for (int gpu = 0; gpu < 8; ++gpu) all = all && view.occupancy.holder({ServerId{i}, gpu}) == id;
    held += all ? 1 : 0;
  }
  return held;
}

}  // namespace

TEST_CASE("an empty state is a free and healthy cluster", "[topology]") {
  const ClusterView view = state("");
  CHECK(view.occupancy.job_count() == 0);
  CHECK(view.usable_gpu_count(server("gpu16")) == 8);
  CHECK(write_state(view) == "format: state/v1\n");
}

TEST_CASE("jobs hold servers, single GPUs and domains", "[topology]") {
  const ClusterView view = state(R"(
jobs:
  - name: llama
    servers: gpu[01-03]
  - name: notebook
    gpus: {gpu04: [0, 2], "gpu[05-06]": 7}
  - name: batch
    domains: [zone-b/r1, zone-b/r4]
    servers: [gpu11, "gpu[13-14]"]
  - name: waiting
)");
  REQUIRE(view.occupancy.job_count() == 4);
  CHECK(wholly_held(view, "llama") == 3);
  CHECK(view.usable_gpus(server("gpu04")) == std::vector<int>{1, 3, 4, 5, 6, 7});
  CHECK(view.usable_gpu_count(server("gpu06")) == 7);
  CHECK(wholly_held(view, "batch") == 7);
  CHECK(view.occupancy.holder({server("gpu09"), 0}) == view.occupancy.find_job("batch"));
  CHECK(view.usable_gpu_count(server("gpu12")) == 8);
  CHECK(wholly_held(view, "waiting") == 0);
}

TEST_CASE("a job may say how long it still runs", "[topology]") {
  const ClusterView view =
      state("jobs: [{name: a, servers: gpu01}, {name: b, servers: gpu02, ends_in: 1.5h}]");
  CHECK(view.ends == std::vector<JobEnd>{{JobId{1}, Seconds{5400}}});
  for (const char* wrong : {"0s", "-1h", "5", "soon", "[1h]", "2e9s"}) {
    INFO(wrong);
    CHECK(complaints(fmt::format("jobs: [{{name: a, ends_in: {}}}]", wrong)) ==
          "s.yaml:2:27: expected how long the job still runs, up to 1e9s (such as 36h)");
  }
}

TEST_CASE("health names servers, GPUs, switches and links", "[topology]") {
  const ClusterView view = state(R"(
health:
  down: gpu01
  drained: gpu[02-03]
  failed_gpus: {gpu04: [7, 3], gpu05: 0}
  failed_switches: [zone-a/CTSW-2, zone-b/r1/p2/RTSW-1, p2/ATSW-4]
  links:
    - {between: [zone-a/CTSW-3, ATSW-1], remaining: 100Gbps}
    - {between: [zone-a/r1/p2/RTSW-1, gpu01], remaining: down}
)");
  const Health& health = view.health;
  CHECK(health.servers[server("gpu01")] == ServerHealth::Down);
  CHECK(health.servers[server("gpu03")] == ServerHealth::Drained);
  CHECK(health.servers[server("gpu04")] == ServerHealth::Up);
  CHECK(health.failed_gpus ==
        std::vector<GpuId>{{server("gpu04"), 3}, {server("gpu04"), 7}, {server("gpu05"), 0}});
  const DomainId zone_a = small_cluster().find_domain("zone-a").value();
  const DomainId rack = small_cluster().find_domain("zone-a/r1").value();
  const DomainId other_rack = small_cluster().find_domain("zone-b/r1").value();
  CHECK(health.failed_switches ==
        std::vector<SwitchRef>{{Cluster::root(), 1, 3}, {zone_a, 0, 1}, {other_rack, 1, 0}});
  REQUIRE(health.link_faults.size() == 2);
  CHECK(health.link_faults[0] == LinkFault{SwitchRef{zone_a, 0, 2},
                                           {Cluster::root(), 0, 0},
                                           BytesPerSecond{12'500'000'000}});
  CHECK(health.link_faults[1] == LinkFault{server("gpu01"), {rack, 1, 0}, std::nullopt});
}

TEST_CASE("a random hold takes its share of what is free and healthy, again and again the same",
          "[topology]") {
  const std::string text =
      "jobs:\n  - {name: first, servers: 'gpu[01-04]'}\n"
      "  - {name: noise, random: {servers: 50%, seed: 7}}\n"
      "  - {name: crumbs, random: {gpus: 3}}\n"
      "health: {down: gpu05, failed_gpus: {gpu06: 1}}\n";
  const ClusterView view = state(text);
  CHECK(wholly_held(view, "noise") == 5);  // half of gpu07 to gpu16
  CHECK_FALSE(view.occupancy.holder({server("gpu05"), 0}));
  CHECK_FALSE(view.occupancy.holder({server("gpu06"), 1}));
  CHECK(state(text).occupancy == view.occupancy);
  const auto seed_at = text.find("seed: 7");
  std::string other = text;
  other.replace(seed_at, 7, "seed: 8");
  CHECK_FALSE(state(other).occupancy == view.occupancy);

  std::size_t crumbs = 0;
  for (std::size_t i = 0; i < small_cluster().server_count(); ++i) {
    for (int gpu = 0; gpu < 8; ++gpu)
      crumbs += view.occupancy.holder({ServerId{i}, gpu}) == view.occupancy.find_job("crumbs");
  }
  CHECK(crumbs == 3);
}

TEST_CASE("a GPU that two jobs hold is reported with both", "[topology]") {
  CHECK(complaints("jobs:\n  - {name: a, servers: 'gpu[01-02]'}\n"
                   "  - {name: b, servers: gpu02}\n  - {name: c, gpus: {gpu01: [3]}}\n"
                   "  - {name: d, domains: zone-a/r1}\n  - {name: e, servers: [gpu09, gpu09]}\n") ==
        "s.yaml:4:24: job b cannot hold server gpu02: job a holds GPU 0 of it\n"
        "s.yaml:5:30: job c cannot hold GPU 3 of server gpu01: job a holds it\n"
        "s.yaml:6:24: job d cannot hold server gpu01: job a holds GPU 0 of it\n"
        "s.yaml:6:24: job d cannot hold server gpu02: job a holds GPU 0 of it\n"
        "s.yaml:7:32: job e names server gpu09 twice");
}

TEST_CASE("all mistakes of a state file are reported at once, each at its place", "[topology]") {
  CHECK(complaints(R"(jbos: []
jobs:
  - {servers: gpu01}
  - {name: a, servers: gpu17}
  - {name: a}
  - {name: b, domains: [r1, zone-c]}
  - {name: c, gpus: {gpu01: 8}}
  - {name: d, random: {servers: 120%}}
  - {name: e, random: {}}
health:
  down: gpu[01-02]
  drained: gpu02
  failed_switches: [zone-a/CTSW-9, zone-a/p3/CTSW-1]
  links:
    - {between: [zone-a/CTSW-1, zone-b/CTSW-1], remaining: down}
    - {between: [gpu01, zone-a/r2/RTSW-1], remaining: 5}
    - {between: [ATSW-1, p2/zone-a/CTSW-1], remaining: down}
)") ==
        R"(s.yaml:2:1: unknown key "jbos" (did you mean "jobs"?)
s.yaml:4:5: the key "name" is missing
s.yaml:5:24: there is no server "gpu17" in cluster small (its servers have names such as gpu01)
s.yaml:6:12: there are two jobs called "a"
s.yaml:7:25: several domains are called "r1" (write the path, such as zone-a/r3)
s.yaml:7:29: there is no domain "zone-c" in cluster small (write the path, such as zone-a/r3)
s.yaml:8:29: there is no GPU 8 in server gpu01, which has 8, numbered from 0
s.yaml:9:33: expected a percentage, or a number up to the 14 free servers (such as 50%)
s.yaml:10:23: expected either "servers" or "gpus" (such as {servers: 50%})
s.yaml:13:12: server gpu02 is listed twice in the section health, first in line 12
s.yaml:14:21: there is no switch "zone-a/CTSW-9" in the backend (switches are called like zone-a/CTSW-1, those of the cluster like ATSW-1)
s.yaml:14:36: there is no switch "zone-a/p3/CTSW-1" in the backend (switches are called like zone-a/CTSW-1, those of the cluster like ATSW-1)
s.yaml:16:17: these two are not joined by a link (a server is joined to the switches of its rack, a switch to those one level above)
s.yaml:17:17: these two are not joined by a link (a server is joined to the switches of its rack, a switch to those one level above)
s.yaml:17:55: found "5", expected a bandwidth with its unit (such as 400Gbps or 50GB/s)
s.yaml:18:26: "p2/zone-a/CTSW-1" is neither a server nor a switch of the backend (switches are called like zone-a/CTSW-1, those of the cluster like ATSW-1))");
}

TEST_CASE("a short state file cannot ask for long work", "[topology]") {
  std::string text = "jobs:\n";
  for (int i = 0; i < 200; ++i)
    text += fmt::format("  - {{name: j{}, random: {{servers: 0%}}}}\n", i);
  CHECK(complaints(text).find("more than 100 random holds") != std::string::npos);
  CHECK(complaints("jobs: [{name: a, servers: 'x[1-1000000]'}]").find("more than 16 names") !=
        std::string::npos);
  CHECK(complaints("jobs: [{name: a, servers: ['gpu[01-16]', 'gpu[01-16]']}]")
            .find("more servers are named than cluster small has room for") != std::string::npos);
  // A server holds several servers' worths of ranks where these are few.
  const auto order_of = [](std::size_t servers) {
    std::string job = "jobs: [{name: a, servers: [gpu01], traffic: {job: x, order: [gpu01";
    for (std::size_t i = 1; i < servers; ++i) job += ", gpu01";
    return job + "]}}]";
  };
  CHECK(complaints(order_of(128)).find("more servers are named") == std::string::npos);
  CHECK(complaints(order_of(129)).find("more servers are named") != std::string::npos);
  std::string many = "jobs: [{name: a, gpus: {'gpu[01-16]': [0";
  for (int i = 0; i < 100; ++i) many += ", 0";
  CHECK(complaints(many + "]}}]").find("more GPUs are named") != std::string::npos);
}

namespace {

/// Holds and faults drawn on the given cluster.
ClusterView any_view(const Cluster& cluster, std::uint64_t seed) {
  Random random(seed);
  ClusterView view(cluster);
  const std::size_t jobs = random.below(4);
  for (std::size_t i = 0; i < jobs; ++i)
    view.occupancy.add_job(i == 2 ? "job: [odd], \"2\"" : fmt::format("{}", i));
  for (std::size_t i = 0; i < jobs; ++i) {
    if (random.below(2) == 0)
      view.ends.push_back({JobId{i}, Seconds{static_cast<double>(1 + random.below(1'000'000))}});
  }
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    const ServerId id{i};
    const bool is_whole = random.below(2) == 0;
    const JobId holder{random.below(4)};
    for (int gpu = 0; gpu < cluster.server(id).gpus; ++gpu) {
      const JobId job = is_whole ? holder : JobId{random.below(6)};
      if (job.index() < jobs) view.occupancy.hold(job, {id, gpu});
      if (random.below(20) == 0) view.health.failed_gpus.push_back({id, gpu});
    }
    if (random.below(6) == 0) view.health.servers[id] = ServerHealth::Down;
    if (random.below(6) == 0) view.health.servers[id] = ServerHealth::Drained;
    if (random.below(8) == 0)
      view.health.link_faults.push_back(
          {id, {cluster.server(id).rack, static_cast<int>(random.below(2)), 0}, std::nullopt});
  }
  for (std::size_t i = 1; i < cluster.domain_count(); ++i) {
    if (random.below(5) != 0) continue;
    const SwitchRef place{DomainId{i}, static_cast<int>(random.below(2)), 0};
    view.health.failed_switches.push_back(place);
    const SwitchRef above{*cluster.domain(DomainId{i}).parent, place.plane, 3};
    view.health.link_faults.push_back(
        {place, above, BytesPerSecond{static_cast<std::int64_t>(random.below(1'000'000'000))}});
  }
  return view;
}

}  // namespace

TEST_CASE("any state that is written reads back the same", "[topology][property]") {
  const Cluster odd = parse_cluster(
      "format: cluster/v1\nbackend: {planes: 2}\ndomains:\n"
      "  - zone: {name: 'odd, [z]'}\n    rack: r[1-3]\n"
      "    servers: [{name: 'gpu[1-2]'}, gpu1, {name: 'a, b'}, 'gpu[2-10]']\n"
      "  - {zone: p2, rack: 'r[1-3]', servers: 3, gpus: 4}\n",
      "c.yaml");
  CHECK(rc::check([&] {
    const Cluster& cluster = *rc::gen::arbitrary<bool>() ? small_cluster() : odd;
    const ClusterView view = any_view(cluster, *rc::gen::arbitrary<std::uint64_t>());
    const std::string text = write_state(view);
    RC_LOG() << text;
    const ClusterView again = parse_state(cluster, text, "written");
    RC_ASSERT(again.occupancy == view.occupancy);
    RC_ASSERT(again.health == view.health);
    RC_ASSERT(again.ends == view.ends);
  }));
}

TEST_CASE("what a state file says twice, or beyond the cluster, is refused with both lines",
          "[topology]") {
  const std::string found = complaints(R"(health:
  down: gpu01
  drained: [gpu01]
  failed_switches: [ATSW-1]
  failed_gpus: {gpu02: [0, 0]}
  links:
    - {between: [zone-a/CTSW-2, ATSW-1], remaining: 900Gbps}
    - {between: [ATSW-1, zone-a/CTSW-2], remaining: down}
)");
  CHECK(found.find("s.yaml:4:13: server gpu01 is listed twice in the section health, first in "
                   "line 3") != std::string::npos);
  CHECK(found.find("s.yaml:6:28: GPU 0 of server gpu02 is named twice") != std::string::npos);
  CHECK(found.find("s.yaml:8:53: 900 Gbps remaining, but undamaged this link carries") !=
        std::string::npos);
  CHECK(found.find("s.yaml:9:7: this link is given twice, first in line 8") != std::string::npos);
  CHECK(complaints("health:\n  failed_switches:\n    - ATSW-1\n    - ATSW-1\n") ==
        "s.yaml:5:7: the switch ATSW-1 is named twice, first in line 4");
}

TEST_CASE("a repeated key hides no other mistake of a state file", "[topology]") {
  const std::string found = complaints("jobs: []\njobs: []\nhealth: {down: nobody}\n");
  CHECK(found.find("s.yaml:3:1: the key \"jobs\" is given twice") != std::string::npos);
  CHECK(found.find("s.yaml:4:16: there is no server \"nobody\"") != std::string::npos);
}

TEST_CASE("a job's name is of one line", "[topology]") {
  CHECK(complaints("jobs:\n  - {name: \"a\\nb\", servers: gpu01}\n") ==
        "s.yaml:3:12: found the control character 0x0A in \"name\", expected a name of one line");
}

TEST_CASE("of a list the entry that is wrong has its place", "[topology]") {
  CHECK(complaints(R"(jobs:
  - name: a
    servers: [gpu01]
    traffic:
      job: tp=8
      order:
        - gpu01
        - gpu02
health:
  down:
    - gpu03
    - gpu04
    - gpu03
)") == "s.yaml:9:11: job a sends from server gpu02, of which it holds no GPU\n"
       "s.yaml:14:7: server gpu03 is listed twice in the section health, first in line 12");
}
