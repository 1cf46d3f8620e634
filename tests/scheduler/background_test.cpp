// Two jobs on one link: what they take from each other, and a placement that keeps away.
#include "zonecut/scheduler/background.hpp"

#include <set>

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/scheduler/engine.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

/// Four zones of one rack; NICs and the links up from a zone carry 1 GB/s.
struct World {
  Cluster cluster = drawn_cluster(
      "a: r[a1 a2 a3 a4] b: r[b1 b2 b3 b4] c: r[c1 c2 c3 c4] d: r[d1 d2 d3 d4]", spec());
  Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));

  static FabricSpec spec() {
    FabricSpec spec;
    spec.nics_per_server = 1;
    spec.nic_bandwidth = {kGB};
    spec.tiers = {
        {"ATSW", 1, 0, {kGB}, 0, {}}, {"CTSW", 1, 1, {kGB}, 0, {}}, {"RTSW", 1, 4, {kGB}, 0, {}}};
    return spec;
  }
  [[nodiscard]] std::vector<ServerId> servers(const std::vector<std::string>& names) const {
    std::vector<ServerId> found;
    for (const std::string& name : names) found.push_back(cluster.find_server(name).value());
    return found;
  }
  [[nodiscard]] RunningTraffic running(const std::string& collective,
                                       const std::vector<std::string>& names,
                                       std::optional<Seconds> iteration = std::nullopt) const {
    return {"other", traffic_of(job(collective), 1), servers(names), iteration};
  }
  [[nodiscard]] static Job job(const std::string& collective) {
    return parse_job_file("gpus: 4\nranks_per_server: 1\ncollectives:\n  - {name: x, ranks: 0-3, " +
                              collective + "}\n",
                          "job.yaml")
        .job;
  }
  [[nodiscard]] Prediction beside(const std::string& collective,
                                  const std::vector<std::string>& names,
                                  const RunningTraffic& other, const Routing& routing = {}) const {
    const Background background(fabric, {other}, routing);
    return predict(fabric, traffic_of(job(collective), 1), servers(names), routing, background);
  }
};

const std::string kRing = "kind: all-reduce, bytes: 2GB";  // 3 GB over each hop
const std::vector<std::string> kFirst = {"a1", "a2", "b1", "b2"};
const std::vector<std::string> kSecond = {"a3", "a4", "b3", "b4"};
const std::vector<std::string> kElsewhere = {"c3", "c4", "d3", "d4"};

}  // namespace

TEST_CASE("two rings on one link between zones share it", "[background]") {
  const World world;
  const RunningTraffic other = world.running(kRing, kFirst);
  for (const RoutingScheme scheme :
       {RoutingScheme::Ideal, RoutingScheme::Ecmp, RoutingScheme::Engineered}) {
    const Prediction p = world.beside(kRing, kSecond, other, {scheme});
    CHECK(p.communication.count == Approx(6));
    CHECK(p.undisturbed.count == Approx(3));
    CHECK(p.phases.front().binding->time.count == Approx(6));
    CHECK(world.beside(kRing, kElsewhere, other, {scheme}).communication.count == Approx(3));
  }
}

TEST_CASE("a job that computes most of the time takes little", "[background]") {
  const World world;
  // 3 s of 12: half of the link, a quarter of the time.
  const RunningTraffic other = world.running(kRing, kFirst, Seconds{12});
  CHECK(world.beside(kRing, kSecond, other).communication.count == Approx(3 / 0.875));
}

TEST_CASE("a job that waits for another link leaves more than half", "[background]") {
  const World world;
  // One rank sends 3 GB within its zone and 1 GB out of it: the link up is busy a quarter of the
  // time, or at a quarter of its rate.
  const Job uneven =
      parse_job_file("gpus: 3\nranks_per_server: 1\nmatrix: [[0, 1, 3GB], [0, 2, 1GB]]\n",
                     "job.yaml")
          .job;
  const RunningTraffic other{"other", traffic_of(uneven, 1), world.servers({"a1", "a2", "b1"}),
                             std::nullopt};
  CHECK(world.beside(kRing, kSecond, other).communication.count == Approx(3 / 0.75));
}

TEST_CASE("a job that failures have cut off sends nothing", "[background]") {
  World world;
  Health health(world.cluster);
  health.failed_switches.push_back({*world.cluster.find_domain("a"), 0, 0});
  world.fabric = Fabric::build(world.cluster, world.cluster.backend(), health);
  const Background background(world.fabric, {world.running(kRing, kFirst)}, {});
  CHECK(background.empty());
}

TEST_CASE("steps of a pairwise exchange share a link each with its own flows", "[background]") {
  const World world;
  const RunningTraffic other = world.running(kRing, kFirst);
  // 1 GB to each: one flow up, two, one; beside one flow of the ring.
  const std::string exchange = "kind: all-to-all, algorithm: pairwise, bytes: 4GB";
  CHECK(world.beside(exchange, kSecond, other).communication.count ==
        Approx(1 * 2 + 2 * 1.5 + 1 * 2));
  // The other way round: in the mean 4/3 flows of the exchange are under way.
  CHECK(world.beside(kRing, kSecond, world.running(exchange, kFirst)).communication.count ==
        Approx(3 * (1 + 4 / 3.0)));
}

TEST_CASE("what a job does to another is what the other would do to it", "[background]") {
  const World world;
  const RunningTraffic first = world.running(kRing, kFirst);
  const RunningTraffic second = world.running(kRing, kSecond);
  const Background background(world.fabric, {first}, {});
  const auto disturbed = disturbances(world.fabric, second, background, {});
  REQUIRE(disturbed.size() == 1);
  CHECK(disturbed.front().job == "other");
  CHECK(disturbed.front().alone.count == Approx(3));
  CHECK(disturbed.front().beside.count == Approx(6));
}

TEST_CASE("a placement keeps away from links that another job uses", "[background]") {
  const World world;
  const ClusterView view = parse_state(
      world.cluster,
      "format: state/v1\njobs:\n  - name: others\n    servers: [a1, a2, b1, b2, c1, c2, d1, d2]\n"
      "    gpus: {'a[3-4],b[3-4],c[3-4],d[3-4]': [1, 2, 3, 4, 5, 6, 7]}\n",
      "state.yaml");
  const Job job = World::job(kRing);
  const auto placed = [](const PlacementProblem& problem) {
    return std::get<Placement>(place(problem, {}, {}));
  };
  // Two servers of each of two zones, whichever; another job runs in just these zones.
  const Placement blind = placed(pose(view, world.fabric, job, {}));
  std::set<char> zones;
  for (const ServerId server : blind.servers) zones.insert(world.cluster.server(server).name[0]);
  REQUIRE(zones.size() == 2);
  std::vector<std::string> there;
  for (const char zone : zones) {
    for (const char number : {'1', '2'}) there.push_back({zone, number});
  }
  const PlacementProblem aware =
      pose(view, world.fabric, job, {}, {.beside = {world.running(kRing, there)}});
  CHECK(evaluate(aware, blind.servers, "").prediction.communication.count == Approx(6));
  const Placement seeing = placed(aware);
  CHECK(seeing.prediction.communication.count == Approx(3));
  CHECK(seeing.prediction.undisturbed.count == Approx(3));
  CHECK(seeing.disturbed.front().beside == seeing.disturbed.front().alone);
}

TEST_CASE("a state's traffic is read, written and refused with its place", "[background]") {
  const World world;
  const auto read = [&](const std::string& traffic) {
    return parse_state(
        world.cluster,
        "format: state/v1\njobs:\n  - name: x\n    servers: [a2, a1]\n    traffic: " + traffic +
            "\n",
        "state.yaml");
  };
  const ClusterView view = read("{job: 'dp=2', iteration: 1500ms}");
  CHECK(view.running.front().order == world.servers({"a2", "a1"}));
  CHECK(view.running.front().iteration->count == Approx(1.5));
  const ClusterView again = parse_state(world.cluster, write_state(view), "again.yaml");
  CHECK(again.running.front().order == view.running.front().order);
  CHECK(again.running.front().work == "dp=2");
  CHECK(again.running.front().iteration->count == Approx(1.5));
  CHECK_THROWS_AS(read("{job: 'dp=2', order: [a1, a3]}"), InputError);
  CHECK_THROWS_AS(read("{order: [a1]}"), InputError);
  CHECK_THROWS_AS(read("{job: 'dp=2', iteration: soon}"), InputError);
  CHECK_THROWS_AS(running_traffic(view, view.running.front(), World::job(kRing)), InputError);
}

TEST_CASE("serving takes a second where a state says no iteration, training takes all the time",
          "[background]") {
  const World world;
  const auto running = [&](const std::string& traffic, const std::string& text) {
    const ClusterView view = parse_state(world.cluster,
                                         "format: state/v1\njobs:\n  - name: x\n    servers: "
                                         "[a1, a2, b1, b2]\n    traffic: " +
                                             traffic + "\n",
                                         "state.yaml");
    return running_traffic(view, view.running.front(), parse_job_file(text, "job.yaml").job);
  };
  const std::string serving =
      "model: llama3-8b\nranks_per_server: 1\ninference: {prefill_replicas: 2, prefill_tp: 1, "
      "decode_replicas: 2, decode_tp: 1, requests_per_second: 1}\n";
  const RunningTraffic served = running("{job: x.yaml}", serving);
  REQUIRE(served.iteration);
  CHECK(served.iteration->count == Approx(1));
  CHECK(served.served);
  CHECK(running("{job: x.yaml, iteration: 3s}", serving).iteration->count == Approx(3));
  const std::string ring =
      "gpus: 4\nranks_per_server: 1\ncollectives:\n  - {name: x, ranks: 0-3, " + kRing + "}\n";
  CHECK_FALSE(running("{job: x.yaml}", ring).iteration);
  CHECK_FALSE(running("{job: x.yaml}", ring).served);
  const Footprint footprint = footprint_of(world.fabric, served, {});
  REQUIRE_FALSE(footprint.shares.empty());
  for (const Footprint::Share& share : footprint.shares) CHECK(share.active < 1);
}

TEST_CASE("rounds of one flow share links as one flow, however they are routed", "[background]") {
  const World world;
  const RunningTraffic other = world.running(kRing, kFirst);
  for (const std::string work : {"kind: all-to-all, algorithm: pairwise, bytes: 1GB",
                                 "kind: pipeline, bytes: 1GB, times: 4"}) {
    const Prediction ideal = world.beside(work, kSecond, other);
    REQUIRE(ideal.communication > ideal.undisturbed);
    std::vector<Routing> routings = {
        {RoutingScheme::Ecmp}, {RoutingScheme::Pinned}, {RoutingScheme::Engineered}};
    routings.push_back({RoutingScheme::Ecmp, 1, 1});
    for (const Routing& routing : routings) {
      INFO(work << ", " << describe(routing));
      CHECK(world.beside(work, kSecond, other, routing).communication.count ==
            Approx(ideal.communication.count));
    }
  }
}

TEST_CASE("jobs added one by one take what they take together, and nothing once removed",
          "[background]") {
  const World world;
  const RunningTraffic first = world.running(kRing, kFirst, Seconds{12});
  const RunningTraffic second = world.running("kind: all-to-all, bytes: 1GB", kSecond, Seconds{30});
  const RunningTraffic third = world.running(kRing, kElsewhere, Seconds{4});
  const auto left = [&](const Background& background) {
    std::vector<double> shares;
    for (std::size_t bundle = 0;
         bundle < 2 * (world.cluster.server_count() + world.cluster.domain_count()); ++bundle) {
      shares.push_back(background.left_to(3, bundle));
      shares.push_back(background.taken(bundle));
    }
    return shares;
  };
  const Background together(world.fabric, {first, second, third}, {});
  Background one_by_one;
  for (const RunningTraffic& job : {first, second, third})
    CHECK(one_by_one.add(world.fabric, job, {}));
  CHECK(left(one_by_one) == left(together));

  one_by_one.remove(1);
  CHECK(left(one_by_one) == left(Background(world.fabric, {first, third}, {})));
  REQUIRE(one_by_one.jobs().size() == 2);
  CHECK(one_by_one.jobs()[1]->servers == third.servers);
  one_by_one.remove(0);
  one_by_one.remove(0);
  CHECK(one_by_one.empty());
  CHECK(left(one_by_one) == left(Background()));
}
