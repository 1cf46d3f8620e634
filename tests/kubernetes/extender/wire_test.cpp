#include "extender/wire.hpp"

#include <functional>
#include <nlohmann/json.hpp>

#include "kubernetes/extender/wire_bodies.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;

namespace {

using Names = std::vector<std::string>;

std::string place_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.problems().front().where;
  }
  return "no mistake found";
}

std::string with_pod(const std::string& rest) {
  return R"({"Pod":{"metadata":{"name":"p","namespace":"n"}},)" + rest + "}";
}

std::string candidate_mistake(const std::string& rest) {
  return place_of([&] { (void)read_candidate_request(with_pod(rest), kGpus); });
}

std::string preempt_mistake(const std::string& rest) {
  return place_of([&] { (void)read_preempt_request(with_pod(rest), kGpus); });
}

}  // namespace

TEST_CASE("a filter request in name mode has the pod and its candidates in their order",
          "[kubernetes]") {
  const CandidateRequest request = read_candidate_request(wire_body("filter_request_names"), kGpus);
  CHECK(request.pod.full_name() == "gang/w-7");
  CHECK(request.pod.gpus == 8);
  CHECK_FALSE(request.full_nodes);
  CHECK(request.nodes.empty());
  CHECK(request.names == Names{"n0001", "n0003", "n0014", "n0004", "n0018", "n0006", "n0010",
                               "n0012", "n0015", "n0016", "n0007", "n0009", "n0019"});
}

TEST_CASE("other filter and prioritize requests in name mode are read", "[kubernetes]") {
  const auto prioritize = read_candidate_request(wire_body("prioritize_request_names"), kGpus);
  CHECK(prioritize.names == Names{"n0005", "n0011", "n0009"});
  const auto nominated = read_candidate_request(wire_body("filter_request_nominated"), kGpus);
  CHECK(nominated.names == Names{"n0013"});
  CHECK(nominated.pod.nominated_node == "n0013");
  const auto native = read_candidate_request(wire_body("filter_request_native_podgroup"), kGpus);
  CHECK(native.names == Names{"n0014", "n0011", "n0012"});
  CHECK(native.pod.pod_group == "g");
}

TEST_CASE("requests with whole nodes keep each node's text as it came", "[kubernetes]") {
  for (const char* const name : {"filter_request_nodes", "prioritize_request_nodes"}) {
    INFO(name);
    const std::string body = wire_body(name);
    const CandidateRequest request = read_candidate_request(body, kGpus);
    CHECK(request.full_nodes);
    CHECK(request.names == Names{"n0001"});
    REQUIRE(request.nodes.size() == 1);
    CHECK(body.find(request.nodes[0]) != std::string::npos);
    CHECK(nlohmann::json::parse(request.nodes[0]) ==
          nlohmann::json::parse(body)["Nodes"]["items"][0]);
  }
}

TEST_CASE("lists that are null or absent have no candidates", "[kubernetes]") {
  for (const char* const rest : {R"("Nodes":null,"NodeNames":null)", R"("NodeNames":[])",
                                 R"("Later":1)", R"("Nodes":{"metadata":{},"items":null})"}) {
    INFO(rest);
    const CandidateRequest request = read_candidate_request(with_pod(rest), kGpus);
    CHECK(request.names.empty());
    CHECK(request.nodes.empty());
  }
  CHECK(read_candidate_request(with_pod(R"("Nodes":{"items":null})"), kGpus).full_nodes);
}

TEST_CASE("what is wrong in a filter request is named by its JSON pointer", "[kubernetes]") {
  CHECK(place_of([] { (void)read_candidate_request("{\"Pod\":", kGpus); }) == "body");
  CHECK(place_of([] { (void)read_candidate_request("{}", kGpus); }) == "/Pod");
  CHECK(place_of([] { (void)read_candidate_request(R"({"Pod":null})", kGpus); }) == "/Pod");
  CHECK(place_of([] { (void)read_candidate_request(R"({"Pod":{}})", kGpus); }) ==
        "/Pod/metadata/name");
  CHECK(candidate_mistake(R"("NodeNames":"n")") == "/NodeNames");
  CHECK(candidate_mistake(R"("NodeNames":["a",7])") == "/NodeNames/1");
  CHECK(candidate_mistake(R"("NodeNames":[],"Nodes":{"items":[]})") == "/Nodes");
  CHECK(candidate_mistake(R"("Nodes":{"items":{}})") == "/Nodes/items");
  CHECK(candidate_mistake(R"("Nodes":{"items":[{"metadata":{"name":"a"}},{}]})") ==
        "/Nodes/items/1/metadata/name");
  CHECK(candidate_mistake(R"("Nodes":{"it\u0065ms":[{"metadata":{"name":"a"}}]})") ==
        "/Nodes/items");
}

TEST_CASE("more candidates than any cluster has nodes are refused", "[kubernetes]") {
  const auto of = [](std::size_t count, const std::string& first, const std::string& more,
                     const std::string& start, const std::string& end) {
    std::string text = start + first;
    for (std::size_t i = 1; i < count; ++i) text += more;
    return with_pod(text + end);
  };
  const auto read = [](const std::string& body) {
    return read_candidate_request(body, kGpus).names.size();
  };
  const char* const first = GENERATE("\"a\"", "\"\\u0061\"");  // for the scanner, for the parser
  CHECK(read(of(100'000, first, ",\"a\"", "\"NodeNames\":[", "]")) == 100'000);
  CHECK_THROWS_WITH(read(of(100'001, first, ",\"a\"", "\"NodeNames\":[", "]")),
                    Catch::Contains("expected at most 100000 candidates"));
  const std::string node = "{\"metadata\":{\"name\":" + std::string(first) + "}}";
  CHECK_THROWS_WITH(read(of(100'001, node, "," + node, "\"Nodes\":{\"items\":[", "]}")),
                    Catch::Contains("expected at most 100000 candidates"));
}

TEST_CASE("preempt requests name victims in both cache modes", "[kubernetes]") {
  const PreemptRequest half = read_preempt_request(wire_body("preempt_request_half"), kGpus);
  CHECK(half.pod.priority == 1000);
  REQUIRE(half.candidates.size() == 2);
  CHECK(half.candidates[0].node == "n0000");
  CHECK(half.candidates[0].victims == Names{"e9675d97-5ffe-454e-a90f-8be8cdc2202e"});
  CHECK(half.candidates[1].node == "n0001");

  const PreemptRequest full = read_preempt_request(wire_body("preempt_request_full"), kGpus);
  CHECK(full.candidates.size() == 2);

  const PreemptRequest nodes = read_preempt_request(wire_body("preempt_request_nodes"), kGpus);
  REQUIRE(nodes.candidates.size() == 6);
  CHECK(nodes.candidates[5].node == "n0005");
  CHECK(nodes.candidates[5].victims == Names{"84186714-280d-4948-bdc1-c2d8b4fcf96a"});
}

TEST_CASE("candidates of a preemption without victims and without maps are read", "[kubernetes]") {
  const PreemptRequest request = read_preempt_request(
      with_pod(
          R"("NodeNameToVictims":{},"NodeNameToMetaVictims":{"a":{"Pods":null,"NumPDBViolations":2},"b":{}})"),
      kGpus);
  REQUIRE(request.candidates.size() == 2);
  CHECK(request.candidates[0].victims.empty());
  CHECK(request.candidates[0].disruption_budgets_broken == 2);
  CHECK(request.candidates[1].disruption_budgets_broken == 0);
  CHECK(read_preempt_request(with_pod(R"("NodeNameToVictims":null)"), kGpus).candidates.empty());
}

TEST_CASE("what is wrong in a preempt request is named by its JSON pointer", "[kubernetes]") {
  CHECK(preempt_mistake(R"("NodeNameToMetaVictims":[])") == "/NodeNameToMetaVictims");
  CHECK(preempt_mistake(R"("NodeNameToMetaVictims":{"a":{"Pods":[{}]}})") ==
        "/NodeNameToMetaVictims/a/Pods/0/UID");
  CHECK(preempt_mistake(R"("NodeNameToVictims":{"a":{"Pods":[{"metadata":{}}]}})") ==
        "/NodeNameToVictims/a/Pods/0/metadata/uid");
  CHECK(preempt_mistake(R"("NodeNameToMetaVictims":{"a":{"NumPDBViolations":"1"}})") ==
        "/NodeNameToMetaVictims/a/NumPDBViolations");
}

TEST_CASE("a bind request names the pod and the node", "[kubernetes]") {
  const BindRequest names = read_bind_request(wire_body("bind_request_names"));
  CHECK(names.name_space == "wire-true-true");
  CHECK(names.name == "w-59");
  CHECK(names.uid == "96e10390-823e-41b3-b339-fe667fabfbf2");
  CHECK(names.node == "n0012");
  CHECK(read_bind_request(wire_body("bind_request_nodes")).node == "n0010");
  const auto mistake = [](const std::string& body) {
    return place_of([&] { (void)read_bind_request(body); });
  };
  CHECK(mistake(R"({"PodNamespace":"n","PodName":"p"})") == "/Node");
  CHECK(mistake(R"({"PodNamespace":"n","PodName":7,"Node":"a"})") == "/PodName");
  CHECK(mistake("[]") != "no mistake found");
  CHECK(mistake("null") != "no mistake found");
}

TEST_CASE("requests with as many whole nodes as a body holds are read, unusual ones too",
          "[kubernetes]") {
  std::string labels = R"("say":"ü")";
  for (int i = 0; i < 100; ++i) labels += ",\"l" + std::to_string(i) + "\":\"v\"";
  std::string items;
  for (int i = 0; i < 16'384; ++i) {
    items += std::string(i == 0 ? "" : ",") + R"({"spec":{"a":[{}]},"metadata":{"name":"n)" +
             std::to_string(i) + R"(","labels":{)" + labels +
             R"(}},"status":{"b":{"metadata":1}}})";
  }
  const auto request =
      read_candidate_request(with_pod(R"("Nodes":{"items":[)" + items + "]}"), kGpus);
  REQUIRE(request.names.size() == 16'384);
  CHECK(request.names[7] == "n7");
  CHECK(request.nodes.size() == 16'384);
}

TEST_CASE("a request of which more is read than is sensible is refused", "[kubernetes]") {
  std::string many = R"({"Pod":{"metadata":{"name":"p","namespace":"n"},"spec":{"a":[0)";
  for (int i = 0; i < 600'000; ++i) many += ",{}";
  many += "]}}";
  std::string full = many;
  for (int i = 0; i < 600'000; ++i) full.insert(full.size() - 3, ",{}");
  const auto said = [](const std::string& text) {
    return place_of([&] { (void)read_candidate_request(text + R"(,"NodeNames":["n"]})", kGpus); });
  };
  CHECK(said(full.substr(0, full.size() - 1)) == "body");
  CHECK(place_of([&] { (void)read_preempt_request(full, kGpus); }) == "body");
  std::string list = "[0";
  for (int i = 0; i < 1'100'000; ++i) list += ",0";
  CHECK(place_of([&] { (void)read_preempt_request(list + "]", kGpus); }) == "body");
}
