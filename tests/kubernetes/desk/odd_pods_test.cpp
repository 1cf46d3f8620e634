// Pods that somebody wrote in haste, or with bad intent.
#include "support/catch.hpp"
#include "yard.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;

namespace {

Pod with_job(Pod pod, const std::string& job) {
  pod.annotations["zonecut.dev/job"] = job;
  return pod;
}

std::string messages(Yard& yard) {
  std::string text;
  for (const TellPod& told : yard.errands<TellPod>()) text += told.message + "\n";
  return text;
}

}  // namespace

TEST_CASE("job words whose product does not fit a number are refused", "[kubernetes][desk][odd]") {
  Yard yard;
  yard.begin();
  for (const char* words : {"tp=65536,pp=65536", "tp=65536,pp=65536,dp=2", "tp=2147483647,pp=3"})
    CHECK(yard.ask(with_job(a_member(words, 0, 4), words)) == refusals::kFault);
}

TEST_CASE("so many GPUs that their number does not fit are refused", "[kubernetes][desk][odd]") {
  Yard yard;
  yard.begin();
  const std::string answer = yard.ask(a_member("g", 0, 131'072, 32'768));
  CHECK((answer == refusals::kFault || answer == refusals::kWaits));
}

TEST_CASE("a job that leaves GPUs of its pods without a rank is refused",
          "[kubernetes][desk][odd]") {
  Yard yard;
  yard.begin();
  // Two ranks a pod: four pods of eight GPUs are not four pods of two.
  CHECK(yard.ask(with_job(a_member("g", 0, 4), "tp=2,dp=4")) == refusals::kFault);
  CHECK(messages(yard).find("8 ranks") != std::string::npos);
  CHECK(yard.desk.counts().reserved_gpus == 0);
}

TEST_CASE("pods that ended do not speak for those that live", "[kubernetes][desk][odd]") {
  std::vector<Pod> before;
  for (int rank = 0; rank < 3; ++rank) {
    Pod pod = with_job(a_member("g", rank, 3, 4), "tp=4");
    pod.uid += "-before";
    pod.name += "-before";
    pod.node = "n1";
    pod.phase = rank == 2 ? PodPhase::Running : PodPhase::Succeeded;
    pod.deleting = rank == 2;
    before.push_back(pod);
  }
  Yard yard;
  yard.begin(eight_nodes(), before);
  CHECK(yard.ask(a_member("g", 0, 2)).size() == 2);
}

TEST_CASE("an ended pod beyond the size of what is left of its gang is no fault",
          "[kubernetes][desk][odd]") {
  Yard yard;
  yard.fetched.shape = GangShape{{{"", 1, 2, 0}}};
  const auto of_job = [](const std::string& index) {
    Pod pod = a_plain_pod("job-" + index, 8);
    pod.labels = {{"batch.kubernetes.io/job-name", "job"},
                  {"batch.kubernetes.io/job-completion-index", index}};
    pod.owners = {{"batch/v1", "Job", "job", true}};
    return pod;
  };
  Pod ended = of_job("5");
  ended.node = "n1";
  ended.phase = PodPhase::Succeeded;
  yard.begin(eight_nodes(), {ended});
  CHECK(yard.ask(of_job("0")).size() == 2);
}

TEST_CASE("a user who writes our annotation does not keep his gang from being planned",
          "[kubernetes][desk][odd]") {
  Yard yard;
  yard.begin();
  Pod pod = a_member("g", 0, 4);
  pod.annotations["zonecut.dev/server"] = "n7";
  CHECK(yard.ask(pod).size() == 2);
}

TEST_CASE("a nomination for another node does not keep a gang from being planned",
          "[kubernetes][desk][odd]") {
  Yard yard;
  yard.begin();
  Pod pod = a_member("g", 0, 2, 4);
  pod.nominated_node = "n8";
  CHECK(yard.ask(pod, {"n3"}) == "n3");
}

TEST_CASE("a request for a pod that is gone leaves nothing behind", "[kubernetes][desk][odd]") {
  Yard yard;
  yard.begin(eight_nodes(), {a_member("g", 0, 4), a_member("g", 1, 4)});
  SECTION("the watch said so") { yard.desk.pod_gone("uid-g-1"); }
  SECTION("a new list does not have it") { yard.desk.replace_pods({a_member("g", 0, 4)}); }
  (void)yard.errands<TellPod>();
  (void)yard.ask(a_member("g", 1, 4));
  CHECK(yard.errands<TellPod>().empty());
  CHECK(yard.desk.counts().reservations == 0);
  // A watch that is ahead of the list it began with is right.
  yard.desk.pod_changed(a_member("g", 1, 4));
  CHECK(yard.ask(a_member("g", 1, 4)).size() == 2);
}

TEST_CASE("a request for a pod that had its name before another displaces nobody",
          "[kubernetes][desk][odd]") {
  Pod runs = a_plain_pod("runs", 8);
  runs.node = "n1";
  runs.phase = PodPhase::Running;
  runs.created = "2026-01-02T03:04:05Z";
  runs.resource_version = "1000";
  const std::vector<Pod> gang = {a_member("g", 0, 7), a_member("g", 1, 7)};
  Yard yard;
  yard.begin(eight_nodes(), {runs, gang[0], gang[1]});
  Pod stale = a_plain_pod("runs", 8);
  stale.uid = "uid-stale";
  stale.created = runs.created;
  stale.resource_version = "999";
  CHECK(yard.ask(stale) == refusals::kGone);
  Pod member = gang[0];
  member.uid = "uid-stale-member";
  CHECK(yard.ask(member) == refusals::kGone);
  PreemptRequest preempt;
  preempt.pod = stale;
  CHECK(yard.desk.preempt(preempt).empty());
  for (const Pod& pod : gang) {
    yard.desk.pod_changed(pod);
    const std::string node = yard.ask(pod);
    CHECK((node.size() == 2 && node != "n1"));
  }
  yard.desk.pod_gone(runs.uid);
  CHECK(yard.ask(stale) == "n1");
}

TEST_CASE(
    "a newer pod takes the place of the one that had its name, and the watch has the last word",
    "[kubernetes][desk][odd]") {
  Yard yard;
  Pod before = a_member("g", 0, 2);
  before.node = "n1";
  before.phase = PodPhase::Running;
  before.resource_version = "999";
  Pod other = a_member("g", 1, 2);
  yard.begin(eight_nodes(), {before, other});
  const std::string planned = yard.ask(other);
  Pod newer = a_member("g", 0, 2);
  newer.uid = "uid-newer";
  newer.resource_version = "1000";
  const std::string node = yard.ask(newer);
  CHECK((node.size() == 2 && node != planned));
  SECTION("it was not heard of") {
    yard.desk.pod_changed(before);
    CHECK(yard.ask(a_plain_pod("p", 8)).find("n1") == 0);
    CHECK(yard.desk.counts().reserved_gpus == 8);
  }
  SECTION("it is never heard of") {
    yard.desk.pod_changed(other);
    SECTION("nor of the one before") {
      yard.now += 30'000;
      (void)yard.desk.errands();
      (void)yard.ask(other);
      CHECK(yard.desk.counts().reserved_gpus == 8);
    }
    SECTION("and the one before is gone") {
      yard.desk.pod_gone(before.uid);
      yard.now += 30'000;
      (void)yard.desk.errands();
      (void)yard.ask(other);
      CHECK(yard.desk.counts().reserved_gpus == 0);
    }
  }
  SECTION("it is in the next list") {
    yard.desk.replace_pods({newer, other});
    CHECK(yard.ask(newer) == node);
  }
  SECTION("it is not yet in the next list") {
    yard.desk.replace_pods({other});
    CHECK(yard.ask(newer) == node);
  }
}

TEST_CASE("pods of which only a caller spoke are forgotten when the watch does not tell of them",
          "[kubernetes][desk][odd]") {
  Yard yard;
  yard.begin();
  (void)yard.ask(a_member("g", 0, 2));
  (void)yard.ask(a_member("g", 1, 2));
  const auto pass = [&](std::int64_t time) {  // before the reservation ends by itself
    for (; time > 0; time -= 500) {
      yard.now += 500;
      (void)yard.desk.errands();
    }
  };
  const auto counts = [&] { return yard.desk.counts(); };
  pass(9'000);
  CHECK(counts().reservations == 1);
  SECTION("nobody speaks of them any more") {
    pass(20'500);
    CHECK(counts().gangs == 1);
    pass(500);
    CHECK(counts().gangs == 0);
    CHECK(yard.ask(a_member("g", 0, 2)).size() == 2);
  }
  SECTION("one is asked for again") {
    (void)yard.ask(a_member("g", 0, 2));
    pass(29'500);
    CHECK(counts().gangs == 1);
    pass(500);
    CHECK(counts().gangs == 0);
  }
  SECTION("the watch tells of one") {
    yard.desk.pod_changed(a_member("g", 1, 2));
    pass(40'000);
    CHECK(counts().gangs == 1);
  }
}

TEST_CASE("of so many pods as only a caller spoke of, the oldest are forgotten",
          "[kubernetes][desk][odd]") {
  Yard yard;
  yard.begin();
  for (int i = 0; i < 10'100; ++i) {
    (void)yard.ask(a_member("g" + std::to_string(i), 0, 2, 100), {"n1"});
    ++yard.now;
  }
  CHECK(yard.desk.counts().gangs <= 10'001);
}

TEST_CASE("a gang without a site waits", "[kubernetes][desk][odd]") {
  std::vector<Node> nodes = eight_nodes();
  for (Node& node : nodes) node.labels.clear();
  Yard yard;
  yard.begin(nodes);
  CHECK(yard.ask(a_plain_pod("p", 1)) == kAll);
  CHECK(yard.ask(a_member("g", 0, 4)) == refusals::kFault);
  CHECK(messages(yard).find("no cluster to plan it on") != std::string::npos);
  yard.desk.replace_nodes(eight_nodes());
  CHECK(yard.errands<WakePod>().size() == 1);
  CHECK(yard.ask(a_member("g", 0, 4)).size() == 2);
}

TEST_CASE("pods of one gang never share more GPUs than their server has",
          "[kubernetes][desk][odd]") {
  Yard yard;
  yard.begin();
  Pod huge = a_plain_pod("huge", 1'000'000);
  huge.node = "n1";
  for (int i = 0; i < 2'200; ++i) {
    huge.name = "huge" + std::to_string(i);
    huge.uid = "uid-" + huge.name;
    yard.desk.pod_changed(huge);
  }
  for (int rank = 0; rank < 4; ++rank) CHECK(yard.ask(a_member("g", rank, 4)) != "n1");
}
