#include <algorithm>

#include "gang/gang_member.hpp"
#include "objects/read_words.hpp"
#include "objects_support.hpp"
#include "support/catch.hpp"

using namespace zonecut::kubernetes;
using Catch::Matchers::Contains;

namespace {

Pod owned(const Owner& owner, Labels labels = {}, Labels annotations = {}) {
  Pod pod = labelled(std::move(labels), std::move(annotations));
  pod.owners = {owner};
  return pod;
}

const Owner kJob{"batch/v1", "Job", "w", true};

GangMember member_of(const Pod& pod) {
  const std::optional<GangMember> member = gang_of(pod);
  REQUIRE(member);
  return *member;
}

std::string said_of(const Pod& pod) {
  return refusal([&] { return gang_of(pod); });
}

Labels with(Labels labels, const Labels& more) {
  for (const auto& [key, value] : more) labels[key] = value;
  return labels;
}

const Labels kJobSet{{"jobset.sigs.k8s.io/jobset-name", "js"},
                     {"jobset.sigs.k8s.io/replicatedjob-name", "workers"},
                     {"jobset.sigs.k8s.io/replicatedjob-replicas", "4"},
                     {"jobset.sigs.k8s.io/global-replicas", "4"},
                     {"jobset.sigs.k8s.io/job-index", "2"},
                     {"batch.kubernetes.io/job-name", "js-workers-2"},
                     {"batch.kubernetes.io/job-completion-index", "1"}};

const Labels kGroup{{"leaderworkerset.sigs.k8s.io/name", "lws"},
                    {"leaderworkerset.sigs.k8s.io/group-index", "3"},
                    {"leaderworkerset.sigs.k8s.io/group-key", "5f"},
                    {"leaderworkerset.sigs.k8s.io/worker-index", "2"}};

const Labels kGroupSize{{"leaderworkerset.sigs.k8s.io/size", "4"}};

}  // namespace

TEST_CASE("pods of deployments, daemon sets and nobody are of no gang") {
  CHECK_FALSE(gang_of(labelled({})));
  CHECK_FALSE(gang_of(labelled({{"app", "web"}, {"zonecut.dev/job", "tp=8"}})));
  CHECK_FALSE(gang_of(owned({"apps/v1", "ReplicaSet", "web-5f", true})));
  CHECK_FALSE(gang_of(owned({"apps/v1", "DaemonSet", "agents", true})));
  CHECK_FALSE(gang_of(owned({"example.com/v1", "Job", "w", true})));
  CHECK_FALSE(gang_of(owned({"batch/v1", "Job", "w", false})));
}

TEST_CASE("a size or a rank without a gang makes no gang") {
  CHECK_FALSE(gang_of(labelled({}, {{"zonecut.dev/size", "8"}, {"zonecut.dev/rank", "1"}})));
}

TEST_CASE("a pod as a real kube-scheduler sends it belongs to the Job that its labels name") {
  const GangMember member = member_of(pod_of(wire("filter_request_names.json")["Pod"]));
  CHECK(member.gang == "gang/Job/w");
  CHECK(member.source == "Job");
  CHECK(member.rank == 7U);
  CHECK_FALSE(member.size);
  CHECK(member.needs_shape());
  CHECK(member.size_source == SizeSource{"batch/v1", "Job", "w"});
}

TEST_CASE("a pod of a native group that a real kube-scheduler sends belongs to that group") {
  const GangMember member = member_of(pod_of(wire("filter_request_native_podgroup.json")["Pod"]));
  CHECK(member.gang == "native-last-refused/PodGroup/g");
  CHECK(member.rank == 1U);
  CHECK(member.size_source == SizeSource{"scheduling.k8s.io/v1alpha2", "PodGroup", "g"});
}

TEST_CASE("an Indexed Job's pod says its place in an annotation or a label") {
  const char* const key = "batch.kubernetes.io/job-completion-index";
  CHECK(member_of(owned(kJob, {{key, "10"}})).rank == 10U);
  CHECK(member_of(owned(kJob, {}, {{key, "10"}})).rank == 10U);
}

TEST_CASE("a Job without indices is a gang without places") {
  const GangMember member = member_of(owned(kJob));
  CHECK(member.gang == "team/Job/w");
  CHECK_FALSE(member.rank);
  CHECK(member.needs_shape());
}

TEST_CASE("pod 10 comes after pod 2") {
  std::vector<std::uint32_t> ranks;
  for (const char* const name : {"w-10", "w-2", "w-1"}) {
    Pod pod = owned({"apps/v1", "StatefulSet", "w", true});
    pod.name = name;
    ranks.push_back(*member_of(pod).index);
  }
  std::sort(ranks.begin(), ranks.end());
  CHECK(ranks == std::vector<std::uint32_t>{1, 2, 10});
}

TEST_CASE("a JobSet's pod says its role, its Job in it, and its index in that Job") {
  for (const bool in_labels : {true, false}) {
    const GangMember member =
        member_of(in_labels ? owned(kJob, kJobSet) : owned(kJob, {}, kJobSet));
    CHECK(member.gang == "team/JobSet/js");
    CHECK(member.role == "workers");
    CHECK(member.copy == 2);
    CHECK(member.index == 1U);
    CHECK_FALSE(member.rank);
    CHECK(member.needs_shape());
    CHECK(member.size_source == SizeSource{"jobset.x-k8s.io/v1alpha2", "JobSet", "js"});
  }
}

TEST_CASE("a JobSet of one kind of Jobs needs only its size to place a pod") {
  const GangMember member = member_of(owned(kJob, kJobSet, {{"zonecut.dev/size", "8"}}));
  CHECK(member.rank == 5U);
  CHECK_FALSE(member.needs_shape());
}

TEST_CASE("a JobSet of several kinds of Jobs needs their sizes to place a pod") {
  const Labels several = with(kJobSet, {{"jobset.sigs.k8s.io/global-replicas", "5"}});
  const GangMember member = member_of(owned(kJob, several, {{"zonecut.dev/size", "9"}}));
  CHECK_FALSE(member.rank);
  CHECK(member.needs_shape());
}

TEST_CASE("Kubeflow's pods belong to the object that owns them") {
  for (const char* const kind :
       {"PyTorchJob", "MPIJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob"}) {
    const GangMember member = member_of(owned({"kubeflow.org/v1", kind, "tune", true},
                                              {{"training.kubeflow.org/job-name", "tune"},
                                               {"training.kubeflow.org/job-role", "master"},
                                               {"training.kubeflow.org/replica-type", "worker"},
                                               {"training.kubeflow.org/replica-index", "12"}}));
    CHECK(member.gang == std::string("team/") + kind + "/tune");
    CHECK(member.role == "worker");
    CHECK(member.index == 12U);
    CHECK(member.size_source == SizeSource{"kubeflow.org/v1", kind, "tune"});
  }
}

TEST_CASE("Kubeflow's pods without an owner name their controller") {
  const auto with_controller = [](const char* name) {
    return member_of(labelled({{"training.kubeflow.org/job-name", "tune"},
                               {"training.kubeflow.org/operator-name", name}}));
  };
  CHECK(with_controller("pytorchjob-controller").size_source ==
        SizeSource{"kubeflow.org/v1", "PyTorchJob", "tune"});
  CHECK(with_controller("tfjob-controller").gang == "team/TFJob/tune");
  CHECK(with_controller("unheard-of").size_source == SizeSource{});
}

TEST_CASE("the launcher of mpi-operator, made by way of a Job, belongs to the MPIJob") {
  const GangMember launcher =
      member_of(owned({"batch/v1", "Job", "tune-launcher", true},
                      {{"training.kubeflow.org/job-name", "tune"},
                       {"training.kubeflow.org/operator-name", "mpi-operator"},
                       {"training.kubeflow.org/job-role", "launcher"},
                       {"batch.kubernetes.io/job-name", "tune-launcher"}}));
  CHECK(launcher.gang == "team/MPIJob/tune");
  CHECK(launcher.role == "launcher");
  CHECK(launcher.index == 0U);
  CHECK(launcher.size_source == SizeSource{"kubeflow.org/v2beta1", "MPIJob", "tune"});
}

TEST_CASE("a pod of a Volcano Job says its task and its index in that") {
  const GangMember member = member_of(owned({"batch.volcano.sh/v1alpha1", "Job", "v", true}, {},
                                            {{"volcano.sh/job-name", "v"},
                                             {"volcano.sh/task-spec", "trainer"},
                                             {"volcano.sh/task-index", "3"},
                                             {"scheduling.k8s.io/group-name", "v-732242e4"}}));
  CHECK(member.gang == "team/VolcanoJob/v");
  CHECK(member.role == "trainer");
  CHECK(member.index == 3U);
  CHECK(member.size_source == SizeSource{"batch.volcano.sh/v1alpha1", "Job", "v"});
}

TEST_CASE("one group of a LeaderWorkerSet is a gang, and goes before its StatefulSet") {
  const GangMember member =
      member_of(owned({"apps/v1", "StatefulSet", "lws-3", true},
                      with(kGroup, {{"apps.kubernetes.io/pod-index", "2"}}), kGroupSize));
  CHECK(member.gang == "team/LeaderWorkerSet/lws/3");
  CHECK(member.rank == 2U);
  CHECK(member.size == 4U);
  CHECK_FALSE(member.needs_shape());
}

TEST_CASE("all groups of a LeaderWorkerSet are one gang where our own word says so") {
  const GangMember member =
      member_of(labelled(kGroup, with(kGroupSize, {{"zonecut.dev/gang", "all"}})));
  CHECK(member.gang == "team/zonecut.dev/all");
  CHECK(member.role == "group");
  CHECK(member.copy == 3);
  CHECK(member.index == 2U);
  CHECK(member.needs_shape());
  CHECK(member.size_source == SizeSource{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "lws"});
}

TEST_CASE("Kueue's pod groups say size and place themselves") {
  const Labels count{{"kueue.x-k8s.io/pod-group-total-count", "4"}};
  const Labels name{{"kueue.x-k8s.io/pod-group-name", "k"}};
  const GangMember member =
      member_of(labelled(with(name, {{"kueue.x-k8s.io/pod-group-pod-index", "3"}}), count));
  CHECK(member.gang == "team/Kueue/k");
  CHECK(member.size == 4U);
  CHECK(member.rank == 3U);
  CHECK_FALSE(member.needs_shape());
  CHECK(member_of(labelled({}, with(name, count))).gang == "team/Kueue/k");
}

TEST_CASE("Kueue's index may stand in a label that is named, and begin at an offset") {
  const GangMember member = member_of(
      owned({"apps/v1", "StatefulSet", "s", true},
            {{"kueue.x-k8s.io/pod-group-name", "k"}, {"apps.kubernetes.io/pod-index", "6"}},
            {{"kueue.x-k8s.io/pod-group-total-count", "4"},
             {"kueue.x-k8s.io/pod-group-pod-index-label", "apps.kubernetes.io/pod-index"},
             {"kueue.x-k8s.io/pod-index-offset", "4"}}));
  CHECK(member.gang == "team/Kueue/k");
  CHECK(member.rank == 2U);
}

TEST_CASE("Kueue's pod group goes before a Job only where the pod has no index of that") {
  const Labels group{{"kueue.x-k8s.io/pod-group-name", "k"}};
  const Labels count{{"kueue.x-k8s.io/pod-group-total-count", "4"}};
  CHECK(member_of(owned(kJob, group, count)).source == "Kueue");
  const Labels indexed = with(group, {{"batch.kubernetes.io/job-completion-index", "1"}});
  CHECK(member_of(owned(kJob, indexed, count)).source == "Job");
}

TEST_CASE("a StatefulSet's pod says its index in a label, and before that in its name") {
  const Owner owner{"apps/v1", "StatefulSet", "db-2", true};
  CHECK(member_of(owned(owner, {{"apps.kubernetes.io/pod-index", "10"}})).index == 10U);
  Pod pod = owned(owner);
  pod.name = "db-2-11";
  const GangMember member = member_of(pod);
  CHECK(member.index == 11U);
  CHECK(member.gang == "team/StatefulSet/db-2");
  CHECK(member.size_source == SizeSource{"apps/v1", "StatefulSet", "db-2"});
}

TEST_CASE("a pod group of scheduler-plugins is a gang without places") {
  const GangMember member = member_of(labelled({{"scheduling.x-k8s.io/pod-group", "g"}}));
  CHECK(member.gang == "team/SchedulerPluginsPodGroup/g");
  CHECK_FALSE(member.rank);
  CHECK(member.size_source == SizeSource{"scheduling.x-k8s.io/v1alpha1", "PodGroup", "g"});
}

TEST_CASE("a Volcano pod group is a gang under either of its annotations") {
  for (const char* const key : {"scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name"})
    CHECK(member_of(labelled({}, {{key, "g"}})).size_source ==
          SizeSource{"scheduling.volcano.sh/v1beta1", "PodGroup", "g"});
}

TEST_CASE("a Grove pod's role is its clique, of which each scaling replica has its own") {
  const GangMember member =
      member_of(labelled({{"grove.io/podgang", "llm-0"},
                          {"grove.io/podclique", "llm-0-prefill-1-worker"},
                          {"grove.io/podcliquescalinggroup-replica-index", "1"},
                          {"grove.io/podclique-pod-index", "2"}}));
  CHECK(member.gang == "team/PodGang/llm-0");
  CHECK(member.role == "llm-0-prefill-1-worker");
  CHECK(member.copy == 0);
  CHECK(member.index == 2U);
  CHECK(member.size_source == SizeSource{"scheduler.grove.io/v1alpha1", "PodGang", "llm-0"});
}

TEST_CASE("the outermost gang counts") {
  const Labels groups{{"scheduling.x-k8s.io/pod-group", "g"}};
  const Labels kubeflow{{"training.kubeflow.org/job-name", "tune"},
                        {"training.kubeflow.org/operator-name", "pytorchjob-controller"}};
  const Labels grove{{"grove.io/podgang", "pg"}};
  const Labels indexed{{"batch.kubernetes.io/job-completion-index", "1"}};
  const Labels volcano{{"scheduling.k8s.io/group-name", "lws-3"}};
  CHECK(member_of(owned(kJob, with(kJobSet, groups))).source == "JobSet");
  CHECK(member_of(owned(kJob, with(kubeflow, groups), volcano)).source == "PyTorchJob");
  CHECK(member_of(labelled(with(grove, groups), volcano)).source == "PodGang");
  CHECK(member_of(owned(kJob, with(indexed, groups))).source == "Job");
  CHECK(member_of(owned(kJob, groups)).source == "SchedulerPluginsPodGroup");
  CHECK(member_of(labelled(kGroup, with(kGroupSize, volcano))).source == "LeaderWorkerSet");
  CHECK(member_of(owned({"apps/v1", "StatefulSet", "p", true}, groups)).source ==
        "SchedulerPluginsPodGroup");
}

TEST_CASE("each of our own words overrides what controllers say, and nothing else") {
  const Labels indexed{{"batch.kubernetes.io/job-completion-index", "1"}};
  const auto with_word = [&](const char* key, const char* value, bool label) {
    const Labels word{{std::string("zonecut.dev/") + key, value}};
    return member_of(label ? owned(kJob, with(indexed, word)) : owned(kJob, indexed, word));
  };
  for (const bool label : {false, true}) {
    const GangMember gang = with_word("gang", "mine", label);
    CHECK(gang.gang == "team/zonecut.dev/mine");
    CHECK(gang.rank == 1U);
    CHECK(gang.size_source == SizeSource{"batch/v1", "Job", "w"});
    const GangMember size = with_word("size", "8", label);
    CHECK(size.gang == "team/Job/w");
    CHECK(size.size == 8U);
    CHECK(size.rank == 1U);
    CHECK_FALSE(size.needs_shape());
    CHECK(with_word("rank", "5", label).rank == 5U);
    const Labels word{{"zonecut.dev/job", "tp=8,pp=4"}};
    CHECK(job_of(label ? owned(kJob, with(indexed, word)) : owned(kJob, indexed, word)) ==
          "tp=8,pp=4");
  }
}

TEST_CASE("words of a job that are longer than any are refused, and those that are not are taken") {
  const auto with_job = [](std::size_t length) {
    return labelled({}, {{"zonecut.dev/gang", "g"}, {"zonecut.dev/job", std::string(length, 'j')}});
  };
  CHECK(job_of(with_job(kLongestWord)).size() == kLongestWord);
  CHECK(member_of(with_job(kLongestWord)).gang == "team/zonecut.dev/g");
  CHECK_THAT(said_of(with_job(kLongestWord + 1)), Contains("at most 4096 bytes"));
  CHECK(job_of(labelled({})).empty());
}

TEST_CASE("our own words alone make a gang, and an annotation goes before a label") {
  const GangMember member = member_of(labelled(
      {{"zonecut.dev/gang", "from-label"}},
      {{"zonecut.dev/gang", "mine"}, {"zonecut.dev/size", "4"}, {"zonecut.dev/rank", "3"}}));
  CHECK(member.gang == "team/zonecut.dev/mine");
  CHECK(member.source == "zonecut.dev");
  CHECK(member.size == 4U);
  CHECK(member.rank == 3U);
  CHECK(member.size_source == SizeSource{});
}

TEST_CASE("a rank of our own places a pod of a role") {
  const GangMember member =
      member_of(owned(kJob, kJobSet, {{"zonecut.dev/size", "9"}, {"zonecut.dev/rank", "8"}}));
  CHECK(rank_of(member, nullptr) == 8U);
  CHECK_FALSE(member.needs_shape());
}

TEST_CASE("a gang of one pod is no gang") {
  CHECK_FALSE(gang_of(owned(kJob, {}, {{"zonecut.dev/size", "1"}})));
  CHECK_FALSE(gang_of(labelled(with(kGroup, {{"leaderworkerset.sigs.k8s.io/worker-index", "0"}}),
                               {{"leaderworkerset.sigs.k8s.io/size", "1"}})));
}

TEST_CASE("an index that is no number is refused where it stands") {
  CHECK(said_of(owned(kJob, {{"batch.kubernetes.io/job-completion-index", "one"}})) ==
        "team/p#/metadata/labels/batch.kubernetes.io~1job-completion-index: expected a whole "
        "number from 0 to 1000000, found \"one\"");
  for (const char* const rank : {"-1", "+1", " 1", "1.0", "0x1", "1000001", "99999999999999999999"})
    CHECK_THAT(said_of(labelled({}, {{"zonecut.dev/gang", "g"}, {"zonecut.dev/rank", rank}})),
               Contains("team/p#/metadata/annotations/zonecut.dev~1rank: expected a whole number"));
  Pod pod = owned({"apps/v1", "StatefulSet", "db", true});
  pod.name = "db-x";
  CHECK_THAT(said_of(pod), Contains("team/db-x#/metadata/name: expected a whole number"));
}

TEST_CASE("a size of 0 is refused") {
  CHECK_THAT(said_of(owned(kJob, {}, {{"zonecut.dev/size", "0"}})),
             Contains("team/p#/metadata: a gang has at least one pod, found 0"));
}

TEST_CASE("a place beyond the size is refused") {
  CHECK(
      said_of(labelled(
          {}, {{"zonecut.dev/gang", "g"}, {"zonecut.dev/size", "4"}, {"zonecut.dev/rank", "4"}})) ==
      "team/p#/metadata: place 4 lies beyond the 4 pods of gang team/zonecut.dev/g; places begin "
      "at 0");
  CHECK_THAT(said_of(labelled(with(kGroup, {{"leaderworkerset.sigs.k8s.io/worker-index", "4"}}),
                              kGroupSize)),
             Contains("place 4 lies beyond the 4 pods"));
}

TEST_CASE("a Kueue index below its offset is refused") {
  CHECK_THAT(said_of(labelled({{"kueue.x-k8s.io/pod-group-name", "k"},
                               {"kueue.x-k8s.io/pod-group-pod-index", "0"}},
                              {{"kueue.x-k8s.io/pod-index-offset", "1"}})),
             Contains("pod-group-pod-index: index 0 lies below the offset 1"));
}

TEST_CASE("a gang's name is no longer than a name, whoever says it") {
  CHECK(gang_of(labelled({}, {{"zonecut.dev/gang", std::string(253, 'a')}})));
  CHECK(said_of(labelled({}, {{"zonecut.dev/gang", std::string(254, 'a')}})) ==
        "team/p#/metadata/annotations/zonecut.dev~1gang: expected a name of at most 253 bytes, "
        "found 254");
  for (const char* const key : {"jobset.sigs.k8s.io/jobset-name", "volcano.sh/job-name",
                                "kueue.x-k8s.io/pod-group-name", "scheduling.k8s.io/group-name"}) {
    CAPTURE(key);
    CHECK(gang_of(labelled({}, {{key, std::string(253, 'a')}})));
    CHECK(said_of(labelled({}, {{key, std::string(254, 'a')}})) ==
          "team/p#/metadata: expected a name of at most 253 bytes, found 254");
  }
}
