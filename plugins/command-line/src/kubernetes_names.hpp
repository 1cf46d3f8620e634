#pragma once
// Names as the API of Kubernetes takes them, where an option gives some.
#include <string>
#include <string_view>
#include <vector>

namespace zonecut::cli {

/// Of an object: at most 253 lower-case letters, digits, dashes and dots.
[[nodiscard]] bool is_object_name(std::string_view name);

/// Of a label or a resource: at most 63 letters, digits, dashes, underscores and dots, behind a
/// domain and a slash where there is one.
[[nodiscard]] bool is_qualified_name(std::string_view name);

/// The keys of "KEY,…". Throws InputError on what is no key of a label, and on one that comes
/// twice.
[[nodiscard]] std::vector<std::string> label_keys(std::string_view option, std::string_view text);

}  // namespace zonecut::cli
