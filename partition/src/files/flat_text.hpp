#pragma once
// "tp=8,pp=16,model=llama3-405b" as the document a job file would have been, so that one reader
// serves both. Every value keeps its column.
#include <string>
#include <string_view>

#include "zonecut/base/document.hpp"

namespace zonecut {

/// Short and long keys become sections and keys of the file: "vpp" is parallelism.virtual_stages.
/// Throws InputError with every mistake.
[[nodiscard]] Document flat_document(std::string_view text, const std::string& where);

/// The same for a text that stands where a mapping `section` is expected, in place.
void expand_flat_section(const Document& document, Value& value, std::string_view section,
                         ProblemList& problems);

}  // namespace zonecut
