#include "baselines/kubernetes_default.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <map>

#include "support/catch.hpp"
#include "support/sketch.hpp"

using namespace zonecut;

namespace {

Room room_of(const Sketch& cluster, int gpus_each) {
  Room room(cluster.cluster->server_count(), 0);
  for (std::size_t i = 0; i < room.size(); ++i)
    room[ServerId{i}] = cluster.view->usable_gpu_count(ServerId{i}) / gpus_each;
  return room;
}

std::string order_of(const Sketch& cluster, std::size_t pods, int gpus_each, std::uint64_t seed) {
  const auto servers = kubernetes_default(*cluster.view, room_of(cluster, gpus_each), pods,
                                          static_cast<std::size_t>(gpus_each), seed);
  return servers ? cluster.names(*servers) : "none";
}

}  // namespace

TEST_CASE("kube-scheduler samples as many nodes as its source says", "[scheduler]") {
  CHECK(kubernetes_sample(1) == 1);
  CHECK(kubernetes_sample(99) == 99);
  CHECK(kubernetes_sample(100) == 100);  // 50 % would be fewer than the least, 100
  CHECK(kubernetes_sample(1000) == 420);
  CHECK(kubernetes_sample(5000) == 500);
  CHECK(kubernetes_sample(10'000) == 500);
}

TEST_CASE("pods on nodes that are partly taken go where the sum of scores is highest",
          "[scheduler]") {
  // Two GPUs a pod. The first: 25 + 200 on s1, 75 + 200 on s2. The second: crowds 7 and 8, so
  // 25 + 2 · 100 and 50 + 2 · 87. The third: crowds alike, 0 and 50 left. The fourth: crowds 11 and
  // 12, 0 + 2 · 100 and 25 + 2 · 91.
  const Sketch cluster = sketch("a: r1[s1/4 s2]");
  for (std::uint64_t seed = 1; seed < 9; ++seed)
    CHECK(order_of(cluster, 4, 2, seed) == "s2 s1 s2 s2");
}

TEST_CASE("pods that fill their nodes go to every zone in turn", "[scheduler]") {
  const Sketch cluster = sketch(R"(
    a: r1[a1 a2 a3 a4]
    b: r2[b1 b2 b3]
    c: r3[c1 c2] r4[c3 c4 c5]
  )");
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const auto servers = kubernetes_default(*cluster.view, room_of(cluster, 8), 6, 8, seed);
    REQUIRE(servers);
    for (const std::size_t turn : {0U, 3U}) {
      std::string zones;
      for (std::size_t i = turn; i < turn + 3; ++i)
        zones += cluster.cluster->server((*servers)[i]).name.substr(0, 1);
      std::sort(zones.begin(), zones.end());
      CHECK(zones == "abc");
    }
  }
}

TEST_CASE("a zone that is full is passed over", "[scheduler]") {
  const Sketch cluster = sketch(R"(
    a: r1[a1 a2 a3]
    b: r2[b1* b2]
  )");
  const auto order = order_of(cluster, 4, 8, 3);
  CHECK(std::count(order.begin(), order.end(), 'a') == 3);
  CHECK(order.find("b1") == std::string::npos);
  CHECK(order_of(cluster, 5, 8, 3) == "none");
}

TEST_CASE("ties are broken by the seed", "[scheduler]") {
  const Sketch cluster = sketch("a: r1[s1 s2 s3 s4 s5 s6 s7 s8]");
  CHECK(order_of(cluster, 8, 8, 1) == order_of(cluster, 8, 8, 1));
  CHECK(order_of(cluster, 8, 8, 1) != order_of(cluster, 8, 8, 2));
}

TEST_CASE("no server gets more pods than it has room for, and all do where there is room",
          "[scheduler]") {
  CHECK(rc::check([] {
    const auto zones = *rc::gen::inRange(1, 5);
    std::string drawing;
    for (int zone = 0; zone < zones; ++zone) {
      drawing += "z" + std::to_string(zone) + ": r[";
      const auto servers = *rc::gen::inRange(1, 60);  // more than 100 in all are sampled
      for (int s = 0; s < servers; ++s) {
        drawing += "s" + std::to_string(zone) + "x" + std::to_string(s) + "/" +
                   std::to_string(*rc::gen::inRange(0, 9)) + " ";
      }
      drawing += "]\n";
    }
    const Sketch cluster = sketch(drawing);
    const int each = *rc::gen::element(1, 2, 4, 8);
    const Room room = room_of(cluster, each);
    std::size_t places = 0;
    for (const int here : room) places += static_cast<std::size_t>(here);
    const auto pods = *rc::gen::inRange<std::size_t>(1, places + 3);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto servers =
        kubernetes_default(*cluster.view, room, pods, static_cast<std::size_t>(each), seed);
    RC_ASSERT(servers.has_value() == (pods <= places));
    if (!servers) return;
    RC_ASSERT(servers->size() == pods);
    std::map<ServerId, int> on;
    for (const ServerId server : *servers) ++on[server];
    for (const auto& [server, count] : on) RC_ASSERT(count <= room[server]);
  }));
}
