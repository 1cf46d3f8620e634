// Who is told when something changes that Kubernetes does not tell of: replicas that take over,
// reservations that end, sizes that become known.
#include "support/catch.hpp"
#include "yard.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;

namespace {

Pod of_job(int index) {
  Pod pod = a_plain_pod("job-" + std::to_string(index), 8);
  pod.labels = {{"batch.kubernetes.io/job-name", "job"},
                {"batch.kubernetes.io/job-completion-index", std::to_string(index)}};
  pod.owners = {{"batch/v1", "Job", "job", true}};
  return pod;
}

}  // namespace

TEST_CASE("a replica that lost the lead while it asked for a size answers nothing",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.begin();
  yard.fetched.shape = GangShape{{{"", 1, 4, 0}}};
  yard.when_asked = [&] { yard.desk.lead(false); };
  CHECK_THROWS_AS(yard.ask(of_job(0)), NotReady);
  yard.desk.lead(true);
  yard.now += 60'000;  // its size is asked for once more
  CHECK(yard.desk.errands().empty());
  CHECK_FALSE(yard.desk.is_ready());
}

TEST_CASE("a replica that follows forgets what ends", "[kubernetes][desk][turns]") {
  Yard yard;
  yard.begin();
  yard.desk.lead(false);
  yard.desk.pod_changed(a_member("g", 0, 4));
  CHECK(yard.desk.errands().empty());
  CHECK(yard.desk.counts().gangs == 1);
  yard.desk.pod_gone("uid-g-0");
  CHECK(yard.desk.errands().empty());
  CHECK(yard.desk.counts().gangs == 0);
}

TEST_CASE("pods refused for want of a size are woken when it is known",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.begin();
  yard.fetched.fault = "there is no such Job";
  CHECK(yard.ask(of_job(0)) == refusals::kFault);
  CHECK(yard.ask(of_job(1)) == refusals::kFault);
  yard.fetched = {GangShape{{{"", 1, 2, 0}}}, ""};
  yard.now += 6'000;
  CHECK(yard.errands<WakePod>().size() == 2);
  CHECK(yard.errands<WakePod>().empty());
  CHECK(yard.ask(of_job(0)).size() == 2);
}

TEST_CASE("the size of a gang is asked for anew where another one of its name follows",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.begin();
  yard.fetched.shape = GangShape{{{"", 1, 2, 0}}};
  CHECK(yard.ask(of_job(0)).size() == 2);
  yard.desk.pod_gone("uid-job-0");
  (void)yard.desk.errands();
  yard.fetched.shape = GangShape{{{"", 1, 4, 0}}};
  Pod pod = of_job(3);
  pod.uid += "-later";
  CHECK(yard.ask(pod).size() == 2);
}

TEST_CASE("a gang whose wish changes leaves its servers to those who wait",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.begin();
  CHECK(yard.ask(a_member("a", 0, 6)).size() == 2);
  CHECK(yard.ask(a_member("b", 0, 5)) == refusals::kWaits);
  CHECK(yard.errands<WakePod>().empty());
  yard.desk.pod_changed(a_member("a", 0, 3));
  CHECK(yard.errands<WakePod>().size() == 1);
}

TEST_CASE("pods of no gang are woken when the reservation in their way ends",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.begin();
  (void)yard.ask(a_member("g", 0, 8));
  CHECK(yard.ask(a_plain_pod("p", 1)) == refusals::kReserved);
  CHECK(yard.errands<WakePod>().empty());
  SECTION("because nothing came of it") { yard.now += 20'000; }
  SECTION("because its pods were deleted") { yard.desk.pod_gone("uid-g-0"); }
  CHECK(yard.errands<WakePod>().size() == 1);
  CHECK(yard.errands<WakePod>().empty());
  CHECK(yard.ask(a_plain_pod("p", 1)) == kAll);
}

TEST_CASE("gangs that could be placed but for what kube-scheduler offers do not wake each other",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.begin();
  std::size_t woken = 0;
  // Each fits alone, but neither of the two is ever offered enough.
  for (int round = 0; round < 100; ++round, yard.now += 100) {
    for (const char* gang : {"a", "b"}) {
      for (int rank = 0; rank < 3; ++rank) (void)yard.ask(a_member(gang, rank, 3), {"n1", "n2"});
    }
    woken += yard.errands<WakePod>().size();
  }
  CHECK(woken <= 6);
}

TEST_CASE(
    "a running member that its server has no room for by the book is no reason to plan again "
    "and again",
    "[kubernetes][desk][turns]") {
  std::vector<Pod> pods;
  for (int rank = 0; rank < 3; ++rank) {
    pods.push_back(a_member("g", rank, 3));
    pods.back().annotations["zonecut.dev/required-level"] = "zone";
  }
  pods[0].node = "n1";
  pods[1].node = "n8";
  Yard yard;
  yard.begin(eight_nodes(), pods);
  for (int round = 0; round < 10; ++round) (void)yard.desk.errands();
  CHECK(yard.happened.size() == 1);
  CHECK(yard.ask(pods[2]).size() == 2);
  for (int round = 0; round < 10; ++round) (void)yard.desk.errands();
  CHECK(yard.happened.size() == 1);
}
