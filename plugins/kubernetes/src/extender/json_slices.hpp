#pragma once
// Where the parts of a JSON text lie, so that they can be passed on as they came.
#include <optional>
#include <string_view>
#include <vector>

namespace zonecut::kubernetes {

/// Fields of the object that `object` is the text of: the last one called `key`, as parsers have
/// it. None where there is no such field, or where keys are written with escapes, which might mean
/// it. The text must be JSON.
[[nodiscard]] std::optional<std::string_view> field_text(std::string_view object,
                                                         std::string_view key);

/// The texts of a list's elements; none where the text is no list. The text must be JSON.
[[nodiscard]] std::vector<std::string_view> element_texts(std::string_view list);

}  // namespace zonecut::kubernetes
