// Gangs whose pods wait behind our gate.
#include <set>

#include "support/catch.hpp"
#include "yard.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;

namespace {

Pod gated(Pod pod) {
  pod.gates = {std::string(kGate)};
  return pod;
}

Pod opened(const OpenGate& gate) {
  Pod pod = gate.pod->pod;
  pod.gates.clear();
  pod.annotations["zonecut.dev/server"] = gate.server;
  pod.annotations["zonecut.dev/rank"] = std::to_string(gate.rank);
  pod.node_selector["kubernetes.io/hostname"] = gate.hostname;
  return pod;
}

std::vector<Pod> opened_gang(int size) {
  Yard yard(true);
  std::vector<Pod> pods;
  for (int rank = 0; rank < size; ++rank) pods.push_back(gated(a_member("g", rank, size)));
  yard.desk.replace_nodes(eight_nodes());
  yard.desk.replace_pods(pods);
  std::vector<Pod> after;
  for (const OpenGate& gate : yard.errands<OpenGate>()) after.push_back(opened(gate));
  REQUIRE(after.size() == pods.size());
  return after;
}

}  // namespace

TEST_CASE("gates open for what is left of a gang of which others have ended well",
          "[kubernetes][desk][gates]") {
  Pod ended = a_member("g", 0, 3);
  ended.node = "n5";
  ended.phase = PodPhase::Succeeded;
  Pod runs = a_member("g", 1, 3);
  runs.node = "n6";
  runs.phase = PodPhase::Running;
  Yard yard(true);
  yard.desk.replace_nodes(eight_nodes());
  yard.desk.replace_pods({ended, runs, gated(a_member("g", 2, 3))});
  const auto gates = yard.errands<OpenGate>();
  REQUIRE(gates.size() == 1);
  CHECK(gates.front().rank == 2);
}

TEST_CASE("a pod of a gang that needs no GPU is let go at once, and does not stop the others",
          "[kubernetes][desk][gates]") {
  Pod launcher = gated(a_member("g", -1, 2, 0));
  Yard yard(true);
  yard.desk.replace_nodes(eight_nodes());
  yard.desk.replace_pods({launcher, gated(a_member("g", 0, 2)), gated(a_member("g", 1, 2))});
  const auto gates = yard.errands<OpenGate>();
  CHECK(gates.size() == 3);
  for (const OpenGate& gate : gates)
    CHECK(gate.hostname.empty() == (gate.pod->pod.name == launcher.name));
}

TEST_CASE("gates are opened in the order of priorities, not of names",
          "[kubernetes][desk][gates]") {
  std::vector<Pod> pods;
  for (const char* gang : {"a", "z"}) {
    for (int rank = 0; rank < 6; ++rank) {
      pods.push_back(gated(a_member(gang, rank, 6)));
      pods.back().priority = *gang == 'z' ? 9 : 0;
    }
  }
  Yard yard(true);
  yard.desk.replace_nodes(eight_nodes());
  yard.desk.replace_pods(pods);
  for (const OpenGate& gate : yard.errands<OpenGate>()) CHECK(gate.pod->pod.name.front() == 'z');
}

TEST_CASE("no gate is opened for a pod that is being deleted", "[kubernetes][desk][gates]") {
  Pod pod = gated(a_plain_pod("p", 1));
  pod.deleting = true;
  Yard yard(true);
  yard.desk.replace_nodes(eight_nodes());
  yard.desk.replace_pods({pod});
  CHECK(yard.errands<OpenGate>().empty());
}

TEST_CASE("pods whose gates a process before this one opened go where they were sent",
          "[kubernetes][desk][gates]") {
  std::vector<Pod> pods = opened_gang(3);
  // A place that a plan of today would not choose.
  const char* const away[] = {"n8", "n3", "n1"};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    pods[rank].annotations["zonecut.dev/server"] = away[rank];
    pods[rank].node_selector["kubernetes.io/hostname"] = away[rank];
  }
  Yard yard(true);
  yard.begin(eight_nodes(), pods);
  for (std::size_t rank = 0; rank < 3; ++rank)
    CHECK(yard.ask(pods[rank], {away[rank]}) == away[rank]);
  CHECK(yard.ask(a_plain_pod("p", 1)) == "n2 n4 n5 n6 n7");
  CHECK(yard.happened.size() == 1);
}

TEST_CASE("a gang of which some gates are open is planned around the servers they were sent to",
          "[kubernetes][desk][gates]") {
  std::vector<Pod> pods = opened_gang(3);
  for (const std::size_t rank : {1u, 2u}) {
    pods[rank] = gated(a_member("g", static_cast<int>(rank), 3));
  }
  pods[0].annotations["zonecut.dev/server"] = "n7";
  pods[0].node_selector["kubernetes.io/hostname"] = "n7";
  Yard yard(true);
  yard.desk.replace_nodes(eight_nodes());
  yard.desk.replace_pods(pods);
  const auto gates = yard.errands<OpenGate>();
  REQUIRE(gates.size() == 2);
  for (const OpenGate& gate : gates) {
    CHECK(gate.server != "n7");
    CHECK(gate.server > "n4");  // the zone of n7
  }
  CHECK(yard.ask(pods[0], {"n7"}) == "n7");
}

TEST_CASE("a gang waits where the server that one of its pods was sent to is taken",
          "[kubernetes][desk][gates]") {
  std::vector<Pod> pods = opened_gang(2);
  Pod other = a_plain_pod("other", 1);
  other.node = pods[0].annotations["zonecut.dev/server"];
  pods.push_back(other);
  Yard yard(true);
  yard.begin(eight_nodes(), pods);
  CHECK(yard.ask(pods[1], {pods[1].annotations["zonecut.dev/server"]}) == refusals::kWaits);
  const auto told = yard.errands<TellPod>();
  REQUIRE(told.size() == 1);
  CHECK_THAT(told.front().message,
             Catch::Contains("pod g-0 can only go to " + pods[0].annotations["zonecut.dev/server"] +
                             " and finds no room there; delete it to have it go elsewhere"));
  CHECK(yard.desk.counts().reserved_gpus == 0);
  yard.desk.pod_gone("uid-other");
  CHECK(yard.errands<WakePod>().size() == 1);
  CHECK(yard.ask(pods[1], {pods[1].annotations["zonecut.dev/server"]}).size() == 2);
}

TEST_CASE("a gang that waits is not told of every change of what is missing",
          "[kubernetes][desk][gates]") {
  std::vector<Pod> pods;
  for (int rank = 0; rank < 9; ++rank) pods.push_back(gated(a_member("g", rank, 9)));
  for (int i = 1; i <= 8; ++i) {
    Pod other = a_plain_pod("other" + std::to_string(i), 8);
    other.node = "n" + std::to_string(i);
    pods.push_back(other);
  }
  Yard yard(true);
  yard.desk.replace_nodes(eight_nodes());
  yard.desk.replace_pods(pods);
  CHECK(yard.errands<TellPod>().size() == 9);
  for (int i = 1; i <= 8; ++i) {
    yard.now += 1'000;
    yard.desk.pod_gone("uid-other" + std::to_string(i));
    CHECK(yard.errands<TellPod>().empty());
  }
  yard.now += 60'000;
  const auto told = yard.errands<TellPod>();
  REQUIRE(told.size() == 9);
  CHECK(told.front().message.find("there are 8") != std::string::npos);
}

TEST_CASE("of many gangs behind gates some are planned at a look, and all by and by",
          "[kubernetes][desk][gates]") {
  std::vector<Pod> pods;
  for (int gang = 0; gang < 60; ++gang) {
    for (int rank = 0; rank < 9; ++rank)
      pods.push_back(gated(a_member("g" + std::to_string(gang), rank, 9)));
  }
  for (int rank = 0; rank < 2; ++rank) pods.push_back(gated(a_member("last", rank, 2)));
  Yard yard(true);
  yard.desk.replace_nodes(eight_nodes());
  yard.desk.replace_pods(pods);
  for (int look = 0; look < 60; ++look) {
    const std::uint64_t before = yard.desk.attempts();
    const auto gates = yard.errands<OpenGate>();
    CHECK(yard.desk.attempts() - before <= 64);
    if (!yard.desk.is_behind()) {
      CHECK(yard.desk.attempts() == 61);
      CHECK(gates.size() == 2);
      return;
    }
    CHECK(gates.empty());
  }
  FAIL("it is behind for ever");
}

TEST_CASE("who stays gated since a pod is missing is told after a while",
          "[kubernetes][desk][gates]") {
  Yard yard(true);
  yard.begin(eight_nodes(), {gated(a_member("g", 0, 4)), gated(a_member("g", 1, 4))});
  yard.now += 29'000;
  CHECK(yard.errands<TellPod>().empty());
  yard.desk.pod_changed(gated(a_member("g", 2, 4)));
  CHECK(yard.errands<TellPod>().empty());
  yard.now += 29'000;  // since another one came
  CHECK(yard.errands<TellPod>().empty());
  yard.now += 1'000;
  const auto told = yard.errands<TellPod>();
  REQUIRE(told.size() == 3);
  CHECK(told.front().reason == "GangWaiting");
  CHECK(told.front().message == "1 of its 4 pods are not there; its gates are lifted when all are");
  yard.now += 60'000;
  CHECK(yard.errands<TellPod>().empty());
  Pod last = gated(a_member("g", 3, 4));
  last.gates.emplace_back("example.com/quota");
  yard.desk.pod_changed(last);
  CHECK(yard.errands<OpenGate>().empty());
  yard.now += 30'000;
  CHECK(yard.errands<TellPod>().front().message ==
        "one of its pods waits behind another's gate; its own are lifted when none does");
  yard.desk.pod_changed(gated(a_member("g", 3, 4)));
  CHECK(yard.errands<OpenGate>().size() == 4);
}
