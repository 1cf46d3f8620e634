#pragma once
// An object of JSON that is read field by field, with the JSON pointer of whatever is wrong. As in
// Kubernetes' own reading, a field that is absent or null has its default.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/objects.hpp"

namespace zonecut::kubernetes {

/// Refers to the JSON, which must outlive it.
class JsonObject {
 public:
  /// Throws InputError where `value` is neither an object nor null.
  JsonObject(const nlohmann::json& value, std::string where);

  [[nodiscard]] const std::string& where() const { return where_; }
  /// The pointer of a field, keys with "/" in them escaped.
  [[nodiscard]] std::string where(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }

  [[nodiscard]] JsonObject object(std::string_view key) const;
  [[nodiscard]] std::string text(std::string_view key) const;  ///< empty where absent
  [[nodiscard]] bool flag(std::string_view key) const;         ///< false where absent
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view key, std::int64_t least,
                                                   std::int64_t most) const;
  /// A count that says how many of something there are, or where one begins.
  [[nodiscard]] std::optional<std::uint32_t> count(std::string_view key) const;
  /// A quantity of devices: a whole number, as a number or as text, also of thousands (k) or
  /// millions (M); 0 where absent.
  [[nodiscard]] int devices(std::string_view key) const;
  [[nodiscard]] Labels labels(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;

  /// `take(element)` for each element of a list of objects.
  template <typename Take>
  void each(std::string_view key, const Take& take) const {
    const nlohmann::json* const list = find_list(key);
    if (list == nullptr) return;
    const std::string place = where(key) + "/";
    for (std::size_t i = 0; i < list->size(); ++i)
      take(JsonObject((*list)[i], place + std::to_string(i)));
  }
  /// `take(key, value)` for each field, in the order of their keys.
  template <typename Take>
  void each_field(const Take& take) const {
    if (object_ == nullptr) return;
    for (const auto& [key, value] : object_->items()) take(key, JsonObject(value, where(key)));
  }
  [[nodiscard]] std::size_t length(std::string_view key) const;  ///< of a list; 0 where absent

 private:
  JsonObject() = default;
  /// None for null and for what is absent.
  [[nodiscard]] const nlohmann::json* find(std::string_view key) const;
  [[nodiscard]] const nlohmann::json* find_list(std::string_view key) const;
  [[noreturn]] void refuse(std::string_view key, const std::string& expected) const;

  const nlohmann::json* object_ = nullptr;  ///< none: nothing is in it
  std::string where_;
};

}  // namespace zonecut::kubernetes
