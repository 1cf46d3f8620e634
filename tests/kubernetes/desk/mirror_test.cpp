#include "desk/mirror.hpp"

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "yard.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;

namespace {

Mirror filled() {
  Mirror mirror(nullptr, by_zone_and_rack());
  mirror.replace_nodes(eight_nodes());
  (void)mirror.refresh_site();
  return mirror;
}

int used_on(const Mirror& mirror, const char* node) {
  return mirror.used()[*mirror.site()->cluster.find_server(node)];
}

Pod running(const std::string& name, int gpus, const std::string& node) {
  Pod pod = a_plain_pod(name, gpus);
  pod.node = node;
  pod.phase = PodPhase::Running;
  return pod;
}

}  // namespace

TEST_CASE("GPUs are in use from a pod's binding to its end", "[kubernetes][mirror]") {
  Mirror mirror = filled();
  mirror.pod_changed(a_plain_pod("p", 3));
  CHECK(used_on(mirror, "n1") == 0);
  mirror.pod_changed(running("p", 3, "n1"));
  mirror.pod_changed(running("p", 3, "n1"));
  mirror.pod_changed(running("q", 2, "n1"));
  CHECK(used_on(mirror, "n1") == 5);
  Pod ended = running("p", 3, "n1");
  ended.phase = PodPhase::Succeeded;
  (void)mirror.take_gain();
  mirror.pod_changed(ended);
  CHECK(mirror.take_gain());
  CHECK(used_on(mirror, "n1") == 2);
  mirror.pod_gone("uid-q");
  CHECK(used_on(mirror, "n1") == 0);
  mirror.pod_changed(running("elsewhere", 8, "unknown-node"));
}

TEST_CASE("a pod that is being deleted holds its GPUs until it is gone", "[kubernetes][mirror]") {
  Mirror mirror = filled();
  Pod pod = running("p", 8, "n2");
  pod.deleting = true;
  mirror.pod_changed(pod);
  CHECK(used_on(mirror, "n2") == 8);
}

TEST_CASE("heartbeats change nothing, labels make the site anew", "[kubernetes][mirror]") {
  Mirror mirror = filled();
  (void)mirror.take_gain();
  const auto site = mirror.site();
  mirror.node_changed(eight_nodes()[0]);
  CHECK_FALSE(mirror.take_gain());
  CHECK(mirror.refresh_site() == nullptr);
  Node moved = eight_nodes()[0];
  moved.labels["zone"] = "b";
  moved.labels["rack"] = "r4";
  mirror.node_changed(moved);
  CHECK(mirror.refresh_site() == site);
  CHECK(mirror.site() != site);
  Node labelled = moved;
  labelled.labels["colour"] = "red";
  mirror.node_changed(labelled);
  CHECK(mirror.refresh_site() == nullptr);
}

TEST_CASE("GPUs that are not allocatable for a while are in use, and their node keeps its place",
          "[kubernetes][mirror]") {
  Mirror mirror = filled();
  mirror.pod_changed(running("p", 2, "n1"));
  Node broken = eight_nodes()[0];
  broken.gpus = 0;
  mirror.node_changed(broken);
  CHECK(mirror.refresh_site() == nullptr);
  CHECK(used_on(mirror, "n1") == 10);
  broken.gpus = 7;
  mirror.node_changed(broken);
  CHECK(used_on(mirror, "n1") == 3);
}

TEST_CASE("a node that its labels do not place does not spoil the site", "[kubernetes][mirror]") {
  Mirror mirror(nullptr, by_zone_and_rack());
  std::vector<Node> nodes = eight_nodes();
  nodes.push_back(a_node("stray", "c", ""));
  nodes.back().labels.erase("rack");
  nodes.push_back(a_node("control", "a", "r1", 0));
  mirror.replace_nodes(nodes);
  (void)mirror.refresh_site();
  REQUIRE(mirror.site());
  CHECK(mirror.site()->cluster.server_count() == 8);
  mirror.replace_nodes({});
  (void)mirror.refresh_site();
  CHECK_FALSE(mirror.site());
  CHECK(mirror.why_no_site() == "no node has GPUs");
}

TEST_CASE("a node that says it has more GPUs than any server does not spoil the site",
          "[kubernetes][mirror]") {
  Mirror mirror = filled();
  Node odd = a_node("odd", "a", "r1", 2000);
  SECTION("listed") {
    std::vector<Node> nodes = eight_nodes();
    nodes.push_back(odd);
    mirror.replace_nodes(nodes);
  }
  SECTION("told of") { mirror.node_changed(odd); }
  SECTION("it was one as others, and has none to give now") {
    odd = a_node("n1", "a", "r1", 2000);
    mirror.node_changed(odd);
  }
  (void)mirror.refresh_site();
  REQUIRE(mirror.site());
  CHECK(mirror.site()->cluster.server_count() == 8);
  CHECK(used_on(mirror, "n1") == (odd.name == "n1" ? 8 : 0));
  odd.gpus = 8;
  mirror.node_changed(odd);
  (void)mirror.refresh_site();
  CHECK(mirror.site()->cluster.find_server(odd.name).has_value());
  CHECK(used_on(mirror, "n1") == 0);
}

TEST_CASE("a gang is its pods until the last of them is gone", "[kubernetes][mirror]") {
  Mirror mirror = filled();
  for (int rank = 0; rank < 3; ++rank) mirror.pod_changed(a_member("g", rank, 3));
  const std::string gang = "team/zonecut.dev/g";
  CHECK(mirror.pods_of(gang).size() == 3);
  CHECK(mirror.take_changed_gangs() == std::vector<std::string>{gang});
  CHECK(mirror.take_changed_gangs().empty());
  for (int rank = 0; rank < 3; ++rank) mirror.pod_gone("uid-g-" + std::to_string(rank));
  CHECK(mirror.pods_of(gang).empty());
  CHECK(mirror.take_changed_gangs() == std::vector<std::string>{gang});
}

TEST_CASE("servers are eligible by what the pod was written with", "[kubernetes][mirror]") {
  Mirror mirror = filled();
  const auto eligible = [&](const Pod& pod) {
    mirror.pod_changed(pod);
    return mirror.eligible({mirror.pod(pod.uid)}).all().size();
  };
  Pod pod = a_member("g", 0, 3);
  CHECK(eligible(pod) == 8);
  pod.node_selector["zone"] = "b";
  CHECK(eligible(pod) == 4);
  pod.node_selector["kubernetes.io/hostname"] = "n5";
  CHECK(eligible(pod) == 1);
  pod.annotations["zonecut.dev/server"] = "n5";
  CHECK(eligible(pod) == 4);
  Node tainted = eight_nodes()[5];
  tainted.taints = {{"broken", "", "NoSchedule"}};
  mirror.node_changed(tainted);
  CHECK(eligible(pod) == 3);
}

TEST_CASE("servers are eligible for several pods that every one of them may go to",
          "[kubernetes][mirror]") {
  Mirror mirror = filled();
  Node tainted = eight_nodes()[5];
  tainted.taints = {{"special", "", "NoSchedule"}};
  mirror.node_changed(tainted);
  Pod in_zone = a_member("g", 0, 3);
  in_zone.node_selector["zone"] = "b";
  Pod in_rack = a_member("g", 1, 3);
  in_rack.node_selector["rack"] = "r3";
  in_rack.tolerations = {{"special", true, "", "", {}}};
  for (const Pod& pod : {in_zone, in_rack, a_member("g", 2, 3)}) mirror.pod_changed(pod);
  const auto known = [&](const Pod& pod) { return mirror.pod(pod.uid); };
  CHECK(mirror.eligible({known(in_zone)}).all().size() == 3);
  CHECK(mirror.eligible({known(in_rack)}).all().size() == 2);
  CHECK(mirror.eligible(mirror.pods_of("team/zonecut.dev/g")).all() ==
        std::vector<ServerId>{*mirror.site()->cluster.find_server("n5")});
}

TEST_CASE("gangs that ask for the same nodes share the list of these", "[kubernetes][mirror]") {
  Mirror mirror = filled();
  for (const Pod& pod : {a_member("g", 0, 2), a_member("g", 1, 2), a_member("h", 0, 2)})
    mirror.pod_changed(pod);
  const SharedServers first = mirror.eligible(mirror.pods_of("team/zonecut.dev/g"));
  CHECK(first.all().size() == 8);
  CHECK(&mirror.eligible(mirror.pods_of("team/zonecut.dev/h")).all() == &first.all());
}

TEST_CASE("servers of a cluster file that no node is called as are told, and nodes beside them",
          "[kubernetes][mirror]") {
  const Sketch sketched = sketch("a: r1[n1 n2] \n b: r2[n3 other]");
  Mirror mirror(std::make_shared<const Site>(*sketched.cluster), {});
  mirror.replace_nodes(eight_nodes());
  (void)mirror.refresh_site();
  const auto outlook = mirror.take_outlook();
  REQUIRE(outlook);
  CHECK(outlook->without_node == std::vector<std::string>{"other"});
  CHECK(outlook->left_out == std::vector<std::string>{"n4", "n5", "n6", "n7", "n8"});
  CHECK_FALSE(mirror.take_outlook());
}
