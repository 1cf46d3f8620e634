#include "objects/objects.hpp"
#include "objects/read_words.hpp"
#include "objects_support.hpp"
#include "support/catch.hpp"

using namespace zonecut::kubernetes;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::string said_of(const json& object) {
  return refusal([&] { return pod_of(object); });
}

/// What is said of a pod whose value at the pointer is another.
std::string said_with(const char* pointer, const json& value) {
  json object = wire("filter_request_names.json")["Pod"];
  object[json::json_pointer(pointer)] = value;
  return said_of(object);
}

json with_containers(const std::vector<json>& containers, const std::vector<json>& init = {}) {
  return {{"metadata", {{"name", "p"}}},
          {"spec", {{"containers", containers}, {"initContainers", init}}}};
}

json container(const char* gpus, const char* restart = nullptr) {
  json result = {{"resources", {{"requests", {{"nvidia.com/gpu", gpus}}}}}};
  if (restart != nullptr) result["restartPolicy"] = restart;
  return result;
}

}  // namespace

TEST_CASE("a pod as a real kube-scheduler sends it is read") {
  const Pod pod = pod_of(wire("filter_request_names.json")["Pod"]);
  CHECK(pod.full_name() == "gang/w-7");
  CHECK(pod.uid == "2a31cfb1-2ef6-4654-a9f0-8310ba17695e");
  CHECK(pod.resource_version == "128");
  CHECK(pod.created == "2026-11-21T09:44:37Z");
  CHECK(pod.labels == Labels{{"batch.kubernetes.io/job-completion-index", "7"},
                             {"batch.kubernetes.io/job-name", "w"}});
  CHECK(pod.gpus == 8);
  CHECK(pod.scheduler == "default-scheduler");
  CHECK(pod.phase == PodPhase::Pending);
  CHECK(pod.node.empty());
  CHECK_FALSE(pod.has_required_terms);
  REQUIRE(pod.tolerations.size() == 2);
  CHECK(pod.tolerations[0] == Toleration{"node.kubernetes.io/not-ready", true, "", "NoExecute"});
}

TEST_CASE("a nominated pod of a priority class, and a pod of a native group, are read") {
  const Pod nominated = pod_of(wire("filter_request_nominated.json")["Pod"]);
  CHECK(nominated.nominated_node == "n0013");
  CHECK(nominated.priority == 1000);
  CHECK(pod_of(wire("filter_request_native_podgroup.json")["Pod"]).pod_group == "g");
}

TEST_CASE("a victim that is bound is read with its node") {
  const json victims = wire("preempt_request_nodes.json")["NodeNameToVictims"];
  CHECK(pod_of(victims["n0000"]["Pods"][0]).node == "n0000");
}

TEST_CASE("a pod with everything that is looked at is read") {
  const Pod pod = pod_of(R"({
    "metadata": {"name": "p", "namespace": "team", "annotations": {"zonecut.dev/job": "tp=8"},
      "deletionTimestamp": "2026-11-21T09:44:37Z",
      "ownerReferences": [
        {"apiVersion": "batch/v1", "kind": "Job", "name": "w", "uid": "u", "controller": true},
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "c"}]},
    "spec": {"nodeSelector": {"pool": "gpu"}, "schedulingGates": [{"name": "zonecut.dev/placement"}],
      "tolerations": [{"operator": "Exists"}, {"key": "k", "value": "v", "effect": "NoSchedule"},
        {"key": "age", "operator": "Gt", "value": "5"}],
      "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{
          "matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a", "b"]}],
          "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}}}},
    "status": {"phase": "Running"}})"_json);
  CHECK(pod.annotations == Labels{{"zonecut.dev/job", "tp=8"}});
  CHECK(pod.deleting);
  CHECK(pod.owners ==
        std::vector<Owner>{{"batch/v1", "Job", "w", true}, {"v1", "ConfigMap", "c", false}});
  CHECK(pod.node_selector == Labels{{"pool", "gpu"}});
  CHECK(pod.gates == std::vector<std::string>{"zonecut.dev/placement"});
  CHECK(pod.tolerations == std::vector<Toleration>{{"", true, "", ""},
                                                   {"k", false, "v", "NoSchedule"},
                                                   {"age", false, "5", "", Toleration::Order::Gt}});
  REQUIRE(pod.has_required_terms);
  REQUIRE(pod.required_terms.size() == 1);
  CHECK(pod.required_terms[0].labels ==
        std::vector<Requirement>{{"zone", Requirement::Operator::NotIn, {"a", "b"}}});
  CHECK(pod.required_terms[0].fields ==
        std::vector<Requirement>{{"metadata.name", Requirement::Operator::In, {"n1"}}});
  CHECK(pod.phase == PodPhase::Running);
}

TEST_CASE(
    "of a pod's annotations those that nobody reads are not kept, nor more of one than means "
    "anything") {
  json pod{{"metadata",
            {{"name", "p"},
             {"annotations",
              {{"example.com/notes", std::string(200'000, 'n')},
               {"kubectl.kubernetes.io/last-applied-configuration", "{}"},
               {"zonecut.dev/note", "no word of ours"},
               {"zonecut.dev/size", "4"},
               {"zonecut.dev/gang", ""},
               {"zonecut.dev/job", std::string(200'000, 'j')},
               {"zonecut.dev/required-level", std::string(kLongestWord, 'l')}}}}}};
  const Labels kept = pod_of(pod).annotations;
  CHECK(kept == Labels{{"zonecut.dev/size", "4"},
                       {"zonecut.dev/gang", ""},
                       {"zonecut.dev/job", std::string(kLongestWord + 1, 'j')},
                       {"zonecut.dev/required-level", std::string(kLongestWord, 'l')}});
  CHECK(kept.at("zonecut.dev/job").capacity() < 2 * kLongestWord);
  pod["metadata"]["annotations"]["example.com/notes"] = 7;
  CHECK_THROWS_AS(pod_of(pod), zonecut::InputError);
}

TEST_CASE("fields that are null or absent have their defaults") {
  const Pod bare = pod_of(R"({"metadata": {"name": "p"}})"_json);
  const Pod nulls = pod_of(R"({"metadata": {"name": "p", "namespace": null, "labels": null,
    "annotations": null, "ownerReferences": null, "deletionTimestamp": null},
    "spec": {"containers": null, "nodeSelector": null, "affinity": {"nodeAffinity":
      {"requiredDuringSchedulingIgnoredDuringExecution": null}}, "tolerations": null,
      "priority": null, "schedulingGroup": null}, "status": null})"_json);
  CHECK(bare == nulls);
  CHECK(bare.name_space == "default");
  CHECK(bare.gpus == 0);
  CHECK_FALSE(bare.has_required_terms);
}

TEST_CASE("a pod holds its GPUs until it has ended, also on a node that was lost") {
  const auto phase = [](const char* text) {
    return pod_of({{"metadata", {{"name", "p"}}}, {"status", {{"phase", text}}}}).phase;
  };
  CHECK(phase("Succeeded") == PodPhase::Succeeded);
  CHECK(phase("Failed") == PodPhase::Failed);
  CHECK(phase("Unknown") == PodPhase::Running);
  CHECK(phase("Pending") == PodPhase::Pending);
}

TEST_CASE("a pod says whether kube-scheduler holds it back by a refusal of ours") {
  const auto refused = [](const char* type, const char* status, const char* message) {
    const json condition = {{"type", type}, {"status", status}, {"message", message}};
    return pod_of({{"metadata", {{"name", "p"}}},
                   {"status", {{"conditions", {{{"type", "Ready"}}, condition}}}}})
        .refused;
  };
  const char* const ours =
      "0/8 nodes are available: 3 Insufficient cpu, 5 zonecut: the gang waits until all of it can "
      "be placed. preemption: 0/8 nodes are available";
  CHECK(refused("PodScheduled", "False", ours));
  CHECK_FALSE(refused("PodScheduled", "True", ours));
  CHECK_FALSE(refused("Ready", "False", ours));
  CHECK_FALSE(refused("PodScheduled", "False", "0/8 nodes are available: 8 Insufficient cpu."));
  CHECK_FALSE(pod_of({{"metadata", {{"name", "p"}}}}).refused);
}

TEST_CASE("the GPUs of a pod are those of its containers together") {
  CHECK(pod_of(with_containers({container("3"), container("4")})).gpus == 7);
}

TEST_CASE("an init container counts where it asks for more than all containers") {
  CHECK(pod_of(with_containers({container("4")}, {container("8"), container("2")})).gpus == 8);
  CHECK(pod_of(with_containers({container("4")}, {container("2")})).gpus == 4);
}

TEST_CASE("a restartable init container runs beside the containers") {
  CHECK(pod_of(with_containers({container("4")}, {container("1", "Always")})).gpus == 5);
}

TEST_CASE("an init container runs beside the restartable ones before it only") {
  const std::vector<json> before{container("2", "Always"), container("4")};
  const std::vector<json> after{container("4"), container("2", "Always")};
  CHECK(pod_of(with_containers({container("1")}, before)).gpus == 6);
  CHECK(pod_of(with_containers({container("1")}, after)).gpus == 4);
}

TEST_CASE("GPUs of several configured resources are added, others are not") {
  json mixed;
  mixed["resources"]["limits"] = {
      {"nvidia.com/gpu", 2}, {"amd.com/gpu", "3"}, {"example.com/nic", "9"}};
  CHECK(pod_of(with_containers({mixed})).gpus == 5);
}

TEST_CASE("a pod is not ready while its kubelet says so and it has not ended") {
  const auto unready = [](const char* status, const char* phase) {
    return pod_of({{"metadata", {{"name", "p"}}},
                   {"status",
                    {{"phase", phase}, {"conditions", {{{"type", "Ready"}, {"status", status}}}}}}})
        .unready;
  };
  CHECK(unready("False", "Running"));
  CHECK(unready("False", "Pending"));
  CHECK_FALSE(unready("True", "Running"));
  CHECK_FALSE(unready("False", "Succeeded"));
}
TEST_CASE("a quantity of GPUs that is no whole number is refused with its field") {
  for (const json& quantity :
       {json("1Ki"), json("8Gi"), json("1.0"), json(""), json("-1"), json(1.5), json(-1),
        json(true), json("99999999999999999999"), json("1000001")}) {
    json odd;
    odd["resources"]["requests"]["nvidia.com/gpu"] = quantity;
    CHECK_THAT(said_of(with_containers({odd})),
               Contains("body#/Pod/spec/containers/0/resources/requests/nvidia.com~1gpu: expected "
                        "a whole number of devices from 0 to 1000000, without a suffix"));
  }
}

TEST_CASE("what is of another type is refused with its JSON pointer") {
  CHECK(said_of(json::array()) == "body#/Pod: expected an object, found a list");
  CHECK(said_with("/metadata", 3) == "body#/Pod/metadata: expected an object, found 3");
  CHECK(said_with("/metadata/name", 3) == "body#/Pod/metadata/name: expected text, found 3");
  CHECK(said_with("/metadata/name", nullptr) ==
        "body#/Pod/metadata/name: expected a name, found none");
  CHECK(said_with("/metadata/labels", "x") ==
        "body#/Pod/metadata/labels: expected an object, found \"x\"");
  CHECK(said_with("/metadata/labels/a~1b~0c", 1) ==
        "body#/Pod/metadata/labels/a~1b~0c: expected text, found 1");
  CHECK(said_with("/metadata/ownerReferences", json::object()) ==
        "body#/Pod/metadata/ownerReferences: expected a list, found an object");
  CHECK(said_with("/metadata/ownerReferences", {{{"controller", "yes"}}}) ==
        "body#/Pod/metadata/ownerReferences/0/controller: expected true or false, found \"yes\"");
  CHECK(said_with("/spec/containers/0", 1) ==
        "body#/Pod/spec/containers/0: expected an object, found 1");
  CHECK(said_with("/spec/tolerations/1/operator", "Near") ==
        "body#/Pod/spec/tolerations/1/operator: expected Equal, Exists, Lt or Gt, found \"Near\"");
  CHECK(said_with("/status/phase", false) == "body#/Pod/status/phase: expected text, found false");
}

TEST_CASE("an unknown operator and a value that is no text are refused with their pointers") {
  const char* const terms =
      "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
      "nodeSelectorTerms";
  CHECK_THAT(said_with(terms, {{{"matchExpressions", {{{"key", "a"}, {"operator", "Like"}}}}}}),
             Contains("/nodeSelectorTerms/0/matchExpressions/0/operator: expected In, NotIn"));
  CHECK_THAT(
      said_with(terms,
                {{{"matchFields", {{{"key", "a"}, {"operator", "In"}, {"values", {"x", 2}}}}}}}),
      Contains("/nodeSelectorTerms/0/matchFields/0/values/1: expected text, found 2"));
}

TEST_CASE("a priority beyond 32 bits is refused") {
  for (const json& priority : {json(2147483648), json(18446744073709551615U), json(1.5)})
    CHECK_THAT(said_with("/spec/priority", priority),
               Contains("body#/Pod/spec/priority: expected a whole number from -2147483648"));
  CHECK(said_with("/spec/priority", -2147483648).empty());
}
