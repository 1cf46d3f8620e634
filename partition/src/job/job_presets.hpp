#pragma once
// Jobs that have a name: a published or usual way to train or serve a model, as flat text.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zonecut {

[[nodiscard]] std::optional<std::string_view> job_preset(std::string_view name);
[[nodiscard]] std::vector<std::string> job_preset_names();

}  // namespace zonecut
