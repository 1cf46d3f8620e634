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
  yard.begin(eight_nodes(), {pod});
  CHECK(yard.errands<OpenGate>().empty());
}
