#pragma once
// Keys that a schema of docs/schema names, and those that a reader says it knows.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {

inline const Value& member(const Value& mapping, std::string_view key) {
  for (const Value::Entry& entry : mapping.entries) {
    if (entry.key == key) return entry.value;
  }
  FAIL("the schema has no \"" << key << "\"");
  return mapping;
}

/// The names under `properties` at the end of a path, joined as a message lists them.
inline std::string keys_of_schema(const std::string& file, const std::vector<std::string>& path) {
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

}  // namespace zonecut
