#include <nlohmann/json.hpp>

#include "scheduler/report/sample.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

}  // namespace

TEST_CASE("placement JSON says where every rank runs, in rank order", "[report]") {
  const Sample sample(sketch(kFourServers), job_of(2, {{0, 1, 5 * kGB}}), "b1 a2");
  const Json json = Json::parse(
      write_placement_json(sample.problem, sample.report.placement, sample.report.provenance));
  CHECK(keys_of(json) == std::vector<std::string>{"schema", "job", "ranks", "servers", "metrics",
                                                  "routing", "admission", "phases", "disturbed",
                                                  "bytes_by_level", "zone_matrix", "leftover",
                                                  "candidates", "reasons", "provenance"});
  CHECK(json["admission"].is_null());
  CHECK(json["schema"] == "zonecut.placement/v1");
  REQUIRE(json["ranks"].size() == 16);
  for (std::size_t rank = 0; rank < 16; ++rank) {
    CHECK(json["ranks"][rank]["rank"] == rank);
    CHECK(json["ranks"][rank]["server"] == (rank < 8 ? "b1" : "a2"));
    CHECK(json["ranks"][rank]["gpu"] == rank % 8);
  }
  CHECK(json["servers"] == Json({"b1", "a2"}));
  CHECK(json["metrics"]["cross_zone_bytes"] == 5 * kGB);
  CHECK(json["provenance"]["state_file"].is_null());
  CHECK(json["provenance"]["seed"] == 42);
}

TEST_CASE("JSON, HTML and terminal say which model is assumed, and nothing where it is named",
          "[report]") {
  for (const bool named : {false, true}) {
    const Sample sample(sketch(kFourServers),
                        parse_job_text(named ? "tp=8,dp=2,model=llama3-70b" : "tp=8,dp=2"),
                        "b1 a2");
    const Json json = Json::parse(
        write_placement_json(sample.problem, sample.report.placement, sample.report.provenance));
    CHECK(json["job"]["model"] == "llama3-70b");
    CHECK(json["job"]["assumed_model"].is_null() == named);
    for (const std::string& text :
         {write_html(sample.report), write_terminal(sample.report, {.width = 120})})
      CHECK((text.find("llama3-70b is assumed") == std::string::npos) == named);
  }
  const Sample other(sketch(kFourServers), job_of(2, {{0, 1, kGB}}), "b1 a2");
  const Json json = Json::parse(
      write_placement_json(other.problem, other.report.placement, other.report.provenance));
  CHECK(json["job"]["model"].is_null());
  CHECK(json["job"]["assumed_model"].is_null());
}

TEST_CASE("what is not known is null in JSON, never zero", "[report]") {
  Sample sample(sketch(kFourServers), job_of(2, {{0, 1, kGB}}), "b1 a2");
  sample.report.placement.lower_bound.reset();
  sample.report.placement.gap.reset();
  sample.report.placement.bound_method.clear();
  const Json json = Json::parse(
      write_placement_json(sample.problem, sample.report.placement, sample.report.provenance));
  CHECK(json["metrics"]["lower_bound_bytes"].is_null());
  CHECK(json["metrics"]["gap"].is_null());
  CHECK(json["metrics"]["bound_method"].is_null());
}

TEST_CASE("report JSON holds the placement and every baseline, also one that found no room",
          "[report]") {
  const Sample sample(sketch(kFourServers), job_of(2, {{0, 1, kGB}}), "a1 a2", "a1 b1");
  const Json json = Json::parse(write_json(sample.report));
  CHECK(json["schema"] == "zonecut.report/v1");
  CHECK(json["placement"] ==
        Json::parse(write_placement_json(sample.problem, sample.report.placement,
                                         sample.report.provenance)));
  REQUIRE(json["baselines"].size() == 2);
  CHECK(json["baselines"][0]["found_room"] == true);
  CHECK(json["baselines"][0]["metrics"]["cross_zone_bytes"] == kGB);
  CHECK(json["baselines"][1]["found_room"] == false);
  CHECK_FALSE(json["baselines"][1].contains("metrics"));
}

TEST_CASE("a refusal lists its blockers", "[report]") {
  const NoFit refusal{{{"required level: zone", "needs 5 servers", "level cluster"},
                       {"free capacity", "needs 9 servers", ""}}};
  const Json json = Json::parse(write_refusal_json(refusal, sample_provenance()));
  CHECK(json["schema"] == "zonecut.refusal/v1");
  REQUIRE(json["blockers"].size() == 2);
  CHECK(json["blockers"][0]["nearest"] == "level cluster");
  CHECK(json["blockers"][1]["nearest"].is_null());
}

TEST_CASE("the same report is written to the same bytes", "[report]") {
  const Sample one(sketch(kFourServers), training_of(2, 2), "a1 a2 b1 b2", "a1 b1 a2 b2");
  const Sample two(sketch(kFourServers), training_of(2, 2), "a1 a2 b1 b2", "a1 b1 a2 b2");
  CHECK(write_json(one.report) == write_json(two.report));
  CHECK(write_html(one.report) == write_html(two.report));
}
