// The JSON schemas know the keys that the readers know.
#include <algorithm>

#include "support/catch.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;

namespace {

const Value& member(const Value& mapping, std::string_view key) {
  for (const Value::Entry& entry : mapping.entries) {
    if (entry.key == key) return entry.value;
  }
  FAIL("the schema has no \"" << key << "\"");
  return mapping;
}

/// The names under `properties` at the end of a path, joined as a message lists them.
std::string keys_of_schema(const std::string& file, const std::vector<std::string>& path) {
  const Document schema =
      parse_document(read_file(ZONECUT_TEST_SOURCE_DIR "/../docs/schema/" + file), file);
  const Value* value = &schema.root;
  for (const std::string& key : path) value = &member(*value, key);
  std::vector<std::string> keys;
  for (const Value::Entry& entry : member(*value, "properties").entries) keys.push_back(entry.key);
  std::sort(keys.begin(), keys.end());
  std::string joined;
  for (const std::string& key : keys) joined += (joined.empty() ? "" : ", ") + key;
  return joined;
}

/// The keys a reader lists when it meets one that it does not know.
template <class Read>
std::string known_keys(const Read& read) {
  const std::string before = "unknown key \"qqqqqqqq\" (known here: ";
  try {
    read();
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      const std::string text = to_text(problem);
      const auto at = text.find(before);
      if (at == std::string::npos) continue;
      const auto begin = at + before.size();
      return text.substr(begin, text.size() - begin - 1);
    }
  }
  return "none";
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
