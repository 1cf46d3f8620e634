#include "extender/plain_request.hpp"

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "wire_bodies.hpp"

using namespace zonecut::kubernetes;

namespace {

using Texts = std::vector<std::string_view>;

std::string with(const std::string& pod) {
  return R"({"Pod":)" + pod + R"(,"Nodes":null,"NodeNames":["a","b"]})";
}

}  // namespace

TEST_CASE("names and the pod are found where they lie", "[kubernetes]") {
  const std::string body =
      R"({ "Pod" : {"metadata":{"name":"x"}} , "Nodes": null, "NodeNames": [ "a" , "b-1" ] } )";
  const auto plain = plain_request(body);
  REQUIRE(plain);
  CHECK(plain->pod == R"({"metadata":{"name":"x"}})");
  CHECK(plain->names == Texts{"a", "b-1"});
  CHECK(plain->nodes.empty());
}

TEST_CASE("whole nodes are found with their names", "[kubernetes]") {
  const std::string body =
      R"({"Pod":{},"Nodes":{"metadata":{},"items":[{"metadata":{"labels":{"name":"no"},"name":"a"},)"
      R"("status":{"n":[-1.5,0,true,false,null,"\u003c\n\\"]}},{"metadata":{"name":"b"}}]},)"
      R"("NodeNames":null})";
  const auto plain = plain_request(body);
  REQUIRE(plain);
  CHECK(plain->names == Texts{"a", "b"});
  REQUIRE(plain->nodes.size() == 2);
  CHECK(plain->nodes[1] == R"({"metadata":{"name":"b"}})");
  for (const std::string_view node : plain->nodes) CHECK(nlohmann::json::accept(node));
}

TEST_CASE("the recorded requests are plain", "[kubernetes]") {
  const char* const file =
      GENERATE("filter_request_names", "filter_request_nodes", "filter_request_nominated",
               "prioritize_request_names", "prioritize_request_nodes");
  CAPTURE(file);
  CHECK(plain_request(wire_body(file)));
}

TEST_CASE("what a parser refuses is not plain", "[kubernetes]") {
  const char* const pod = GENERATE(
      "", "{", "{}}", "{,}", R"({"a"})", R"({"a":})", R"({"a":1,})", R"({"a":01})", R"({"a":-})",
      R"({"a":1.})", R"({"a":+1})", R"({"a":.5})", R"({"a":tru})", R"({"a":"\x"})",
      R"({"a":"\u12g4"})", R"({"a":"\u12)", "{\"a\":\"\n\"}", "{\"a\":\"\xff\"}", R"({"a":[1,]})",
      R"({"a":[1 2]})", R"({a:1})", R"({"a":"\ud800"})", "{\"a\":\"\x01\"}");
  CAPTURE(pod);
  REQUIRE_FALSE(nlohmann::json::accept(with(pod)));
  CHECK_FALSE(plain_request(with(pod)));
}

TEST_CASE("what is unusual is left to the parser", "[kubernetes]") {
  const char* const body = GENERATE(
      R"({"NodeNames":["a"]})", R"({"Pod":null,"NodeNames":["a"]})",
      R"({"Pod":{},"NodeNames":["a"],"NodeNames":["b"]})", R"({"Pod":{},"NodeNames":["\u0061"]})",
      R"({"Pod":{},"Pod":{},"NodeNames":["a"]})", R"({"Pod":{},"NodeNames":[""]})",
      R"({"Pod":{},"NodeNames":[]})", R"({"Pod":{},"NodeNames":[1]})",
      R"({"Pod":{},"NodeNames":["a"],"Nodes":{"items":[{"metadata":{"name":"a"}}]}})",
      R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a","name":"b"}}]}})",
      R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"},"metadata":{}}]}})",
      R"({"Pod":{},"Nodes":{"items":[{"metadata":{}}]}})", R"({"Pod":{"a":1e3},"NodeNames":["a"]})",
      R"({"Pod":{"a":"ä"},"NodeNames":["a"]})", R"({"Pod":{},"NodeNames":["a"]} 1)",
      R"({"Pod":{},"Other":1,"NodeNames":["a"]})", R"({"P\u006fd":{},"NodeNames":["a"]})");
  CAPTURE(body);
  CHECK_FALSE(plain_request(body));
}

TEST_CASE("deep nesting is left to the parser's limit", "[kubernetes]") {
  const auto nested = [](std::size_t depth) {
    return with(R"({"a":)" + std::string(depth, '[') + std::string(depth, ']') + "}");
  };
  CHECK(plain_request(nested(50)));
  CHECK_FALSE(plain_request(nested(100)));
  CHECK_FALSE(plain_request(nested(1'000'000)));
}
