#pragma once
// Host lists as Slurm writes them: "gpu[001-016,020],login1". Leading zeros are kept. Several
// brackets in a name multiply out.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zonecut {

/// All names of a list, in its order, duplicates kept. Throws InputError{where, …} on a malformed
/// list or one of more than `most` names.
[[nodiscard]] std::vector<std::string> expand_hostlist(std::string_view list,
                                                       const std::string& where = "host list",
                                                       std::size_t most = 1'000'000);
/// Whether a name can stand in a host list: printable, without blanks, commas and brackets, and of
/// at most 255 bytes.
[[nodiscard]] bool is_host_name(std::string_view name);
/// A short text of this form that expands to exactly these names in exactly this order: neighbours
/// that differ in one number share a bracket, alike neighbours of those another one, and so on.
/// Throws InputError on a name that cannot stand in a host list. Linear in the text of the names.
[[nodiscard]] std::string compress_hostlist(std::span<const std::string> names);
/// Compares names as people do: "gpu2" before "gpu10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace zonecut
