#include "zonecut/scheduler/request.hpp"

#include "support/catch.hpp"
#include "support/schema_keys.hpp"
#include "support/sketch.hpp"

using namespace zonecut;

namespace {

struct Parsed {
  Constraints constraints;
  std::vector<Problem> problems;
};

Parsed parse(const Sketch& sketch, const std::string& text) {
  const Document document = parse_document(text, "job.yaml");
  ProblemList problems;
  Parsed parsed;
  parsed.constraints = parse_constraints(document, &document.root, *sketch.cluster, problems);
  try {
    problems.throw_if_any();
  } catch (const InputError& error) {
    parsed.problems = error.problems();
  }
  return parsed;
}

const char* kCluster = R"(
  a: r1[a1 a2] r2[a3]
  b: r3[b1 b2]
)";

}  // namespace

TEST_CASE("every constraint is read", "[scheduler]") {
  const Sketch cluster = sketch(kCluster);
  const auto [constraints, problems] = parse(cluster, R"(
required_level: zone
preferred_level: rack
slices: {zone: 48, rack: 16}
exclude: ["a[1-2]", b/r3]
whole_racks: true
spread: {level: zone, servers: 4}
time_tolerance: 2.5%
)");
  REQUIRE(problems.empty());
  CHECK(constraints.required_level == 1);
  CHECK(constraints.preferred_level == 2);
  REQUIRE(constraints.slices.size() == 2);
  CHECK(constraints.slices[1].gpus == 16);
  CHECK(constraints.excluded == cluster.servers("a1 a2 b1 b2"));
  CHECK(constraints.whole_racks);
  CHECK(constraints.spread->servers == 4);
  CHECK(constraints.time_tolerance == 0.025);
  CHECK_FALSE(constraints.only);
}

TEST_CASE("host lists may name domains, and a name that two domains share is no name",
          "[scheduler]") {
  const Sketch cluster = sketch("a: r1[a1 a2] r2[a3]\nb: r1[b1 b2]");
  CHECK(parse(cluster, "exclude: [\"a/r[1-2]\"]").constraints.excluded ==
        cluster.servers("a1 a2 a3"));
  const auto shared = parse(cluster, "exclude: [r1]");
  REQUIRE(shared.problems.size() == 1);
  CHECK(shared.problems[0].hint.find("needs its path") != std::string::npos);
}

TEST_CASE("all mistakes of a placement are reported with their lines", "[scheduler]") {
  const Sketch cluster = sketch(kCluster);
  const auto [constraints, problems] = parse(cluster, R"(required_level: pod
exclude: [a9]
slices: {zone: 0}
whole_rack: true
)");
  REQUIRE(problems.size() == 4);
  CHECK(problems[0].where == "job.yaml:1:17");
  CHECK(problems[0].hint == "its levels are zone, rack");
  bool named_near_key = false;
  for (const Problem& problem : problems) {
    named_near_key = named_near_key || problem.hint.find("whole_racks") != std::string::npos;
  }
  CHECK(named_near_key);
}

TEST_CASE("a tolerance is a percentage", "[scheduler]") {
  const Sketch cluster = sketch(kCluster);
  CHECK_FALSE(parse(cluster, "whole_racks: true").constraints.time_tolerance);
  CHECK(parse(cluster, "time_tolerance: 0%").constraints.time_tolerance == 0.0);
  for (const char* text : {"0.02", "101%", "-1%", "nan%", "\"%\"", "2 %", "[2%]"}) {
    INFO(text);
    const auto wrong = parse(cluster, std::string("time_tolerance: ") + text);
    REQUIRE(wrong.problems.size() == 1);
    CHECK(wrong.problems[0].where == "job.yaml:1:17");
    CHECK(wrong.problems[0].what == "expected a percentage from 0% to 100%");
  }
}

TEST_CASE("the schema of job/v1 has the keys of a placement's constraints", "[scheduler]") {
  const Sketch cluster = sketch(kCluster);
  const auto known = [&](const std::string& text) {
    return known_keys([&] { throw InputError(parse(cluster, text).problems); });
  };
  CHECK(keys_of_schema("job-v1.json", {"$defs", "placement"}) == known("qqqqqqqq: 1"));
  CHECK(keys_of_schema("job-v1.json", {"$defs", "placement", "properties", "spread"}) ==
        known("spread: {level: zone, qqqqqqqq: 1}"));
}
