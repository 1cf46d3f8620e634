#include "desk/desk.hpp"

#include <set>

#include "support/catch.hpp"
#include "yard.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;
using Catch::Matchers::Contains;

TEST_CASE("each pod of a gang gets the node of its rank, all of them in one zone",
          "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  std::set<std::string> zone_of_a = {"n1", "n2", "n3", "n4"};
  std::set<std::string> given;
  for (int rank = 0; rank < 4; ++rank) given.insert(yard.ask(a_member("g", rank, 4)));
  CHECK(given.size() == 4);
  CHECK((given == zone_of_a || given == std::set<std::string>{"n5", "n6", "n7", "n8"}));
  CHECK(yard.happened == std::vector<std::string>{"planned team/zonecut.dev/g"});
}

TEST_CASE("a pod that asks again gets the same node", "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  const std::string node = yard.ask(a_member("g", 2, 4));
  for (int i = 0; i < 5; ++i) CHECK(yard.ask(a_member("g", 2, 4)) == node);
  CHECK(yard.ask(a_member("g", 2, 4), {node}) == node);
}

TEST_CASE("a gang that does not fit is refused everywhere with one text", "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  for (int rank = 0; rank < 9; ++rank) CHECK(yard.ask(a_member("g", rank, 9)) == refusals::kWaits);
  CHECK(yard.happened.size() == 1);
  CHECK(yard.desk.counts().reserved_gpus == 0);
  const auto told = yard.errands<TellPod>();
  CHECK(told.size() == 9);
  CHECK(told.front().message.find("there are 8") != std::string::npos);
}

TEST_CASE("servers that are not kept for pods that do not exist go to a gang of another namespace",
          "[kubernetes][desk]") {
  Yard yard(false, 2);
  yard.begin();
  CHECK(yard.ask(a_member("large", 0, 8)).size() == 2);
  CHECK(yard.desk.counts().reserved_gpus == 64);
  CHECK(yard.ask(a_member("another", 0, 2)) == refusals::kWaits);
  Pod guest = a_member("guest", 0, 2);
  guest.name_space = "guests";
  CHECK(yard.ask(guest).size() == 2);
  CHECK(yard.desk.counts().reserved_gpus == 16);
  CHECK(yard.ask(a_member("large", 0, 8)) == refusals::kWaits);
}

TEST_CASE("a pod of no gang gets servers that are not kept where nothing else is left",
          "[kubernetes][desk]") {
  Yard yard(false, 2);
  yard.begin();
  SECTION("and else another") {
    yard.ask(a_member("large", 0, 7));
    CHECK(yard.ask(a_plain_pod("p", 8)).size() == 2);
  }
  SECTION("not those of pods that exist, and of two that do not") {
    yard.ask(a_member("large", 0, 8));
    CHECK(yard.ask(a_plain_pod("p", 8)) == "n4 n5 n6 n7 n8");
  }
}

TEST_CASE("pods of no gang keep off GPUs that are reserved, and go anywhere else",
          "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  CHECK(yard.ask(a_plain_pod("p", 1)) == kAll);
  const std::string first = yard.ask(a_member("g", 0, 8, 4));
  CHECK(yard.desk.counts().reserved_gpus == 32);
  const std::string left = yard.ask(a_plain_pod("q", 8));
  CHECK(left.find(first) == std::string::npos);
  CHECK(left == "n5 n6 n7 n8");
  CHECK(yard.ask(a_plain_pod("no-gpu", 0)) == kAll);
}

TEST_CASE("pods of no gang that are on their way are counted before the watch tells where they are",
          "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  for (int rank = 0; rank < 9; ++rank) (void)yard.ask(a_member("g", rank, 9, 4));
  REQUIRE(yard.desk.counts().reserved_gpus == 9 * 4);
  std::string half;  // has four GPUs reserved, and four to give
  for (const Node& each : eight_nodes()) {
    if (yard.ask(a_plain_pod("probe", 8), {each.name}) == refusals::kReserved &&
        yard.ask(a_plain_pod("probe", 4), {each.name}) == each.name)
      half = each.name;
  }
  REQUIRE_FALSE(half.empty());
  yard.desk.pod_gone("uid-probe");
  (void)yard.desk.errands();
  const Pod first = a_plain_pod("first", 4);
  const Pod second = a_plain_pod("second", 4);
  CHECK(yard.ask(first, {half}) == half);
  CHECK(yard.ask(first, {half}) == half);
  CHECK(yard.ask(second, {half}) == refusals::kReserved);
  CHECK(yard.errands<WakePod>().size() == 1);  // it may go elsewhere
  SECTION("it starts there") {
    yard.bind(first, half);
    yard.now += 20'000;
    CHECK(yard.ask(second, {half}) == refusals::kReserved);
  }
  SECTION("it starts elsewhere") {
    yard.bind(first, "unknown");
    CHECK(yard.ask(second, {half}) == half);
  }
  SECTION("it is gone") {
    yard.desk.pod_gone(first.uid);
    CHECK(yard.ask(second, {half}) == half);
  }
  SECTION("nothing is heard of it") {
    yard.now += 10'000;
    CHECK(yard.ask(second, {half}) == half);
  }
}

TEST_CASE("the node that others were evicted for is not a reason to plan anew",
          "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  const std::string node = yard.ask(a_member("g", 0, 4));
  Pod pod = a_member("g", 1, 4);
  pod.nominated_node = node;
  CHECK(yard.ask(pod, {node}) == refusals::kElsewhere);
  CHECK(yard.ask(a_member("g", 0, 4)) == node);
}

TEST_CASE("nobody is answered before nodes and pods are known, nor by a replica that follows",
          "[kubernetes][desk]") {
  Yard yard;
  CHECK_THROWS_AS(yard.ask(a_member("g", 0, 4)), NotReady);
  CHECK_FALSE(yard.desk.is_ready());
  CHECK(yard.desk.why_not_ready() == std::string("nodes and pods are not listed yet"));
  yard.desk.replace_nodes(eight_nodes());
  CHECK_THROWS_AS(yard.ask(a_member("g", 0, 4)), NotReady);
  yard.desk.replace_pods({});
  (void)yard.desk.errands();
  CHECK(yard.desk.is_ready());
  const std::string node = yard.ask(a_member("g", 0, 4));
  yard.desk.lead(false);
  CHECK(yard.desk.why_not_ready() == std::string("this replica does not lead"));
  CHECK_THROWS_AS(yard.ask(a_member("g", 1, 4)), NotReady);
  CHECK(yard.desk.errands().empty());
  yard.desk.lead(true);
  (void)yard.desk.errands();
  CHECK(yard.ask(a_member("g", 0, 4)) == node);
}

TEST_CASE("the size of a gang comes from its owner, and is asked for once", "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  yard.fetched.shape = GangShape{{{"", 1, 4, 0}}};
  Pod pod = a_plain_pod("job-0", 8);
  pod.labels = {{"batch.kubernetes.io/job-name", "job"},
                {"batch.kubernetes.io/job-completion-index", "0"}};
  pod.owners = {{"batch/v1", "Job", "job", true}};
  const std::string node = yard.ask(pod);
  CHECK(yard.desk.counts().reserved_gpus == 32);
  CHECK(yard.ask(pod) == node);
  CHECK(yard.asked == std::vector<std::string>{"Job job"});
}

TEST_CASE("a gang of unknown size is refused, and its pods are told what to do",
          "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  CHECK(yard.ask(a_member("g", 0, 0)) == refusals::kFault);
  const auto told = yard.errands<TellPod>();
  REQUIRE(told.size() == 1);
  CHECK(told.front().warning);
  CHECK(told.front().message.find("zonecut.dev/size") != std::string::npos);
}

TEST_CASE("words that contradict each other are refused with the reason in an event",
          "[kubernetes][desk]") {
  const auto fault_of = [](const std::vector<Pod>& pods) {
    Yard yard;
    yard.begin(eight_nodes(), pods);
    CHECK(yard.ask(pods.back()) == refusals::kFault);
    std::string text;
    for (const TellPod& told : yard.errands<TellPod>()) text += told.message;
    return text;
  };
  Pod odd = a_member("g", 1, 4);
  odd.annotations["zonecut.dev/rank"] = "many";
  CHECK(fault_of({odd}).find("many") != std::string::npos);
  Pod twin = a_member("g", 1, 4);
  twin.uid = "uid-twin";
  twin.name = "g-twin";
  CHECK(fault_of({a_member("g", 1, 4), twin}).find("another pod has as well") != std::string::npos);
  CHECK(fault_of({a_member("g", 0, 4), a_member("g", 1, 5)}).find("another pod says") !=
        std::string::npos);
  CHECK(fault_of({a_member("g", 0, 4), a_member("g", 1, 4, 4)}).find("different numbers of GPUs") !=
        std::string::npos);
  Pod job = a_member("g", 0, 4);
  job.annotations["zonecut.dev/job"] = "tp=8,wings=2";
  CHECK(fault_of({job}).find("wings") != std::string::npos);
  Pod level = a_member("g", 0, 4);
  level.annotations["zonecut.dev/required-level"] = "row";
  CHECK(fault_of({level}).find("no level \"row\"") != std::string::npos);
}

TEST_CASE("a required level is kept", "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  const auto in_one = [](int rank, int size, const char* level) {
    Pod pod = a_member(level + std::to_string(size), rank, size);
    pod.annotations["zonecut.dev/required-level"] = level;
    return pod;
  };
  CHECK(yard.ask(in_one(0, 5, "zone")) == refusals::kWaits);
  CHECK(yard.ask(in_one(0, 3, "rack")) == refusals::kWaits);
  const std::string a = yard.ask(in_one(0, 4, "zone"));
  CHECK(a.size() == 2);
}

TEST_CASE("pods without ranks keep the places that they were given", "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  std::vector<Pod> pods;
  for (const char* name : {"z", "m", "a"}) {
    Pod pod = a_member("g", -1, 3);
    pod.name = name;
    pod.uid = std::string("uid-") + name;
    pods.push_back(pod);
  }
  std::set<std::string> nodes;
  for (const Pod& pod : pods) {
    const std::string node = yard.ask(pod);
    nodes.insert(node);
    yard.bind(pod, node);
  }
  CHECK(nodes.size() == 3);
  Pod fourth = a_member("g", -1, 3);
  fourth.name = "one-too-many";
  fourth.uid = "uid-4";
  CHECK(yard.ask(fourth) == refusals::kFault);
}

TEST_CASE("a gang that runs in part is planned around it before anybody else is answered",
          "[kubernetes][desk]") {
  std::vector<Pod> pods;
  for (int rank = 0; rank < 4; ++rank) pods.push_back(a_member("g", rank, 4));
  pods[1].node = "n6";
  pods[1].phase = PodPhase::Running;
  Yard yard;
  yard.begin(eight_nodes(), pods);
  CHECK(yard.desk.counts().reservations == 1);
  // Whether n6 has room is kube-scheduler's to judge.
  CHECK(yard.ask(a_plain_pod("p", 8)) == "n1 n2 n3 n4 n6");
  for (const int rank : {0, 2, 3}) {
    const std::string node = yard.ask(pods[static_cast<std::size_t>(rank)]);
    CHECK((node == "n5" || node == "n7" || node == "n8"));
  }
}

TEST_CASE("a pod that waits is woken when room comes without its asking", "[kubernetes][desk]") {
  Yard yard;
  std::vector<Pod> others;
  for (int i = 1; i <= 8; ++i) {
    Pod pod = a_plain_pod("other" + std::to_string(i), 8);
    pod.node = "n" + std::to_string(i);
    pod.phase = PodPhase::Running;
    others.push_back(pod);
  }
  yard.begin(eight_nodes(), others);
  CHECK(yard.ask(a_member("g", 0, 2)) == refusals::kWaits);
  CHECK(yard.ask(a_member("g", 1, 2)) == refusals::kWaits);
  CHECK(yard.errands<WakePod>().empty());
  yard.desk.pod_gone("uid-other3");
  CHECK(yard.errands<WakePod>().empty());
  yard.desk.pod_gone("uid-other4");
  CHECK(yard.errands<WakePod>().size() == 2);
  CHECK(yard.errands<WakePod>().empty());
  CHECK(yard.ask(a_plain_pod("p", 8)) == "n1 n2 n5 n6 n7 n8");
  CHECK(yard.ask(a_plain_pod("p", 8), {"n3", "n4"}) == refusals::kReserved);
  const std::string node = yard.ask(a_member("g", 0, 2));
  CHECK((node == "n3" || node == "n4"));
}

TEST_CASE("what is deleted gives its reservation back", "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  (void)yard.ask(a_member("g", 0, 4));
  CHECK(yard.desk.counts().reservations == 1);
  yard.desk.pod_gone("uid-g-0");
  (void)yard.desk.errands();
  CHECK(yard.desk.counts().reservations == 0);
  // A request that was under way when it was deleted brings nothing back.
  (void)yard.ask(a_member("g", 0, 4));
  (void)yard.desk.errands();
  CHECK(yard.desk.counts().gangs == 0);
}

TEST_CASE("what a gang sends is told per iteration, or of serving per second of service",
          "[kubernetes][desk]") {
  const auto told = [](const std::string& job) {
    Yard yard;
    yard.begin();
    for (int rank = 0; rank < 5; ++rank) {
      Pod pod = a_member("g", rank, 5);
      pod.annotations["zonecut.dev/job"] = job;
      yard.desk.pod_changed(pod);
    }
    (void)yard.ask([&] {
      Pod pod = a_member("g", 0, 5);
      pod.annotations["zonecut.dev/job"] = job;
      return pod;
    }());
    const auto errands = yard.errands<TellPod>();
    REQUIRE(errands.size() == 1);
    return errands.front().message;
  };
  CHECK_THAT(told("tp=8,dp=5"), Contains(" per iteration between zones"));
  CHECK_THAT(told("kind=inference,model=llama3-8b,prefill_replicas=2,decode_replicas=3,rps=1"),
             Contains(" per second of service between zones"));
}

TEST_CASE("what comes to nothing ends, and is said", "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  for (int rank = 0; rank < 4; ++rank) (void)yard.ask(a_member("g", rank, 4));
  yard.now += 9'000;
  (void)yard.desk.errands();
  CHECK(yard.desk.counts().reservations == 1);
  yard.now += 2'000;
  (void)yard.desk.errands();
  CHECK(yard.desk.counts().reservations == 0);
  CHECK(yard.happened.back() == "released team/zonecut.dev/g");
}

TEST_CASE("a gang whose other members do not come holds its servers for a short time only",
          "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  (void)yard.ask(a_member("g", 0, 8));
  CHECK(yard.ask(a_member("h", 0, 2)) == refusals::kWaits);
  yard.now += 900;
  CHECK(yard.errands<WakePod>().empty());
  yard.now += 200;
  CHECK(yard.errands<WakePod>().size() == 1);
  CHECK(yard.ask(a_member("h", 0, 2)).size() == 2);
  CHECK(yard.ask(a_member("g", 0, 8)) == refusals::kWaits);
}

TEST_CASE("only the lost rank moves when a node is cordoned or gone", "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  std::vector<std::string> nodes;
  for (int rank = 0; rank < 4; ++rank) nodes.push_back(yard.ask(a_member("g", rank, 4)));
  SECTION("gone") { yard.desk.node_gone(nodes[2]); }
  SECTION("cordoned") {
    Node node = a_node(nodes[2], nodes[2] < "n5" ? "a" : "b", "r");
    for (const Node& known : eight_nodes()) {
      if (known.name == nodes[2]) node = known;
    }
    node.unschedulable = true;
    yard.desk.node_changed(node);
  }
  yard.now += 60'000;  // no promise holds any more
  std::vector<std::string> names;
  for (const Node& node : eight_nodes()) {
    if (node.name != nodes[2]) names.push_back(node.name);
  }
  const std::string other = yard.ask(a_member("g", 2, 4), names);
  CHECK(other != nodes[2]);
  CHECK(other.size() == 2);
}

TEST_CASE("preemption: for no gang, and not where what is freed is reserved",
          "[kubernetes][desk]") {
  Yard yard;
  std::vector<Pod> others;
  for (const char* node : {"n1", "n2", "n3", "n4", "n5", "n6", "n7"}) {
    Pod pod = a_plain_pod(std::string("victim-") + node, 4);
    pod.node = node;
    pod.phase = PodPhase::Running;
    others.push_back(pod);
  }
  yard.begin(eight_nodes(), others);
  // Two of them share n8, which is free; the others stand beside victims.
  std::set<std::string> reserved;
  for (int rank = 0; rank < 4; ++rank) reserved.insert(yard.ask(a_member("g", rank, 4, 4)));
  reserved.erase("n8");
  REQUIRE(reserved.size() >= 2);
  PreemptRequest request;
  for (const char* node : {"n1", "n2", "n3", "n4", "n5", "n6", "n7"})
    request.candidates.push_back({node, {std::string("uid-victim-") + node}, 0});
  request.pod = a_member("h", 0, 20);
  CHECK(yard.desk.preempt(request).empty());
  request.pod = a_plain_pod("p", 8);
  const auto chosen = yard.desk.preempt(request);
  CHECK(chosen.size() == 7 - reserved.size());
  for (const PreemptCandidate& candidate : chosen) CHECK_FALSE(reserved.contains(candidate.node));
  request.pod = a_plain_pod("q", 0);
  CHECK(yard.desk.preempt(request).size() == 7);
}

TEST_CASE("the planned node scores all, any other nothing", "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  const std::string node = yard.ask(a_member("g", 0, 4));
  const CandidateRequest request = Yard::request(a_member("g", 0, 4));
  const std::vector<std::int64_t> scores = yard.desk.prioritize(request);
  for (std::size_t i = 0; i < scores.size(); ++i)
    CHECK(scores[i] == (request.names[i] == node ? 10 : 0));
  CHECK(yard.desk.prioritize(Yard::request(a_plain_pod("p", 1))) ==
        std::vector<std::int64_t>(8, 0));
}

TEST_CASE("gates are opened when all members are there, each with its node", "[kubernetes][desk]") {
  Yard yard(true);
  yard.begin();
  std::vector<Pod> pods;
  for (int rank = 0; rank < 4; ++rank) {
    Pod pod = a_member("g", rank, 4);
    pod.gates = {"zonecut.dev/placement"};
    pods.push_back(pod);
  }
  for (int rank = 0; rank < 3; ++rank) yard.desk.pod_changed(pods[static_cast<std::size_t>(rank)]);
  CHECK(yard.errands<OpenGate>().empty());
  yard.desk.pod_changed(pods[3]);
  const auto gates = yard.errands<OpenGate>();
  REQUIRE(gates.size() == 4);
  std::set<std::string> hosts;
  for (const OpenGate& gate : gates) {
    hosts.insert(gate.hostname);
    CHECK(gate.pod->pod.name == "g-" + std::to_string(gate.rank));
  }
  CHECK(hosts.size() == 4);
  CHECK(yard.errands<OpenGate>().empty());
  yard.now += 6'000;  // the patch was lost
  CHECK(yard.errands<OpenGate>().size() == 4);
  // What we have patched in does not change the plan.
  for (const OpenGate& gate : gates) {
    Pod pod = gate.pod->pod;
    pod.gates.clear();
    pod.annotations["zonecut.dev/server"] = gate.server;
    pod.node_selector["kubernetes.io/hostname"] = gate.hostname;
    yard.desk.pod_changed(pod);
  }
  for (const OpenGate& gate : gates) {
    Pod pod = gate.pod->pod;
    pod.gates.clear();
    pod.annotations["zonecut.dev/server"] = gate.server;
    pod.node_selector["kubernetes.io/hostname"] = gate.hostname;
    CHECK(yard.ask(pod, {gate.server}) == gate.server);
  }
}

TEST_CASE("a gate on a pod of no gang is lifted without a choice", "[kubernetes][desk]") {
  Yard yard(true);
  yard.begin();
  Pod pod = a_plain_pod("p", 1);
  pod.gates = {"zonecut.dev/placement"};
  yard.desk.pod_changed(pod);
  const auto gates = yard.errands<OpenGate>();
  REQUIRE(gates.size() == 1);
  CHECK(gates.front().hostname.empty());
}

TEST_CASE("what gangs are planned on is told once, and again when it has changed",
          "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  REQUIRE(yard.outlooks.size() == 1);
  CHECK(yard.outlooks[0].site->cluster.server_count() == 8);
  CHECK(yard.outlooks[0].left_out.empty());
  Node tainted = eight_nodes()[0];
  tainted.taints = {{"special", "", "NoSchedule"}};
  yard.desk.node_changed(tainted);
  (void)yard.desk.errands();
  CHECK(yard.outlooks.size() == 1);
  Node unplaced = a_node("n9", "", "");
  unplaced.labels.clear();
  yard.desk.node_changed(unplaced);
  (void)yard.desk.errands();
  REQUIRE(yard.outlooks.size() == 2);
  CHECK(yard.outlooks[1].left_out == std::vector<std::string>{"n9"});
}

TEST_CASE("it is told why no gang can be planned", "[kubernetes][desk]") {
  Yard yard;
  yard.begin({a_node("n1", "a", "r1", 0)});
  REQUIRE(yard.outlooks.size() == 1);
  CHECK(yard.outlooks[0].site == nullptr);
  CHECK(yard.outlooks[0].why == "no node has GPUs");
}

TEST_CASE("a level that the cluster has not is told with those that it has", "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  Pod pod = a_member("g", 0, 2);
  pod.annotations["zonecut.dev/required-level"] = "row";
  CHECK(yard.ask(pod) == refusals::kFault);
  const auto told = yard.errands<TellPod>();
  REQUIRE(told.size() == 1);
  CHECK(told.front().message ==
        "zonecut.dev/required-level: the cluster has no level \"row\" (its levels: zone, rack)");
}
