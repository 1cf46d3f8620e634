#pragma once
// The records of a JSON text one by one, without keeping the whole: objects of a list that is the
// text itself, or the value of a key at its top. Depth and sizes are bounded.
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace zonecut::traces {

using Json = nlohmann::json;

struct JsonRecordWish {
  std::string list_key;  ///< empty: the text is the list
  std::string name_key;  ///< the key of a record's name
  /// Whether a record of this name is needed. What follows the name of others is not kept.
  std::function<bool(const std::string& name)> wanted;
  /// A needed record, and the line it begins in.
  std::function<void(const Json& record, std::int64_t line)> take;
  /// A key at the top of texts of another kind that are easily taken for these; what such a text
  /// is, and what to give instead. Said where the list is missing and this key is there.
  std::string stranger_key = {};
  std::string stranger = {};
  std::string instead = {};
};

/// The values of other keys at the top that are no lists and objects. Throws InputError where the
/// text is no JSON of this form, is nested too deep, has a key twice or a record that is too long.
/// Linear in the text.
Json read_json_records(std::string_view text, const std::string& source,
                       const JsonRecordWish& wish);

/// A whole number from 0 on; none: it is something else.
[[nodiscard]] std::optional<std::uint64_t> whole(const Json& value);
/// The value of a key; null where there is none, or `object` is none.
[[nodiscard]] const Json* member(const Json& object, std::string_view key);

}  // namespace zonecut::traces
