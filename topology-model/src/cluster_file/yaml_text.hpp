#pragma once
// Texts as our files write them: plain where nothing can be misread, in double quotes otherwise.
// Private to the topology model.
#include <string>
#include <string_view>

#include "zonecut/base/units.hpp"

namespace zonecut {

/// A text for a line of its own ("key: text"), where brackets and commas may stand plain.
[[nodiscard]] std::string yaml_line_text(std::string_view text);
/// A text within [...] or {...}. Throws InputError on control characters, which no file may have.
[[nodiscard]] std::string yaml_flow_text(std::string_view text);
/// "7us": the shortest of a few units that reads back as exactly this time.
[[nodiscard]] std::string exact_duration(Seconds time);

}  // namespace zonecut
