// The schema of job/v1 knows the keys that its reader knows, and the presets there are.
#include <set>
#include <sstream>

#include "support/schema_keys.hpp"
#include "zonecut/partition/job.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

std::string schema_keys(const std::vector<std::string>& path) {
  return keys_of_schema("job-v1.json", path);
}

std::string job_keys(const std::string& text) {
  return known_keys([&] { static_cast<void>(parse_job_file(text, "j.yaml")); });
}

std::set<std::string> words_of(const std::string& joined) {
  std::set<std::string> words;
  std::istringstream text(joined);
  for (std::string word; std::getline(text >> std::ws, word, ',');) words.insert(word);
  return words;
}

}  // namespace

TEST_CASE("the schema of job/v1 has the keys of the reader", "[job]") {
  std::set<std::string> found;
  for (const std::string kind : {"training", "recommendation", "inference", "collectives"}) {
    const std::set<std::string> of_kind = words_of(job_keys("qqqqqqqq: 1\nkind: " + kind));
    CHECK(of_kind.size() > 8);
    found.insert(of_kind.begin(), of_kind.end());
  }
  CHECK(found == words_of(schema_keys({})));

  const auto defined = [](const std::string& name) { return schema_keys({"$defs", name}); };
  CHECK(defined("model") == job_keys("model: {qqqqqqqq: 1}"));
  CHECK(defined("parallelism") == job_keys("parallelism: {qqqqqqqq: 1}"));
  CHECK(defined("batch") == job_keys("batch: {qqqqqqqq: 1}"));
  CHECK(defined("data_parallel") == job_keys("data_parallel: {qqqqqqqq: 1}"));
  CHECK(defined("encoder") == job_keys("encoder: {qqqqqqqq: 1}"));
  CHECK(defined("recommendation") == job_keys("gpus: 8\nrecommendation: {qqqqqqqq: 1}"));
  CHECK(defined("inference") == job_keys("inference: {qqqqqqqq: 1}"));
  CHECK(defined("collective") == job_keys("gpus: 8\ncollectives: [{qqqqqqqq: 1}]"));
  CHECK(defined("collective") ==
        job_keys("gpus: 8\ncollectives: [{kind: all-to-all, qqqqqqqq: 1}]"));
}

TEST_CASE("the schema of job/v1 has the models there are", "[job]") {
  const Document schema = parse_document(
      read_file(ZONECUT_TEST_SOURCE_DIR "/../docs/schema/job-v1.json"), "job-v1.json");
  std::vector<std::string> named;
  const Value& preset = member(member(schema.root, "$defs"), "model_preset");
  for (const Value& item : member(preset, "enum").items) named.push_back(item.scalar);
  CHECK(named == model_preset_names());
}
