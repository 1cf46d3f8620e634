#include <nlohmann/json.hpp>

#include "kubernetes/extender/wire_bodies.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;
using nlohmann::json;

namespace {

CandidateRequest request_for(std::vector<std::string> names) {
  CandidateRequest request;
  request.names = std::move(names);
  return request;
}

}  // namespace

TEST_CASE("a filter answer in name mode keeps some and refuses the rest for good", "[kubernetes]") {
  CHECK(write_filter_answer(request_for({"a", "b", "c"}), {{1}, "planned elsewhere"}) ==
        R"({"Nodes":null,"NodeNames":["b"],"FailedNodes":null,)"
        R"("FailedAndUnresolvableNodes":{"a":"planned elsewhere","c":"planned elsewhere"},)"
        R"("Error":""})");
  CHECK(write_filter_answer(request_for({"a", "b"}), {{}, ""}) ==
        R"({"Nodes":null,"NodeNames":[],"FailedNodes":null,"FailedAndUnresolvableNodes":{},)"
        R"("Error":""})");
  CHECK(write_filter_answer(request_for({"a", "b"}), {{0, 1}, "no"}) ==
        R"({"Nodes":null,"NodeNames":["a","b"],"FailedNodes":null,)"
        R"("FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST_CASE("a filter answer with whole nodes gives them back as they came", "[kubernetes]") {
  CandidateRequest request = request_for({"a", "b"});
  request.full_nodes = true;
  request.nodes = {R"({ "metadata":{"name":"a"}})", R"({"metadata":{"name":"b"}, "x": 1.50})"};
  CHECK(write_filter_answer(request, {{1}, "no"}) ==
        R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"b"}, "x": 1.50}]},)"
        R"("NodeNames":null,"FailedNodes":null,"FailedAndUnresolvableNodes":{"a":"no"},)"
        R"("Error":""})");
}

TEST_CASE("answers are the ones that a real kube-scheduler took", "[kubernetes]") {
  const auto names = read_candidate_request(wire_body("filter_request_names"), kGpus);
  CHECK(json::parse(write_filter_answer(names, {{12}, "planned elsewhere"})) ==
        json::parse(wire_body("filter_response_names")));

  const auto nodes = read_candidate_request(wire_body("filter_request_nodes"), kGpus);
  json whole = json::parse(write_filter_answer(nodes, {{0}, "planned elsewhere"}));
  CHECK(whole["FailedAndUnresolvableNodes"] == json::object());
  whole["FailedAndUnresolvableNodes"] = nullptr;
  CHECK(whole == json::parse(wire_body("filter_response_nodes")));

  const auto scored = read_candidate_request(wire_body("prioritize_request_names"), kGpus);
  CHECK(json::parse(write_prioritize_answer(scored, {0, 1, 2})) ==
        json::parse(wire_body("prioritize_response_names")));
  const auto echoed = read_preempt_request(
      R"({"Pod":{"metadata":{"name":"p"}},)" + wire_body("preempt_response_echo").substr(1), kGpus);
  CHECK(json::parse(write_preempt_answer(echoed.candidates)) ==
        json::parse(wire_body("preempt_response_echo")));
  CHECK(json::parse(write_preempt_answer({})) == json::parse(wire_body("preempt_response_empty")));
  CHECK(json::parse(write_bind_answer("")) == json::parse(wire_body("bind_response")));
}

TEST_CASE("scores are a bare list in the order of the names", "[kubernetes]") {
  CHECK(write_prioritize_answer(request_for({"a", "b"}), {0, 10}) ==
        R"([{"Host":"a","Score":0},{"Host":"b","Score":10}])");
  CHECK(write_prioritize_answer(request_for({}), {}) == "[]");
}

TEST_CASE("a preempt answer leaves out nodes without victims, which would be an error",
          "[kubernetes]") {
  CHECK(write_preempt_answer({{"a", {"u1", "u2"}, 3}, {"b", {}, 0}}) ==
        R"({"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"u1"},{"UID":"u2"}],)"
        R"("NumPDBViolations":3}}})");
  CHECK(write_preempt_answer({{"b", {}, 0}}) == R"({"NodeNameToMetaVictims":{}})");
}

TEST_CASE("error answers say why, whatever bytes the text has", "[kubernetes]") {
  CHECK(write_filter_error("no \"plan\"\n") ==
        R"({"Nodes":null,"NodeNames":null,"FailedNodes":null,"FailedAndUnresolvableNodes":null,)"
        R"("Error":"no \"plan\"\n"})");
  CHECK(write_bind_answer("") == R"({"Error":""})");
  CHECK(write_bind_answer("z\xfc") == "{\"Error\":\"z\xef\xbf\xbd\"}");
  CHECK(write_bind_answer("Zürich") == R"({"Error":"Zürich"})");
}

TEST_CASE("an answer about names that are not in the request is our own mistake", "[kubernetes]") {
  CHECK_THROWS_AS(write_filter_answer(request_for({"a"}), {{1}, ""}), InternalError);
  CHECK_THROWS_AS(write_filter_answer(request_for({"a", "b"}), {{1, 0}, ""}), InternalError);
  CHECK_THROWS_AS(write_prioritize_answer(request_for({"a"}), {}), InternalError);
}
