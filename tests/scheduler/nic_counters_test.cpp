// Where counters point, on tables whose cause is known.
#include "zonecut/scheduler/nic_counters.hpp"

#include <rapidcheck.h>

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;

namespace {

Sketch fabric() {
  return sketch(
      "a: r1[a1 a2] r2[a3 a4] r3[a5 a6]\nb: r4[b1 b2] r5[b3 b4] r6[b5 b6]\nc: r7[c1] r8[c2 c3]");
}

/// A table of all NICs; `count` by server and NIC.
template <class Count>
std::string table(const Sketch& cluster, const Count& count) {
  std::string text = "server,nic,errors\n";
  for (std::size_t i = 0; i < cluster.cluster->server_count(); ++i) {
    const std::string& name = cluster.cluster->server(ServerId{i}).name;
    for (int nic = 0; nic < 8; ++nic)
      text += fmt::format("{},mlx5_{},{}\n", name, nic, count(name, nic));
  }
  return text;
}

std::vector<ServerId> all_servers(const Sketch& cluster) {
  std::vector<ServerId> servers;
  for (std::size_t i = 0; i < cluster.cluster->server_count(); ++i) servers.emplace_back(i);
  return servers;
}

template <class Count>
std::vector<CounterFinding> found(const Sketch& cluster, const Count& count) {
  const auto counters = parse_nic_counters(table(cluster, count), "t.csv", *cluster.cluster);
  return findings_of(*cluster.cluster, counters, all_servers(cluster));
}

std::string hot_names(const Sketch& cluster, const CounterFinding& finding) {
  std::string text;
  for (const HotSpot& hot : finding.hot) {
    if (!text.empty()) text += ' ';
    if (const auto* nic = std::get_if<NicRef>(&hot.where)) {
      text += fmt::format("{}:{}", cluster.cluster->server(nic->server).name, nic->nic);
    } else if (const auto* server = std::get_if<ServerId>(&hot.where)) {
      text += cluster.cluster->server(*server).name;
    } else {
      text += cluster.cluster->path(std::get<DomainId>(hot.where));
    }
  }
  return text;
}

std::string only_hot(const Sketch& cluster, const std::vector<CounterFinding>& findings) {
  REQUIRE(findings.size() == 1);
  return hot_names(cluster, findings.front());
}

}  // namespace

TEST_CASE("one bad NIC, server, rack or zone is found as that and nothing else",
          "[scheduler][attribution]") {
  const Sketch cluster = fabric();
  CHECK(only_hot(cluster, found(cluster, [](const auto& name, int nic) {
                   return name == "b3" && nic == 5 ? 812 : 1;
                 })) == "b3:5");
  CHECK(only_hot(cluster, found(cluster, [](const auto& name, int) {
                   return name == "b3" ? 90 : 2;
                 })) == "b3");
  CHECK(only_hot(cluster, found(cluster, [](const auto& name, int) {
                   return name == "b3" || name == "b4" ? 90 : 2;
                 })) == "b/r5");
  CHECK(only_hot(cluster, found(cluster, [](const auto& name, int) {
                   return name[0] == 'b' ? 90 : 2;
                 })) == "b");
  // The rack of a single server is its server.
  CHECK(only_hot(cluster, found(cluster, [](const auto& name, int) {
                   return name == "c1" ? 90 : 0;
                 })) == "c1");
  // One NIC rail of all servers is no place.
  CHECK(only_hot(cluster, found(cluster, [](const auto&, int nic) { return nic == 3 ? 90 : 30; }))
            .empty());
}

TEST_CASE("several places are found one after the other, the hottest first",
          "[scheduler][attribution]") {
  const Sketch cluster = fabric();
  CHECK(only_hot(cluster, found(cluster, [](const auto& name, int nic) {
                   if (name == "a1" && nic == 0) return 5000;
                   return name[0] == 'c' ? 100 : 3;
                 })) == "a1:0 c");
}

TEST_CASE("few events are chance, a handful at one place is not", "[scheduler][attribution]") {
  const Sketch cluster = fabric();
  const auto flaps = [&](int count) {
    return only_hot(cluster, found(cluster, [&](const auto& name, int nic) {
                      return name == "a3" && nic == 1 ? count : 0;
                    }));
  };
  CHECK(flaps(1).empty());
  CHECK(flaps(3) == "a3:1");
}

TEST_CASE("counts that differ by chance alone point nowhere", "[scheduler][attribution]") {
  const Sketch cluster = fabric();
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const auto findings = found(cluster, [&](const auto&, int) {
      int count = 0;  // binomial, near to Poisson of mean 2
      for (int i = 0; i < 40; ++i) count += random.below(20) == 0;
      return count;
    });
    alarms += !findings.empty() && !findings.front().hot.empty();
  }
  CHECK(alarms <= 2);
}

TEST_CASE(
    "congestion marks that differ widely without a fault point nowhere, a bad rack among them "
    "does",
    "[scheduler][attribution]") {
  const Sketch cluster = fabric();
  int alarms = 0;
  int missed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    // Twelve uniform numbers make nearly a normal one; e to its power differs by factors.
    const auto marks = [&] {
      double normal = -6;
      for (int i = 0; i < 12; ++i) normal += static_cast<double>(random.below(1'000'000)) / 1e6;
      return static_cast<int>(std::exp(7 + 0.8 * normal));
    };
    const auto quiet = found(cluster, [&](const auto&, int) { return marks(); });
    alarms += !quiet.front().hot.empty();
    const auto loud = found(cluster, [&](const auto& name, int) {
      return marks() * (name == "b3" || name == "b4" ? 8 : 1);
    });
    missed += only_hot(cluster, loud).find("b/r5") == std::string::npos;
  }
  CHECK(alarms <= 10);
  CHECK(missed <= 10);
}

TEST_CASE("a bad zone of two, a bad server of two and one reading beside few are found",
          "[scheduler][attribution]") {
  const Sketch cluster = sketch("a: r1[a1 a2] r2[a3 a4]\nb: r3[b1 b2] r4[b3 b4]");
  CHECK(only_hot(cluster, found(cluster, [](const auto& name, int) {
                   return name[0] == 'b' ? 90 : 2;
                 })) == "b");
  const auto of = [&](const std::string& text) {
    return only_hot(
        cluster, findings_of(*cluster.cluster, parse_nic_counters(text, "t.csv", *cluster.cluster),
                             all_servers(cluster)));
  };
  CHECK(of("server,x\na1,0\nb1,1000\n") == "b1");
  CHECK(of("server,x\na1,1000\na2,1100\nb1,0\nb2,0\n") == "a/r1");
  CHECK(of("server,nic,x\na1,0,1000\nb1,0,0\nb1,1,2\n") == "a1:0");
  // Of one reading nothing is known, nor of many that are all alike.
  CHECK(of("server,x\na1,1000\n").empty());
  CHECK(of("server,x\na1,1000\na2,1000\nb1,1000\n").empty());
}

TEST_CASE("whole servers or racks that differ widely point nowhere, nor does one NIC in three",
          "[scheduler][attribution]") {
  const Sketch cluster = fabric();
  int servers_named = 0;
  int racks_named = 0;
  int thirds_named = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const auto factor = [&] {
      double normal = -6;
      for (int i = 0; i < 12; ++i) normal += static_cast<double>(random.below(1'000'000)) / 1e6;
      return std::exp(7 + 0.8 * normal);
    };
    const auto near = [&](double mean) {
      return static_cast<int>(mean * (95 + static_cast<double>(random.below(10))) / 100);
    };
    std::vector<double> of_server(26);
    for (double& mean : of_server) mean = factor();
    const auto mean_of = [&](const std::string& name, int share) {
      return of_server[static_cast<std::size_t>((name[0] - 'a') * 6 + (name[1] - '1') / share)];
    };
    servers_named +=
        !only_hot(cluster,
                  found(cluster, [&](const auto& name, int) { return near(mean_of(name, 1)); }))
             .empty();
    racks_named +=
        !only_hot(cluster,
                  found(cluster, [&](const auto& name, int) { return near(mean_of(name, 2)); }))
             .empty();
    thirds_named +=
        !only_hot(cluster, found(cluster, [&](const auto&,
                                              int) { return random.below(3) == 0 ? near(50) : 0; }))
             .empty();
  }
  CHECK(servers_named <= 10);
  CHECK(racks_named <= 30);
  CHECK(thirds_named <= 10);
}

TEST_CASE("a hot spot counts what earlier ones left of it, three times the rest",
          "[scheduler][attribution]") {
  // Zone a is continued after b, so that its servers do not follow each other.
  const Cluster cluster = parse_cluster(
      "format: cluster/v1\ndomains:\n  - {zone: a, rack: 'r[1-2]', servers: 2}\n"
      "  - {zone: b, rack: 'r[1-3]', servers: 1}\n  - {zone: a, rack: r3, servers: 3}\n",
      "cluster");
  const auto is_in = [&](const CounterReading& reading, const HotSpot& hot) {
    if (const auto* nic = std::get_if<NicRef>(&hot.where))
      return reading.server == nic->server && reading.nic == nic->nic;
    if (const auto* server = std::get_if<ServerId>(&hot.where)) return reading.server == *server;
    const DomainId domain = std::get<DomainId>(hot.where);
    return cluster.domain_of(reading.server, cluster.domain(domain).level) == domain;
  };
  std::size_t named = 0;
  CHECK(rc::check("hot spots hold", [&] {
    NicCounter counter{"x", {}};
    std::vector<ServerId> servers;
    for (std::size_t i = 0; i < cluster.server_count(); ++i) {
      servers.emplace_back(i);
      const int base = *rc::gen::element(0, 0, 0, 100, 1000);
      for (int nic = 0; nic < *rc::gen::inRange(0, 4); ++nic)
        counter.readings.push_back({ServerId{i}, nic, base + *rc::gen::inRange(0, 5)});
    }
    for (const CounterFinding& finding : findings_of(cluster, std::array{counter}, servers)) {
      std::vector<CounterReading> left = counter.readings;
      for (const HotSpot& hot : finding.hot) {
        std::int64_t inside = 0;
        std::int64_t all = 0;
        for (const CounterReading& reading : left) {
          all += reading.count;
          if (is_in(reading, hot)) inside += reading.count;
        }
        const std::size_t before = left.size();
        std::erase_if(left, [&](const auto& reading) { return is_in(reading, hot); });
        RC_ASSERT(hot.count == inside);
        RC_ASSERT(hot.readings == before - left.size());
        RC_ASSERT(!left.empty());
        RC_ASSERT(static_cast<double>(inside) / static_cast<double>(hot.readings) >=
                  3 * static_cast<double>(all - inside) / static_cast<double>(left.size()));
        ++named;
      }
    }
  }));
  CHECK(named > 0);
}

TEST_CASE("counts are exact where doubles are not", "[scheduler][attribution]") {
  const Sketch cluster = fabric();
  const auto findings = findings_of(
      *cluster.cluster,
      parse_nic_counters("server,x\na1,9007199254740993\nb1,0\n", "t.csv", *cluster.cluster),
      all_servers(cluster));
  REQUIRE(findings.size() == 1);
  REQUIRE(findings[0].hot.size() == 1);
  CHECK(findings[0].hot[0].count == 9007199254740993);
}

TEST_CASE("only the job's own servers count, the others are what they are held against",
          "[scheduler][attribution]") {
  const Sketch cluster = fabric();
  const auto counters = parse_nic_counters(
      table(cluster, [](const auto& name, int) { return name[0] == 'a' ? 30 : 10; }), "t.csv",
      *cluster.cluster);
  const auto findings =
      findings_of(*cluster.cluster, counters, cluster.servers("a1 a2 a3 a4 a5 a6"));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].count == 30 * 48);
  CHECK(findings[0].readings == 48);
  CHECK(findings[0].hot.empty());
  REQUIRE(findings[0].against_others);
  CHECK(*findings[0].against_others == Approx(3));
  // Counters that did not grow are not told.
  CHECK(findings_of(*cluster.cluster,
                    parse_nic_counters("server,x\na1,0\nb1,5\n", "t", *cluster.cluster),
                    cluster.servers("a1 a2"))
            .empty());
}

TEST_CASE("tables that cannot be read are refused with every mistake", "[scheduler][attribution]") {
  const Sketch cluster = fabric();
  const auto mistakes = [&](const std::string& text) {
    try {
      static_cast<void>(parse_nic_counters(text, "t.csv", *cluster.cluster));
    } catch (const InputError& error) {
      std::string all;
      for (const Problem& problem : error.problems())
        all += problem.where + ": " + problem.what + "\n";
      return all;
    }
    return std::string("none");
  };
  CHECK(mistakes("server,nic,x\na1,0,3\na1,1,\n") == "none");
  CHECK(mistakes("\xEF\xBB\xBFserver,nic,x\r\na1,0,3\r\n") == "none");
  CHECK(mistakes("") == "t.csv:1:1: found no header\n");
  CHECK(mistakes("host,x\na1,1\n") == "t.csv:1:1: found no column \"server\"\n");
  CHECK(mistakes("server,nic\na1,1\n") == "t.csv:1:1: found 0 counters, expected 1 to 200\n");
  CHECK(mistakes("server,x,x\n") ==
        "t.csv:1:10: found the column \"x\", expected a name of its own\n");
  CHECK(mistakes("server," + std::string(256, 'x') + "\n") ==
        "t.csv:1:8: found a name of 256 bytes, expected 255 at most\n");
  CHECK(mistakes("server,x\nzz,1\na1,-1\na2\na3,1.5\n") ==
        "t.csv:2:1: the cluster has no server \"zz\"\n"
        "t.csv:3:4: found \"-1\", expected by how much x grew, 0 or more\n"
        "t.csv:4:1: found 1 fields, expected 2 as in the header\n"
        "t.csv:5:4: found \"1.5\", expected by how much x grew, 0 or more\n");
  CHECK(mistakes("server,nic,x\na1,0,1\na1,0,1\na1,mlx,1\n") ==
        "t.csv:3:1: NIC 0 of a1 stands twice, first in line 2\n"
        "t.csv:4:4: found \"mlx\", expected a NIC by its number from 0, such as 3 or mlx5_3\n");
  CHECK(mistakes("server,x\na1,4611686018427387904\na2,1\n") ==
        "t.csv:3:4: all of x together do not fit 62 bits\n");
}
