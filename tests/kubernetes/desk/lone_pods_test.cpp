// Pods of no gang, and what they are told of words that only gangs have.
#include <variant>

#include "desk/desk.hpp"
#include "support/catch.hpp"
#include "yard.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;

namespace {

/// The same words, another pod.
Pod twin_of(Pod pod) {
  pod.name = "q";
  pod.uid = "uid-q";
  return pod;
}

}  // namespace

TEST_CASE("a gang of one pod is none", "[kubernetes][desk]") {
  Yard yard;
  yard.begin();
  CHECK(yard.ask(a_member("g", 0, 1)) == kAll);
  CHECK(yard.errands<TellPod>().empty());
}

TEST_CASE("a pod of no gang that has words for one is placed by itself, and told so once",
          "[kubernetes][desk]") {
  Yard yard(true);
  yard.begin();
  Pod pod = a_plain_pod("p", 8);
  SECTION("that it has no effect") {
    pod.annotations["zonecut.dev/job"] = "tp=8,pp=4";
    CHECK(yard.ask(pod) == kAll);
    CHECK(yard.ask(pod) == kAll);
    const auto told = yard.errands<TellPod>();
    REQUIRE(told.size() == 1);
    CHECK(told.front().reason == "GangMissing");
    CHECK(told.front().warning);
    CHECK(told.front().message ==
          "zonecut.dev/job has no effect: the pod is of no gang, as no Job or the like made it and "
          "zonecut.dev/gang is not said; it is placed by itself. Meant so: zonecut.dev/size \"1\"");
    CHECK(yard.happened == std::vector<std::string>{"no gang team/p"});
    CHECK(yard.ask(a_plain_pod("q", 8)) == kAll);
    CHECK(yard.errands<TellPod>().empty());
  }
  SECTION("not where its words are those of a job of its own GPUs") {
    for (const auto& [name, job] : {std::pair("a", "tp=8"), {"b", "tp=4,model=llama3-8b"}}) {
      Pod alone = a_plain_pod(name, 8);
      alone.annotations["zonecut.dev/job"] = job;
      CHECK(yard.ask(alone) == kAll);
    }
    CHECK(yard.errands<TellPod>().empty());
    CHECK(yard.happened.empty());
  }
  SECTION("where they may be of a larger job, or are not to be read") {
    for (const char* const job :
         {"model=llama3-8b", "tp=16", "tp=3", "tp=8,dp=2", "gpus=16", "x"}) {
      Pod part = a_plain_pod(job, 8);
      part.annotations["zonecut.dev/job"] = job;
      CAPTURE(job);
      CHECK(yard.ask(part) == kAll);
      CHECK(yard.errands<TellPod>().size() == 1);
    }
    pod.annotations["zonecut.dev/job"] = "tp=8";
    pod.annotations["zonecut.dev/rank"] = "0";
    CHECK(yard.ask(pod) == kAll);
    CHECK(yard.errands<TellPod>().size() == 1);
  }
  SECTION("where another pod has the same, until it has ended") {
    pod.annotations["zonecut.dev/job"] = "tp=8";
    CHECK(yard.ask(pod) == kAll);
    CHECK(yard.errands<TellPod>().empty());
    Pod second = twin_of(pod);
    CHECK(yard.ask(second) == kAll);
    const auto told = yard.errands<TellPod>();
    REQUIRE(told.size() == 1);
    CHECK(told.front().pod->pod.name == "q");
    second.phase = PodPhase::Succeeded;
    yard.desk.pod_changed(second);
    CHECK(yard.ask(pod) == kAll);
    CHECK(yard.errands<TellPod>().empty());
    Pod elsewhere = pod;
    elsewhere.name_space = "others";
    elsewhere.uid = "uid-r";
    CHECK(yard.ask(elsewhere) == kAll);
    CHECK(yard.errands<TellPod>().empty());
  }
  SECTION("not where its words are those of no other number of GPUs, whatever else has the same") {
    for (const char* const job : {"tp=8,dp=1", "tp=8,gpus=8"}) {
      for (const std::string name : {"a", "b"}) {
        Pod replica = a_plain_pod(name + job, 8);
        replica.annotations["zonecut.dev/job"] = job;
        replica.owners = {{"apps/v1", "ReplicaSet", "server-1", true}};
        CHECK(yard.ask(replica) == kAll);
      }
    }
    pod.annotations["zonecut.dev/job"] = "tp=8,dp=1";
    pod.owners = {{"batch/v1", "Job", "one-after-the-other", true}};
    yard.fetched.shape = GangShape{};
    CHECK(yard.ask(pod) == kAll);
    CHECK(yard.errands<TellPod>().empty());
    CHECK(yard.happened.empty());
  }
  SECTION("of a Deployment too, whose pods may be one job together") {
    pod.annotations["zonecut.dev/job"] = "tp=8";
    pod.owners = {{"apps/v1", "ReplicaSet", "server-1", true}};
    CHECK(yard.ask(pod) == kAll);
    Pod second = twin_of(pod);
    CHECK(yard.ask(second) == kAll);
    const auto told = yard.errands<TellPod>();
    REQUIRE(told.size() == 1);
    CHECK_THAT(told.front().message,
               Catch::EndsWith("Meant so: zonecut.dev/size \"1\", or dp in zonecut.dev/job"));
  }
  SECTION("of labels, too") {
    pod.labels["zonecut.dev/job"] = "llama3-70b";
    pod.labels["zonecut.dev/size"] = "4";
    CHECK(yard.ask(pod) == kAll);
    const auto told = yard.errands<TellPod>();
    REQUIRE(told.size() == 1);
    CHECK_THAT(told.front().message,
               Catch::StartsWith("zonecut.dev/job, zonecut.dev/size have no effect"));
  }
  SECTION("behind our gate, which is lifted") {
    pod.annotations["zonecut.dev/required-level"] = "rack";
    pod.gates = {"zonecut.dev/placement"};
    yard.desk.pod_changed(pod);
    std::size_t lifted = 0;
    std::size_t told = 0;
    for (const Errand& errand : yard.desk.errands()) {
      if (std::holds_alternative<OpenGate>(errand)) ++lifted;
      if (std::holds_alternative<TellPod>(errand)) ++told;
    }
    CHECK(lifted == 1);
    CHECK(told == 1);
  }
  SECTION("not where it says that it is alone") {
    pod.annotations["zonecut.dev/job"] = "tp=8";
    pod.annotations["zonecut.dev/size"] = "1";
    CHECK(yard.ask(pod) == kAll);
    CHECK(yard.errands<TellPod>().empty());
  }
  SECTION("where its Job does not run all pods at once, not where it has one") {
    pod.annotations["zonecut.dev/job"] = "tp=8";
    pod.owners = {{"batch/v1", "Job", "job", true}};
    const bool is_one = GENERATE(false, true);
    yard.fetched.shape = is_one ? GangShape{{{"", 1, 1, 0}}} : GangShape{};
    CHECK(yard.ask(pod) == kAll);
    const auto told = yard.errands<TellPod>();
    REQUIRE(told.size() == (is_one ? 0 : 1));
    if (!is_one)
      CHECK_THAT(told.front().message, Catch::Contains("by Job job its pods are no gang"));
  }
}
