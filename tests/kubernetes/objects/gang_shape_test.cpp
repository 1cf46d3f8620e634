#include "gang/gang_member.hpp"
#include "objects_support.hpp"
#include "support/catch.hpp"

using namespace zonecut::kubernetes;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

json pods(int gpus) {
  json result;
  result["spec"]["containers"] =
      json::array({{{"resources", {{"limits", {{"nvidia.com/gpu", gpus}}}}}}});
  return result;
}

json job_spec(json parallelism, json completions, int gpus = 8) {
  return {{"parallelism", parallelism}, {"completions", completions}, {"template", pods(gpus)}};
}

std::optional<GangShape> shape(const std::string& api_version, const std::string& kind,
                               const json& spec) {
  return shape_of({api_version, kind, "x"}, {{"spec", spec}}, kGpus);
}

using Roles = std::vector<Role>;

Roles roles(const std::string& api_version, const std::string& kind, const json& spec) {
  const auto found = shape(api_version, kind, spec);
  REQUIRE(found);
  return found->roles;
}

Roles of_job(const json& spec) { return roles("batch/v1", "Job", spec); }

json replicated_job(const char* name, json replicas, const json& spec) {
  json result{{"name", name}, {"replicas", replicas}};
  result["template"]["spec"] = spec;
  return result;
}

Roles of_job_set(const std::vector<json>& jobs) {
  return roles("jobset.x-k8s.io/v1alpha2", "JobSet", {{"replicatedJobs", jobs}});
}

json replica(json count, int gpus) { return {{"replicas", count}, {"template", pods(gpus)}}; }

GangMember at(const char* role, std::uint32_t copy, std::uint32_t index) {
  GangMember member;
  member.gang = "team/JobSet/x";
  member.role = role;
  member.copy = copy;
  member.index = index;
  return member;
}

}  // namespace

TEST_CASE("a Job's size is its completions, or its parallelism where it has none") {
  CHECK(of_job(job_spec(8, 8)) == Roles{{"", 1, 8, 0}});
  CHECK(of_job(job_spec(8, nullptr)) == Roles{{"", 1, 8, 0}});
  CHECK(of_job(job_spec(8, 4)) == Roles{{"", 1, 4, 0}});
  CHECK(of_job(job_spec(nullptr, nullptr)) == Roles{{"", 1, 1, 0}});
}

TEST_CASE("a Job that never runs all its pods at once is no gang") {
  CHECK(of_job(job_spec(4, 100)).empty());
  CHECK(of_job(job_spec(nullptr, 2)).empty());
  CHECK(shape("batch/v1", "Job", job_spec(4, 100))->pods() == 0);
}

TEST_CASE("a JobSet's roles are its replicated Jobs in their order, without those without GPUs") {
  CHECK(of_job_set({replicated_job("driver", 1, job_spec(1, 1, 0)),
                    replicated_job("workers", 4, job_spec(2, 2)),
                    replicated_job("evaluators", nullptr, job_spec(3, 3))}) ==
        Roles{{"workers", 4, 2, 0}, {"evaluators", 1, 3, 0}});
}

TEST_CASE("a JobSet of which a Job never runs all its pods at once is no gang") {
  CHECK(of_job_set({replicated_job("workers", 4, job_spec(2, 2)),
                    replicated_job("queue", 1, job_spec(2, 50))})
            .empty());
  CHECK(of_job_set({replicated_job("workers", 4, job_spec(2, 2)),
                    replicated_job("queue", 1, job_spec(2, 50, 0))}) ==
        Roles{{"workers", 4, 2, 0}});
}

TEST_CASE("a StatefulSet's pods may be numbered from another start") {
  const json spec{{"replicas", 3}, {"ordinals", {{"start", 5}}}, {"template", pods(8)}};
  CHECK(roles("apps/v1", "StatefulSet", spec) == Roles{{"", 1, 3, 5}});
  CHECK(roles("apps/v1", "StatefulSet", {{"template", pods(8)}}) == Roles{{"", 1, 1, 0}});
}

TEST_CASE("a LeaderWorkerSet's groups are copies, with or without GPUs for the leader") {
  const auto of = [](json replicas, json size, json leader, int workers) {
    json spec{{"replicas", replicas}};
    spec["leaderWorkerTemplate"] = {{"size", size}, {"workerTemplate", pods(workers)}};
    if (!leader.is_null()) spec["leaderWorkerTemplate"]["leaderTemplate"] = pods(leader);
    return roles("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", spec);
  };
  CHECK(of(3, 4, nullptr, 8) == Roles{{"group", 3, 4, 0}});
  CHECK(of(3, 4, 8, 8) == Roles{{"group", 3, 4, 0}});
  CHECK(of(3, 4, 0, 8) == Roles{{"group", 3, 3, 1}});
  CHECK(of(3, 4, 8, 0) == Roles{{"group", 3, 1, 0}});
  CHECK(of(3, 4, 0, 0).empty());
  CHECK(of(nullptr, nullptr, nullptr, 8) == Roles{{"group", 1, 1, 0}});
}

TEST_CASE("Kubeflow's master goes before its workers, and a launcher without GPUs is left out") {
  CHECK(roles("kubeflow.org/v1", "PyTorchJob",
              {{"pytorchReplicaSpecs",
                {{"Worker", replica(7, 8)}, {"Master", replica(nullptr, 8)}}}}) ==
        Roles{{"master", 1, 1, 0}, {"worker", 1, 7, 0}});
  CHECK(roles("kubeflow.org/v1", "MPIJob",
              {{"mpiReplicaSpecs", {{"Launcher", replica(1, 0)}, {"Worker", replica(4, 8)}}}}) ==
        Roles{{"worker", 1, 4, 0}});
  CHECK(roles("kubeflow.org/v1", "TFJob",
              {{"tfReplicaSpecs",
                {{"PS", replica(2, 8)},
                 {"Evaluator", replica(1, 8)},
                 {"Worker", replica(4, 8)},
                 {"Chief", replica(1, 8)}}}}) ==
        Roles{{"chief", 1, 1, 0}, {"worker", 1, 4, 0}, {"evaluator", 1, 1, 0}, {"ps", 1, 2, 0}});
}

TEST_CASE("every kind of Kubeflow has its own name for its replicas") {
  const std::pair<const char*, const char*> kinds[] = {
      {"PyTorchJob", "pytorchReplicaSpecs"}, {"MPIJob", "mpiReplicaSpecs"},
      {"TFJob", "tfReplicaSpecs"},           {"XGBoostJob", "xgbReplicaSpecs"},
      {"PaddleJob", "paddleReplicaSpecs"},   {"JAXJob", "jaxReplicaSpecs"}};
  for (const auto& [kind, field] : kinds) {
    json spec;
    spec[field]["Worker"] = replica(4, 8);
    CHECK(roles("kubeflow.org/v1", kind, spec) == Roles{{"worker", 1, 4, 0}});
    CHECK_FALSE(shape("kubeflow.org/v1", kind, {{"otherReplicaSpecs", spec[field]}}));
  }
}

TEST_CASE("mpi-operator numbers its workers from 1 where the launcher works too") {
  const json specs{{"Launcher", replica(1, 8)}, {"Worker", replica(3, 8)}};
  CHECK(roles("kubeflow.org/v2beta1", "MPIJob",
              {{"runLauncherAsWorker", true}, {"mpiReplicaSpecs", specs}}) ==
        Roles{{"launcher", 1, 1, 0}, {"worker", 1, 3, 1}});
}

TEST_CASE("pod groups say how many pods are the least") {
  CHECK(roles("scheduling.x-k8s.io/v1alpha1", "PodGroup", {{"minMember", 4}}) ==
        Roles{{"", 1, 4, 0}});
  CHECK(roles("scheduling.volcano.sh/v1beta1", "PodGroup", {{"minMember", 5}}) ==
        Roles{{"", 1, 5, 0}});
  CHECK_FALSE(shape("scheduling.volcano.sh/v1beta1", "PodGroup", json::object()));
  CHECK(roles("scheduling.k8s.io/v1alpha2", "PodGroup",
              {{"schedulingPolicy", {{"gang", {{"minCount", 6}}}}}}) == Roles{{"", 1, 6, 0}});
  CHECK_FALSE(shape("scheduling.k8s.io/v1alpha2", "PodGroup", {{"schedulingPolicy", nullptr}}));
}

TEST_CASE("a native group without a gang policy is no gang") {
  CHECK(roles("scheduling.k8s.io/v1alpha2", "PodGroup",
              {{"schedulingPolicy", {{"basic", json::object()}}}})
            .empty());
}

TEST_CASE("a Volcano Job's roles are its tasks") {
  json trainer = replica(4, 8);
  trainer["name"] = "trainer";
  json server = replica(2, 0);
  server["name"] = "server";
  json judge = replica(1, 1);
  judge["name"] = "judge";
  CHECK(roles("batch.volcano.sh/v1alpha1", "Job", {{"tasks", {judge, server, trainer}}}) ==
        Roles{{"judge", 1, 1, 0}, {"trainer", 1, 4, 0}});
}

TEST_CASE("a Grove gang's roles are its groups, with all pods that they refer to") {
  const json references = json::array({json::object(), json::object(), json::object()});
  CHECK(
      roles("scheduler.grove.io/v1alpha1", "PodGang",
            {{"podgroups",
              {{{"name", "llm-0-decode"}, {"minReplicas", 2}},
               {{"name", "llm-0-prefill"}, {"minReplicas", 1}, {"podReferences", references}}}}}) ==
      Roles{{"llm-0-decode", 1, 2, 0}, {"llm-0-prefill", 1, 3, 0}});
}

TEST_CASE("an object without a spec, and a kind that is not known, say nothing") {
  CHECK_FALSE(shape_of({"batch/v1", "Job", "x"}, json::object(), kGpus));
  CHECK_FALSE(shape("example.com/v1", "Job", {{"replicas", 4}}));
  CHECK_FALSE(shape("kubeflow.org/v1", "RayJob", {{"replicas", 4}}));
  CHECK_FALSE(shape("", "", {{"replicas", 4}}));
}

TEST_CASE("an object with wrong types is refused with the JSON pointer") {
  const auto said_of = [](const char* api_version, const char* kind, const json& spec) {
    return refusal([&] { return shape(api_version, kind, spec); });
  };
  CHECK(said_of("batch/v1", "Job", json::array()) ==
        "Job/x#/spec: expected an object, found a list");
  CHECK(said_of("batch/v1", "Job", job_spec("4", 4)) ==
        "Job/x#/spec/parallelism: expected a whole number from 0 to 1000000, found \"4\"");
  CHECK_THAT(said_of("batch/v1", "Job", job_spec(4, -1)),
             Contains("Job/x#/spec/completions: expected a whole number"));
  CHECK_THAT(said_of("jobset.x-k8s.io/v1alpha2", "JobSet",
                     {{"replicatedJobs", {replicated_job("w", 1.5, job_spec(1, 1))}}}),
             Contains("JobSet/x#/spec/replicatedJobs/0/replicas: expected"));
  CHECK_THAT(said_of("kubeflow.org/v1", "JAXJob", {{"jaxReplicaSpecs", {{"Worker", 3}}}}),
             Contains("JAXJob/x#/spec/jaxReplicaSpecs/Worker: expected an object, found 3"));
  CHECK_THAT(
      said_of("scheduler.grove.io/v1alpha1", "PodGang", {{"podgroups", {{{"podReferences", 3}}}}}),
      Contains("PodGang/x#/spec/podgroups/0/podReferences: expected a list, found 3"));
}

TEST_CASE("more pods than any cluster has are refused") {
  CHECK_THAT(refusal([] {
               return of_job_set({replicated_job("w", 1'000'000, job_spec(1'000'000, nullptr))});
             }),
             Contains("JobSet/x#/spec: 1000000000000 pods are more than the 1000000"));
}

TEST_CASE("a place is counted over the roles before, the copies before, and the pods before") {
  const GangShape shape{{{"master", 1, 1, 0}, {"workers", 4, 2, 0}, {"evaluators", 1, 3, 5}}};
  CHECK(shape.pods() == 12);
  CHECK(rank_of(at("master", 0, 0), &shape) == 0U);
  CHECK(rank_of(at("workers", 0, 0), &shape) == 1U);
  CHECK(rank_of(at("workers", 2, 1), &shape) == 6U);
  CHECK(rank_of(at("evaluators", 0, 7), &shape) == 11U);
}

TEST_CASE("the places of all pods are 0 to size - 1, each once") {
  const GangShape shape{{{"a", 3, 5, 1}, {"b", 1, 12, 0}, {"c", 2, 1, 7}}};
  std::vector<int> taken(shape.pods(), 0);
  for (const Role& role : shape.roles) {
    for (std::uint32_t copy = 0; copy < role.copies; ++copy) {
      for (std::uint32_t pod = 0; pod < role.pods; ++pod)
        ++taken.at(*rank_of(at(role.name.c_str(), copy, role.first + pod), &shape));
    }
  }
  CHECK(taken == std::vector<int>(29, 1));
}

TEST_CASE("a pod of a role without GPUs, without an index or without a shape has no place") {
  const GangShape shape{{{"workers", 4, 2, 0}}};
  CHECK_FALSE(rank_of(at("driver", 0, 0), &shape));
  CHECK_FALSE(rank_of(at("workers", 0, 0), nullptr));
  GangMember without_index = at("workers", 0, 0);
  without_index.index.reset();
  CHECK_FALSE(rank_of(without_index, &shape));
}

TEST_CASE("a pod beyond its role or the gang is refused") {
  const GangShape shape{{{"workers", 4, 2, 3}}};
  const auto said_of = [&](const GangMember& member) {
    return refusal([&] { return rank_of(member, &shape); });
  };
  CHECK_THAT(said_of(at("workers", 4, 3)), Contains("team/JobSet/x: pod 3 of copy 4 lies beyond"));
  CHECK_THAT(said_of(at("workers", 0, 5)), Contains("pod 5 of copy 0 lies beyond"));
  CHECK_THAT(said_of(at("workers", 0, 2)), Contains("pod 2 of copy 0 lies beyond"));
  const GangShape set{{{"", 1, 12, 0}}};
  CHECK(refusal([&] { return rank_of(at("", 0, 12), &set); }) ==
        "team/JobSet/x: pod 12 lies beyond the 12 pods that its object says, which count from 0");
  GangMember ranked = at("", 0, 0);
  ranked.rank = 8;
  CHECK(said_of(ranked) == "team/JobSet/x: place 8 lies beyond the 8 pods of the gang");
  GangMember sized = at("workers", 3, 4);
  sized.size = 4;
  CHECK(said_of(sized) == "team/JobSet/x: place 7 lies beyond the 4 pods of the gang");
}

TEST_CASE("every kind has its path in the API") {
  const auto path = [](const char* api_version, const char* kind) {
    return path_of({api_version, kind, "x"}, "team");
  };
  CHECK(path("batch/v1", "Job") == "/apis/batch/v1/namespaces/team/jobs/x");
  CHECK(collection_path({"batch/v1", "Job", ""}, "team") == "/apis/batch/v1/namespaces/team/jobs");
  CHECK(collection_path({"batch/v1", "Job", ""}, "") == "/apis/batch/v1/jobs");
  CHECK(path("apps/v1", "StatefulSet") == "/apis/apps/v1/namespaces/team/statefulsets/x");
  CHECK(path("jobset.x-k8s.io/v1alpha2", "JobSet") ==
        "/apis/jobset.x-k8s.io/v1alpha2/namespaces/team/jobsets/x");
  CHECK(path("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet") ==
        "/apis/leaderworkerset.x-k8s.io/v1/namespaces/team/leaderworkersets/x");
  CHECK(path("kubeflow.org/v1", "PyTorchJob") ==
        "/apis/kubeflow.org/v1/namespaces/team/pytorchjobs/x");
  CHECK(path("kubeflow.org/v2beta1", "MPIJob") ==
        "/apis/kubeflow.org/v2beta1/namespaces/team/mpijobs/x");
  CHECK(path("kubeflow.org/v1", "TFJob") == "/apis/kubeflow.org/v1/namespaces/team/tfjobs/x");
  CHECK(path("kubeflow.org/v1", "XGBoostJob") ==
        "/apis/kubeflow.org/v1/namespaces/team/xgboostjobs/x");
  CHECK(path("kubeflow.org/v1", "PaddleJob") ==
        "/apis/kubeflow.org/v1/namespaces/team/paddlejobs/x");
  CHECK(path("kubeflow.org/v1", "JAXJob") == "/apis/kubeflow.org/v1/namespaces/team/jaxjobs/x");
  CHECK(path("scheduling.x-k8s.io/v1alpha1", "PodGroup") ==
        "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/team/podgroups/x");
  CHECK(path("scheduling.volcano.sh/v1beta1", "PodGroup") ==
        "/apis/scheduling.volcano.sh/v1beta1/namespaces/team/podgroups/x");
  CHECK(path("batch.volcano.sh/v1alpha1", "Job") ==
        "/apis/batch.volcano.sh/v1alpha1/namespaces/team/jobs/x");
  CHECK(path("scheduler.grove.io/v1alpha1", "PodGang") ==
        "/apis/scheduler.grove.io/v1alpha1/namespaces/team/podgangs/x");
  CHECK(path("scheduling.k8s.io/v1alpha2", "PodGroup") ==
        "/apis/scheduling.k8s.io/v1alpha2/namespaces/team/podgroups/x");
}

TEST_CASE("a kind that is not known, or a name that is none, has no path") {
  CHECK(path_of({}, "team").empty());
  CHECK(path_of({"example.com/v1", "Job", "x"}, "team").empty());
  CHECK(path_of({"batch/v1", "CronJob", "x"}, "team").empty());
  for (const char* const name :
       {"", "../../secrets/x", "a/b", "a?b", "a%2fb", ".", "..", "A", "-a"}) {
    CHECK(path_of({"batch/v1", "Job", name}, "team").empty());
    CHECK(path_of({"batch/v1", "Job", "x"}, name).empty());
    CHECK((*name == '\0' || collection_path({"batch/v1", "Job", "x"}, name).empty()));
  }
  CHECK(path_of({"batch/v1/../..", "Job", "x"}, "team").empty());
  CHECK(path_of({"batch/v1", "Job", std::string(254, 'a')}, "team").empty());
}

TEST_CASE("a JobSet's pod finds its place by what the JobSet says") {
  Pod pod = labelled({{"jobset.sigs.k8s.io/jobset-name", "js"},
                      {"jobset.sigs.k8s.io/replicatedjob-name", "Workers"},
                      {"jobset.sigs.k8s.io/job-index", "3"},
                      {"batch.kubernetes.io/job-completion-index", "1"}});
  const std::optional<GangMember> member = gang_of(pod);
  REQUIRE(member);
  const json spec{
      {"replicatedJobs",
       {replicated_job("first", 1, job_spec(2, 2)), replicated_job("workers", 4, job_spec(4, 4))}}};
  const auto shape = shape_of(member->size_source, {{"spec", spec}}, kGpus);
  REQUIRE(shape);
  CHECK(shape->pods() == 18);
  CHECK(rank_of(*member, &*shape) == 15U);
}

TEST_CASE("a native group is asked for in each version that a release serves, then no more") {
  std::optional<SizeSource> source = SizeSource{"scheduling.k8s.io/v1alpha2", "PodGroup", "x"};
  std::vector<std::string> paths;
  for (; source && paths.size() < 10; source = next_version(*source)) {
    paths.push_back(path_of(*source, "team"));
    CHECK(shape_of(*source, {{"spec", {{"schedulingPolicy", {{"gang", {{"minCount", 6}}}}}}}},
                   kGpus) == GangShape{{{"", 1, 6, 0}}});
  }
  CHECK(paths ==
        std::vector<std::string>{"/apis/scheduling.k8s.io/v1alpha2/namespaces/team/podgroups/x",
                                 "/apis/scheduling.k8s.io/v1beta1/namespaces/team/podgroups/x",
                                 "/apis/scheduling.k8s.io/v1alpha3/namespaces/team/podgroups/x"});
  CHECK_FALSE(next_version({"batch/v1", "Job", "x"}));
}
