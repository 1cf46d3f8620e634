// What is written, and what a refusal means.
#include "api/writes.hpp"

#include <set>

#include "fake_api_server.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;
using namespace zonecut::kubernetes::test;
using nlohmann::json;

namespace {

/// A server that notes what it was asked and answers one thing to writes, another to a GET.
class Recorder {
 public:
  Recorder(int status, json body, int get_status = 200, json pod = nullptr)
      : server_([this, status, body = std::move(body), get_status, pod = std::move(pod)](
                    const httplib::Request& request, httplib::Response& response) {
          if (request.method == "GET") return say(response, get_status, pod.dump());
          const std::lock_guard lock(mutex_);
          asked_.push_back(request);
          say(response, status, body.dump());
        }),
        client_(server_.access()) {}
  ApiClient& client() { return client_; }
  httplib::Request last() {
    const std::lock_guard lock(mutex_);
    REQUIRE_FALSE(asked_.empty());
    return asked_.back();
  }
  bool is_untouched() {
    const std::lock_guard lock(mutex_);
    return asked_.empty();
  }

 private:
  std::mutex mutex_;
  std::vector<httplib::Request> asked_;
  FakeApiServer server_;
  ApiClient client_;
};

Pod pod() {
  Pod pod;
  pod.name_space = "training";
  pod.name = "worker-3";
  pod.uid = "u-3";
  return pod;
}

json refusal(const std::string& message) { return {{"kind", "Status"}, {"message", message}}; }

}  // namespace

TEST_CASE("waking a pod patches an annotation of this very pod", "[kubernetes]") {
  Recorder server(200, json::object());
  CHECK(wake(server.client(), pod(), "12").result == WriteResult::Done);
  const httplib::Request request = server.last();
  CHECK(request.method == "PATCH");
  CHECK(request.path == "/api/v1/namespaces/training/pods/worker-3");
  CHECK(request.get_header_value("Content-Type") == "application/merge-patch+json");
  CHECK(json::parse(request.body) ==
        json::parse(R"({"metadata":{"uid":"u-3","annotations":{"zonecut.dev/wake":"12"}}})"));
}

TEST_CASE("opening the gate is one patch that touches no other gate", "[kubernetes]") {
  Recorder server(200, json::object());
  CHECK(open_gate(server.client(), pod(), "host-7", "server-7", 42).result == WriteResult::Done);
  const httplib::Request request = server.last();
  CHECK(request.get_header_value("Content-Type") == "application/strategic-merge-patch+json");
  CHECK(json::parse(request.body) == json::parse(R"({
    "metadata": {"uid": "u-3", "annotations": {"zonecut.dev/server": "server-7",
                                               "zonecut.dev/rank": "42"}},
    "spec": {"nodeSelector": {"kubernetes.io/hostname": "host-7"},
             "schedulingGates": [{"$patch": "delete", "name": "zonecut.dev/placement"}]}})"));
}

TEST_CASE("a gate without a choice is only removed", "[kubernetes]") {
  Recorder server(200, json::object());
  CHECK(open_gate(server.client(), pod(), "", "", 0).result == WriteResult::Done);
  CHECK(json::parse(server.last().body) == json::parse(R"({
    "metadata": {"uid": "u-3"},
    "spec": {"schedulingGates": [{"$patch": "delete", "name": "zonecut.dev/placement"}]}})"));
}

TEST_CASE("refusals of a write say what they mean", "[kubernetes]") {
  const auto result = [](int status, const std::string& message) {
    Recorder server(status, refusal(message));
    const WriteAnswer answer = wake(server.client(), pod(), "x");
    CHECK(answer.message == message);
    return answer.result;
  };
  CHECK(result(404, "pods \"worker-3\" not found") == WriteResult::Gone);
  CHECK(
      result(
          409,
          "Operation cannot be fulfilled on pods \"worker-3\": StorageError: invalid object, Code: "
          "4, Precondition failed: UID in precondition: u-3, UID in object meta: u-4") ==
      WriteResult::Gone);
  CHECK(result(409, "the object has been modified") == WriteResult::Conflict);
  CHECK(result(422, "spec.nodeSelector: field is immutable") == WriteResult::Conflict);
  CHECK(result(403, "pods is forbidden") == WriteResult::Failed);
  CHECK(result(500, "etcdserver: no leader") == WriteResult::Failed);
}

TEST_CASE("a pod of the same name with another uid is gone, as kube-apiserver says it",
          "[kubernetes]") {
  Recorder server(422, json::parse(R"({"kind": "Status", "status": "Failure", "reason": "Invalid",
    "message": "Pod \"worker-3\" is invalid: metadata.uid: Invalid value: \"u-3\": field is immutable",
    "details": {"name": "worker-3", "kind": "Pod", "causes": [{"reason": "FieldValueInvalid",
      "message": "Invalid value: \"u-3\": field is immutable", "field": "metadata.uid"}]}})"));
  CHECK(wake(server.client(), pod(), "x").result == WriteResult::Gone);
  CHECK(open_gate(server.client(), pod(), "h", "s", 0).result == WriteResult::Gone);
}

TEST_CASE("of a long refusal the first line is kept", "[kubernetes]") {
  Recorder server(422,
                  refusal("spec: Forbidden: pod updates may not change fields\n@@ -40 +40 @@"));
  const WriteAnswer answer = open_gate(server.client(), pod(), "h", "s", 0);
  CHECK(answer.result == WriteResult::Conflict);
  CHECK(answer.message == "spec: Forbidden: pod updates may not change fields");
}

TEST_CASE("a pod is bound by its uid", "[kubernetes]") {
  Recorder server(201, json::object());
  CHECK(kubernetes::bind(server.client(), "training", "worker-3", "u-3", "node-7").result ==
        WriteResult::Done);
  const httplib::Request request = server.last();
  CHECK(request.method == "POST");
  CHECK(request.path == "/api/v1/namespaces/training/pods/worker-3/binding");
  CHECK(json::parse(request.body) == json::parse(R"({
    "apiVersion": "v1", "kind": "Binding",
    "metadata": {"name": "worker-3", "namespace": "training", "uid": "u-3"},
    "target": {"apiVersion": "v1", "kind": "Node", "name": "node-7"}})"));
}

TEST_CASE("a second bind is done where the first one put the pod", "[kubernetes]") {
  const auto result = [](int status, const json& found) {
    Recorder server(409, refusal("pod worker-3 is already assigned to a node"), status, found);
    return kubernetes::bind(server.client(), "training", "worker-3", "u-3", "node-7").result;
  };
  const auto bound = [](const std::string& uid, const std::string& node) {
    return json{{"metadata", {{"uid", uid}}}, {"spec", {{"nodeName", node}}}};
  };
  CHECK(result(200, bound("u-3", "node-7")) == WriteResult::Done);
  CHECK(result(200, bound("u-3", "node-8")) == WriteResult::Conflict);
  CHECK(result(200, bound("u-4", "node-7")) == WriteResult::Gone);
  CHECK(result(200, {{"metadata", {{"uid", "u-3"}}}}) == WriteResult::Conflict);
  CHECK(result(404, refusal("not found")) == WriteResult::Gone);
  CHECK(result(500, refusal("oops")) == WriteResult::Failed);
  CHECK(result(200, {{"metadata", {{"uid", 3}}}}) == WriteResult::Gone);
}

TEST_CASE("an event says who, what, when and about whom", "[kubernetes]") {
  Recorder server(201, json::object());
  const EventText text{"GangWaiting", std::string(1023, 'x') + "\xc3\xa4" + "more", true};
  CHECK(tell(server.client(), pod(), text, "zonecut-0").result == WriteResult::Done);
  CHECK(server.last().path == "/apis/events.k8s.io/v1/namespaces/training/events");
  json event = json::parse(server.last().body);
  CHECK(event["note"] == std::string(1023, 'x'));  // no half character
  CHECK_THAT(event["eventTime"].get<std::string>(),
             Catch::Matches(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)"));
  CHECK_THAT(event["metadata"]["name"].get<std::string>(),
             Catch::Matches(R"(worker-3\.[0-9a-f]{16})"));
  event.erase("note");
  event.erase("eventTime");
  event["metadata"].erase("name");
  CHECK(event == json::parse(R"({
    "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"namespace": "training"},
    "type": "Warning", "reason": "GangWaiting", "action": "Placing",
    "reportingController": "zonecut.dev/zonecut", "reportingInstance": "zonecut-0",
    "regarding": {"apiVersion": "v1", "kind": "Pod", "namespace": "training", "name": "worker-3",
                  "uid": "u-3"}})"));
}

TEST_CASE("events have names of their own, also of pods with the longest", "[kubernetes]") {
  Recorder server(201, json::object());
  Pod longest = pod();
  longest.name = std::string(235, 'a') + "-" + std::string(17, 'b');
  std::set<std::string> names;
  for (int i = 0; i < 50; ++i) {
    CHECK(tell(server.client(), longest, {"GangPlanned", "m", false}, "z").result ==
          WriteResult::Done);
    const json event = json::parse(server.last().body);
    CHECK(event["type"] == "Normal");
    names.insert(event["metadata"]["name"].get<std::string>());
  }
  CHECK(names.size() == 50);
  CHECK(names.begin()->size() <= 253);
  CHECK(names.begin()->substr(0, 236) == std::string(235, 'a') + ".");
}

TEST_CASE("a name that no pod can have goes into no path", "[kubernetes]") {
  Recorder server(200, json::object());
  for (const std::string name :
       {"", "../secrets", "a/b", "A", "-a", "a?dryRun=All", "a\r\n", "."}) {
    INFO(name);
    Pod odd = pod();
    odd.name = name;
    CHECK(wake(server.client(), odd, "x").result == WriteResult::Failed);
    CHECK(open_gate(server.client(), odd, "h", "s", 0).result == WriteResult::Failed);
    CHECK(tell(server.client(), odd, {"R", "m", false}, "z").result == WriteResult::Failed);
    CHECK(kubernetes::bind(server.client(), "training", name, "u", "n").result ==
          WriteResult::Failed);
    CHECK(kubernetes::bind(server.client(), name, "worker-3", "u", "n").result ==
          WriteResult::Failed);
  }
  CHECK(server.is_untouched());
}
