#pragma once
// Reads a text as parse_document does, for a loader that reports all mistakes of a file at once:
// what is refused but leaves the rest readable, such as a key given twice, is added to the problems
// instead of thrown. The loader must throw them in the end.
#include <string>
#include <string_view>

#include "zonecut/base/document.hpp"

namespace zonecut {

/// Throws InputError, with all that was found, where the rest could not be read or understood.
[[nodiscard]] Document gather_document(std::string_view text, std::string source,
                                       ProblemList& problems, const DocumentLimits& limits = {});

}  // namespace zonecut
