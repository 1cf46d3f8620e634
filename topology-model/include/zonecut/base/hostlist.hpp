#pragma once
// Host lists as Slurm writes them: "gpu[001-016,020],login1". Leading zeros are kept. Several
// brackets in a name multiply out.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zonecut {

/// All names of a list, in its order, duplicates kept. Throws InputError at `where` if the list is
/// malformed or has more than `most` names.
[[nodiscard]] std::vector<std::string> expand_hostlist(std::string_view list,
                                                       const std::string& where = "host list",
                                                       std::size_t most = 1'000'000);
/// Whether a name can stand in a host list: printable, without blanks, commas and brackets, and of
/// at most 255 bytes.
[[nodiscard]] bool is_host_name(std::string_view name);
/// A short host list that expands to exactly these names in this order. Neighbouring names that
/// differ in one number only share a bracket; neighbouring results of that share another one, and
/// so on. Throws InputError on a name for which is_host_name() is false. Linear in the text of the
/// names.
[[nodiscard]] std::string compress_hostlist(std::span<const std::string> names);
/// Orders names by the numbers in them: "gpu2" before "gpu10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace zonecut
