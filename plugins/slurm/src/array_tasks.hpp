#pragma once
// The tasks of a job array, as Slurm writes those that wait: "0-3,7", "1-9:2", "1-100%5".
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace zonecut::slurm {

/// At most `most` of them. Stops where the text cannot be read on, as Slurm ends long ones in
/// "...".
[[nodiscard]] std::vector<std::uint32_t> array_tasks(std::string_view text, std::size_t most);

}  // namespace zonecut::slurm
