// What-if questions, against what the engine says of clusters that are really so.
#include "zonecut/scheduler/what_if.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

constexpr const char* kTwoZones =
    "a: r1[a1 a2] r2[a3 a4]\n"
    "b: r3[b1 b2] r4[b3 b4]";

Job ring_of(int servers, const std::string& name = "ring") {
  Job job = parse_job_text("tp=8,dp=" + std::to_string(servers) + ",model=llama3-8b");
  job.name = name;
  return job;
}

LookOptions fast_looks(std::optional<std::size_t> anew = std::nullopt) {
  LookOptions options;
  options.placement.mapping.effort = Effort::Fast;
  options.anew = anew;
  return options;
}

/// A setting with jobs that run.
struct Asked {
  explicit Asked(const Sketch& cluster, const Routing& routing = {})
      : sketch(cluster), setting(*cluster.view, routing) {}
  Asked& runs(const Job& job, std::string_view servers) {
    jobs.push_back(settle_on(setting, job, {}, sketch.servers(servers), std::nullopt));
    return *this;
  }
  [[nodiscard]] Outlook now() const { return look(setting, jobs, fast_looks()); }
  [[nodiscard]] Outlook when(std::string_view changes,
                             std::optional<std::size_t> anew = std::nullopt) const {
    return look(changed(setting, changes, "--if"), jobs, fast_looks(anew));
  }
  const Sketch& sketch;
  Setting setting;
  std::vector<SettledJob> jobs;
};

double seconds(const Outlook& outlook, std::size_t job = 0) {
  REQUIRE(outlook.jobs[job].figures);
  return outlook.jobs[job].figures->communication.count;
}

/// What predict() says of a job alone on a fabric with this health.
double predicted(const Sketch& cluster, const SettledJob& job, const FabricSpec& spec,
                 const Health& health, const Routing& routing) {
  const Fabric fabric = Fabric::build(*cluster.cluster, spec, health);
  return predict(fabric, job.running.traffic, job.running.servers, routing).communication.count;
}

SwitchRef switch_called(const Sketch& cluster, std::string_view name) {
  const auto found = find_switch(*cluster.cluster, cluster.cluster->backend(), name);
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("a failed switch costs what it costs on a fabric without it", "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  const Asked asked = Asked(cluster).runs(ring_of(4), "a1 a2 b1 b2");
  Health health(*cluster.cluster);
  const FabricSpec& spec = cluster.cluster->backend();
  CHECK(seconds(asked.now()) == predicted(cluster, asked.jobs[0], spec, health, {}));
  health.failed_switches = {switch_called(cluster, "a/CTSW-1")};
  const double without = predicted(cluster, asked.jobs[0], spec, health, {});
  CHECK(seconds(asked.when("fail=a/CTSW-1")) == without);
  CHECK(without > seconds(asked.now()));
}

TEST_CASE("a link that carries less costs what it costs on such a fabric", "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  const Asked asked = Asked(cluster).runs(ring_of(4), "a1 a2 b1 b2");
  const FabricSpec& spec = cluster.cluster->backend();
  Health health(*cluster.cluster);
  const LinkFault fault{switch_called(cluster, "a/CTSW-1"), switch_called(cluster, "ATSW-1"),
                        BytesPerSecond{1'000'000'000}};
  health.link_faults = {fault};
  CHECK(seconds(asked.when("limit=ATSW-1 > a/CTSW-1 @ 8Gbps")) ==
        predicted(cluster, asked.jobs[0], spec, health, {}));
  health.link_faults.front().remaining.reset();
  CHECK(seconds(asked.when("fail=a/CTSW-1>ATSW-1")) ==
        predicted(cluster, asked.jobs[0], spec, health, {}));
  // Of one link the last word counts.
  CHECK(seconds(asked.when("fail=a/CTSW-1>ATSW-1, mend=a/CTSW-1>ATSW-1")) == seconds(asked.now()));
}

TEST_CASE("other routing and other capacities are predicted as if built so",
          "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  const Asked asked = Asked(cluster).runs(ring_of(4), "a1 b1 a2 b2");
  const Health health(*cluster.cluster);
  FabricSpec spec = cluster.cluster->backend();
  Routing hashed;
  hashed.scheme = RoutingScheme::EnhancedEcmp;
  hashed.queue_pairs = 16;
  CHECK(seconds(asked.when("routing=e-ecmp,queue-pairs=16")) ==
        predicted(cluster, asked.jobs[0], spec, health, hashed));
  spec.tiers[1].oversubscription = 14;
  CHECK(seconds(asked.when("oversubscription=14:1")) ==
        predicted(cluster, asked.jobs[0], spec, health, {}));
  CHECK(seconds(asked.when("oversubscription=zone:14")) ==
        seconds(asked.when("oversubscription=14")));
  spec = cluster.cluster->backend();
  const int uplinks = spec.tiers[1].uplinks;
  spec.tiers[1].oversubscription = 3.5;
  spec.tiers[1].uplinks = 2 * uplinks;
  for (const Routing& routing : {Routing{}, hashed}) {
    Asked then = asked;
    then.setting.routing = routing;
    const std::string twice = "uplinks=" + std::to_string(2 * uplinks);
    CHECK(seconds(then.when(twice)) == predicted(cluster, asked.jobs[0], spec, health, routing));
    CHECK(seconds(then.when("uplinks=zone:" + std::to_string(2 * uplinks))) ==
          seconds(then.when(twice)));
    CHECK(seconds(then.when(twice)) < seconds(then.now()));
    CHECK(seconds(then.when("uplinks=" + std::to_string(uplinks))) == seconds(then.now()));
  }
  spec.tiers[1] = cluster.cluster->backend().tiers[1];
  spec.tiers[1].oversubscription = 0;  // as the cables say
  Asked counted = asked;
  counted.setting.fabric = spec;
  spec.tiers[1].uplinks = uplinks / 2;
  CHECK(seconds(counted.when("uplinks=" + std::to_string(uplinks / 2))) ==
        predicted(cluster, asked.jobs[0], spec, health, {}));
  spec = cluster.cluster->backend();
  spec.nic_bandwidth = BytesPerSecond{100'000'000'000};
  CHECK(seconds(asked.when("nic-bandwidth=800Gbps")) ==
        predicted(cluster, asked.jobs[0], spec, health, {}));
}

TEST_CASE("who runs on a server that fails or is drained moves, and nobody else",
          "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  const Asked asked =
      Asked(cluster).runs(ring_of(3, "one"), "a1 a2 a3").runs(ring_of(2, "two"), "b1 b2");
  for (const char* change : {"fail=a2", "drain=a2", "fail=a2:7"}) {
    INFO(change);
    const Outlook after = asked.when(change);
    CHECK(after.jobs[0].fate == Fate::Moves);
    CHECK(cluster.names(after.jobs[0].servers) == "a1 a4 a3");
    REQUIRE(after.jobs[0].moves.size() == 1);
    CHECK(after.jobs[0].moves[0].vertex == 1);
    CHECK(after.jobs[1].fate == Fate::Stays);
    const Harm harm = harm_of(asked.now(), after, asked.jobs);
    CHECK(harm.interrupted_gpus == 24);
    CHECK(harm.stopped_gpus == 0);
  }
}

TEST_CASE("two jobs that must move take no server twice; who finds none stops",
          "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  const Asked asked =
      Asked(cluster).runs(ring_of(3, "one"), "a1 a2 a3").runs(ring_of(3, "two"), "b1 b2 b3");
  const Outlook after = asked.when("drain=r1,drain=r3");
  // Four places are lost and two are free: the first job takes them, the second finds none.
  CHECK(after.jobs[0].fate == Fate::Moves);
  CHECK(cluster.names(after.jobs[0].servers) == "a4 b4 a3");
  CHECK(after.jobs[1].fate == Fate::Stopped);
  CHECK_FALSE(after.jobs[1].blockers.empty());
  CHECK(harm_of(asked.now(), after, asked.jobs).stopped_gpus == 24);
}

TEST_CASE("on servers that the state drains jobs stay, until these are emptied",
          "[scheduler][what-if]") {
  const Sketch cluster = sketch("a: r1[a1~ a2] r2[a3 a4]");
  const Asked asked = Asked(cluster).runs(ring_of(2), "a1 a2");
  CHECK(asked.now().jobs[0].fate == Fate::Stays);
  // What moves elsewhere leaves it where it is.
  CHECK(cluster.names(asked.when("fail=a2").jobs[0].servers) == "a1 a3");
  CHECK(asked.when("drain=a1").jobs[0].servers.front() != cluster.server("a1"));
}

TEST_CASE("a job ends, and what it sent and held is free", "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  Asked asked = Asked(cluster).runs(ring_of(2, "one"), "a1 b1").runs(ring_of(2, "two"), "a2 b2");
  const Asked alone = Asked(cluster).runs(ring_of(2, "two"), "a2 b2");
  CHECK(seconds(asked.now(), 1) > seconds(alone.now()));
  const Outlook after = asked.when("end=one");
  CHECK(after.jobs[0].fate == Fate::Ended);
  CHECK(seconds(after, 1) == seconds(alone.now()));
  CHECK(harm_of(asked.now(), after, asked.jobs).lost_gpus < 0);
  // Six servers in one zone there are not, now or then; four are there once the first has ended.
  asked.jobs.push_back(settle(asked.setting, ring_of(5, "late"), {}, asked.jobs, {}));
  CHECK(asked.jobs[2].running.servers.empty());
  CHECK(asked.now().jobs[2].fate == Fate::Stopped);
  const Outlook then = asked.when("end=one", 2);
  REQUIRE(then.anew);
  CHECK(std::holds_alternative<OrderFigures>(*then.anew));
  REQUIRE(asked.when("admission-window=none", 2).anew);
  CHECK(std::holds_alternative<NoFit>(*asked.when("admission-window=none", 2).anew));
}

TEST_CASE("a job whose zones are parted goes where it can run", "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  const Asked asked = Asked(cluster).runs(ring_of(3), "a1 a2 b1");
  std::string roof = "fail=ATSW-1";
  for (int i = 2; i <= cluster.cluster->backend().tiers[0].switches; ++i)
    roof += ",fail=ATSW-" + std::to_string(i);
  const Outlook after = asked.when(roof);
  CHECK(after.jobs[0].fate == Fate::Moves);
  CHECK(cluster.names(after.jobs[0].servers) == "a1 a2 a3");
  // Nobody must move who has nothing to send there.
  const Asked within = Asked(cluster).runs(ring_of(2), "a1 a2");
  CHECK(within.when(roof).jobs[0].fate == Fate::Stays);
  CHECK(seconds(within.when(roof)) == seconds(within.now()));
}

TEST_CASE("jobs whose constraints no single move can hold are placed anew",
          "[scheduler][what-if]") {
  const Sketch cluster = sketch("a: r1[a1 a2] r2[a3 a4]\nb: r3[b1 b2] r4[b3 b4]\nc: r5[c1 c2]");
  Asked asked(cluster);
  Constraints slices;
  slices.slices = {{1, 16}};
  asked.jobs.push_back(
      settle_on(asked.setting, ring_of(4), slices, cluster.servers("a1 a2 b1 b2"), std::nullopt));
  const Outlook after = asked.when("drain=b");
  REQUIRE(after.jobs[0].fate == Fate::Moves);
  for (std::size_t v = 0; v < 4; v += 2) {
    const auto& servers = after.jobs[0].servers;
    CHECK(cluster.cluster->common_level(servers[v], servers[v + 1]) >= 1);
    CHECK(cluster.cluster->server(servers[v]).name[0] != 'b');
  }
}

TEST_CASE("who moves takes as much longer for a smaller cut as the tolerance says",
          "[scheduler][what-if]") {
  Sketch cluster = sketch("a: r1[a1 a2] r2[a3]\nb: r3[b1]", 1);
  const auto leaf = find_switch(*cluster.cluster, cluster.cluster->backend(), "a/r2/RTSW-1");
  REQUIRE(leaf);
  cluster.view->health.link_faults.push_back(
      {cluster.server("a3"), *leaf, BytesPerSecond{10'000'000'000}});
  Asked asked(cluster);
  asked.runs(ring_of(2), "a1 a2");
  const Setting failed = changed(asked.setting, "fail=a2", "--if");
  LookOptions options = fast_looks();
  CHECK(cluster.names(look(failed, asked.jobs, options).jobs[0].servers) == "a1 b1");
  options.placement.tolerance = 100;
  CHECK(cluster.names(look(failed, asked.jobs, options).jobs[0].servers) == "a1 a3");
}

TEST_CASE("a job that fits no more where its required level keeps it is placed anew",
          "[scheduler][what-if]") {
  const Sketch cluster = sketch("a: r1[a1 a2] r2[a3*]\nb: r3[b1 b2]");
  Asked asked(cluster);
  Constraints in_a_zone;
  in_a_zone.required_level = 1;
  asked.jobs.push_back(
      settle_on(asked.setting, ring_of(2), in_a_zone, cluster.servers("a1 a2"), std::nullopt));
  for (const char* change : {"fail=a2", "drain=a"}) {
    INFO(change);
    const Outlook after = asked.when(change);
    CHECK(after.jobs[0].fate == Fate::Moves);
    CHECK(cluster.names(after.jobs[0].servers) == "b1 b2");
  }
  CHECK(asked.when("fail=a2,fail=b1").jobs[0].fate == Fate::Stopped);
}

TEST_CASE("who runs on a drained server shares no rack with itself", "[scheduler][what-if]") {
  const Sketch cluster = sketch("a: r1[a1~ a2] r2[a3 a4] r3[a5 a6]");
  Asked asked(cluster);
  Job job = parse_job_text("tp=4,dp=4,model=llama3-8b");
  job.ranks_per_server = 4;
  Constraints whole_racks;
  whole_racks.whole_racks = true;
  asked.jobs.push_back(
      settle_on(asked.setting, job, whole_racks, cluster.servers("a1 a2 a3 a4"), std::nullopt));
  const Outlook after = asked.when("fail=a3");
  REQUIRE(after.jobs[0].moves.size() == 1);
  CHECK(after.jobs[0].moves[0].vertex == 2);
  CHECK(after.jobs[0].servers[0] == cluster.server("a1"));
  // What is free on a drained server takes nobody.
  CHECK(after.jobs[0].moves[0].to != cluster.server("a1"));
}

TEST_CASE("changes that cannot be read are refused with what is wrong", "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  const Asked asked = Asked(cluster).runs(ring_of(2), "a1 a2");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "there is no change \"\""},
      {"fial=a1", "there is no change \"fial\""},
      {"fail", "fail= says nothing"},
      {"fail=", "fail= says nothing"},
      {"fail=zz", "there is nothing called \"zz\""},
      {"fail=a1:8", "there is nothing called \"a1:8\""},
      {"fail=a1:-1", "there is nothing called"},
      {"fail=a1>b1", "are not joined by a link"},
      {"fail=a1>a/CTSW-1", "are not joined by a link"},
      {"fail=nowhere>ATSW-1", "neither a server nor a switch"},
      {"limit=a/CTSW-1>ATSW-1", "is no link and what it still carries"},
      {"limit=a/CTSW-1@8Gbps", "is no link and what it still carries"},
      {"mend=a1", "a1 is not broken"},
      {"drain=a/CTSW-1", "there is no server or domain called"},
      {"end=nobody", "the state has no job called \"nobody\""},
      {"routing=magic", "there is no routing \"magic\""},
      {"queue-pairs=0", "is no number of queue pairs"},
      {"queue-pairs=2000", "is no number of queue pairs"},
      {"queue-pairs=16", "with routing=ideal queue-pairs make no difference"},
      {"routing=e-ecmp,queue-pairs=16,routing=ecmp", "with routing=ecmp queue-pairs make no"},
      {"admission-window=0B", "is no size above 0"},
      {"oversubscription=none", "is no ratio above a level"},
      {"oversubscription=cluster:2", "is no ratio above a level"},
      {"uplinks=0", "\"0\" is no number of uplinks"},
      {"uplinks=planet:4", "the cluster has no level \"planet\""},
      {"uplinks=rack:4:4", "\"4:4\" is no number of uplinks"},
      {"uplinks=rack:some", "\"some\" is no number of uplinks"},
      {"uplinks=cluster:4", "are no uplinks of a level"},
      {"nic-bandwidth=fast", "is no rate above 0"},
      {"limit=a/CTSW-1>ATSW-1@900Tbps", "but undamaged this link carries"},
      {"fail=\xff", "no UTF-8"},
      {"fail=a1,fail=[", "there is nothing called"},
  };
  for (const auto& [changes, expected] : wrong) {
    INFO(changes);
    try {
      static_cast<void>(changed(asked.setting, changes, "--if"));
      FAIL("was taken");
    } catch (const InputError& error) {
      CHECK(error.problems().front().where == "--if");
      CHECK(error.problems().front().what.find(expected) != std::string::npos);
    }
  }
}

TEST_CASE("lists of servers need no change of their own", "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  const Asked asked = Asked(cluster).runs(ring_of(2), "a1 a2");
  const auto emptied = [&](std::string_view changes) {
    return cluster.names(changed(asked.setting, changes, "--if").emptied);
  };
  CHECK(emptied("drain=a[1-2],b1") == "a1 a2 b1");
  CHECK(emptied("drain=a[1,3], drain=r4") == "a1 a3 b3 b4");
  CHECK(emptied("drain=b") == "b1 b2 b3 b4");
  const Health health = changed(asked.setting, "fail=r3", "--if").view.health;
  CHECK(health.servers[cluster.server("b2")] == ServerHealth::Down);
  CHECK(health.failed_switches == std::vector{switch_called(cluster, "b/r3/RTSW-1")});
}

TEST_CASE("every one of a kind is asked about once", "[scheduler][what-if]") {
  const Sketch cluster = sketch("a: r1[a1 a2] r2[a3~ a4]\nb: r3[b1 b2] r4[b3 b4]");
  Asked asked = Asked(cluster).runs(ring_of(2, "one"), "a1 b1");
  const auto each = [&](std::string_view kind) {
    return each_of(asked.setting, asked.now(), kind, "--each");
  };
  CHECK(each("rack") == std::vector<std::string>{"drain=a/r1", "drain=b/r3"});
  CHECK(each("zone") == std::vector<std::string>{"drain=a", "drain=b"});
  CHECK(each("server") == std::vector<std::string>{"fail=a1", "fail=b1"});
  CHECK(each("job") == std::vector<std::string>{"end=one"});
  CHECK(each("failure") == std::vector<std::string>{"mend=a3"});
  CHECK(each("RTSW") == std::vector<std::string>{"fail=a/r1/RTSW-1", "fail=b/r3/RTSW-1"});
  CHECK(each("ATSW").size() ==
        static_cast<std::size_t>(cluster.cluster->backend().tiers[0].switches));
  CHECK_THROWS_AS(each("cluster"), InputError);
  CHECK_THROWS_AS(each("CTSW-1"), InputError);
  // All of them are changes that can be read.
  for (const char* kind : {"rack", "zone", "server", "job", "failure", "RTSW", "CTSW", "ATSW"}) {
    for (const std::string& change : each(kind))
      CHECK_NOTHROW(static_cast<void>(changed(asked.setting, change, "--each")));
  }
}

TEST_CASE("where a job had to move to is asked about, too", "[scheduler][what-if]") {
  Sketch cluster = sketch("a: r1[a1 a2]\nb: r3[b1 b2]");
  Asked asked = Asked(cluster).runs(ring_of(2, "one"), "a1 a2");
  asked.setting.view.health.servers[cluster.server("a1")] = ServerHealth::Down;
  const Outlook now = asked.now();
  REQUIRE(now.jobs[0].fate == Fate::Moves);
  const std::string to = cluster.names(std::vector{now.jobs[0].moves.at(0).to});
  const auto each = [&](std::string_view kind) {
    return each_of(asked.setting, now, kind, "--each");
  };
  CHECK(each("server") == std::vector<std::string>{"fail=a2", "fail=" + to});
  CHECK(each("zone") == std::vector<std::string>{"drain=a", "drain=b"});
  CHECK(each("RTSW") == std::vector<std::string>{"fail=a/r1/RTSW-1", "fail=b/r3/RTSW-1"});
}

TEST_CASE("a job that waits begins where it has room, after those that must move",
          "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  Asked asked =
      Asked(cluster).runs(ring_of(3, "one"), "a1 a2 a3").runs(ring_of(3, "two"), "b1 b2 b3");
  asked.jobs.push_back(settle(asked.setting, ring_of(3, "late"), {}, asked.jobs, {}));
  const Outlook now = asked.now();
  CHECK(now.jobs[2].fate == Fate::Stopped);
  const Outlook after = asked.when("end=one");
  CHECK(after.jobs[2].fate == Fate::Begins);
  CHECK(after.jobs[2].servers.size() == 3);
  // A job that ends as it was asked is no harm and no help; the one that begins is.
  const Harm harm = harm_of(now, after, asked.jobs);
  CHECK(harm.stopped_gpus == -24);
  CHECK(harm.interrupted_gpus == 0);
  CHECK(asked.when("end=one,drain=b").jobs[2].fate == Fate::Stopped);
}

TEST_CASE("a new job takes no room that running ones must move to", "[scheduler][what-if]") {
  const Sketch cluster = sketch("a: r1[a1! a2] r2[a3 a4]\nb: r3[b1 b2]");
  Asked asked = Asked(cluster).runs(ring_of(5, "one"), "a1 a2 a3 a4 b1");
  asked.jobs.push_back(settle(asked.setting, ring_of(1, "new"), {}, asked.jobs, {}));
  const Outlook now = asked.now();
  CHECK(now.jobs[0].fate == Fate::Moves);
  CHECK(now.jobs[1].fate == Fate::Stopped);
}

TEST_CASE("jobs of unknown traffic are named where they are hit", "[scheduler][what-if]") {
  const Sketch cluster = sketch("a: r1[a1 a2] r2[a3* a4*]");  // held by "other"
  const Asked asked = Asked(cluster).runs(ring_of(2), "a1 a2");
  CHECK(asked.now().mute.empty());
  for (const char* change : {"drain=r2", "fail=a3", "fail=a4:5"}) {
    const Outlook after = asked.when(change);
    REQUIRE(after.mute.size() == 1);
    CHECK(after.mute[0].name == "other");
    CHECK(harm_of(asked.now(), after, asked.jobs).interrupted_gpus == 16);
  }
  CHECK(asked.when("end=other").mute.empty());
}

TEST_CASE("who has enough healthy GPUs on its servers stays, whatever it asks for",
          "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  Job job = parse_job_text("tp=4,dp=3,model=llama3-8b");
  job.ranks_per_server = 4;
  Constraints spread;
  spread.spread = Spread{2, 1};
  for (const Constraints& constraints : {Constraints{}, spread}) {
    Asked asked(cluster);
    asked.jobs.push_back(
        settle_on(asked.setting, job, constraints, cluster.servers("a1 a3 b1"), std::nullopt));
    CHECK(asked.when("fail=a1:7").jobs[0].fate == Fate::Stays);  // not its own
    CHECK(asked.when("fail=a1:0").jobs[0].fate == Fate::Stays);  // four others are left
    CHECK(asked.when("fail=a1:0,fail=a1:1,fail=a1:2,fail=a1:3,fail=a1:4").jobs[0].fate ==
          Fate::Moves);
  }
}

TEST_CASE("what is mended of a server or switch is all that was broken of it",
          "[scheduler][what-if]") {
  const Sketch cluster = sketch(kTwoZones);
  const Asked asked = Asked(cluster).runs(ring_of(2), "a1 a2");
  const auto health = [&](std::string_view changes) {
    return changed(asked.setting, changes, "--if").view.health;
  };
  const Health well(*cluster.cluster);
  CHECK(health("fail=a1,fail=a1:3,fail=a1>a/r1/RTSW-1,mend=a1") == well);
  CHECK(health("fail=a/CTSW-1,fail=a/CTSW-1>ATSW-1,mend=a/CTSW-1") == well);
  CHECK(health("fail=a,mend=a") == well);
  CHECK(health("fail=a/CTSW-1,a/CTSW-2,a1,mend=all") == well);
}

TEST_CASE("names with signs of their own stand in quotes", "[scheduler][what-if]") {
  const std::vector<std::string> levels = {"zone", "rack"};
  ClusterBuilder builder("odd", levels);
  const std::vector<std::string> path = {"z", "r"};
  for (const char* name : {"gpu,1", "h>1", "a=b", "gpu[x"}) builder.add_server(path, name, 8);
  const Cluster cluster = builder.build();
  ClusterView view(cluster);
  const JobId job = view.occupancy.add_job("large, or: a=b");
  for (std::size_t i = 0; i < 4; ++i) view.occupancy.hold(job, {ServerId{i}, 0});
  const Setting setting(view, {});
  for (const char* kind : {"server", "job", "rack"}) {
    for (const std::string& change : each_of(setting, Outlook{}, kind, "--each")) {
      INFO(change);
      CHECK_NOTHROW(static_cast<void>(changed(setting, change, "--each")));
    }
  }
  CHECK(changed(setting, "fail=\"gpu,1\"", "").view.health.servers[ServerId{0}] ==
        ServerHealth::Down);
  CHECK(changed(setting, "end=\"large, or: a=b\"", "").ended.size() == 1);
}

TEST_CASE("lost work is what the iteration grows by", "[scheduler][what-if]") {
  CHECK(lost_share({1}, {2}, Seconds{10}) == Approx(1.0 / 11));
  CHECK(lost_share({2}, {1}, Seconds{10}) == Approx(-1.0 / 9));
  CHECK(lost_share({1}, {2}, std::nullopt) == Approx(0.5));
  CHECK(lost_share({2}, {2}, Seconds{1}) == 0);
  CHECK(lost_share({0}, {0}, std::nullopt) == 0);
}

TEST_CASE(
    "whatever changes, no GPU is held twice, nobody runs where nothing runs, and what is "
    "mended is as before",
    "[scheduler][what-if][property]") {
  CHECK(rc::check([] {
    const Sketch cluster =
        sketch("a: r1[a1 a2] r2[a3 a4]\nb: r3[b1 b2] r4[b3 b4]\nc: r5[c1 c2 c3] r6[c4/4]");
    Asked asked(cluster);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < cluster.cluster->server_count(); ++i)
      names.push_back(cluster.cluster->server(ServerId{i}).name);
    std::vector<std::string> order = names;
    std::erase(order, "c4");
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    const auto first = *rc::gen::inRange(1, 5);
    const auto second = *rc::gen::inRange(1, 5);
    const auto list = [&](int from, int count) {
      std::string text;
      for (int i = from; i < from + count; ++i) text += order[static_cast<std::size_t>(i)] + " ";
      return text;
    };
    asked.runs(ring_of(first, "one"), list(0, first))
        .runs(ring_of(second, "two"), list(first, second));
    const Outlook now = asked.now();
    std::string changes;
    std::set<std::string> gone;
    const auto count = *rc::gen::inRange(1, 6);
    for (int i = 0; i < count; ++i) {
      const std::string& name = names[random.below(names.size())];
      gone.insert(name);
      changes += (random.below(2) == 0 ? "fail=" : "drain=") + name + ",";
    }
    changes.pop_back();
    const Outlook after = asked.when(changes);
    std::map<ServerId, int> held;
    for (const JobOutlook& job : after.jobs) {
      if (job.fate == Fate::Stopped) {
        RC_ASSERT(job.servers.empty());
        continue;
      }
      for (const ServerId server : job.servers) {
        RC_ASSERT(++held[server] == 1);
        RC_ASSERT(!gone.contains(cluster.cluster->server(server).name));
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t v = 0; v < after.jobs[i].servers.size(); ++v) {
        const ServerId before = asked.jobs[i].running.servers[v];
        const bool lost = gone.contains(cluster.cluster->server(before).name);
        RC_ASSERT(lost == (after.jobs[i].servers[v] != before));
      }
    }
    // Jobs that stop are those for which no room is left.
    std::size_t free = names.size() - 1;  // c4 has half its GPUs
    for (const std::string& name : gone) free -= name != "c4";
    const bool all_fit = free >= static_cast<std::size_t>(first + second);
    const bool some_stop = std::ranges::any_of(
        after.jobs, [](const JobOutlook& job) { return job.fate == Fate::Stopped; });
    RC_ASSERT(all_fit == !some_stop);
    // Undone.
    std::string undone = changes;
    for (const std::string& name : gone) {
      if (changed(asked.setting, changes, "").view.health.servers[cluster.server(name)] !=
          ServerHealth::Up)
        undone += ",mend=" + name;
    }
    Setting again = changed(asked.setting, undone, "--if");
    again.emptied.clear();
    const Outlook back = look(again, asked.jobs, fast_looks());
    for (std::size_t i = 0; i < 2; ++i) RC_ASSERT(seconds(back, i) == seconds(now, i));
  }));
}
