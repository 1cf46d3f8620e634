// The JSON schemas know the keys that the readers know.
#include <regex>

#include "support/catch.hpp"
#include "support/schema_keys.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;

namespace {

std::regex pattern_of_schema(const std::vector<std::string>& path) {
  const Document schema = parse_document(
      read_file(ZONECUT_TEST_SOURCE_DIR "/../docs/schema/cluster-v1.json"), "cluster-v1.json");
  const Value* value = &schema.root;
  for (const std::string& key : path) value = &member(*value, key);
  return std::regex(member(*value, "pattern").scalar);
}

std::string cluster_keys(const std::string& text) {
  return known_keys([&] {
    static_cast<void>(parse_cluster(
        "format: cluster/v1\n" + text + "\ndomains: [{zone: a, rack: r, servers: 1}]\n", "c.yaml"));
  });
}

std::string state_keys(const std::string& text) {
  const Cluster cluster =
      parse_cluster("format: cluster/v1\ndomains: [{zone: a, rack: r, servers: 1}]", "c.yaml");
  return known_keys(
      [&] { static_cast<void>(parse_state(cluster, "format: state/v1\n" + text, "s.yaml")); });
}

}  // namespace

TEST_CASE("the schema of cluster/v1 has the keys of the reader", "[topology]") {
  const auto keys = [](const std::vector<std::string>& path) {
    return keys_of_schema("cluster-v1.json", path);
  };
  CHECK(keys({}) == cluster_keys("qqqqqqqq: 1"));
  CHECK(keys({"$defs", "network"}) == cluster_keys("backend: {qqqqqqqq: 1}"));
  CHECK(keys({"$defs", "tier"}) == cluster_keys("backend: {tiers: {zone: {qqqqqqqq: 1}}}"));
}

TEST_CASE("the schema of state/v1 has the keys of the reader", "[topology]") {
  const auto keys = [](const std::vector<std::string>& path) {
    return keys_of_schema("state-v1.json", path);
  };
  CHECK(keys({}) == state_keys("qqqqqqqq: 1"));
  CHECK(keys({"$defs", "job"}) == state_keys("jobs: [{name: a, qqqqqqqq: 1}]"));
  CHECK(keys({"$defs", "job", "properties", "random"}) ==
        state_keys("jobs: [{name: a, random: {qqqqqqqq: 1}}]"));
  CHECK(keys({"$defs", "health"}) == state_keys("health: {qqqqqqqq: 1}"));
  CHECK(keys({"$defs", "link"}) == state_keys("health: {links: [{qqqqqqqq: 1}]}"));
}

TEST_CASE("the schema's patterns take the quantities that the reader takes", "[topology]") {
  const std::regex bandwidth = pattern_of_schema({"$defs", "bandwidth"});
  const std::regex duration = pattern_of_schema({"$defs", "duration"});
  const std::regex size = pattern_of_schema({"$defs", "size"});
  for (const std::string number :
       {"0", "1", "0.0", "0.5", ".5", "5.", "1e3", "1E-3", "00", "010", "-1", "+1", "", "."}) {
    for (const std::string unit : {"Gbps", " Gbit/s", "GB/s", "GiB/s", "GBps", "B", "MiB", "kib",
                                   "us", "min", "h", "d", "", "  s"}) {
      const std::string text = number + unit;
      CAPTURE(text);
      const auto rate = parse_bandwidth(text);
      CHECK(std::regex_match(text, bandwidth) == (rate && rate->count > 0));
      const auto bytes = parse_bytes(text);
      const bool rounds_to_nothing = bytes && bytes->count == 0 && number != "0";
      if (!rounds_to_nothing) CHECK(std::regex_match(text, size) == (bytes && bytes->count > 0));
      CHECK(std::regex_match(text, duration) == parse_duration(text).has_value());
    }
  }
}

TEST_CASE("the schema's ratios are those of the reader", "[topology]") {
  const Document schema = parse_document(
      read_file(ZONECUT_TEST_SOURCE_DIR "/../docs/schema/cluster-v1.json"), "cluster-v1.json");
  const Value& ratio = member(member(schema.root, "$defs"), "ratio");
  const std::regex pattern(member(member(ratio, "anyOf").items.at(1), "pattern").scalar);
  for (const std::string text :
       {"7:1", "2.8", "1e1:1", "0:1", "1:0", "0", "7:", ":1", "7:1:1", "1:.5", "seven", ""}) {
    CAPTURE(text);
    CHECK(std::regex_match(text, pattern) == parse_ratio(text).has_value());
  }
}
