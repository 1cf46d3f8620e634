#include "objects/json_object.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "objects/json_text.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

using Json = nlohmann::json;

/// More pods, or more devices, than any cluster has. Sums of a few of them fit an int.
constexpr std::int64_t kMostOfAnything = 1'000'000;

std::string shown(const Json& value) {
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  return value.dump();
}

std::optional<std::int64_t> whole_number(const Json& value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kMost) return std::nullopt;
  return value.get<std::int64_t>();
}

/// A quantity; the API server writes thousands of devices as "2k".
std::optional<std::int64_t> quantity(std::string_view text) {
  std::int64_t unit = 1;
  if (text.ends_with('k')) unit = 1'000;
  if (text.ends_with('M')) unit = 1'000'000;
  if (unit > 1) text.remove_suffix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && number >= 0 && number <= kMostOfAnything ? std::optional(number * unit)
                                                           : std::nullopt;
}

}  // namespace

JsonObject::JsonObject(const Json& value, std::string where) : where_(std::move(where)) {
  if (value.is_null()) return;
  if (!value.is_object()) throw InputError(where_, "expected an object, found " + shown(value));
  object_ = &value;
}

std::string JsonObject::where(std::string_view key) const {
  std::string pointer = where_ + "/";
  for (const char c : key) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
  return pointer;
}

const Json* JsonObject::find(std::string_view key) const {
  if (object_ == nullptr) return nullptr;
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const Json* JsonObject::find_list(std::string_view key) const {
  const Json* const list = find(key);
  if (list != nullptr && !list->is_array()) refuse(key, "a list");
  return list;
}

void JsonObject::refuse(std::string_view key, const std::string& expected) const {
  throw InputError(where(key), fmt::format("expected {}, found {}", expected, shown(*find(key))));
}

JsonObject JsonObject::object(std::string_view key) const {
  const Json* const value = find(key);
  return value == nullptr ? JsonObject() : JsonObject(*value, where(key));
}

std::string JsonObject::text(std::string_view key) const {
  const Json* const value = find(key);
  if (value == nullptr) return {};
  if (!value->is_string()) refuse(key, "text");
  return value->get<std::string>();
}

bool JsonObject::flag(std::string_view key) const {
  const Json* const value = find(key);
  if (value == nullptr) return false;
  if (!value->is_boolean()) refuse(key, "true or false");
  return value->get<bool>();
}

std::optional<std::int64_t> JsonObject::number(std::string_view key, std::int64_t least,
                                               std::int64_t most) const {
  const Json* const value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::optional<std::int64_t> whole = whole_number(*value);
  if (!whole || *whole < least || *whole > most)
    refuse(key, fmt::format("a whole number from {} to {}", least, most));
  return whole;
}

std::optional<std::uint32_t> JsonObject::count(std::string_view key) const {
  const std::optional<std::int64_t> value = number(key, 0, kMostOfAnything);
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

int JsonObject::devices(std::string_view key) const {
  const Json* const value = find(key);
  if (value == nullptr) return 0;
  const std::optional<std::int64_t> count =
      value->is_string() ? quantity(value->get_ref<const std::string&>()) : whole_number(*value);
  if (!count || *count < 0 || *count > kMostOfAnything) {
    refuse(key, fmt::format("a whole number of devices from 0 to {}, without a suffix but k or M",
                            kMostOfAnything));
  }
  return static_cast<int>(*count);
}

Labels JsonObject::labels(std::string_view key) const {
  const Json* const value = find(key);
  if (value == nullptr) return {};
  if (!value->is_object()) refuse(key, "an object");
  Labels labels;
  const JsonObject object(*value, where(key));
  for (const auto& [name, text] : value->items()) {
    if (!text.is_string() && !text.is_null()) object.refuse(name, "text");
    labels.emplace_hint(labels.end(), name, text.is_null() ? "" : text.get<std::string>());
  }
  return labels;
}

std::vector<std::string> JsonObject::texts(std::string_view key) const {
  const Json* const list = find_list(key);
  if (list == nullptr) return {};
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!(*list)[i].is_string())
      throw InputError(fmt::format("{}/{}", where(key), i),
                       "expected text, found " + shown((*list)[i]));
    texts.push_back((*list)[i].get<std::string>());
  }
  return texts;
}

std::size_t JsonObject::length(std::string_view key) const {
  const Json* const list = find_list(key);
  return list == nullptr ? 0 : list->size();
}

}  // namespace zonecut::kubernetes
