// Who is told when something changes that Kubernetes does not tell of: replicas that take over,
// reservations that end, sizes that become known.
#include <algorithm>

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

/// The first pod of a Job of its own.
Pod first_of(const std::string& name) {
  Pod pod = a_plain_pod(name, 8);
  pod.labels = {{"batch.kubernetes.io/job-name", name},
                {"batch.kubernetes.io/job-completion-index", "0"}};
  pod.owners = {{"batch/v1", "Job", name, true}};
  return pod;
}

}  // namespace

TEST_CASE("a replica that lost the lead while it asked for a size answers nothing",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.begin();
  yard.fetched.shape = GangShape{{{"", 1, 4, 0}}};
  yard.when_asked = [&] { yard.desk.lead(false); };
  yard.desk.pod_changed(of_job(0));
  CHECK_THROWS_AS(yard.ask(of_job(0)), NotReady);
  yard.desk.lead(true);
  yard.now += 60'000;  // its size is asked for once more
  CHECK(yard.desk.errands().empty());
  CHECK_FALSE(yard.desk.is_ready());
}

TEST_CASE("an object that was scaled is asked again while its pods contradict what it said",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.fetched.shape = GangShape{{{"", 1, 4, 0}}};
  std::vector<Pod> runs;
  for (int index = 0; index < 4; ++index) {
    runs.push_back(of_job(index));
    runs.back().node = "n" + std::to_string(index + 1);
    runs.back().phase = PodPhase::Running;
  }
  yard.begin(eight_nodes(), runs);
  REQUIRE(yard.asked.size() == 1);
  yard.fetched.shape = GangShape{{{"", 1, 5, 0}}};
  yard.desk.pod_changed(of_job(4));
  CHECK(yard.ask(of_job(4)) == refusals::kFault);
  SECTION("soon") {
    yard.now += 6'000;
    CHECK(yard.errands<WakePod>().size() == 1);
    CHECK(yard.asked.size() == 2);
    CHECK(yard.ask(of_job(4)).size() == 2);
  }
  SECTION("ever more rarely if it says the same again") {
    yard.fetched.shape = GangShape{{{"", 1, 4, 0}}};
    for (int second = 0; second < 120; ++second) {
      yard.now += 1'000;
      CHECK(yard.errands<WakePod>().empty());
    }
    CHECK(yard.asked.size() == 1 + 5);  // after 5, 5, 10, 20 and 40 s
  }
}

TEST_CASE("objects that cannot be had hold up neither the start nor a look for long",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.fetched.fault = "gave no answer";
  yard.when_asked = [&] {
    CHECK(yard.time_given <= std::chrono::milliseconds(2'000));
    yard.now += std::min<std::int64_t>(1'500, yard.time_given.count());
  };
  Pod runs = first_of("z");
  runs.node = "n1";
  runs.phase = PodPhase::Running;
  const std::int64_t begin = yard.now;
  yard.begin(eight_nodes(), {first_of("a"), first_of("b"), first_of("c"), first_of("d"), runs});
  CHECK(yard.desk.is_ready());
  CHECK(yard.now - begin <= 4'000);  // a start and a look
  // What runs goes first; the others have their turns.
  CHECK(yard.asked == std::vector<std::string>{"Job z", "Job a", "Job b", "Job c"});
  (void)yard.desk.errands();
  yard.now += 6'000;
  (void)yard.desk.errands();
  REQUIRE(yard.asked.size() == 7);
  CHECK(yard.asked[4] == "Job d");
  CHECK(yard.asked[5] == "Job a");
}

TEST_CASE(
    "at the start sizes are listed, the rest is asked for, and finished gangs are passed over",
    "[kubernetes][desk][turns]") {
  Yard yard;
  const FetchedShape two{GangShape{{{"", 1, 2, 0}}}, ""};
  yard.listed = {{"a", two}, {"b", two}};
  yard.fetched = two;
  Pod ended = first_of("ended");
  ended.node = "n1";
  ended.phase = PodPhase::Succeeded;
  Pod leaves = first_of("leaves");
  leaves.deleting = true;
  yard.begin(eight_nodes(), {first_of("a"), first_of("b"), first_of("c"), ended, leaves});
  CHECK(yard.desk.is_ready());
  CHECK(yard.lists == 1);
  CHECK(yard.asked == std::vector<std::string>{"Job c"});
  for (const char* const name : {"a", "b", "c"}) CHECK(yard.ask(first_of(name)).size() == 2);
  CHECK(yard.asked.size() == 1);
  // One that is made anew is looked at again.
  Pod anew = first_of("ended");
  anew.uid += "-2";
  anew.name += "-2";
  CHECK(yard.ask(anew).size() == 2);
  CHECK(yard.asked == std::vector<std::string>{"Job c", "Job ended"});
  CHECK(yard.lists == 1);
  yard.desk.lead(false);
  yard.desk.lead(true);
  yard.now += 60'000;
  (void)yard.desk.errands();
  CHECK(yard.lists == 2);
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

TEST_CASE("an object that cannot be read is asked for ever more rarely, and told of once",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.begin();
  yard.fetched.fault = "forbidden";
  yard.desk.pod_changed(of_job(0));
  const auto asked_in = [&](std::int64_t seconds) {
    const std::size_t before = yard.asked.size();
    for (std::int64_t i = 0; i < seconds; ++i, yard.now += 1'000) (void)yard.desk.errands();
    return yard.asked.size() - before;
  };
  CHECK(asked_in(3'600) <= 20);
  CHECK(asked_in(400) >= 1);
  REQUIRE(yard.happened.size() == 1);
  CHECK_THAT(yard.happened[0], Catch::StartsWith("unknown ") && Catch::EndsWith(": forbidden"));
  yard.fetched.fault = "gone";
  (void)asked_in(400);
  CHECK(yard.happened.size() == 2);
  yard.fetched = {GangShape{{{"", 1, 2, 0}}}, ""};
  (void)asked_in(400);
  CHECK(asked_in(100) >= 2);  // as often as ever
  yard.fetched = {std::nullopt, "gone"};
  (void)asked_in(400);
  CHECK(yard.happened.size() == 3);
}

TEST_CASE("whether a desk is ready is said while it plans", "[kubernetes][desk][turns]") {
  Desk* asked = nullptr;
  bool was_ready = false;
  DeskOptions options;
  options.import = by_zone_and_rack();
  DeskObserver observer;
  observer.planned = [&](const DeskObserver::Planned&) { was_ready = asked->is_ready(); };
  Desk desk(
      options, [](auto&&...) { return FetchedShape{}; }, observer, [] { return std::int64_t{1}; });
  asked = &desk;
  desk.replace_nodes(eight_nodes());
  desk.replace_pods({});
  (void)desk.errands();
  (void)desk.filter(Yard::request(a_member("g", 0, 2)));
  CHECK(was_ready);
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

namespace {

Pod refused(Pod pod) {
  pod.refused = true;
  return pod;
}

std::vector<std::string> woken(Yard& yard) {
  std::vector<std::string> names;
  for (const WakePod& wake : yard.errands<WakePod>()) names.push_back(wake.pod->pod.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("whom the one before refused is woken when its gang can be planned",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.desk.replace_nodes(eight_nodes());
  Pod gone = a_member("fits", 2, 3);
  gone.phase = PodPhase::Failed;
  gone.refused = true;
  yard.desk.replace_pods({refused(a_member("fits", 0, 3)), refused(a_member("fits", 1, 3)), gone,
                          refused(a_member("large", 0, 9)), a_member("unasked", 0, 2)});
  CHECK(woken(yard) == std::vector<std::string>{"fits-0", "fits-1"});
  CHECK(woken(yard).empty());
  CHECK(yard.happened == std::vector<std::string>{"planned team/zonecut.dev/fits"});
}

TEST_CASE("a replica that takes over later than it began wakes the refused as well",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.desk.lead(false);
  yard.begin(eight_nodes(), {refused(a_member("g", 0, 3)), refused(a_plain_pod("plain", 8))});
  CHECK(woken(yard).empty());
  yard.desk.lead(true);
  CHECK(woken(yard) == std::vector<std::string>{"g-0", "plain"});
}

TEST_CASE("whom the one before refused for good stays asleep until there is room",
          "[kubernetes][desk][turns]") {
  Yard yard;
  Pod holds = a_plain_pod("holds", 8);
  holds.node = "n1";
  holds.phase = PodPhase::Running;
  yard.desk.replace_nodes(eight_nodes());
  yard.desk.replace_pods({holds, refused(a_member("g", 0, 8))});
  CHECK(woken(yard).empty());
  yard.desk.pod_gone(holds.uid);
  CHECK(woken(yard) == std::vector<std::string>{"g-0"});
}

TEST_CASE("pods of a gang that ask for different nodes go where every one of them may go",
          "[kubernetes][desk][turns]") {
  Yard yard;
  Pod anywhere = a_member("g", 0, 2);
  Pod in_b = a_member("g", 1, 2);
  in_b.node_selector["zone"] = "b";
  yard.begin(eight_nodes(), {anywhere, in_b});
  const std::string first = yard.ask(anywhere);
  CHECK((first == "n5" || first == "n6" || first == "n7" || first == "n8"));
  CHECK(yard.ask(in_b, {"n5", "n6", "n7", "n8"}) != refusals::kElsewhere);
  CHECK(yard.ask(anywhere) == first);
}

TEST_CASE("pods of a gang that no node may take all of are told so", "[kubernetes][desk][turns]") {
  Yard yard;
  Pod in_a = a_member("g", 0, 2);
  in_a.node_selector["zone"] = "a";
  Pod in_b = a_member("g", 1, 2);
  in_b.node_selector["zone"] = "b";
  yard.begin(eight_nodes(), {in_a, in_b});
  CHECK(yard.ask(in_a) == refusals::kFault);
  const auto told = yard.errands<TellPod>();
  REQUIRE(told.size() == 1);
  CHECK(told[0].warning);
  CHECK_THAT(told[0].message, Catch::Contains("different nodes"));
  // Once one of them runs, its wishes are fulfilled.
  yard.bind(in_a, "n1");
  CHECK_THAT(kAll, Catch::Contains(yard.ask(in_b)));
}

TEST_CASE("servers of pods that come one by one are kept while the last of them gets ready",
          "[kubernetes][desk][turns]") {
  Yard yard;  // keeps them for a second
  yard.begin();
  Pod first = a_member("g", 0, 3);
  const std::string node = yard.ask(first);
  first.node = node;
  first.phase = PodPhase::Running;
  first.unready = true;
  yard.desk.pod_changed(first);
  for (int second = 0; second < 5; ++second) {
    (void)yard.desk.errands();
    yard.now += 900;
  }
  CHECK(yard.desk.counts().reservations == 1);
  first.unready = false;
  yard.desk.pod_changed(first);
  (void)yard.desk.errands();
  CHECK(yard.desk.counts().reservations == 1);
  yard.now += 1'100;
  (void)yard.desk.errands();
  CHECK(yard.desk.counts().reservations == 0);
}
