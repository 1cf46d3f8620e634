#include "objects/json_text.hpp"

#include <chrono>

#include "objects_support.hpp"
#include "support/catch.hpp"

using namespace zonecut::kubernetes;
using Catch::Matchers::Contains;

namespace {

std::string said_of(const std::string& text, const JsonLimits& limits = {}) {
  return refusal([&] { return parse_json(text, "body", limits); });
}

std::string nested(int depth) {
  const auto times = static_cast<std::size_t>(depth);
  return std::string(times, '[') + std::string(times, ']');
}

}  // namespace

TEST_CASE("a text within the limits is parsed") {
  CHECK(parse_json(R"({"a": ["b", 1, null, true, 2.5]})", "body")["a"][1] == 1);
  CHECK(parse_json(nested(64), "body").is_array());
}

TEST_CASE("brackets and quotes within strings count for nothing") {
  const std::string text = R"(["[[[[{{{{\"[[[[\\"])";
  CHECK(parse_json(text, "body", {1000, 1, 2})[0] == R"([[[[{{{{"[[[[\)");
}

TEST_CASE("a text that is nested too deep is refused before it is parsed") {
  CHECK_THAT(said_of(nested(65)), Contains("body: ") && Contains("nested more than 64 deep"));
  CHECK_THAT(said_of(std::string(10'000'000, '[')), Contains("nested more than 64 deep"));
}

TEST_CASE("what is nested too deep can be left out, and the rest is read") {
  const JsonLimits limits{.depth = 3, .leaves_out_deep = true};
  const auto read = [&](const std::string& text) {
    return parse_json(text, "body", limits).dump();
  };
  CHECK(read(R"({"a":[[1]],"b":2})") == R"({"a":[[1]],"b":2})");
  CHECK(read(R"({"a":[[{"b":"]}\"]}\\"}, 1, {"c":[[]]}], 2],"d":{"e":[[0]]},"f":3})") ==
        R"({"a":[[null,1,null],2],"d":{"e":[null]},"f":3})");
  CHECK(read(nested(1'000'000)) == "[[[null]]]");
  CHECK_THAT(said_of(std::string(1'000'000, '['), limits), Contains("this is not JSON"));
  CHECK_THAT(said_of(R"([[[["\)", limits), Contains("this is not JSON"));
}

TEST_CASE("a text that is too long is refused with both lengths") {
  CHECK(said_of("[1, 2, 3, 4]", {10, 64, 100}) ==
        "body: the text has 12 bytes, more than the 10 that are read");
}

TEST_CASE("a text with too many values is refused") {
  CHECK(said_of("[1,2,3,4,5]", {100, 64, 5}) == "body: the text has more than 5 keys and values");
  CHECK(said_of("[1,2,3,4]", {100, 64, 5}).empty());
}

TEST_CASE("a truncated text is refused at every byte") {
  const std::string text = R"({"Pod": {"metadata": {"name": "p\n"}, "n": [1, -2e3]}})";
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes)
    CHECK_THAT(said_of(text.substr(0, bytes)), Contains("this is not JSON, at byte"));
  CHECK(said_of(text).empty());
}

TEST_CASE("text that is no UTF-8 is refused as such") {
  CHECK_THAT(said_of("[\"\xff\"]"), Contains("this is not UTF-8, at byte 3"));
  CHECK_THAT(said_of("[\"\xc3(\"]"), Contains("this is not UTF-8"));
  CHECK_THAT(said_of("[\"\xed\xa0\x80\"]"), Contains("this is not UTF-8"));
  CHECK(said_of("[\"\xc3\xa9\"]").empty());
}

TEST_CASE("a number that no double holds is refused") {
  CHECK(said_of("[1e999]") == "body: a number in this JSON is out of range");
}

TEST_CASE("of a text whose parts are not all read only those are kept, and counted") {
  using Path = std::vector<std::string>;
  const auto keeps = [](const Path& path) { return path.back() != "x" && path != Path{"a", "b"}; };
  const auto read = [&](const std::string& text, std::size_t most = 100) {
    return parse_json_parts(text, "body", {.values = most}, keeps).dump();
  };
  CHECK(
      read(
          R"({"x":{"a":[{"b":1}]},"a":{"b":[[1],{"c":{}}],"c":[{"x":1,"b":2},3],"x":null},"b":4})") ==
      R"({"a":{"c":[{"b":2},3]},"b":4})");
  CHECK(read(R"({"x":1,"a":{"x":{},"b":{},"d":{"b":5}}})") == R"({"a":{"d":{"b":5}}})");
  CHECK(read("[1,2]") == "[1,2]");
  std::string many = R"({"x":[0)";
  for (int i = 0; i < 1000; ++i) many += R"(,{"a":[]})";
  CHECK(read(many + R"(],"b":1})", 4) == R"({"b":1})");
  CHECK_THAT(refusal([&] { (void)read(many + R"(],"b":[1]})", 4); }),
             Contains("what is read of the text has more than 4 keys and values"));
  CHECK_THAT(refusal([&] { (void)read(R"({"x":{"a":1)"); }), Contains("this is not JSON"));
  CHECK_THAT(refusal([&] { (void)read(nested(65)); }), Contains("nested more than 64 deep"));
}

TEST_CASE("a list of a million objects takes no more than seconds") {
  std::string text = "[{}";
  for (int i = 1; i < 1'000'000; ++i) text += ",{}";
  text += "]";
  const auto start = std::chrono::steady_clock::now();
  CHECK(parse_json(text, "body").size() == 1'000'000);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
}

TEST_CASE("a long text is shown by its beginning, without half a character") {
  CHECK(in_quotes("tp=8") == "\"tp=8\"");
  CHECK(in_quotes(std::string(59, 'a') + "é") == "\"" + std::string(59, 'a') + "…\"");
  CHECK(in_quotes(std::string(58, 'a') + "éb") == "\"" + std::string(58, 'a') + "é…\"");
}
