// What is taken from another setting, against predictions of everything.
#include "what_if/side_by_side.hpp"

#include <rapidcheck.h>

#include <array>

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

constexpr const char* kThreeZones =
    "a: r1[a1 a2 a3] r2[a4 a5 a6]\n"
    "b: r3[b1 b2 b3] r4[b4 b5 b6]\n"
    "c: r5[c1 c2 c3] r6[c4 c5 c6]";

constexpr std::array kWorks = {
    "tp=8,dp=2,model=llama3-8b",
    "tp=8,dp=4,model=llama3-8b",
    "tp=8,pp=2,dp=2,micro_batches=4,model=llama3-70b",
    "tp=4,ep=4,dp=4,model=mixtral-8x7b",
    "tp=8,dp=1,model=llama3-8b",
    "ep=16,dp=16,model=qwen3-235b-a22b,micro_batches=1",
};

Job job_of(std::string_view work, std::string name) {
  Job job = parse_job_text(std::string(work));
  job.name = std::move(name);
  return job;
}

LookOptions fast_looks() {
  LookOptions options;
  options.placement.mapping.effort = Effort::Fast;
  return options;
}

/// Jobs on servers drawn at random, each of which communicates all or half of the time.
struct World {
  /// With so many leaves to a rack, and links that are broken before anything is asked.
  World(std::uint64_t seed, const Routing& routing, int leaves = 1, std::size_t broken = 0)
      : random(seed), setting(*sketched.view, routing) {
    setting.fabric.tiers.back().switches = leaves;
    for (std::size_t i = 0; i < broken; ++i) setting = changed(setting, link_change(), "");
    std::vector<ServerId> servers;
    for (std::size_t i = 0; i < sketched.cluster->server_count(); ++i) servers.emplace_back(i);
    const bool scattered = leaves == 1 || random.below(2) == 0;
    for (std::size_t i = servers.size(); scattered && i > 1; --i)
      std::swap(servers[i - 1], servers[random.below(i)]);
    std::size_t taken = 0;
    const std::size_t count = 1 + random.below(6);
    for (std::size_t i = 0; i < count; ++i) {
      const Job job = job_of(kWorks[random.below(kWorks.size())], "job" + std::to_string(i));
      const std::size_t needs =
          traffic_of(job, ranks_per_server_of(*sketched.view, job)).vertices();
      if (taken + needs > servers.size()) continue;
      jobs.push_back(
          settle_on(setting, job, {}, std::span(servers).subspan(taken, needs), std::nullopt));
      if (random.below(2) == 0) jobs.back().running.iteration = Seconds{0.2};
      taken += needs;
    }
  }

  /// A link between two switches fails, or carries less.
  std::string link_change() {
    const Fabric fabric = Fabric::build(*sketched.cluster, setting.fabric, setting.view.health);
    for (;;) {
      const LinkId link{random.below(fabric.links().size())};
      if (!std::holds_alternative<SwitchId>(fabric.links()[link.index()].lower)) continue;
      return random.below(2) == 0 ? "fail=" + fabric.name(link)
                                  : "limit=" + fabric.name(link) + "@1Gbps";
    }
  }

  /// One change to three.
  std::string changes() {
    static constexpr std::array kKinds = {"ATSW", "CTSW", "RTSW", "server", "rack", "zone", "job"};
    static constexpr std::array kOthers = {"routing=e-ecmp,queue-pairs=4", "oversubscription=3",
                                           "limit=a/CTSW-1>ATSW-1@1Gbps",
                                           "limit=a1>a/r1/RTSW-1@8Gbps", "fail=b/CTSW-2>ATSW-1"};
    std::string text;
    const std::size_t count = 1 + random.below(3);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t which = random.below(kKinds.size() + 2);
      if (which >= kKinds.size()) {
        text += std::string(kOthers[random.below(kOthers.size())]) + ",";
        continue;
      }
      const auto all = each_of(setting, look(setting, jobs, fast_looks()), kKinds[which], "");
      text += all[random.below(all.size())] + ",";
    }
    text.pop_back();
    return text;
  }

  Sketch sketched = sketch(kThreeZones);
  Random random;
  Setting setting;
  std::vector<SettledJob> jobs;
};

void check_same(const Outlook& a, const Outlook& b) {
  RC_ASSERT(a.jobs.size() == b.jobs.size());
  for (std::size_t i = 0; i < a.jobs.size(); ++i) {
    RC_ASSERT(a.jobs[i].fate == b.jobs[i].fate);
    RC_ASSERT(a.jobs[i].servers == b.jobs[i].servers);
    RC_ASSERT(a.jobs[i].blockers.size() == b.jobs[i].blockers.size());
    RC_ASSERT(a.jobs[i].figures.has_value() == b.jobs[i].figures.has_value());
    if (!a.jobs[i].figures) continue;
    RC_ASSERT(a.jobs[i].figures->communication == b.jobs[i].figures->communication);
    RC_ASSERT(a.jobs[i].figures->cross_zone == b.jobs[i].figures->cross_zone);
    RC_ASSERT(a.jobs[i].figures->binding == b.jobs[i].figures->binding);
    RC_ASSERT(a.jobs[i].figures->binding_phase == b.jobs[i].figures->binding_phase);
  }
}

const std::array kRoutings = {Routing{}, Routing{RoutingScheme::Ecmp},
                              Routing{RoutingScheme::EnhancedEcmp, 4, 7},
                              Routing{RoutingScheme::Pinned}, Routing{RoutingScheme::Engineered}};

const Routing& any_routing() {
  return kRoutings[*rc::gen::inRange<std::size_t>(0, kRoutings.size())];
}

}  // namespace

TEST_CASE("a setting seen from another is the setting itself, and every job in it as predicted",
          "[scheduler][what-if][property]") {
  CHECK(rc::check([](std::uint64_t seed) {
    World world(seed, any_routing());
    const Lookout lookout(world.setting, world.jobs, fast_looks());
    for (int i = 0; i < 4; ++i) {
      const std::string changes = world.changes();
      RC_LOG() << changes << "\n";
      const Setting setting = changed(world.setting, changes, "");
      const Outlook seen = lookout.when(setting, fast_looks());
      check_same(seen, look(setting, world.jobs, fast_looks()));
      // Each job alone against all others that send, as predict() has it.
      const Cluster& cluster = *setting.view.cluster;
      const Fabric fabric = Fabric::build(cluster, setting.fabric, setting.view.health);
      for (std::size_t one = 0; one < world.jobs.size(); ++one) {
        if (!seen.jobs[one].figures) continue;
        std::vector<RunningTraffic> others;
        for (std::size_t other = 0; other < world.jobs.size(); ++other) {
          if (other == one || !seen.jobs[other].figures) continue;
          others.push_back(world.jobs[other].running);
          others.back().servers = seen.jobs[other].servers;
        }
        const Background beside(fabric, others, setting.routing);
        const Prediction expected = predict(fabric, world.jobs[one].running.traffic,
                                            seen.jobs[one].servers, setting.routing, beside);
        RC_ASSERT(seen.jobs[one].figures->communication == expected.communication);
        RC_ASSERT(seen.jobs[one].figures->cross_zone == expected.cross_zone);
      }
    }
  }));
}

TEST_CASE("paths between the leaves of a rack and around failures are seen anew with their links",
          "[scheduler][what-if][property]") {
  CHECK(rc::check([](std::uint64_t seed) {
    const auto leaves = *rc::gen::inRange(1, 4);
    const auto broken = *rc::gen::inRange<std::size_t>(0, 30);
    World world(seed, any_routing(), leaves, broken);
    const Lookout lookout(world.setting, world.jobs, fast_looks());
    for (int i = 0; i < 8; ++i) {
      const std::string changes = i % 4 == 3 ? world.changes() : world.link_change();
      RC_LOG() << changes << "\n";
      const Setting setting = changed(world.setting, changes, "");
      check_same(lookout.when(setting, fast_looks()), look(setting, world.jobs, fast_looks()));
    }
  }));
}

TEST_CASE("a job inside a rack is reached through what joins the leaves of the rack",
          "[scheduler][what-if]") {
  const Sketch cluster = sketch(kThreeZones);
  Setting setting(*cluster.view, Routing{RoutingScheme::Ecmp});
  setting.fabric.tiers.back().switches = 2;
  // Each server's ranks exchange with all others, over NICs on either leaf.
  const std::vector<SettledJob> jobs = {
      settle_on(setting, job_of("ep=16,dp=16,model=qwen3-235b-a22b,micro_batches=1", "exchange"),
                {}, cluster.servers("a1 a2"), std::nullopt)};
  const Lookout lookout(setting, jobs, fast_looks());
  const auto seconds = [](const Outlook& outlook) {
    return outlook.jobs[0].figures.value().communication.count;
  };
  const Outlook slow =
      lookout.when(changed(setting, "limit=a/r1/RTSW-1>a/CTSW-1@1Gbps", ""), fast_looks());
  CHECK(seconds(slow) > 10 * seconds(lookout.now()));
  // No path leads through another rack or zone.
  const Outlook elsewhere =
      lookout.when(changed(setting, "fail=a/r2/RTSW-1,fail=b/CTSW-1", ""), fast_looks());
  CHECK(seconds(elsewhere) == seconds(lookout.now()));
}

TEST_CASE("only jobs that a change reaches are predicted again", "[scheduler][what-if]") {
  const Sketch cluster = sketch(kThreeZones);
  Setting setting(*cluster.view, {});
  std::vector<SettledJob> jobs;
  const auto run = [&](const char* name, std::string_view servers) {
    jobs.push_back(
        settle_on(setting, job_of(kWorks[0], name), {}, cluster.servers(servers), std::nullopt));
  };
  run("in-a", "a1 a4");
  run("across", "a2 b1");
  run("in-b", "b2 b4");
  std::vector<std::vector<ServerId>> servers;
  for (const SettledJob& job : jobs) servers.push_back(job.running.servers);
  const auto seen = [&](std::string_view changes, const SideBySide* before) {
    const Setting then = changed(setting, changes, "");
    return side_by_side(std::make_shared<const Fabric>(
                            Fabric::build(*cluster.cluster, then.fabric, then.view.health)),
                        then.routing, jobs, servers, before);
  };
  const SideBySide now = seen("admission-window=none", nullptr);
  const auto reached = [&](std::string_view changes) {
    const SideBySide then = seen(changes, &now);
    std::vector<std::size_t> again;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (then.senders[i]->footprint != now.senders[i]->footprint) again.push_back(i);
    }
    return again;
  };
  using Jobs = std::vector<std::size_t>;
  CHECK(reached("fail=a/CTSW-1") == Jobs{0, 1});
  CHECK(reached("fail=b/CTSW-1") == Jobs{1, 2});
  CHECK(reached("fail=ATSW-1") == Jobs{1});
  CHECK(reached("fail=c/CTSW-1").empty());
  CHECK(reached("limit=b2>b/r3/RTSW-1@8Gbps") == Jobs{2});
  CHECK(reached("fail=b3").empty());  // nobody's server
  CHECK(reached("routing=ecmp") == Jobs{0, 1, 2});
  CHECK(reached("oversubscription=3") == Jobs{0, 1, 2});
}

TEST_CASE("one fabric differs from another where its links and switches do",
          "[scheduler][what-if]") {
  const Sketch cluster = sketch(kThreeZones);
  const Setting setting(*cluster.view, {});
  const auto bundles = [&](std::string_view changes) {
    const Fabric now = Fabric::build(*cluster.cluster, setting.fabric, setting.view.health);
    const Fabric then =
        Fabric::build(*cluster.cluster, setting.fabric, changed(setting, changes, "").view.health);
    std::string names;
    const std::vector<bool> differs = changed_bundles(now, then);
    for (std::size_t place = 0; 2 * place < differs.size(); ++place) {
      CHECK(differs[2 * place] == differs[2 * place + 1]);
      if (!differs[2 * place]) continue;
      const std::size_t servers = cluster.cluster->server_count();
      names += place < servers ? cluster.cluster->server(ServerId{place}).name
                               : cluster.cluster->path(DomainId{place - servers});
      names += " ";
    }
    return names;
  };
  CHECK(bundles("fail=a/CTSW-1") == "a a/r1 a/r2 ");
  CHECK(bundles("fail=ATSW-1") == "a b c ");
  CHECK(bundles("fail=b/r3/RTSW-1") == "b1 b2 b3 b/r3 ");
  CHECK(bundles("fail=a1>a/r1/RTSW-1") == "a1 ");
  CHECK(bundles("fail=c/CTSW-2>ATSW-1") == "c ");
  CHECK(bundles("fail=a1,drain=b").empty());  // servers are no part of it
}
